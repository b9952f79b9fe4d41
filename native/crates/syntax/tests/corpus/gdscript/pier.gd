extends "res://places/place.gd"

# A pier in the style of the engine's third version.

export(int) var berths = 4
onready var lamp = get_node("Lamp")

enum { FREE, TAKEN }

var _boats = []


func _ready():
	._ready()
	lamp.visible = false


func take(boat):
	if _boats.size() >= berths:
		return false
	_boats.append(boat)
	boat.connect("sunk", self, "_on_sunk", [boat])
	return true


func _on_sunk(boat):
	_boats.erase(boat)
