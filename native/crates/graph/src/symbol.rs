//! Defines the symbols of a branch and their categories.

use codecairn_index::view::FileIndex;
use codecairn_syntax::kind::Kind;

use super::family::Family;

/// A symbol of a branch: the file that defines it, and its index among the file's symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId {
    /// The file.
    pub file: FileIndex,
    /// The symbol's number in the file.
    pub symbol: u32,
}

/// The category of symbols that a name may resolve to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SymbolCategory {
    /// Functions, methods and constructors.
    Callable,
    /// Types.
    Type,
    /// All symbols.
    Any,
}

impl SymbolCategory {
    /// Whether a symbol of this kind belongs to the category.
    pub(super) fn fits(self, kind: Kind, family: Family) -> bool {
        match self {
            // Elsewhere a constant may hold a function.
            Self::Callable if kind == Kind::Constant => family.calls_constants(),
            Self::Callable if family == Family::Script && matches!(kind, Kind::Interface | Kind::Type) => false,
            Self::Callable => !matches!(kind, Kind::Module | Kind::Section | Kind::Block),
            Self::Type => is_type(kind) || kind == Kind::Module,
            Self::Any => !matches!(kind, Kind::Section | Kind::Block),
        }
    }
}

/// Whether symbols of this kind have members.
pub(super) fn is_type(kind: Kind) -> bool {
    matches!(kind, Kind::Class | Kind::Interface | Kind::Struct | Kind::Enum | Kind::Trait | Kind::Type)
}
