//! Defines the kinds of symbols and chunks, in words that hold across languages.

use std::fmt;
use std::str::FromStr;

/// The normalised kind of a symbol or chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// A free function, procedure or macro.
    Function = 0,
    /// A function that belongs to a type, constructors included.
    Method = 1,
    /// A class or object.
    Class = 2,
    /// An interface or protocol.
    Interface = 3,
    /// A struct, record or union.
    Struct = 4,
    /// An enumeration.
    Enum = 5,
    /// A trait, mixin or type class.
    Trait = 6,
    /// A type alias or other named type.
    Type = 7,
    /// A module, namespace or package.
    Module = 8,
    /// A constant, variable, field or property.
    Constant = 9,
    /// A section of prose or of configuration.
    Section = 10,
    /// Anything else: imports, statements, windows of plain text.
    Block = 11,
}

impl Kind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; 12] = [
        Self::Function,
        Self::Method,
        Self::Class,
        Self::Interface,
        Self::Struct,
        Self::Enum,
        Self::Trait,
        Self::Type,
        Self::Module,
        Self::Constant,
        Self::Section,
        Self::Block,
    ];

    /// The kind's name, as shown and as filtered by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Class => "class",
            Self::Interface => "interface",
            Self::Struct => "struct",
            Self::Enum => "enum",
            Self::Trait => "trait",
            Self::Type => "type",
            Self::Module => "module",
            Self::Constant => "constant",
            Self::Section => "section",
            Self::Block => "block",
        }
    }

    /// Whether a symbol of this kind makes a text one of code: tables and generated headers have constants too.
    pub fn is_code(self) -> bool {
        !matches!(self, Self::Constant | Self::Section | Self::Module | Self::Block)
    }

    /// The kind stored under a number, if there is one.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| format!("unknown kind `{name}`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_lead_back() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_number(kind as u8), Some(kind));
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        assert_eq!(Kind::from_number(12), None);
    }
}
