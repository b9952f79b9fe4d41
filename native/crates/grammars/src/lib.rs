//! The compiled tree-sitter grammars of codecairn, and nothing else.
//!
//! This crate is almost entirely generated C that takes minutes to compile and rarely changes, so it is kept apart
//! from everything that does change: queries and the knowledge of file names live with the engine. It depends on
//! `tree-sitter-language` only, not on the tree-sitter runtime.

use tree_sitter_language::LanguageFn;

mod bounded_scanner;
mod table;

/// One compiled grammar: our language id and the parser's entry point.
#[derive(Clone, Copy)]
pub struct Grammar {
    /// The language id, in lower case, for example `cpp`.
    pub id: &'static str,
    /// The parser's entry point; `tree_sitter::Language::new` takes it.
    pub language: LanguageFn,
}

/// Every grammar that is compiled in, sorted by id.
pub fn all() -> &'static [Grammar] {
    &table::GRAMMARS
}

/// The grammar of a language id, `None` if there is none.
pub fn grammar(id: &str) -> Option<LanguageFn> {
    let grammars = all();
    let at = grammars.binary_search_by(|grammar| grammar.id.cmp(id)).ok()?;
    grammars.get(at).map(|grammar| grammar.language)
}
