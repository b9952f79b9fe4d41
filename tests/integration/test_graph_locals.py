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
            {(8, "each"): 7, (11, "items"): 5, (13, "once"): 12, (15, "one"): 15},
        ),
        (_RUST, "src/lib.rs", {(5, "count"): 4}),
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


@pytest.mark.parametrize(
    ("files", "path", "lines"),
    [
        (_SCRIPT, "run.js", {"done": [5]}),
        (_PYTHON, "run.py", {"load": [6]}),
        (_RUST, "src/lib.rs", {"visit": [4, 6]}),
        (
            {
                "stop.c": "int stop(int code) { return code; }\n",
                "run.c": "int run(int (*stop)(int)) { return stop(1); }\n",
            },
            "run.c",
            {"stop": [1]},
        ),
        (
            {
                "go.mod": "module example.com/keys\n",
                "stop.go": "package keys\n\nfunc stop() {}\n",
                "keys.go": "package keys\n\nfunc run() {\n\tif stop := start(); stop != nil {\n\t\tstop()\n\t}\n"
                "\tstop()\n}\n",
            },
            "keys.go",
            {"stop": [5, 7]},
        ),
        (
            {
                "stop.js": "export function stop() {}\n",
                "run.js": "import { stop } from './stop';\n\nfunction run(list) {\n  {\n    const stop = list.end();\n"
                "    stop();\n  }\n  stop();\n}\n",
            },
            "run.js",
            {"stop": [6, 8]},
        ),
    ],
)
def test_local_that_has_the_name_of_a_callable_may_be_either(
    folder: Repository, files: dict[str, str], path: str, lines: dict[str, list[int]]
) -> None:
    folder.write_all(files)
    with Workspace.open(folder.root) as workspace:
        for name, expected in lines.items():
            edges = [edge for edge in workspace.graph.edges(path) if edge.name == name]
            assert [edge.line for edge in edges if edge.how == "unknown"] == expected
            assert not any(edge.how == "local" for edge in edges)


def test_local_has_no_callable_that_its_file_cannot_mean(folder: Repository) -> None:
    folder.write_all(
        {
            "stop.py": "def stop():\n    pass\n\n\nclass Clock:\n    def start(self):\n        pass\n",
            "run.py": "def run(stop, start):\n    start()\n    stop()\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        edges = workspace.graph.edges("run.py")
        assert [(edge.name, edge.how) for edge in edges if edge.kind == "call"] == [
            ("start", "local"),
            ("stop", "local"),
        ]


def test_variable_of_a_callback_hides_what_the_file_defines(folder: Repository) -> None:
    folder.write_all(_SCRIPT)
    with Workspace.open(folder.root) as workspace:
        edges = workspace.graph.edges("run.js")
        found = {(edge.line, edge.name): edge.how for edge in edges if edge.line in {13, 18, 19}}
        assert found == {
            (13, "ready"): "local",
            (18, "stop"): "local",
            (19, "ready"): "local",
        }


def test_call_that_may_mean_a_local_is_counted_as_unresolved(folder: Repository) -> None:
    folder.write_all(_PYTHON)
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.callers("load")
        assert [use.line for use in found] == [19]
        kinds = [use.kind for use in found.unresolved]
        assert (kinds, found.unresolved_count) == (["call"], 1)
        assert workspace.graph.callees("run").outside == ()


def test_content_of_a_local_of_its_name_is_called_where_it_is_bound(folder: Repository) -> None:
    folder.write_all(
        {
            "Cargo.toml": '[package]\nname = "walk"\n',
            "src/lib.rs": "pub fn walk(visit: Option<fn(u8)>) {\n    if let Some(visit) = visit {\n"
            "        visit(1);\n    }\n}\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        (call,) = [edge for edge in workspace.graph.edges("src/lib.rs") if edge.name == "visit"]
        assert (call.how, call.declared) == ("local", (2, 16))


@pytest.mark.parametrize(
    ("files", "path"),
    [
        (
            {
                "Cargo.toml": '[package]\nname = "walk"\n',
                "src/thread.rs": "pub fn scope(run: impl Fn(u8)) {}\n",
                "src/lib.rs": "mod thread;\nuse thread::scope;\n\npub fn run() {\n"
                "    scope(|scope| {});\n}\n",
            },
            "src/lib.rs",
        ),
        (
            {
                "go.mod": "module example.com/keys\n",
                "keys.go": "package keys\n\nfunc scope(run func(func())) {}\n\nfunc run() {\n"
                "\tscope(func(scope func()) {})\n}\n",
            },
            "keys.go",
        ),
    ],
)
def test_variable_that_is_declared_later_hides_no_function(
    folder: Repository, files: dict[str, str], path: str
) -> None:
    folder.write_all(files)
    with Workspace.open(folder.root) as workspace:
        edges = workspace.graph.edges(path)
        calls = [edge for edge in edges if edge.name == "scope" and edge.kind == "call"]
        assert [edge.is_resolved for edge in calls] == [True]


def test_built_in_function_of_go_is_no_field_of_its_name(folder: Repository) -> None:
    folder.write_all(
        {
            "go.mod": "module example.com/keys\n",
            "keys.go": "package keys\n\nfunc run() {\n\ttests := []struct {\n\t\trecover string\n\t}{}\n"
            "\tdefer func() { recover() }()\n}\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        calls = [edge for edge in workspace.graph.edges("keys.go") if edge.name == "recover"]
        assert [edge.how for edge in calls] == ["unknown"]


def test_function_that_a_variable_of_its_name_is_declared_with_is_called(
    folder: Repository,
) -> None:
    folder.write_all(_GO)
    with Workspace.open(folder.root) as workspace:
        assert [use.line for use in workspace.graph.callers("sh")] == [9]
