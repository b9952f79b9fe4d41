package bank.ledger

import java.time.Instant
import scala.collection.mutable.{ArrayBuffer, Map => MutableMap}
import bank.util._
import cats.effect.IO

/** What went wrong. */
sealed trait LedgerError extends Product with Serializable {
  def message: String
}

object LedgerError {
  case object Overdrawn extends LedgerError { val message = "overdrawn" }
  final case class Unknown(account: String) extends LedgerError {
    override def message: String = s"unknown account $account"
  }
}

case class Entry(account: String, amount: BigDecimal, at: Instant = Instant.now())

/**
 * An append-only list of entries.
 */
@deprecated("use Journal", "2.0")
abstract class Ledger[F[_]](val name: String, private var limit: Int)
    extends Base(name)
    with Auditing
    with Iterable[Entry] {

  type Balance = BigDecimal
  type Row <: Product

  private val entries = ArrayBuffer.empty[Entry]
  var closed: Boolean = false
  lazy val total: Balance = entries.map(_.amount).sum
  val (low, high) = bounds(name)

  def this(name: String) = this(name, 100)

  def store(entry: Entry): F[Unit]

  // Adds an entry unless the account is overdrawn.
  def append(entry: Entry): Either[LedgerError, Entry] = {
    def allowed(balance: Balance) = balance + entry.amount >= 0
    if (!allowed(balanceOf(entry.account))) Left(LedgerError.Overdrawn)
    else {
      entries += entry
      listeners.foreach(_.added(entry))
      Right(entry.copy(at = Instant.now()))
    }
  }

  override def iterator: Iterator[Entry] = entries.iterator

  protected[ledger] def balanceOf(account: String): Balance =
    entries.filter(_.account == account).foldLeft(BigDecimal(0))(_ + _.amount)

  class Cursor(start: Int) {
    private var at = start
    def next(): Entry = { at += 1; entries(at) }
  }
}

object Ledger {
  val Empty = new InMemoryLedger("empty")
  private final val MaxRows = 10000

  implicit val ordering: Ordering[Entry] = Ordering.by(_.at)

  implicit class EntryOps(val entry: Entry) extends AnyVal {
    def isCredit: Boolean = entry.amount > 0
  }

  def apply(name: String): Ledger[IO] = new InMemoryLedger(name) with Tracing

  def main(args: Array[String]): Unit = println(Ledger("main").total)
}

package object syntax {
  def money(text: String): BigDecimal = BigDecimal(text)
}
