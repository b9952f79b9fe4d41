@tool
class_name Boat
extends CharacterBody2D
## A boat that the player steers between the piers.

signal docked(pier: Pier, at: float)
signal sunk

enum State { SAILING, DOCKED, SUNK }

const Wave = preload("res://water/wave.gd")
const MAX_SPEED := 120.0

@export var fuel: float = 100.0
@export_range(0, 10) var crew := 3
@onready var horn: AudioStreamPlayer2D = $Horn
var state: State = State.SAILING
static var fleet: Array[Boat] = []

var heading: float = 0.0:
	set(value):
		heading = wrapf(value, -PI, PI)
	get:
		return heading


func _init(name_of_boat := "Gull") -> void:
	super()
	name = name_of_boat


func _ready() -> void:
	fleet.append(self)
	docked.connect(_on_docked)


# Moves with the waves and burns fuel.
func _physics_process(delta: float) -> void:
	match state:
		State.SAILING:
			velocity = Vector2.from_angle(heading) * speed()
			fuel -= delta * 0.5
			move_and_slide()
		State.SUNK:
			queue_free()


## Pixels a second, less with a large crew.
func speed() -> float:
	if fuel <= 0.0:
		return 0.0
	return clampf(MAX_SPEED - crew * 4.0, 10.0, MAX_SPEED)


static func find(boat_name: String) -> Boat:
	for boat in fleet:
		if boat.name == boat_name:
			return boat
	return null


func _on_docked(pier: Pier, _at: float) -> void:
	state = State.DOCKED
	var log := Log.new()
	log.write("docked at %s" % pier.title)
	emit_signal("sunk")


class Log extends RefCounted:
	## Lines in order of time.
	var lines: PackedStringArray = []
	const LIMIT = 50

	func write(line: String) -> void:
		lines.append(line)
		if lines.size() > LIMIT:
			lines.remove_at(0)
