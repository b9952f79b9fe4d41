//! Defines edges: a reference with its kind, its targets, the method of its resolution and its confidence.

use codecairn_base::span::ByteSpan;
use codecairn_index::view::FileIndex;

use super::symbol::SymbolId;

/// How one symbol uses another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EdgeKind {
    /// A function is called.
    Call,
    /// A member is called, of an object or a type.
    MethodCall,
    /// An instance is made.
    Construct,
    /// A name is imported.
    Import,
    /// A type extends another.
    Inherit,
    /// A type implements an interface or trait.
    Implement,
    /// A type is named, or a function is used as a value.
    Reference,
    /// The name stands there, and no query reads how it is used. It leads nowhere.
    Mention,
}

impl EdgeKind {
    /// All kinds of use.
    pub const ALL: [Self; 7] =
        [Self::Call, Self::MethodCall, Self::Construct, Self::Import, Self::Inherit, Self::Implement, Self::Reference];

    /// The kind's name, as shown and as filtered by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::MethodCall => "method_call",
            Self::Construct => "construct",
            Self::Import => "import",
            Self::Inherit => "inherit",
            Self::Implement => "implement",
            Self::Reference => "reference",
            Self::Mention => "mention",
        }
    }
}

/// How a use was traced to its definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ResolutionMethod {
    /// By a SCIP index, which a compiler or type checker made of the same text.
    Scip,
    /// An enclosing scope or the file itself defines it.
    SameFile,
    /// The file imports it.
    Import,
    /// The receiver's type is known and has the member.
    Receiver,
    /// The package, folder or namespace has it.
    Package,
    /// Its scopes are written out.
    Qualified,
    /// A member that it overrides is called on an object of the base type.
    Override,
    /// Nothing else in the branch has this name.
    UniqueName,
    /// Several have it.
    Ambiguous,
    /// A parameter or a local variable of the function around it holds what is called.
    Local,
    /// It is not defined in the branch.
    External,
    /// Unresolved.
    Unknown,
}

impl ResolutionMethod {
    /// The way's name, as shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scip => "scip",
            Self::SameFile => "same-file",
            Self::Import => "import",
            Self::Receiver => "receiver",
            Self::Package => "package",
            Self::Qualified => "qualified",
            Self::Override => "override",
            Self::UniqueName => "unique-name",
            Self::Ambiguous => "ambiguous",
            Self::Local => "local",
            Self::External => "outside",
            Self::Unknown => "unknown",
        }
    }

    /// Whether the target is taken as a fact.
    pub fn is_resolved(self) -> bool {
        matches!(self, Self::Scip | Self::SameFile | Self::Import | Self::Receiver | Self::Package | Self::Qualified)
    }

    /// Whether a member was found by the receiver's type.
    pub(super) fn knows_type(self) -> bool {
        matches!(self, Self::Scip | Self::Receiver)
    }
}

/// The resolution of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    /// How that was found out.
    pub how: ResolutionMethod,
    /// The targets: one symbol, the overloads of one name, or candidates if it is ambiguous.
    pub targets: Vec<SymbolId>,
    /// The name of the parameter or the local variable that is called, in the file of the use; only of
    /// [`ResolutionMethod::Local`], which has no targets.
    pub declared: Option<ByteSpan>,
}

impl Resolution {
    pub(super) fn new(how: ResolutionMethod, targets: Vec<SymbolId>) -> Self {
        Self { how, targets, declared: None }
    }

    /// A parameter or a local variable, by its name where it is declared.
    pub(super) fn local(declared: ByteSpan) -> Self {
        Self { how: ResolutionMethod::Local, targets: Vec::new(), declared: Some(declared) }
    }

    /// These targets; nothing of the branch if there are none.
    pub(super) fn found(how: ResolutionMethod, targets: Vec<SymbolId>) -> Self {
        if targets.is_empty() { Self::external() } else { Self::new(how, targets) }
    }

    pub(super) fn external() -> Self {
        Self::new(ResolutionMethod::External, Vec::new())
    }

    pub(super) fn unknown() -> Self {
        Self::new(ResolutionMethod::Unknown, Vec::new())
    }

    /// How likely each target is the one meant, 0 to 1: near the shares of right targets that `benches/quality/graph`
    /// measured for each method over fourteen languages, and above 0.98 only for a compiler's answers.
    pub fn confidence(&self) -> f32 {
        match self.how {
            ResolutionMethod::Scip => 0.99,
            ResolutionMethod::SameFile | ResolutionMethod::Import | ResolutionMethod::Local => 0.98,
            ResolutionMethod::Receiver | ResolutionMethod::Qualified | ResolutionMethod::Package => 0.96,
            ResolutionMethod::UniqueName => 0.6,
            ResolutionMethod::Override | ResolutionMethod::Ambiguous => 1.0 / self.targets.len().max(2) as f32,
            ResolutionMethod::External | ResolutionMethod::Unknown => 0.0,
        }
    }
}

/// A use of a symbol, at its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The file that uses.
    pub file: FileIndex,
    /// The innermost symbol that uses; none at the top of a file.
    pub source: Option<SymbolId>,
    /// The name as written.
    pub name: String,
    /// Its position.
    pub span: ByteSpan,
    /// How it is used.
    pub kind: EdgeKind,
    /// Its targets.
    pub resolution: Resolution,
}
