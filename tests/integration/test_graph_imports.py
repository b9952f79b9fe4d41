"""Imports: where each name of a statement is, and what one that leads to no file may mean."""

import pytest

from codecairn import Workspace
from support.repository import Repository

_FILES = {
    "shop/__init__.py": "",
    "shop/price.py": "def total():\n    return 1\n\n\ndef net():\n    return 2\n",
    "shop/basket.py": "from shop.price import (\n    net,\n    total,\n)\nfrom elsewhere.deep import lonely_name\n",
    "other/tools.py": "def lonely_name():\n    return 3\n",
}


def test_import_of_many_lines_points_at_the_line_of_each_name(folder: Repository) -> None:
    folder.write_all(_FILES)
    with Workspace.open(folder.root) as workspace:
        lines = {
            name: [use.line for use in workspace.graph.callers(name, kinds=["import"])]
            for name in ("net", "total")
        }
        assert lines == {"net": [2], "total": [3]}


def test_import_that_leads_to_no_file_has_candidates(folder: Repository) -> None:
    folder.write_all({**_FILES, "shop/basket.py": "from .missing import lonely_name\n"})
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.callers("lonely_name")
        assert not found.uses
        assert [(use.path, use.kind, use.how) for use in found.possible] == [
            ("shop/basket.py", "import", "unique-name")
        ]


def test_imported_function_of_php_is_no_method_of_its_name(folder: Repository) -> None:
    folder.write_all(
        {
            "src/Stream.php": "<?php\nnamespace Csv;\nclass Stream {\n  public function fputcsv() {}\n"
            "  public function seek() {}\n}\nfunction collect() {}\n",
            "src/Writer.php": "<?php\nnamespace Csv;\nuse function fputcsv;\nuse function Csv\\collect;\n"
            "class Writer {\n  public function __construct(private Stream|\\SplFileObject $document) {}\n"
            "  public function write() {\n    fputcsv(1);\n    collect();\n    $this->document->seek();\n  }\n}\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.callees("write", kinds=["call", "method_call"])
        assert [f"{use.name} {use.targets[0].path}:{use.targets[0].line}" for use in found] == [
            "collect src/Stream.php:7",
            "seek src/Stream.php:5",
        ]


def test_new_of_a_standard_type_of_rust_is_no_candidate(folder: Repository) -> None:
    folder.write_all(
        {
            "Cargo.toml": '[package]\nname = "shelf"\n',
            "src/lib.rs": "pub struct Shelf;\nimpl Shelf {\n    pub fn create_empty() -> Self { Shelf }\n}\n"
            "pub fn fill() {\n    let a = Vec::create_empty();\n    let b = Shelf::create_empty();\n}\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.edges("src/lib.rs")
        assert [(edge.line, edge.how) for edge in found if edge.name == "create_empty"] == [
            (6, "outside"),
            (7, "receiver"),
        ]


_GO_MODULES = {
    "go.mod": "module example.com/shop\n",
    "shop.go": "package shop\n\nfunc Open() {}\n",
    "tools/go.mod": "module example.com/shop/tools\n",
    "tools/tools.go": 'package tools\n\nimport "example.com/shop"\n\nfunc Run() { shop.Open() }\n',
    "examples/go.mod": "module example\n\nrequire example.com/shop v1.0.0\n",
    "examples/main.go": 'package main\n\nimport "example.com/shop"\n\nfunc main() { shop.Open() }\n',
    "main_test.go": 'package shop_test\n\nimport "example.com/shop"\n\nfunc TestOpen() { shop.Open() }\n',
}


@pytest.mark.parametrize(
    ("more", "callers"),
    [
        ({}, ["main_test.go"]),
        (
            {
                "examples/go.mod": "module example\n\nreplace (\n\texample.com/shop => ../\n)\n",
                "tools/go.mod": "module example.com/shop/tools\nreplace example.com/shop => ./..\n",
            },
            ["examples/main.go", "main_test.go", "tools/tools.go"],
        ),
        ({"go.work": "go 1.22\n\nuse (\n\t.\n\t./tools\n)\n"}, ["main_test.go", "tools/tools.go"]),
        (
            {"examples/go.mod": "module example\nreplace example.com/shop => ../tools\n"},
            ["main_test.go"],
        ),
    ],
)
def test_module_of_go_is_the_published_one_unless_it_is_replaced(
    folder: Repository, more: dict[str, str], callers: list[str]
) -> None:
    folder.write_all(_GO_MODULES | more)
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.callers("shop.go::Open", kinds=["method_call"])
        assert sorted(use.path for use in found) == callers
        assert not found.possible


_RENAMED = {
    "cargo": (
        {
            "Cargo.toml": '[package]\nname = "shop"\n[dependencies]\n'
            'cash = { package = "money-core", path = "money" }\n',
            "src/main.rs": "use cash::round_up;\nfn main() { round_up(2); }\n",
            "money/Cargo.toml": '[package]\nname = "money-core"\n',
            "money/src/lib.rs": "pub fn round_up(n: i64) -> i64 { n }\n",
        },
        "round_up",
        "src/main.rs",
    ),
    "npm": (
        {
            "package.json": '{"name": "shop", "dependencies": {"cash": "workspace:@acme/money@*"}}',
            "src/main.ts": "import { roundUp } from 'cash';\nroundUp(2);\n",
            "money/package.json": '{"name": "@acme/money", "main": "index.ts"}',
            "money/index.ts": "export function roundUp(n: number) { return n; }\n",
        },
        "roundUp",
        "src/main.ts",
    ),
    "vendored": (
        {
            "go.mod": "module example.com/shop\n\nrequire example.com/money v1.0.0\n",
            "main.go": 'package main\n\nimport cash "example.com/money"\n\nfunc main() { cash.RoundUp(2) }\n',
            "vendor/example.com/money/money.go": "package money\n\nfunc RoundUp(n int) int { return n }\n",
        },
        "RoundUp",
        "main.go",
    ),
}


@pytest.mark.parametrize("project", list(_RENAMED))
def test_dependency_under_another_name_or_in_a_folder_of_copies_is_followed(
    folder: Repository, project: str
) -> None:
    files, name, user = _RENAMED[project]
    folder.write_all(files)
    with Workspace.open(folder.root) as workspace:
        (use,) = workspace.graph.callers(name, kinds=["call", "method_call"])
        assert use.path == user
        assert use.is_resolved


def test_default_import_that_is_exported_by_name_is_followed(folder: Repository) -> None:
    folder.write_all(
        {
            "src/time.js": "export default class Time {\n  static now() {\n    return new Time();\n  }\n}\n",
            "src/other.js": "export class Other {\n  static now() {}\n}\n",
            "src/index.js": "import Time from './time.js';\nimport { Other } from './other.js';\n"
            "export { Time, Other };\n",
            "test/time.js": "import { Time } from '../src/index';\n\nTime.now();\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        (call,) = [edge for edge in workspace.graph.edges("test/time.js") if edge.name == "now"]
        assert call.is_resolved
        assert [(target.path, target.line) for target in call.targets] == [("src/time.js", 2)]


def test_import_inside_a_function_binds_its_name_there(folder: Repository) -> None:
    folder.write_all(
        {
            "shop/__init__.py": "",
            "shop/keys.py": "def first():\n    pass\n\n\ndef second():\n    pass\n\n\ndef third():\n    pass\n",
            "shop/use.py": "from shop.keys import third as key\n\n\ndef one():\n    from shop.keys import first as key\n\n"
            "    key()\n\n\ndef two():\n    from shop.keys import second as key\n\n    key()\n\n\n"
            "def three():\n    key()\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        calls = [edge for edge in workspace.graph.edges("shop/use.py") if edge.kind == "call"]
        assert [(edge.line, edge.targets[0].name) for edge in calls] == [
            (7, "first"),
            (13, "second"),
            (17, "third"),
        ]


def test_import_inside_a_function_hides_what_the_file_defines(folder: Repository) -> None:
    folder.write_all(
        {
            "shop/__init__.py": "def load():\n    from shop.keys import load\n\n    load()\n\n\ndef other():\n"
            "    load()\n",
            "shop/keys.py": "def load():\n    pass\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        calls = [edge for edge in workspace.graph.edges("shop/__init__.py") if edge.kind == "call"]
        found = [(edge.line, edge.targets[0].path) for edge in calls]
        assert found == [(4, "shop/keys.py"), (8, "shop/__init__.py")]


def test_export_without_a_name_is_imported_under_any(folder: Repository) -> None:
    folder.write_all(
        {
            "src/constant.js": "export default function (x) {\n  return function constant() {};\n}\n",
            "src/shelf.ts": "export default class {\n  sort() {\n    this.fill();\n  }\n  fill() {}\n}\n",
            "src/maker.js": "export default function maker(name) {\n"
            "  return function (x) {\n    return x;\n  };\n}\n",
            "src/made.js": 'import maker from "./maker.js";\n\nexport default maker("a");\n',
            "src/calls.js": 'import made from "./made.js";\n\nmade(1);\n',
            "src/arrow.ts": "export default (x: number) => x;\n",
            "src/index.js": 'export { default as constant } from "./constant.js";\n'
            'export { default as Shelf } from "./shelf";\n',
            "src/run.ts": 'import constant from "./constant.js";\nimport arrow from "./arrow";\n'
            'import { constant as other, Shelf } from "./index.js";\n\n'
            "constant(1);\narrow(2);\nother(3);\nnew Shelf().sort();\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        edges = [edge for edge in workspace.graph.edges("src/run.ts") if edge.line > 4]
        found = {
            (edge.line, edge.name): [f"{each.path}:{each.line}" for each in edge.targets]
            for edge in edges
            if edge.is_resolved
        }
        assert found == {
            (5, "constant"): ["src/constant.js:1"],
            (6, "arrow"): ["src/arrow.ts:1"],
            (7, "other"): ["src/constant.js:1"],
            (8, "Shelf"): ["src/shelf.ts:1"],
            (8, "sort"): ["src/shelf.ts:2"],
        }
        [made] = [edge for edge in workspace.graph.edges("src/calls.js") if edge.line == 3]
        assert [f"{each.path}:{each.line}" for each in made.targets] == ["src/made.js:3"]
        [call] = [edge for edge in workspace.graph.edges("src/shelf.ts") if edge.name == "fill"]
        assert [target.line for target in call.targets] == [5]


def test_conditions_of_what_a_package_exports_lead_to_its_sources(folder: Repository) -> None:
    folder.write_all(
        {
            "packages/kit/package.json": '{"name": "kit", "exports": {".": {"development": "./dev/main.js",'
            ' "default": "./main.js"}, "./parts/*": {"types": "./types/*.d.ts", "default": "./dev/parts/*.js"}}}\n',
            "packages/kit/dev/main.js": "export function begin() {}\n",
            "packages/kit/dev/parts/one.js": "export function first() {}\n",
            "packages/app/run.js": 'import { begin } from "kit";\nimport { first } from "kit/parts/one";\n\n'
            "begin();\nfirst();\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        calls = [
            edge for edge in workspace.graph.edges("packages/app/run.js") if edge.kind == "call"
        ]
        found = [(edge.name, [target.path for target in edge.targets]) for edge in calls]
        kit = "packages/kit/dev"
        assert found == [("begin", [f"{kit}/main.js"]), ("first", [f"{kit}/parts/one.js"])]
