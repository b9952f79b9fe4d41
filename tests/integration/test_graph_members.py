"""Members that are written away from their type, inherited in an order, or overloaded."""

import pytest

from codecairn import Workspace
from support.repository import Repository


def _targets(workspace: Workspace, path: str) -> list[tuple[int, str, list[str]]]:
    edges = [edge for edge in workspace.graph.edges(path) if edge.is_resolved]
    return [
        (edge.line, edge.name, [f"{each.path}:{each.line}" for each in edge.targets])
        for edge in edges
        if edge.kind in {"call", "method_call"}
    ]


def test_functions_of_a_prototype_are_members(folder: Repository) -> None:
    folder.write_all(
        {
            "state.js": "export class Parser {\n  eat(kind) {}\n}\n",
            "expression.js": "import { Parser } from './state'\nconst pp = Parser.prototype\n"
            "pp.parse = function () {\n  this.eat(1)\n  this.finish()\n  this.missing()\n}\n"
            "Parser.prototype.close = function () { this.parse() }\n",
            "statement.js": "import { Parser } from './state'\nconst pp = Parser.prototype\n"
            "pp.finish = function () { this.close() }\n",
            "tree.js": "function Tree() {\n  this.root = new Node()\n}\nTree.prototype.walk = function () {\n"
            "  this.step()\n  this.root.show()\n}\nTree.prototype.step = function () {}\n"
            "function Node() {}\nNode.prototype = { show() {} }\nNode.prototype.show = function () {}\n"
            "function outer() {\n  function inner() { this.step() }\n}\nnew Tree().walk()\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        assert _targets(workspace, "expression.js") == [
            (4, "eat", ["state.js:2"]),
            (5, "finish", ["statement.js:3"]),
            (8, "parse", ["expression.js:3"]),
        ]
        assert _targets(workspace, "statement.js") == [(3, "close", ["expression.js:8"])]
        found = _targets(workspace, "tree.js")
        assert (5, "step", ["tree.js:8"]) in found
        assert (15, "walk", ["tree.js:4"]) in found
        assert [name for line, name, _ in found if line == 13] == []


def test_class_of_php_takes_members_from_traits_before_interfaces(folder: Repository) -> None:
    folder.write(
        "run.php",
        """<?php
interface Aware { public function box(): Box; }
abstract class Base { public function box(): Box {} public function open() {} }
trait AwareTrait { public function box(): Box {} }
class Run extends Base implements Aware {
    use AwareTrait;
    public function run() { $this->box(); $this->open(); (new Run())->box(); }
}
""",
    )
    with Workspace.open(folder.root) as workspace:
        assert _targets(workspace, "run.php") == [
            (7, "box", ["run.php:4"]),
            (7, "open", ["run.php:3"]),
            (7, "box", ["run.php:4"]),
        ]


def test_number_of_arguments_chooses_an_overload_of_java(folder: Repository) -> None:
    folder.write_all(
        {
            "Codec.java": "abstract class Codec {\n  abstract void encode(byte[] in, int at, Context to);\n"
            "  byte[] encode(byte[] in) { return in; }\n  void log(String format, Object... rest) {}\n}\n",
            "Base16.java": "class Base16 extends Codec {\n"
            "  void encode(final byte[] in, final int at, Context to) {}\n"
            "  void put(int a) {}\n  void put(Map<String, Integer> a, int b) {}\n  void log(int level) {}\n}\n",
            "Run.java": "class Run {\n  void run() {\n    new Base16().encode(new byte[] {1, 2});\n"
            "    new Base16().encode(in, 0 /* from */, to);\n    new Base16().put(1);\n"
            '    new Base16().put(map(1, 2), 3);\n    new Base16().log("a", 1, 2);\n  }\n}\n',
        }
    )
    with Workspace.open(folder.root) as workspace:
        found = [each for each in _targets(workspace, "Run.java") if each[1] != "map"]
        assert found == [
            (3, "encode", ["Codec.java:3"]),
            (4, "encode", ["Base16.java:2"]),
            (5, "put", ["Base16.java:3"]),
            (6, "put", ["Base16.java:4"]),
            (7, "log", ["Codec.java:4"]),
        ]


_BRACKETS = {
    "run.ts": "class Foo { go() {} self(): Foo { return this } }\nfunction run(it: unknown, foo: Foo) {\n"
    "  (it as Foo).go();\n  (foo).go();\n  (await foo.self()).go();\n  (foo || it).go();\n}\n",
    "Run.java": "class Foo { void go() {} }\nclass Run {\n  void run(Object it) {\n    ((Foo) it).go();\n"
    "    (new Foo()).go();\n  }\n}\n",
    "run.php": "<?php\nclass Foo { public function go() {} }\nfunction run() {\n    (new Foo())->go();\n}\n",
    "run.rs": "struct Foo;\nimpl Foo { fn go(&self) {} }\nfn run(foo: &Box<Foo>) {\n    (*foo).go();\n}\n",
    "run.cpp": "struct Foo { void go() {} };\nvoid run(void *it) {\n  ((Foo *) it)->go();\n}\n",
}


@pytest.mark.parametrize(
    ("path", "lines"),
    [
        ("run.ts", [3, 4, 5]),
        ("Run.java", [4, 5]),
        ("run.php", [4]),
        ("run.rs", [4]),
        ("run.cpp", [3]),
    ],
)
def test_brackets_group_and_cast(folder: Repository, path: str, lines: list[int]) -> None:
    folder.write(path, _BRACKETS[path])
    with Workspace.open(folder.root) as workspace:
        assert [line for line, name, _ in _targets(workspace, path) if name == "go"] == lines


def test_long_chain_of_calls_is_followed(folder: Repository) -> None:
    steps = [f"withSomeLongOption{number}" for number in range(8)]
    methods = "\n".join(f"  {step}(): this {{ return this }}" for step in steps)
    chain = "".join(f"\n  .{step}()" for step in steps)
    folder.write(
        "run.ts",
        f"class Builder {{\n{methods}\n  build() {{}}\n}}\nnew Builder(){chain}\n  .build();\n",
    )
    with Workspace.open(folder.root) as workspace:
        (build,) = [each for each in _targets(workspace, "run.ts") if each[1] == "build"]
        assert build[2] == ["run.ts:10"]


def test_members_behind_macros_of_cpp_are_facts(folder: Repository) -> None:
    folder.write_all(
        {
            "app.hpp": """class App {
 public:
  API_NODISCARD std::size_t count() const { return 0; }
  API_NODISCARD App *parent(int depth = 0) const;
  int API_CALL close() API_NOEXCEPT;
  void open();
};
API_INLINE std::vector<std::string> split(std::string text);
""",
            "app.cpp": """#include "app.hpp"
API_FN App *App::parent(int depth) const { return 0; }
API_FN int App::close() API_NOEXCEPT { return count(); }
API_FN void App::open() { parent(1)->open(); split("a"); }
""",
        }
    )
    with Workspace.open(folder.root) as workspace:
        assert _targets(workspace, "app.cpp") == [
            (3, "count", ["app.hpp:3"]),
            (4, "parent", ["app.cpp:2"]),
            (4, "open", ["app.cpp:4"]),
            (4, "split", ["app.hpp:8"]),
        ]


def test_objects_that_functions_make_have_members(folder: Repository) -> None:
    folder.write(
        "run.js",
        """class Command { opts() {} }
function make() {
  const program = new Command();
  return { program, go() {}, run: () => 1 };
}
function edit(text) {
  const editor = {
    replace: (from) => { return editor; },
    text: () => text,
  };
  return editor;
}
const { program } = make();
program.opts();
make().go();
make().run();
edit('a').replace('b').replace('c').text();
make().missing();
""",
    )
    with Workspace.open(folder.root) as workspace:
        found = [each for each in _targets(workspace, "run.js") if each[1] not in {"make", "edit"}]
        assert found == [
            (14, "opts", ["run.js:1"]),
            (15, "go", ["run.js:4"]),
            (16, "run", ["run.js:4"]),
            (17, "replace", ["run.js:8"]),
            (17, "replace", ["run.js:8"]),
            (17, "text", ["run.js:9"]),
        ]


def test_namespace_that_many_headers_open_is_one(folder: Repository) -> None:
    for number in range(14):
        folder.write(f"part{number}.hpp", f"namespace ns {{\nclass Part{number};\n}}\n")
    includes = "".join(f'#include "part{number}.hpp"\n' for number in range(14))
    folder.write(
        "app.hpp", f"{includes}namespace ns {{\nclass App {{\n public:\n  void open();\n}};\n}}\n"
    )
    folder.write(
        "run.cpp", '#include "app.hpp"\nvoid run() {\n  ns::App app("a");\n  app.open();\n}\n'
    )
    with Workspace.open(folder.root) as workspace:
        assert _targets(workspace, "run.cpp") == [(4, "open", ["app.hpp:18"])]


def test_fields_of_rust_have_the_bounds_of_the_implementation(folder: Repository) -> None:
    folder.write(
        "src/lib.rs",
        """pub trait Read { fn left(&self) -> usize; }
pub trait Write { fn left(&self) -> usize; fn put(&self); }
pub struct Chain<T> { a: T }
impl<T> Read for Chain<T>
where
    T: Read,
{
    fn left(&self) -> usize { self.a.left() }
}
impl<T: Write> Write for Chain<T> {
    fn left(&self) -> usize { self.a.left() }
    fn put(&self) { (**self).left() }
}
""",
    )
    with Workspace.open(folder.root) as workspace:
        assert _targets(workspace, "src/lib.rs") == [
            (8, "left", ["src/lib.rs:1"]),
            (11, "left", ["src/lib.rs:2"]),
        ]


def test_second_of_a_tuple_and_a_type_beside_an_associated_one(folder: Repository) -> None:
    folder.write(
        "src/lib.rs",
        """pub struct Text;
impl IntoIterator for Text {
    type Walk = u8;
}
pub struct Walk;
impl Walk {
    fn next(&self) { self.step() }
    fn step(&self) {}
}
fn pair() -> (Text, Walk) { (Text, Walk) }
fn run() {
    let (mut text, walk) = pair();
    walk.step();
}
""",
    )
    with Workspace.open(folder.root) as workspace:
        found = [each for each in _targets(workspace, "src/lib.rs") if each[1] != "pair"]
        assert found == [
            (7, "step", ["src/lib.rs:8"]),
            (13, "step", ["src/lib.rs:8"]),
        ]


def test_member_of_an_unknown_object_is_a_candidate_if_one_symbol_has_a_rare_name(
    folder: Repository,
) -> None:
    folder.write_all(
        {
            "shop.py": "class Shop:\n    def checkout(self): ...\n    def get(self): ...\n    def refund(self): ...\n",
            "bank.py": "class Bank:\n    def refund(self): ...\n",
            "run.py": "from shop import Shop\nfrom bank import Bank\n\ndef run(it):\n    it.checkout()\n"
            "    it.get()\n    it.refund()\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.callees("run")
        assert [use.name for use in found.possible] == ["checkout"]
        assert sorted(use.name for use in found.unresolved) == ["get", "refund"]


def test_inherited_member_returns_what_the_type_says_its_parameter_is(folder: Repository) -> None:
    folder.write(
        "Run.java",
        """interface Encoder { void encode(); }
class Soundex implements Encoder { public void encode() {} }
abstract class Base<T extends Encoder> {
  T encoder() { return null; }
  void check() { encoder().encode(); }
}
class SoundexTest extends Base<Soundex> {
  void test() { encoder().encode(); new SoundexTest().encoder().encode(); }
}
abstract class Builder<B extends Builder<B>> {
  B first() { return null; }
  B second() { return null; }
}
class Own extends Builder<Own> {
  void third() {}
  void run(Own own) { own.first().second().third(); }
}
""",
    )
    with Workspace.open(folder.root) as workspace:
        found = _targets(workspace, "Run.java")
        assert [(line, targets) for line, name, targets in found if name == "encode"] == [
            (5, ["Run.java:1"])
        ]
        assert [(line, name, targets) for line, name, targets in found if line == 16] == [
            (16, "first", ["Run.java:11"]),
            (16, "second", ["Run.java:12"]),
            (16, "third", ["Run.java:15"]),
        ]


def test_a_function_that_is_written_to_a_member_is_not_meant_by_its_bare_name(
    folder: Repository,
) -> None:
    folder.write_all(
        {
            "compiler.js": "export function compile(text) {}\n",
            "main.js": "import { compile } from './compiler'\nfunction create() {\n  const made = {}\n"
            "  made.compile = function (text) {\n    return compile(text)\n  }\n"
            "  function inner() {}\n  inner()\n  return made\n}\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        assert _targets(workspace, "main.js") == [
            (5, "compile", ["compiler.js:1"]),
            (8, "inner", ["main.js:7"]),
        ]


def test_prototype_that_is_written_as_a_whole_has_members(folder: Repository) -> None:
    folder.write_all(
        {
            "paper.js": "function Paper(name) {\n  this.name = name;\n}\n\nPaper.prototype = {\n"
            "  open() {\n    this.fold();\n  },\n  fold: function () {\n    var self = this;\n"
            "    return self.close();\n  },\n};\n\nObject.assign(Paper.prototype, {\n  close() {},\n});\n\n"
            "function Other() {}\nOther.prototype = { fold() {} };\nmodule.exports = Paper;\n",
            "run.js": "const Paper = require('./paper');\n\nnew Paper('a').fold();\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        assert _targets(workspace, "paper.js") == [
            (7, "fold", ["paper.js:9"]),
            (11, "close", ["paper.js:16"]),
        ]
        assert _targets(workspace, "run.js") == [(3, "fold", ["paper.js:9"])]


def test_functions_that_are_written_to_an_object_are_members(folder: Repository) -> None:
    folder.write_all(
        {
            "tools.js": "import { trim } from './text.js';\n\nconst tools = {};\n"
            "tools.split = function (text) {};\n"
            "tools.words = (text) => tools.split(text);\nexport default tools;\n"
            "export const listed = { trim, cut: tools.split };\n",
            "text.js": "export function trim(text) {}\n",
            "run.js": "import tools, { listed } from './tools.js';\n\ntools.words('a');\nlisted.trim('b');\n"
            "function run(tools) {\n  tools.split('c');\n}\nDate.now = () => 1;\nDate.now();\n"
            "const fs = require('fs');\nfs.stat = () => 1;\nfs.stat();\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        assert _targets(workspace, "tools.js") == [(5, "split", ["tools.js:4"])]
        assert _targets(workspace, "run.js") == [
            (3, "words", ["tools.js:5"]),
            (4, "trim", ["text.js:1"]),
        ]


def test_type_of_java_may_have_a_member_from_a_base_of_elsewhere(folder: Repository) -> None:
    folder.write_all(
        {
            "shop/Disk.java": """package shop;

import elsewhere.Base;

public class Disk {
    public static class Builder extends Base<Disk> {
        public Disk build() {
            setName("a");
            open();
            return new Disk(this);
        }
        public int bufferLength() { return 1; }
        void open() {}
    }
    class Plain {
        void run() { setName("b"); }
    }
    Disk(Builder builder) {}
    public void setName(String name) {}
}
""",
            "shop/Input.java": """package shop;

import elsewhere.Base;

public class Input {
    public static class Builder extends Base<Input> {}
    Input(Builder builder) {
        builder.bufferLength();
    }
}
""",
        }
    )
    with Workspace.open(folder.root) as workspace:
        found = [entry for entry in _targets(workspace, "shop/Disk.java") if entry[1] != "Disk"]
        assert found == [
            (9, "open", ["shop/Disk.java:13"]),
            (16, "setName", ["shop/Disk.java:19"]),
        ]
        assert _targets(workspace, "shop/Input.java") == []


def test_name_of_a_base_with_a_constructor_means_the_base(folder: Repository) -> None:
    folder.write_all(
        {
            "shop/Base.java": "package shop;\n\npublic abstract class Base {\n    public static class Builder {\n"
            "        public void setSerializer() {}\n    }\n    protected Base(int size) {}\n}\n",
            "shop/Disk.java": "package shop;\n\npublic class Disk extends Base {\n"
            "    public static class Builder extends Base.Builder {}\n    void run() {\n"
            "        new Builder().setSerializer();\n    }\n}\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        found = [entry for entry in _targets(workspace, "shop/Disk.java") if entry[1] != "Builder"]
        assert found == [(6, "setSerializer", ["shop/Base.java:5"])]


def test_methods_of_an_object_literal_call_each_other(folder: Repository) -> None:
    folder.write(
        "request.js",
        """module.exports = {
  get header() {
    return this.field('a');
  },
  field(name) {
    return this.other(name);
  },
};

function between() {}

module.exports.more = { other() { this.field(); } };
""",
    )
    with Workspace.open(folder.root) as workspace:
        assert _targets(workspace, "request.js") == [(3, "field", ["request.js:5"])]
