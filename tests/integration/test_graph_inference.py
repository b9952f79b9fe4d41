"""Uses in scripts and Python whose types are not written: exports under other names, returned objects, merged types."""

import pytest

from codecairn import Workspace
from support.repository import Repository

_TYPESCRIPT = {
    "package.json": '{"name": "shop"}\n',
    "src/nodes.ts": """type TableNodeFactory = Readonly<{
  create(name: string): TableNode
}>

export interface TableNode {
  name: string
}

export const TableNode: TableNodeFactory = freeze<TableNodeFactory>({
  create(name) {
    return { name }
  },
})

export const tools = {
  sharpen() {
    return 1
  },
}

export interface Checker {
  (value: string): Result
}

export interface Result {
  settle(): void
}

const globalCheck: Checker = makeChecker()

export { globalCheck as check }

export default globalCheck
""",
    "src/extra.ts": """declare module './nodes' {
  interface Result {
    settleLater(): void
  }
}
""",
    "src/builder.ts": """import usual, { TableNode, check, tools } from './nodes'

export class Builder {
  #options: Options

  constructor(options: Options) {
    this.#options = freeze(options)
  }

  run() {
    return this
  }

  finish() {
    return this.#options.begin()
  }

  static open() {
    return new Builder(null)
  }
}

interface Options {
  begin(): void
}

export function use() {
  TableNode.create('a')
  tools.sharpen()
  check('a').settle()
  check('a').settleLater()
  usual('b').settle()
  Builder.open().run().finish()
}

export function render() {
  const { node } = draw(<App render={1} />)
  mount({ draw() {} })
  draw(node)
}
""",
}
_SCRIPT = {
    "index.js": """import { Command } from './lib/command.js';

export const createCommand = (name) => new Command(name);
""",
    "lib/command.js": """export class Command {
  name(text) {
    return this;
  }

  action(run) {
    return this;
  }

  copy() {
    const made = new Command();
    return made;
  }
}
""",
    "app.js": """import * as commander from './index.js';

function main() {
  commander.createCommand('a').name('b').copy().action(() => {});
}

function local() {
  const Command = load();
  return new Command();
}

function escape() {}

run(() => {
  const escape = load();
  escape();
});
""",
}
_COMMON = {
    "delay.js": "module.exports = (time) => time;\n",
    "app.js": "const delay = require('./delay');\n\nfunction wait() {\n  delay(1);\n}\n",
}
_PACKAGE = {
    "package.json": '{"name": "@maps/Atlas", "main": "dist/atlas.js"}\n',
    "src/Atlas.js": """export class Layer {
  title() {
    return this;
  }
}

export class Popup extends Layer {
  openOn(map) {
    return map;
  }
}
""",
    "spec/popup.js": """import { Popup } from '@maps/Atlas';

function show(map) {
  new Popup().title().openOn(map);
}
""",
}
_GO = {
    "go.mod": "module example.com/sums\n",
    "sums.go": """package sums

type Kind int

const Fast Kind = 1

func (k Kind) Key() string { return "" }

func use() string { return Fast.Key() }
""",
}
_PYTHON = {
    "shop/__init__.py": "from .models import Order, note\n",
    "shop/models.py": """import logging

log = logging.getLogger("shop")
note = log.info


class Order:
    def pay(self):
        return 1


def open_order():
    return Order()


start = open_order
""",
    "tests/configs/shop.py": "value = 1\n",
    "tests/test_order.py": """from shop import Order, note
from shop.models import open_order, start


def test_order():
    pay = Order.pay
    Made = Order
    pay(Made())
    twice = first if note else second
    twice()
    note("a")
    Order()
    open_order().pay()
    start().pay()
""",
}


@pytest.mark.parametrize(
    ("files", "name", "expected"),
    [
        (
            _TYPESCRIPT,
            "use",
            [
                "src/nodes.ts:2",
                "src/nodes.ts:16",
                "src/nodes.ts:29",
                "src/nodes.ts:26",
                "src/nodes.ts:29",
                "src/extra.ts:3",
                "src/nodes.ts:29",
                "src/nodes.ts:26",
                "src/builder.ts:18",
                "src/builder.ts:10",
                "src/builder.ts:14",
            ],
        ),
        (_TYPESCRIPT, "Builder.finish", ["src/builder.ts:24"]),
        (_TYPESCRIPT, "render", []),
        (
            _SCRIPT,
            "main",
            ["index.js:3", "lib/command.js:2", "lib/command.js:10", "lib/command.js:6"],
        ),
        (_SCRIPT, "local", []),
        (_PACKAGE, "show", ["src/Atlas.js:7", "src/Atlas.js:2", "src/Atlas.js:8"]),
        (_GO, "use", ["sums.go:7"]),
        (_COMMON, "wait", ["delay.js:1"]),
        (
            _PYTHON,
            "test_order",
            [
                "shop/models.py:8",
                "shop/models.py:7",
                "shop/models.py:4",
                "shop/models.py:7",
                "shop/models.py:12",
                "shop/models.py:8",
                "shop/models.py:12",
                "shop/models.py:8",
            ],
        ),
    ],
)
def test_calls_lead_through_types_that_are_not_written(
    folder: Repository, files: dict[str, str], name: str, expected: list[str]
) -> None:
    folder.write_all(files)
    with Workspace.open(folder.root) as workspace:
        calls = workspace.graph.callees(name, kinds=["call", "method_call", "construct"])
        assert [
            f"{target.path}:{target.line}" for use in calls for target in use.targets
        ] == expected


def test_callers_use_a_function_under_the_names_that_it_is_kept_under(folder: Repository) -> None:
    folder.write_all(_PYTHON)
    with Workspace.open(folder.root) as workspace:
        calls = workspace.graph.callers("Order.pay", kinds=["call", "method_call"])
        assert [(use.name, use.line) for use in calls] == [("pay", 8), ("pay", 13), ("pay", 14)]
        calls = workspace.graph.callers("open_order", kinds=["call"])
        assert [(use.name, use.line) for use in calls] == [("open_order", 13), ("start", 14)]


def test_first_parameter_of_a_class_method_is_its_class(folder: Repository) -> None:
    folder.write_all(
        {
            "time.py": """class Time:
    @classmethod
    def now(cls, zone=None):
        return cls.parse(zone)

    @classmethod
    def parse(cls, text):
        return cls()

    def compare(self, others):
        for cls in others:
            cls.parse("a")


class Other:
    @classmethod
    def parse(cls, text):
        return [cls.parse(cls) for cls in text]
"""
        }
    )
    with Workspace.open(folder.root) as workspace:
        calls = [edge for edge in workspace.graph.edges("time.py") if edge.name == "parse"]
        facts = [(edge.line, edge.targets[0].line) for edge in calls if edge.is_resolved]
        assert facts == [(4, 7)]


def test_choice_of_types_is_one_only_if_all_others_are_known(folder: Repository) -> None:
    folder.write_all(
        {
            "reader.ts": """import { Buffer } from 'node:buffer'
import { Channel } from './missing'

class Reader {
  close() {}
}

function run(
  maybe: string | Reader | undefined,
  outside: Buffer | Reader | null,
  missing: Channel | Reader | null,
  declared: Event | Reader | null,
) {
  maybe.close()
  outside.close()
  missing.close()
  declared.close()
}
"""
        }
    )
    with Workspace.open(folder.root) as workspace:
        calls = [edge for edge in workspace.graph.edges("reader.ts") if edge.name == "close"]
        assert [(edge.line, edge.is_resolved) for edge in calls] == [
            (14, True),
            (15, True),
            (16, False),
            (17, False),
        ]


def test_variable_of_a_function_without_a_name_hides_a_function(folder: Repository) -> None:
    folder.write_all(_SCRIPT)
    with Workspace.open(folder.root) as workspace:
        assert not workspace.graph.callers("app.js::escape", kinds=["call"])


def test_variable_that_build_constraints_choose_has_the_members_of_each(folder: Repository) -> None:
    encoder = "package {0}\n\ntype Encoder struct{{}}\n\nfunc (Encoder) Key() {{}}\n"
    variable = '//go:build {1}\n\npackage log\n\nimport "example.com/log/{0}"\n\nvar enc = {0}.Encoder{{}}\n'
    folder.write_all(
        {
            "go.mod": "module example.com/log\n",
            "cbor/cbor.go": encoder.format("cbor"),
            "json/json.go": encoder.format("json"),
            "enc_cbor.go": variable.format("cbor", "binary"),
            "enc_json.go": variable.format("json", "!binary"),
            "log.go": "package log\n\nfunc run() {\n\tenc.Key()\n}\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        (call,) = workspace.graph.callees("run", kinds=["method_call"])
        assert call.is_resolved
        found = sorted(f"{each.path}:{each.line}" for each in call.targets)
        assert found == ["cbor/cbor.go:5", "json/json.go:5"]
