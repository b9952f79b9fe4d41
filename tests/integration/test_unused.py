"""Which symbols count as unused, and how certainly: what a language or a framework calls is not."""

import pytest

from codecairn import Workspace
from support.repository import Repository

RUST = """pub struct Meter {
    value: u32,
}

impl Meter {
    fn dead(&self) -> u32 {
        self.value
    }
}

impl<'a, T> std::ops::AddAssign<&'a T> for Meter
where
    T: Into<u32>,
{
    fn add_assign(&mut self, other: &'a T) {
        self.value += 1;
    }
}

impl std::ops::Deref for Meter {
    type Target = u32;

    fn deref(&self) -> &u32 {
        &self.value
    }
}

trait Gauge {
    fn gauge_reading(&self) -> u32;
}

/// Kept by an attribute.
#[unsafe(no_mangle)]
/// Called from outside.
fn exported_to_c() {}
"""
GO = """package meter

type Option interface {
	isMeterOption()
}

type WithUnit struct{}

func (w WithUnit) isMeterOption() {}

func deadHelper() {}
"""
SCRIPT = """const plugin = {
  setupPlugin() {
    return 1;
  },
  onClose: function onCloseHook() {
    return 2;
  },
};
var table = { fill: function fillTable() {} };
plugin.start();
import "./other.js";
function deadFunction() {
  return 3;
}
"""
PYTHON = '''import enum


class Colour(enum.Enum):
    RED = 1

    @classmethod
    def _missing_(cls, value):
        return cls.RED


class Kept:
    def _repr_html_(self):
        return ""


@register(
    name="x",
)
def _registered():
    return 1


def _dead():
    return 2


def use_key(path="private/key"):
    return path


def _checked_by_doctest():
    """One.

    >>> 1 + 1
    2
    """


def _visit_node():
    return 3


def visit(kind):
    return globals()["_visit_" + kind]()
'''
CLASSIC = "var ArabicStemmer = function () {\n  return 1;\n};\n"
"""A script that pages load, and no module."""
MINIFIED = (
    f"function first(){{return 1}}var unit='{'x' * 1_200}';function second(){{return first()}}\n"
)
PACKED = "".join(f"function packed{at}(){{return {at}}};" for at in range(12)) + "\n"


@pytest.fixture
def found(folder: Repository) -> dict[str, str]:
    """The certainty of each symbol that is said to be unused."""
    folder.write_all(
        {
            "src/meter.rs": RUST, "meter/meter.go": GO, "web/plugin.js": SCRIPT, "web/bundle.js": MINIFIED, "web/packed.js": PACKED, "web/classic.js": CLASSIC,
            "web/globals.d.ts": "type Ambient = {\n  one: number;\n};\n", "kept.py": PYTHON,
        }
    )  # fmt: skip
    with Workspace.open(folder.root) as workspace:
        unused = workspace.graph.unused(limit=1_000)
    return {each.definition.qualified_name: each.certainty for each in unused.found}


@pytest.mark.parametrize("name", ["Meter.dead", "deadHelper", "deadFunction", "_dead"])
def test_private_symbol_that_is_named_nowhere_is_highly_certain(
    found: dict[str, str], name: str
) -> None:
    assert found[name] == "high"


@pytest.mark.parametrize(
    "name",
    [
        "Meter.add_assign", "Meter.Target", "Meter.deref", "Gauge.gauge_reading", "exported_to_c", "Option.isMeterOption",
        "WithUnit.isMeterOption", "onCloseHook", "fillTable", "setupPlugin", "second", "packed0", "Ambient", "Colour._missing_", "Kept._repr_html_",
        "_registered", "ArabicStemmer", "use_key", "_checked_by_doctest", "_visit_node",
    ],
)  # fmt: skip
def test_what_a_contract_a_mark_or_a_program_keeps_is_not(found: dict[str, str], name: str) -> None:
    certain = {symbol for symbol, certainty in found.items() if certainty == "high"}
    assert not [symbol for symbol in certain if symbol.endswith(name)]


def test_export_without_a_name_is_an_entry_point(folder: Repository) -> None:
    folder.write("vite.config.js", "export default () => ({ plugins: [] });\n")
    with Workspace.open(folder.root) as workspace:
        unused = workspace.graph.unused()
    assert (unused.found, unused.kept) == ((), (("an entry point", 1),))
