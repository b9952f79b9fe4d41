"""Symbols that share a line are separate, and uses that share one are one row."""

from collections.abc import Iterator

import pytest

from codecairn import Workspace
from codecairn.graph.render import neighbours_lines
from support.repository import Repository

ONE_LINE = (
    "function one(){return two()+two()} function two(){return 1} function three(){return one()}\n"
)


@pytest.fixture
def workspace(repository: Repository) -> Iterator[Workspace]:
    repository.write("a.js", ONE_LINE)
    repository.write(
        "main.py",
        "from util import (\n    first,\n    second,\n)\n\nx = first() + first(), second()\n",
    )
    repository.write("util.py", "def first(): return 1\ndef second(): return 2\n")
    repository.commit()
    with Workspace.open(repository.root) as opened:
        yield opened


def test_symbols_on_one_line_have_callers_of_their_own(workspace: Workspace) -> None:
    by_name = {
        name: [use.source.name for use in workspace.graph.callers(name).uses if use.source]
        for name in ("one", "two", "three")
    }
    assert by_name == {"one": ["three"], "two": ["one", "one"], "three": []}


def test_symbols_on_one_line_have_callees_of_their_own(workspace: Workspace) -> None:
    by_name = {
        name: [use.name for use in workspace.graph.callees(name)]
        for name in ("one", "two", "three")
    }
    assert by_name == {"one": ["two", "two"], "two": [], "three": ["one"]}


def test_impact_follows_symbols_on_one_line(workspace: Workspace) -> None:
    found = workspace.graph.impact(symbol="two")
    assert [symbol.name for symbol in found.touched] == ["two"]
    assert [(each.definition.name, each.distance) for each in found.dependents] == [
        ("one", 1),
        ("three", 2),
    ]


def test_what_its_neighbour_on_the_line_uses_is_not_unused(workspace: Workspace) -> None:
    unused = {each.definition.name for each in workspace.graph.unused().found}
    assert "two" not in unused
    assert "one" not in unused


@pytest.mark.parametrize(("column", "name"), [(10, "one"), (34, "one"), (45, "two"), (70, "three")])
def test_column_selects_among_symbols_of_a_line(
    workspace: Workspace, column: int, name: str
) -> None:
    assert [each.name for each in workspace.graph.definitions(f"a.js:1:{column}")] == [name]


def test_definition_carries_the_column_of_its_name(workspace: Workspace) -> None:
    (two,) = workspace.graph.definitions("two")
    assert ONE_LINE[two.column :].startswith("two(){")


def test_uses_on_one_line_are_one_row_with_columns(workspace: Workspace) -> None:
    lines = [*neighbours_lines(workspace.graph.callers("first"))]
    assert "  main.py:6:5,15  at the top of the file  call first  [import]" in lines
    assert "  a.js:1:23,29  in one  call two  [same-file]" in [
        *neighbours_lines(workspace.graph.callers("two"))
    ]


def test_import_over_several_lines_is_shown_where_the_name_is(workspace: Workspace) -> None:
    found = workspace.graph.callers("second", kinds=["import"])
    assert [(use.path, use.line, use.column) for use in found] == [("main.py", 3, 4)]
