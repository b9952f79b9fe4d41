"""Calls through CommonJS modules: what `require` gives, and what is written to `exports` under any name."""

from codecairn import Workspace
from support.repository import Repository

_FILES = {
    "lib/base64/index.js": """function wrap(text) {
  return text;
}

module.exports = {
  wrap,
  encode(text) {
    return module.exports.encode(wrap(text));
  },
};
""",
    "lib/shared.js": "module.exports.parse = (text) => text;\nexports.stop = function () {};\n",
    "lib/logger.js": "module.exports = class Logger {\n  log(text) {}\n};\n",
    "lib/index.js": "exports.parse = require('./shared').parse;\nexports.load = require('./loader');\n"
    "exports.load();\nexports.hide();\n",
    "lib/loader.js": "const hide = () => 1;\nconst load = require('./shared').parse;\nmodule.exports = load;\n",
    "test/helpers/index.js": "var helpers = exports;\n\nhelpers.writeable = function (write) {};\n",
    "test/run.js": """const base64 = require('../lib/base64');
const shared = require('../lib/shared');
const helpers = require('./helpers');
const writeable = require('./helpers').writeable;
const Logger = require('../lib/logger');
const joined = require('path').join;

test('run', () => {
  base64.wrap(shared.parse('a'));
  base64.encode('b');
  helpers.writeable(writeable());
  shared.stop();
  const logger = new Logger();
  logger.log(joined('c'));
});

function later() {
  const late = require('../lib/shared');
  late.parse('d');
}
""",
}


def test_calls_lead_through_what_require_gives(folder: Repository) -> None:
    folder.write_all(_FILES)
    with Workspace.open(folder.root) as workspace:
        edges = workspace.graph.edges("test/run.js")
        found = [
            (edge.line, edge.name, *(f"{each.path}:{each.line}" for each in edge.targets))
            for edge in edges
            if edge.is_resolved and edge.kind != "import"
        ]
        assert found == [
            (9, "wrap", "lib/base64/index.js:1"),
            (9, "parse", "lib/shared.js:1"),
            (10, "encode", "lib/base64/index.js:7"),
            (11, "writeable", "test/helpers/index.js:3"),
            (11, "writeable", "test/helpers/index.js:3"),
            (12, "stop", "lib/shared.js:2"),
            (13, "Logger", "lib/logger.js:1"),
            (14, "log", "lib/logger.js:2"),
            (19, "parse", "lib/shared.js:1"),
        ]
        own = workspace.graph.edges("lib/base64/index.js")
        assert [edge.targets[0].line for edge in own if edge.name == "encode"] == [7]


def test_required_module_passes_on_no_names(folder: Repository) -> None:
    folder.write_all(_FILES)
    with Workspace.open(folder.root) as workspace:
        found = [
            (edge.name, [f"{each.path}:{each.line}" for each in edge.targets])
            for edge in workspace.graph.edges("lib/index.js")
            if edge.is_resolved and edge.line > 2
        ]
        assert found == []


def test_only_the_call_of_require_that_is_evaluated_gives_the_module(folder: Repository) -> None:
    folder.write_all(
        {
            "lib/stop.js": "exports.stop = () => 1;\n",
            "lib/other.js": "exports.stop = () => 2;\n",
            "run.js": """function named(name) {
  return require(name);
}
const given = require(process.env.NAME).first;
const stop = require('./lib/stop').stop;
const other = require('./lib/other');

given.stop();
named('a').stop();
stop();
other.stop();
""",
            "long.js": f"const {'a' * 120} = require('./lib/stop').stop;\n{'a' * 120}();\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        for path, expected in (
            ("run.js", [(10, "lib/stop.js"), (11, "lib/other.js")]),
            ("long.js", [(2, "lib/stop.js")]),
        ):
            edges = workspace.graph.edges(path)
            found = [
                (edge.line, edge.targets[0].path)
                for edge in edges
                if edge.is_resolved and edge.targets[0].path.startswith("lib/")
            ]
            assert found == expected


def test_what_a_module_requires_is_taken_from_it(folder: Repository) -> None:
    folder.write_all(
        {
            "lib/rule.js": "class Rule {\n  constructor(text) {}\n}\nmodule.exports = Rule;\n",
            "lib/tools.js": "exports.trim = (text) => text;\n",
            "lib/index.js": """let Rule = require('./rule');
let Table = require('table');
const tools = require('./tools');

function make() {
  return new Rule();
}
make.Rule = Rule;
make.Table = Table;
make.tools = tools;
module.exports = make;
""",
            "run.js": "let { Rule, Table, tools } = require('./lib');\n\nnew Rule('a');\nnew Table();\ntools.trim('a');\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        edges = workspace.graph.edges("run.js")
        found = {
            (edge.line, edge.name): [f"{each.path}:{each.line}" for each in edge.targets]
            for edge in edges
            if edge.is_resolved and edge.line > 2
        }
        assert found == {(3, "Rule"): ["lib/rule.js:1"], (5, "trim"): ["lib/tools.js:1"]}


def test_functions_of_required_modules_are_passed_on_by_name(folder: Repository) -> None:
    folder.write_all(
        {
            "lib/loader.js": "function load(text) {\n  return text;\n}\n\nmodule.exports.load = load;\n",
            "index.js": "var loader = require('./lib/loader');\n\nmodule.exports.load = loader.load;\n",
            "test/load.js": "var yaml = require('../');\n\nyaml.load('a');\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        (call,) = [each for each in workspace.graph.edges("test/load.js") if each.name == "load"]
        assert [f"{each.path}:{each.line}" for each in call.targets] == ["lib/loader.js:1"]
        assert call.is_resolved


def test_variable_that_holds_the_exports_is_the_module(folder: Repository) -> None:
    folder.write_all(
        {
            "lib.js": "var exports = module.exports = {};\n\nfunction words(text) {}\n\nexports.words = words;\n",
            "run.js": "const lib = require('./lib');\n\nlib.words('a');\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        [call] = [each for each in workspace.graph.edges("run.js") if each.name == "words"]
        assert [f"{each.path}:{each.line}" for each in call.targets] == ["lib.js:3"]
        assert call.is_resolved


def test_folder_of_a_package_means_its_entry(folder: Repository) -> None:
    folder.write_all(
        {
            "package.json": '{"name": "shop", "main": "lib/shop.js"}',
            "lib/shop.js": "module.exports = class Shop {\n  serve(fn) {}\n};\n",
            "helpers/context.js": "module.exports = (app) => app;\n"
            "module.exports.request = (app) => module.exports(app);\n",
            "test/serve.js": "const Shop = require('..');\n"
            "const request = require('../helpers/context').request;\n"
            "const shop = new Shop();\nshop.serve(request());\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        found = {
            edge.name: [f"{each.path}:{each.line}" for each in edge.targets]
            for edge in workspace.graph.edges("test/serve.js")
            if edge.is_resolved and edge.line > 2
        }
        assert found == {
            "Shop": ["lib/shop.js:1"],
            "serve": ["lib/shop.js:2"],
            "request": ["helpers/context.js:2"],
        }
