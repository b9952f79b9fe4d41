//! Defines a language as a row of data.

/// What a text is for. Decides ranking, never whether it is indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Class {
    /// Source code.
    Code = 0,
    /// Text for people: documentation, notes, plain text.
    Prose = 1,
    /// Settings and build descriptions.
    Config = 2,
    /// Tables, dumps, drawings, notebooks: much text, little meaning a line.
    Data = 3,
    /// Code that a program wrote and says so. Only files have it, no language does.
    Generated = 4,
}

impl Class {
    /// All classes, in the order of their numbers.
    pub const ALL: [Self; 5] = [Self::Code, Self::Prose, Self::Config, Self::Data, Self::Generated];

    /// The class's name, as shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Prose => "prose",
            Self::Config => "config",
            Self::Data => "data",
            Self::Generated => "generated",
        }
    }

    /// The class stored under a number, if there is one.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

/// One language: how it is recognised and what can be done with it.
#[derive(Debug, Clone, Copy)]
pub struct Language {
    /// Stable identity, as stored and as filtered by.
    pub id: &'static str,
    /// The name for people.
    pub name: &'static str,
    /// What its files are for.
    pub class: Class,
    /// File extensions in lower case, without the dot.
    pub extensions: &'static [&'static str],
    /// Whole file names, compared without regard to case.
    pub file_names: &'static [&'static str],
    /// Beginnings of file names, each with its separator: `Dockerfile.`.
    pub name_prefixes: &'static [&'static str],
    /// Programs in a `#!` line, without version number.
    pub interpreters: &'static [&'static str],
    /// Further names in editors' modelines (`-*- mode: … -*-`, `vim: ft=…`), in addition to the id.
    pub aliases: &'static [&'static str],
    /// The grammar that is expected to parse it. It need not be compiled in: see [`parser`](Self::parser).
    pub grammar: Option<&'static str>,
    /// What starts a comment up to the end of the line.
    pub line_comment: Option<&'static str>,
}

impl Language {
    /// The compiled grammar, if there is one in this build.
    pub fn parser(&self) -> Option<tree_sitter::Language> {
        self.grammar.and_then(codecairn_grammars::grammar).map(tree_sitter::Language::from)
    }

    /// A row with nothing but its identity and extensions.
    pub(super) const fn new(
        id: &'static str,
        name: &'static str,
        class: Class,
        extensions: &'static [&'static str],
    ) -> Self {
        Self {
            id,
            name,
            class,
            extensions,
            file_names: &[],
            name_prefixes: &[],
            interpreters: &[],
            aliases: &[],
            grammar: None,
            line_comment: None,
        }
    }

    /// With whole file names.
    pub(super) const fn names(mut self, file_names: &'static [&'static str]) -> Self {
        self.file_names = file_names;
        self
    }

    /// With beginnings of file names.
    pub(super) const fn prefixes(mut self, name_prefixes: &'static [&'static str]) -> Self {
        self.name_prefixes = name_prefixes;
        self
    }

    /// With interpreters for the `#!` line.
    pub(super) const fn shebang(mut self, interpreters: &'static [&'static str]) -> Self {
        self.interpreters = interpreters;
        self
    }

    /// With editors' names.
    pub(super) const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// With a grammar of another id.
    pub(super) const fn grammar(mut self, grammar: &'static str) -> Self {
        self.grammar = Some(grammar);
        self
    }

    /// With a grammar of its own id.
    pub(super) const fn parsed(mut self) -> Self {
        self.grammar = Some(self.id);
        self
    }

    /// With a prefix of line comments.
    pub(super) const fn comment(mut self, prefix: &'static str) -> Self {
        self.line_comment = Some(prefix);
        self
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Language {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_numbers_lead_back() {
        for class in Class::ALL {
            assert_eq!(Class::from_number(class as u8), Some(class));
            assert!(!class.name().is_empty());
        }
        assert_eq!(Class::from_number(5), None);
    }
}
