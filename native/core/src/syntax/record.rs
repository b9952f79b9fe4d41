//! The facts of one parsed text, as plain data.

use crate::kind::Kind;
use crate::span::ByteSpan;

/// A named definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The name as written.
    pub name: String,
    /// The name with its enclosing scopes, joined by `.`: `Session.get`.
    pub qualified_name: String,
    /// The normalised kind.
    pub kind: Kind,
    /// The whole definition.
    pub span: ByteSpan,
    /// The name alone.
    pub name_span: ByteSpan,
}

/// How a name is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum ReferenceKind {
    /// A function or method is called.
    Call = 0,
    /// An instance is made: `new X`, a struct literal.
    Construct = 1,
    /// A type is named.
    Type = 2,
}

/// A use of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The name as written, without receiver.
    pub name: String,
    /// What stands before the name: `self`, `client.session`; empty without.
    pub receiver: String,
    /// How it is used.
    pub kind: ReferenceKind,
    /// Where the name stands.
    pub span: ByteSpan,
}

/// An import of another file, module or package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The module as written: `../util`, `os.path`, `stdio.h`.
    pub source: String,
    /// The name taken from it; empty for the module itself, `*` for all.
    pub name: String,
    /// The local name if another one is given; else empty.
    pub alias: String,
    /// The whole statement.
    pub span: ByteSpan,
}

/// A type that builds on another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inheritance {
    /// The qualified name of the type that inherits. It need not be defined in this text: `impl Display for Foo`.
    pub derived: String,
    /// The base's name as written.
    pub base: String,
    /// Whether an interface or trait is implemented, not a class extended.
    pub implements: bool,
    /// Where the base's name stands.
    pub span: ByteSpan,
}

/// Something that a parse could not make sense of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where.
    pub span: ByteSpan,
    /// What, in lower case without a stop.
    pub message: String,
}

/// All facts of one text, each list in order of position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Syntax {
    /// Definitions.
    pub symbols: Vec<Symbol>,
    /// Uses of names.
    pub references: Vec<Reference>,
    /// Imports.
    pub imports: Vec<Import>,
    /// Bases of types.
    pub inheritance: Vec<Inheritance>,
    /// Comments and documentation strings.
    pub comments: Vec<ByteSpan>,
    /// What could not be read.
    pub diagnostics: Vec<Diagnostic>,
}
