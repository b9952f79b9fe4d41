//! The compiled tree-sitter grammars and nothing else.

use tree_sitter_language::LanguageFn;

/// One compiled grammar.
#[derive(Clone, Copy)]
pub struct Grammar {
    /// The language's id.
    pub id: &'static str,
    /// The parser's entry point.
    pub language: LanguageFn,
}

/// Every grammar that is compiled in, sorted by id.
pub fn all() -> &'static [Grammar] {
    &[]
}

/// The grammar of a language id.
pub fn grammar(id: &str) -> Option<LanguageFn> {
    all().iter().find(|grammar| grammar.id == id).map(|grammar| grammar.language)
}
