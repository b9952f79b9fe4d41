"""Uses in Rust that depend on types: associated ones, those of traits, and those that patterns bind."""

from codecairn import Workspace
from support.repository import Repository


def test_associated_type_has_no_name_of_its_own(folder: Repository) -> None:
    folder.write_all(
        {
            "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
            "src/lib.rs": "pub struct Shelf(u32);\n\npub struct IntoIter {\n    rest: u32,\n}\n\n"
            "impl IntoIterator for Shelf {\n    type IntoIter = IntoIter;\n\n"
            "    fn into_iter(self) -> IntoIter {\n        IntoIter { rest: self.0 }\n    }\n}\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        [made] = [use for use in workspace.graph.edges("src/lib.rs") if use.kind == "construct"]
        assert [target.line for target in made.targets] == [3]


def test_type_with_many_traits_keeps_what_its_functions_return(folder: Repository) -> None:
    traits = "".join(f"pub trait Trait{number} {{}}\n" for number in range(320))
    used = "".join(f"impl traits::Trait{number} for Address {{}}\n" for number in range(320))
    folder.write_all(
        {
            "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
            "src/traits.rs": traits,
            "src/lib.rs": "pub mod traits;\n\npub struct Address;\n\n" + used + "\nimpl Address {\n"
            "    pub fn parse(text: &str) -> Result<Address, String> {\n        Ok(Address)\n    }\n\n"
            "    pub fn host(&self) {}\n}\n",
            "src/main.rs": 'use shop::Address;\n\nfn main() {\n    Address::parse("a").unwrap().host();\n}\n',
        }
    )
    with Workspace.open(folder.root) as workspace:
        [call] = [use for use in workspace.graph.edges("src/main.rs") if use.name == "host"]
        assert (call.how, [target.path for target in call.targets]) == ("receiver", ["src/lib.rs"])


def test_function_of_a_type_comes_before_those_of_its_traits(folder: Repository) -> None:
    folder.write_all(
        {
            "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
            "src/lib.rs": """pub struct Set(u32);

impl Set {
    pub fn first(&self) {}
    pub fn add(&self, byte: u8) -> Set {
        Set(1)
    }
}

impl std::ops::Add<Set> for Set {
    type Output = Set;

    fn first(self) {}
    fn add(self, other: Set) -> u32 {
        1
    }
}

impl From<u8> for Set {
    fn from(byte: u8) -> Set {
        Set(1)
    }
}

impl From<u16> for Set {
    fn from(byte: u16) -> Set {
        Set(1)
    }
}

pub fn run(set: Set) {
    set.add(1).first();
    Set::from(1);
}
""",
        }
    )
    with Workspace.open(folder.root) as workspace:
        edges = [edge for edge in workspace.graph.edges("src/lib.rs") if edge.line > 30]
        found = {
            edge.name: (edge.is_resolved, [target.line for target in edge.targets])
            for edge in edges
            if edge.kind == "method_call"
        }
        assert found == {"add": (True, [5]), "first": (True, [4]), "from": (False, [20, 26])}


def test_pattern_binds_what_a_variant_holds(folder: Repository) -> None:
    folder.write_all(
        {
            "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
            "src/lib.rs": """pub struct Start(u32);

impl Start {
    pub fn name(&self) {}
}

pub struct Outer(pub Start, u32);

pub enum Event {
    Open(Start),
    Close { start: Start },
    Both(Start, Start),
}

impl Event {
    pub fn name(&self) {}

    pub fn next(&self) -> Option<Start> {
        match self {
            Self::Open(start) => start.name(),
            Event::Both(first, second) => first.name(),
            _ => {}
        }
        if let Event::Open(ref start) = self {
            start.name();
        }
        None
    }
}

mod counter;

pub struct Wrapped(counter::Outer);

impl Outer {
    pub fn size(&self) {}
}

pub fn sizes(wrapped: Wrapped) {
    wrapped.0.size();
}

pub fn run(event: Event, outer: Outer) {
    match event.next() {
        Some(start) => start.name(),
        None => {}
    }
    let Some(mut last) = event.next() else { return };
    last.name();
    outer.0.name();
    match load() {
        Err(start) => start.name(),
        _ => {}
    }
}

fn load() -> Result<Start, Event> {
    unreachable!()
}
""",
            "src/counter.rs": "pub struct Outer;\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        assert not workspace.graph.callers("Outer.size", kinds=["method_call"]).uses
        edges = [edge for edge in workspace.graph.edges("src/lib.rs") if edge.name == "name"]
        found = {
            edge.line: [each.line for each in edge.targets if edge.is_resolved] for edge in edges
        }
        assert found == {20: [4], 21: [], 25: [4], 45: [4], 49: [4], 50: [4], 52: []}


def test_inline_module_passes_on_what_it_imports(folder: Repository) -> None:
    folder.write_all(
        {
            "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
            "src/lib.rs": "mod parser;\n\npub mod parts {\n    pub use crate::parser::Token;\n}\n",
            "src/parser.rs": "pub struct Token;\n\nimpl Token {\n    pub fn read() {}\n}\n",
            "tests/all.rs": "use shop::parts::Token;\n\nfn run() {\n    Token::read();\n}\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        [call] = [use for use in workspace.graph.edges("tests/all.rs") if use.name == "read"]
        assert [f"{each.path}:{each.line}" for each in call.targets] == ["src/parser.rs:4"]
        assert call.is_resolved


def test_trait_that_is_called_in_an_implementation_is_no_fact(folder: Repository) -> None:
    folder.write_all(
        {
            "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
            "src/lib.rs": """pub trait Source {
    fn load(&self);
}

impl<T: Source> Source for Box<T> {
    fn load(&self) {
        Source::load(&**self)
    }
}

pub fn run<S: Source>(source: S) {
    Source::load(&source);
}
""",
        }
    )
    with Workspace.open(folder.root) as workspace:
        calls = [edge for edge in workspace.graph.edges("src/lib.rs") if edge.name == "load"]
        assert [(call.line, call.is_resolved) for call in calls] == [(7, False), (12, True)]
