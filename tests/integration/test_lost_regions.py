"""What follows a construct that a grammar does not know is found, and `status` says where something may be missing."""

from codecairn import Workspace
from support.command import run
from support.repository import Repository

KOTLIN = """package p

class InBody {
    fun a() = 1
    fun f(y: Any): Int = when (y) {
        is A if y.ok -> 1
        else -> 2
    }
}

fun after(): Int {
    return 1
}
"""
LUA = """local M = {}

if if else => ??

function M.after()
  return 1
end

function M.zed()
  return 2
end
"""


def test_definitions_behind_it_are_found(folder: Repository) -> None:
    folder.write_all({"t.kt": KOTLIN, "m.lua": LUA})
    with Workspace.open(folder.root) as workspace:
        for name in ("InBody", "InBody.a", "InBody.f", "after", "M.after"):
            assert [hit.name for hit in workspace.define(name)], name


def test_status_names_the_files_and_forgets_them_once_they_are_mended(folder: Repository) -> None:
    folder.write_all({"t.kt": KOTLIN, "m.lua": LUA, "sound.kt": "fun sound() = 1\n"})
    with Workspace.open(folder.root) as workspace:
        workspace.index()
        assert workspace.status().lossy == ("m.lua", "t.kt")
        assert workspace.status().unparsed == ()
        folder.write("t.kt", KOTLIN.replace("is A if y.ok ->", "is A ->"))
        workspace.index()
        assert workspace.status().lossy == ("m.lua",)


def test_status_says_so_as_text_and_as_json(folder: Repository) -> None:
    folder.write("t.kt", KOTLIN)
    assert run("index", cwd=folder.root).code == 0
    text = run("status", "--verbose", cwd=folder.root).out
    assert (
        "1 file with a region that can't be parsed, where definitions may be missing: t.kt" in text
    )
    assert run("status", "--json", cwd=folder.root).document["lossy"] == ["t.kt"]
