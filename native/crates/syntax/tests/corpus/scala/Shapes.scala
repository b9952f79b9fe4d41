package drawing

import scala.math.{Pi, sqrt as root}
import drawing.units.*
import drawing.units.given

/** The colours that a pen has. */
enum Color(val rgb: Int):
  case Red extends Color(0xFF0000)
  case Green, Blue
  def hex: String = f"$rgb%06x"

trait Shape:
  def area: Double
  def describe: String = s"area $area"

opaque type Meters = Double

/** A round shape. */
final case class Circle(radius: Meters) extends Shape derives Eq:
  def area: Double = Pi * radius * radius

given Ordering[Shape] with
  def compare(a: Shape, b: Shape): Int = a.area.compare(b.area)

given defaultPen: Pen = Pen(Color.Red)

extension (shape: Shape)
  def doubled: Double = shape.area * 2
  def scaled(by: Double): Double = shape.area * by

// Draws all shapes with the pen in scope.
def draw(shapes: List[Shape])(using pen: Pen): Unit =
  for shape <- shapes do
    pen.stroke(shape.describe)
    shape match
      case circle: Circle => Canvas.fill(circle)
      case _ => new Sketch(shape).show()
end draw

val unit = Circle(1.0)

@main def run(): Unit = draw(List(unit))
