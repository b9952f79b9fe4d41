"""Functions without a name are scopes: their parameters and variables hide no name outside of them."""

import pytest

from codecairn import Workspace
from support.repository import Repository


def _resolved(workspace: Workspace, path: str) -> list[tuple[int, str, list[str]]]:
    edges = [edge for edge in workspace.graph.edges(path) if edge.is_resolved]
    return [
        (edge.line, edge.name, [f"{each.path}:{each.line}" for each in edge.targets])
        for edge in edges
        if edge.kind in {"call", "method_call"}
    ]


_SCRIPT = """import { load, save } from './store';

function check(value) { return value; }

describe('a', () => {
  const check = load;
  it('runs', () => { check(1); });
});

describe('b', () => {
  let client;
  beforeEach(() => { client = new Client(); });
  it('runs', (save) => { check(client.get()); save(); });
  it('saves', () => { save(client.get()); });
});

describe('c', () => {
  const client = new Other();
  client.get();
});

class Client { get() {} }
class Other { get() {} }
"""


def test_variables_of_callbacks_are_known_in_them_alone(folder: Repository) -> None:
    folder.write("store.js", "export function load() {}\nexport function save() {}\n")
    folder.write("run.js", _SCRIPT)
    with Workspace.open(folder.root) as workspace:
        assert _resolved(workspace, "run.js") == [
            (7, "check", ["store.js:1"]),
            (13, "check", ["run.js:3"]),
            (13, "get", ["run.js:22"]),
            (14, "save", ["store.js:2"]),
            (14, "get", ["run.js:22"]),
            (19, "get", ["run.js:23"]),
        ]


def test_parameter_of_a_closure_of_php_is_another_variable(folder: Repository) -> None:
    folder.write(
        "run.php",
        """<?php
interface Routes { public function group(callable $call); }
class Collector implements Routes { public function group(callable $call) {} }
class Test {
    public function run() {
        $r = new Collector();
        $r->group(static function (Routes $r): void { $r->group(1); });
        $r->group(2);
    }
}
""",
    )
    with Workspace.open(folder.root) as workspace:
        assert _resolved(workspace, "run.php") == [
            (7, "group", ["run.php:3"]),
            (7, "group", ["run.php:2"]),
            (8, "group", ["run.php:3"]),
        ]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "run.go",
            "package run\n\ntype A struct{}\ntype B struct{}\n\nfunc (a A) Go() {}\nfunc (b B) Go() {}\n\n"
            "func run() {\n\tx := A{}\n\teach(func(x B) { x.Go() })\n\tx.Go()\n}\n",
            [(11, "Go", ["run.go:7"]), (12, "Go", ["run.go:6"])],
        ),
        (
            "run.rs",
            "struct A; struct B;\nimpl A { fn go(&self) {} }\nimpl B { fn go(&self) {} }\n"
            "fn run() {\n    let x = A {};\n    each(|x: B| x.go());\n    x.go();\n}\n",
            [(6, "go", ["run.rs:3"]), (7, "go", ["run.rs:2"])],
        ),
        (
            "run.py",
            "class A:\n    def go(self): ...\n\n\ndef run(many: list[int]) -> None:\n    x = A()\n"
            "    each(x.go() for x in many)\n    x.go()\n",
            [(8, "go", ["run.py:2"])],
        ),
        (
            "Run.java",
            "class Run {\n  void run() {\n    A x = new A();\n    each((B x) -> x.go());\n    x.go();\n  }\n}\n"
            "class A { void go() {} }\nclass B { void go() {} }\n",
            [(4, "go", ["Run.java:9"]), (5, "go", ["Run.java:8"])],
        ),
    ],
)
def test_closures_of_each_language_are_scopes(
    folder: Repository, path: str, text: str, expected: list[tuple[int, str, list[str]]]
) -> None:
    folder.write(path, text)
    with Workspace.open(folder.root) as workspace:
        assert [each for each in _resolved(workspace, path) if each[1] in {"go", "Go"}] == expected


def test_script_knows_what_a_block_of_its_file_requires(folder: Repository) -> None:
    folder.write("driver.js", "exports.check = function (code) {};\n")
    folder.write(
        "run.js",
        'if (typeof exports !== "undefined") {\n  var check = require("./driver.js").check\n}\n\n'
        'check("a")\n[1].forEach(() => { check("b") })\n',
    )
    with Workspace.open(folder.root) as workspace:
        assert _resolved(workspace, "run.js") == [
            (5, "check", ["driver.js:1"]),
            (6, "check", ["driver.js:1"]),
        ]


def test_variable_is_the_function_that_it_is_declared_with(folder: Repository) -> None:
    folder.write(
        "tree.test.ts",
        "test('tree', () => {\n  let check = (node: string) => {\n    check(node);\n  };\n  check('a');\n});\n",
    )
    with Workspace.open(folder.root) as workspace:
        calls = [use for use in workspace.graph.edges("tree.test.ts") if use.name == "check"]
        assert [(use.line, [target.line for target in use.targets]) for use in calls] == [
            (3, [2]),
            (5, [2]),
        ]
