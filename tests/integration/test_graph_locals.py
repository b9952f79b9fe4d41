"""Calls of parameters, local variables and fields lead to where these are declared, and to no symbol of their name."""

import pytest

from codecairn import Workspace
from support.repository import Repository

_SCRIPT = {
    "run.js": """function done() {}

function run(list, callback) {
  let finish;
  list.forEach((done) => done(list));
  for (const each of list) each();
  finish = load();
  finish();
  return callback(list);
}

test('first', (context, ready) => {
  ready();
});

test('second', (ready) => {
  const { stop } = start();
  stop();
  ready();
});

class Screen {
  constructor(draw) {
    this.draw = draw;
    this.warn = console.warn.bind(console);
  }

  show() {
    this.draw();
    this.warn();
    done();
  }
}
"""
}
_GO = {
    "go.mod": "module example.com/keys\n",
    "keys.go": """package keys

func sh() string { return "" }

func bind(add func(string)) {
	check := func(name string) {}
	check("a")
	add("b")
	sh := sh()
	_ = sh
}
""",
}
_PYTHON = {
    "run.py": """def load():
    pass


def run(load, items=()):
    load()
    for each in items:
        each()

    def inner():
        items()
        once = load
        once()

    return [one() for one in items]


def after():
    load()
"""
}
_RUST = {
    "Cargo.toml": '[package]\nname = "walk"\n',
    "src/lib.rs": """pub fn visit() {}

pub fn walk(visit: impl Fn(u8), names: &[u8]) {
    let count = |name: u8| visit(name);
    count(names[0]);
    visit(1);
}
""",
}


@pytest.mark.parametrize(
    ("files", "path", "expected"),
    [
        (
            _SCRIPT,
            "run.js",
            {
                (5, "done"): 5,
                (6, "each"): 6,
                (8, "finish"): 4,
                (9, "callback"): 3,
                (13, "ready"): 12,
                (18, "stop"): 17,
                (19, "ready"): 16,
                (29, "draw"): 24,
                (30, "warn"): 25,
            },
        ),
        (_GO, "keys.go", {(7, "check"): 6, (8, "add"): 5}),
        (
            _PYTHON,
            "run.py",
            {(6, "load"): 5, (8, "each"): 7, (11, "items"): 5, (13, "once"): 12, (15, "one"): 15},
        ),
        (_RUST, "src/lib.rs", {(4, "visit"): 3, (5, "count"): 4, (6, "visit"): 3}),
    ],
)
def test_call_of_a_local_leads_to_its_declaration(
    folder: Repository, files: dict[str, str], path: str, expected: dict[tuple[int, str], int]
) -> None:
    folder.write_all(files)
    with Workspace.open(folder.root) as workspace:
        edges = [edge for edge in workspace.graph.edges(path) if edge.how == "local"]
        assert {
            (edge.line, edge.name): edge.declared[0] for edge in edges if edge.declared
        } == expected
        assert not any(edge.targets or edge.is_resolved for edge in edges)


def test_call_of_a_local_is_no_use_of_the_symbol_of_its_name(folder: Repository) -> None:
    folder.write_all(_PYTHON)
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.callers("load")
        assert [use.line for use in found] == [19]
        assert found.unresolved_count == 0
        assert workspace.graph.callees("run").outside == ()


def test_function_that_a_variable_of_its_name_is_declared_with_is_called(
    folder: Repository,
) -> None:
    folder.write_all(_GO)
    with Workspace.open(folder.root) as workspace:
        assert [use.line for use in workspace.graph.callers("sh")] == [9]
