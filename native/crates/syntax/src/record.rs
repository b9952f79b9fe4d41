//! Defines the facts of one parsed text as plain data.

use codecairn_base::span::ByteSpan;

use crate::kind::Kind;

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

/// Where a definition lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// The whole definition.
    pub span: ByteSpan,
    /// Where its name begins, in bytes.
    pub name: u32,
    /// Its kind.
    pub kind: Kind,
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
    /// It is handed on, kept or returned as a value.
    Value = 3,
    /// It decorates the next definition.
    Decorator = 4,
    /// It stands alone and is no variable: a call without parentheses and arguments.
    Bare = 5,
    /// It is given as a symbol, which may be one of the many that name a function: `before_action :load`.
    Symbol = 6,
    /// A member is assigned or deleted: `self.size = 3`.
    Write = 7,
}

impl ReferenceKind {
    /// The kind stored under a number, if there is one.
    pub fn from_number(number: u8) -> Option<Self> {
        let all = [
            Self::Call,
            Self::Construct,
            Self::Type,
            Self::Value,
            Self::Decorator,
            Self::Bare,
            Self::Symbol,
            Self::Write,
        ];
        all.get(usize::from(number)).copied()
    }
}

/// A use of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The name as written, without receiver.
    pub name: String,
    /// The text before the name: `self`, `client.session`; empty without. Of a name that stands alone in the body of a
    /// class of Ruby it is `self`, which is the class there.
    pub receiver: String,
    /// How it is used.
    pub kind: ReferenceKind,
    /// How many arguments the call has, in languages with overloads, up to [`MAX_ARGUMENTS`](Self::MAX_ARGUMENTS).
    pub arguments: Option<u8>,
    /// The position of the name.
    pub span: ByteSpan,
}

impl Reference {
    /// More arguments than this are not counted.
    pub const MAX_ARGUMENTS: usize = 30;

    /// The kind and the number of arguments in one byte.
    pub(crate) fn packed_kind(&self) -> u8 {
        self.kind as u8 | self.arguments.map_or(0, |count| count + 1) << 3
    }

    /// The kind and the number of arguments of a byte; none if there is no such kind.
    pub fn unpacked_kind(byte: u8) -> Option<(ReferenceKind, Option<u8>)> {
        Some((ReferenceKind::from_number(byte & 7)?, (byte >> 3).checked_sub(1)))
    }
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
    /// The name alone; the statement if it takes the module itself.
    pub name_span: ByteSpan,
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
    /// The position of the base's name.
    pub span: ByteSpan,
}

/// How a type is expressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Evidence {
    /// The name is declared with this type.
    Type = 0,
    /// This expression is assigned to the name.
    Value = 1,
    /// The name takes the elements of this expression one after the other.
    Element = 2,
    /// The name is a function's, which returns this type.
    Returns = 3,
    /// The name is a function's, which returns this expression.
    Result = 4,
    /// The name is a type parameter with these bounds.
    Bound = 5,
    /// The name is the bracket before these parameters of a function.
    Parameters = 6,
    /// This expression is assigned to the name, which is declared elsewhere.
    Assigned = 7,
    /// The name is bound to the member of its name of this expression.
    Member = 8,
    /// The name is bound to the second of what this expression gives.
    Second = 9,
    /// The name is that of an attribute which lets a build leave out what follows it, under this condition.
    Condition = 10,
    /// The name is bound to what this variant or this type holds alone.
    Content = 11,
    /// The name is a function's, or that of a group of functions, which this type or this object has, wherever it is
    /// defined: `def self.open`, `this string text`.
    Owner = 12,
    /// The name is a key of an object, which holds this expression.
    Entry = 13,
}

impl Evidence {
    /// The evidence stored under a number, if there is any.
    pub fn from_number(number: u8) -> Option<Self> {
        let all = [
            Self::Type,
            Self::Value,
            Self::Element,
            Self::Returns,
            Self::Result,
            Self::Bound,
            Self::Parameters,
            Self::Assigned,
            Self::Member,
            Self::Second,
            Self::Condition,
            Self::Content,
            Self::Owner,
            Self::Entry,
        ];
        all.get(usize::from(number)).copied()
    }

    /// Whether it says something about the result of a function, and not about the name itself.
    pub fn is_of_result(self) -> bool {
        matches!(self, Self::Returns | Self::Result)
    }

    /// Whether the name is that of a variable, a field or a parameter.
    pub fn is_of_variable(self) -> bool {
        let is_apart = matches!(self, Self::Bound | Self::Parameters | Self::Condition | Self::Owner | Self::Entry);
        !self.is_of_result() && !is_apart
    }
}

/// A name with evidence of its type: a parameter, a variable, a field, a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The name as written: `client`, `self.client`.
    pub name: String,
    /// How its type is expressed.
    pub evidence: Evidence,
    /// The type as written, or the expression reduced to the names that it asks: `Client()`, `self.pool.get()`.
    pub text: String,
    /// The position of the name.
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

impl Diagnostic {
    /// Of a region that the grammar skips, or of a part that was left out so that it need not.
    pub(crate) const LOST: &'static str = "can't be parsed, and its definitions may be missing";

    /// Whether definitions may be missing there.
    pub fn is_loss(&self) -> bool {
        self.message == Self::LOST
    }
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
    /// Types of names.
    pub bindings: Vec<Binding>,
    /// Functions without names that have bindings of their own.
    pub closures: Vec<ByteSpan>,
    /// Comments and documentation strings.
    pub comments: Vec<ByteSpan>,
    /// What could not be read.
    pub diagnostics: Vec<Diagnostic>,
}
