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


_WORKSPACE = {
    "Cargo.toml": '[workspace]\nmembers = ["core", "app"]\n',
    "core/Cargo.toml": '[package]\nname = "shop-core"\nversion = "0.1.0"\n',
    "core/src/lib.rs": """pub mod helpers;

pub trait Price {
    fn cents(&self) -> u32;
    fn parse(text: &str) -> u32;
}

pub struct Shelf<P> {
    price: P,
    all: Vec<P>,
}

impl<P: Price + Clone> Shelf<P> {
    const EMPTY: u32 = Self::empty();

    const fn empty() -> u32 {
        0
    }

    pub fn new(price: P) -> Self {
        P::parse("1");
        price.cents();
        Self { price, all: Vec::new() }
    }

    pub fn total(&self) -> u32 {
        self.price.cents()
    }
}

pub type IntShelf = Shelf<u32>;
pub type Fallible<T> = Result<T, String>;

pub fn sum<P>(price: P) -> u32
where
    P: Price,
{
    price.cents()
}

pub fn unbound<P>(price: P) -> u32 {
    price.total()
}

define! {
    /// A color.
    pub struct Color<T>([T; 3]);
}

pub enum Size {
    Small,
    Fixed(u32),
}

mod inner {
    use super::Size::*;

    fn shelf() -> super::Fallible<super::Shelf<u32>> {
        unreachable!()
    }

    pub fn filled() {
        let made = shelf().unwrap();
        made.total();
    }

    pub fn sizes() {
        Fixed(2);
        super::sum(1);
    }
}
""",
    "core/src/helpers.rs": """pub struct Client;

impl Client {
    pub fn open() -> Self {
        Client
    }
}

mod tests {
    use super::super::sum;
    use super::Client;

    fn opened() {
        Client::open();
        sum(1);
    }
}
""",
    "app/Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\n',
    "app/src/lib.rs": """mod orders;

pub(crate) use shop_core as core;
pub(crate) use shop_core::helpers;
""",
    "app/src/orders.rs": """use crate::{helpers::*, sizes};
use crate::core::helpers::Client as Known;
use shop_core::{Color, IntShelf};

pub fn order() {
    Client::open();
    IntShelf::new(3).total();
    Color([1, 2, 3]);
    Known::open();
}
""",
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Shelf.new", ["core/src/lib.rs:5", "core/src/lib.rs:4", "core/src/lib.rs:8"]),
        ("Shelf.total", ["core/src/lib.rs:4"]),
        ("sum", ["core/src/lib.rs:4"]),
        ("unbound", []),
        ("filled", ["core/src/lib.rs:58", "core/src/lib.rs:26"]),
        ("opened", ["core/src/helpers.rs:4", "core/src/lib.rs:34"]),
        ("sizes", ["core/src/lib.rs:52", "core/src/lib.rs:34"]),
        (
            "order",
            [
                "core/src/helpers.rs:4",
                "core/src/lib.rs:20",
                "core/src/lib.rs:26",
                "core/src/lib.rs:47",
                "core/src/helpers.rs:4",
            ],
        ),
    ],
)
def test_bounds_aliases_and_modules_that_are_passed_on_lead_to_facts(
    folder: Repository, name: str, expected: list[str]
) -> None:
    folder.write_all(_WORKSPACE)
    with Workspace.open(folder.root) as workspace:
        calls = workspace.graph.callees(name, kinds=["call", "method_call", "construct"])
        found = [f"{target.path}:{target.line}" for use in calls for target in use.targets]
        assert found == expected


def test_constant_of_an_impl_calls_its_functions(folder: Repository) -> None:
    folder.write_all(_WORKSPACE)
    with Workspace.open(folder.root) as workspace:
        lines = [use.line for use in workspace.graph.callers("Shelf.empty", kinds=["method_call"])]
        assert lines == [14]


def test_implementations_of_one_trait_for_several_types_are_no_facts(folder: Repository) -> None:
    folder.write_all(
        {
            "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
            "src/lib.rs": """pub struct Cents(u32);

impl From<u32> for Cents {
    fn from(value: u32) -> Self {
        Cents(value)
    }
}

impl From<&str> for Cents {
    fn from(text: &str) -> Self {
        Cents(1)
    }
}

pub fn parse(text: &str) {
    Cents::from(text);
}
""",
        }
    )
    with Workspace.open(folder.root) as workspace:
        uses = workspace.graph.edges("src/lib.rs")
        made = [use for use in uses if use.name == "from"]
        assert [(use.is_resolved, len(use.targets)) for use in made] == [(False, 2)]


@pytest.mark.parametrize(
    "line",
    [
        "use {super::*, std::fmt::Debug};",
        "use {crate::lexer::Lexer, std::fmt};",
        "use {crate::lexer::Lexer as Reader};",
        "use {std::fmt, crate::{lexer::Lexer}};",
    ],
)
def test_lists_of_imports_without_a_path_before_them_are_followed(
    repository: Repository, line: str
) -> None:
    name = "Reader" if "Reader" in line else "Lexer"
    repository.write_all(
        {
            "Cargo.toml": '[package]\nname = "demo"\nversion = "0.1.0"\n',
            "src/lib.rs": "pub(crate) use crate::lexer::Lexer;\n\nmod lexer;\nmod parser;\n",
            "src/lexer.rs": "pub(crate) struct Lexer;\n\nimpl Lexer {\n    pub(crate) fn advance(&self) {}\n}\n",
            "src/parser.rs": f"{line}\n\nfn parse(lexer: &{name}) {{\n    lexer.advance();\n}}\n",
        }
    )
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        found = workspace.graph.callers("Lexer.advance")
    assert [(use.path, use.line, use.how) for use in found.uses] == [
        ("src/parser.rs", 4, "receiver")
    ]


def test_files_of_tests_are_modules_where_cargo_does_not_discover_them(
    repository: Repository,
) -> None:
    repository.write_all(
        {
            "Cargo.toml": '[package]\nname = "demo"\nversion = "0.1.0"\nautotests = false\n\n'
            '[[test]]\nname = "integration"\npath = "tests/lib.rs"\n',
            "src/lib.rs": "",
            "tests/lib.rs": "use crate::case::Case;\n\nmod case;\nmod first;\n",
            "tests/case.rs": "pub(crate) struct Case;\n\nimpl Case {\n    pub(crate) fn new() -> Self {\n"
            "        Self\n    }\n\n    pub(crate) fn run(self) {}\n}\n",
            "tests/first.rs": "use super::*;\n\n#[test]\nfn runs() {\n    Case::new().run();\n}\n",
        }
    )
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        found = {name: workspace.graph.callers(f"Case.{name}").uses for name in ("new", "run")}
    assert [(use.path, use.how) for use in found["new"]] == [("tests/first.rs", "receiver")]
    assert [(use.path, use.how) for use in found["run"]] == [("tests/first.rs", "receiver")]


def test_scope_of_a_path_is_no_variable(folder: Repository) -> None:
    folder.write_all(
        {
            "Cargo.toml": '[package]\nname = "site"\n',
            "src/lib.rs": "pub mod parser;\n\npub struct Site;\n\npub fn read(parser: &str) {\n"
            "    parser::Input::open(parser);\n    let input: parser::Input = make();\n    input.close();\n}\n",
            "src/parser.rs": "pub struct Input;\n\nimpl Input {\n    pub fn open(text: &str) -> Self { Input }\n"
            "    pub fn close(&self) {}\n}\n\npub mod quirks {\n    pub fn host(site: &str) {}\n}\n",
            "tests/site.rs": "use site::Site;\n\nfn run() {\n    let site = Site;\n"
            "    site::parser::quirks::host(&site);\n}\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        for path, expected in (
            ("src/lib.rs", [("open", "src/parser.rs:4"), ("close", "src/parser.rs:5")]),
            ("tests/site.rs", [("host", "src/parser.rs:9")]),
        ):
            edges = workspace.graph.edges(path)
            found = [
                (edge.name, f"{edge.targets[0].path}:{edge.targets[0].line}")
                for edge in edges
                if edge.is_resolved and edge.kind == "method_call"
            ]
            assert found == expected


def test_type_inside_a_function_is_that_of_the_members_around_it(folder: Repository) -> None:
    body = (
        "    struct Drop(u8);\n    impl Drop {\n        fn next(&self) -> Self { Self(1) }\n    }\n"
    )
    folder.write_all(
        {
            "Cargo.toml": '[package]\nname = "walk"\n',
            "src/lib.rs": f"fn first() {{\n{body}}}\n\nfn second() {{\n{body}}}\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        edges = workspace.graph.edges("src/lib.rs")
        made = [edge for edge in edges if edge.name == "Self" and edge.kind == "construct"]
        assert [(edge.line, edge.targets[0].line) for edge in made] == [(4, 2), (11, 9)]


def test_module_may_have_the_name_of_a_standard_container(folder: Repository) -> None:
    folder.write_all(
        {
            "Cargo.toml": '[package]\nname = "shelf"\n',
            "src/lib.rs": "pub mod map;\npub mod set;\n",
            "src/map.rs": "pub struct Shelf;\nimpl Shelf {\n    pub fn open() -> Self { Shelf }\n"
            "    pub fn range(&self) {}\n}\n",
            "src/set.rs": "use crate::{map, map::Shelf as Other};\n\npub struct Set {\n    inner: map::Shelf,\n}\n\n"
            "impl Set {\n    pub fn make() -> Self { Set { inner: map::Shelf::open() } }\n"
            "    pub fn all(&self) { self.inner.range() }\n}\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        edges = workspace.graph.edges("src/set.rs")
        found = [
            (edge.line, edge.name, edge.targets[0].path)
            for edge in edges
            if edge.is_resolved and edge.kind == "method_call"
        ]
        assert found == [(8, "open", "src/map.rs"), (9, "range", "src/map.rs")]


_CONDITIONS = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
    "src/lib.rs": "pub mod node;\npub mod plain;\npub mod page;\n\npub struct Page(u32);\n\npub fn both() {}\n",
    "src/node.rs": "pub fn open() {}\npub fn close() {}\npub fn sort() {}\n",
    "src/plain.rs": "pub fn open() {}\npub fn sort() {}\n",
    "src/page.rs": """#[cfg(shop_node)]
use crate::node::open;
use crate::plain::*;
#[cfg(feature = "close")]
use crate::node::close;
#[cfg(shop_node)]
#[allow(unused)]
use crate::node::sort;
#[cfg(not(shop_node))]
use std::mem::sort;
#[cfg(feature = "pages")]
pub(crate) use crate::Page;
#[cfg(feature = "pages")]
fn other() {}
use crate::both;

#[cfg(not(feature = "pages"))]
pub(crate) struct Page(u32);

fn run() {
    open();
    close();
    sort();
    Page(1);
    both();
}
""",
}


@pytest.mark.parametrize(
    ("name", "is_fact", "places"),
    [
        ("open", False, ["src/node.rs:1", "src/plain.rs:1"]),
        ("close", True, ["src/node.rs:2"]),
        ("sort", False, ["src/node.rs:3", "src/plain.rs:2"]),
        ("Page", False, ["src/lib.rs:5", "src/page.rs:18"]),
        ("both", True, ["src/lib.rs:7"]),
    ],
)
def test_what_a_build_may_leave_out_is_no_fact_against_another_of_its_name(
    folder: Repository, name: str, is_fact: bool, places: list[str]
) -> None:
    folder.write_all(_CONDITIONS)
    with Workspace.open(folder.root) as workspace:
        edges = workspace.graph.edges("src/page.rs")
        [call] = [use for use in edges if use.name == name and use.kind in ("call", "construct")]
        assert call.is_resolved == is_fact
        assert [f"{target.path}:{target.line}" for target in call.targets] == places


def test_module_that_passes_on_what_a_build_chooses_leads_to_no_fact(folder: Repository) -> None:
    folder.write_all(
        {
            "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
            "src/lib.rs": "pub mod node;\npub mod plain;\npub mod system;\n\nfn run() {\n"
            "    system::open();\n    system::close();\n    system::start();\n}\n",
            "src/node.rs": "pub fn open() {}\n",
            "src/plain.rs": "pub fn open() {}\npub fn close() {}\n",
            "src/system.rs": "#[cfg(shop_node)]\npub use crate::node::open;\n#[cfg(not(shop_node))]\n"
            "pub use crate::plain::*;\n#[cfg(shop_node)]\npub fn start() {}\n#[cfg(not(shop_node))]\n"
            "pub use std::thread::spawn as start;\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        calls = [use for use in workspace.graph.edges("src/lib.rs") if use.kind == "method_call"]
        assert [(use.name, use.is_resolved) for use in calls] == [
            ("open", False),
            ("close", True),
            ("start", False),
        ]


def test_imports_in_three_lists_are_followed(folder: Repository) -> None:
    folder.write_all(
        {
            "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
            "src/lib.rs": "pub mod goods;\nmod user;\n\npub fn other() {}\n",
            "src/user.rs": "use crate::{\n    goods::{\n        shelf::{fill, sort as order, *},\n"
            "        bin,\n    },\n    other,\n};\n\nfn run() {\n    fill();\n    order();\n"
            "    all();\n    bin();\n}\n",
            "src/goods/mod.rs": "pub mod shelf;\n\npub fn bin() {}\n",
            "src/goods/shelf.rs": "pub fn fill() {}\npub fn sort() {}\npub fn all() {}\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        calls = workspace.graph.callees("run", kinds=["call"])
        found = [f"{target.path}:{target.line}" for use in calls for target in use.targets]
        shelf = "src/goods/shelf.rs"
        assert found == [f"{shelf}:1", f"{shelf}:2", f"{shelf}:3", "src/goods/mod.rs:3"]
