"""Uses in Rust: in the arguments of macros, in every crate of a package, and through types of the standard library."""

import pytest

from codecairn import Workspace
from support.repository import Repository

_FILES = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n\n[[bin]]\nname = "till"\npath = "tools/till/main.rs"\n',
    "src/lib.rs": """use std::cell::RefCell;

pub mod price;

pub fn parse(text: &str) -> u32 {
    text.len() as u32
}

pub struct Basket {
    count: u32,
    last: Option<Basket>,
    kept: RefCell<Basket>,
}

impl Basket {
    pub fn open(count: u32) -> Self {
        println!("{}", parse("x"));
        Basket { count, last: None, kept: unreachable!() }
    }

    pub fn total(&self) -> u32 {
        self.count
    }

    pub fn take(&mut self) -> u32 {
        1
    }

    pub fn report(&mut self) -> Vec<String> {
        self.last.take();
        self.kept.borrow().total();
        vec![format!("{} {}", self.total(), Basket::open(2).total())]
    }
}

pub fn shadowed(parse: fn(&str) -> u32) -> u32 {
    parse("x")
}

pub fn generated() {
    quote! { parse("later") }
}
""",
    "src/price.rs": """#[cfg(test)]
mod tests {
    use crate::parse;

    #[test]
    fn prices_are_parsed() {
        assert_eq!(parse("12"), 2);
    }
}
""",
    "tools/till/main.rs": """mod drawer;

fn main() {
    assert!(drawer::unlock(3), "locked");
}

pub fn ring() {}
""",
    "tools/till/drawer.rs": """use crate::ring;

pub fn unlock(times: u32) -> bool {
    ring();
    times > 0
}
""",
    "tests/all.rs": """mod common;

#[test]
fn everything_works() {
    common::prepare();
}
""",
    "tests/common/mod.rs": "pub fn prepare() {}\n",
}


@pytest.mark.parametrize(
    ("name", "callers"),
    [
        ("parse", ["Basket.open", "tests.prices_are_parsed"]),
        ("Basket.open", ["Basket.report"]),
        ("Basket.total", ["Basket.report", "Basket.report", "Basket.report"]),
        ("Basket.take", []),
        ("unlock", ["main"]),
        ("ring", ["unlock"]),
        ("prepare", ["everything_works"]),
    ],
)
def test_calls_are_found_in_macros_and_in_every_crate(
    folder: Repository, name: str, callers: list[str]
) -> None:
    folder.write_all(_FILES)
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.callers(name, kinds=["call", "method_call"])
        assert [use.source.qualified_name for use in found if use.source] == callers
        assert not found.possible
