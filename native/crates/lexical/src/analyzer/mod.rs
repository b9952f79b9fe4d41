//! Analyses text to terms, for documents and queries alike.
//!
//! A word is a run of letters, digits and underscores; a hyphen between letters joins as well. A word
//! of several parts (`getUserById2`, `get_user_by_id`, `dry-run`) gives the whole without separators
//! (`getuserbyid2`), so that all spellings of a name meet, and then its parts (`get user by id 2`).
//! Acronyms are parts (`HTTPServer` → `http server`). Chinese, Japanese and Korean text gives single
//! characters and pairs; prose gives the words of Chinese and Japanese instead ([`for_each_prose_term`]). Terms are lower-cased and at most [`MAX_TERM_BYTES`] long.
//!
//! The index has all terms, stop words included and unstemmed: [`stem`] groups terms at query time, and only a query
//! drops stop words. Equal text gives equal terms, whatever its context.

mod query;
mod scan;
mod split;
mod stem;

pub(super) use query::is_stop_word;
pub use query::{QueryTerm, query_terms, query_words};
pub use stem::stem;

pub(super) use scan::for_each_word;
use split::Spaceless;
pub(super) use split::Splitter;

/// Changes whenever the same text would give other terms or stems; a segment of another version is rebuilt.
pub const ANALYZER_VERSION: u32 = 1;

/// Terms are cut to this many bytes, at a character's boundary.
pub const MAX_TERM_BYTES: usize = 64;

/// Calls `emit` with each term of `text` in order: the whole of an identifier before its parts.
///
/// ```
/// let mut terms = Vec::new();
/// codecairn_lexical::analyzer::for_each_term("HTTPServer.get_user", |term| terms.push(term.to_owned()));
/// assert_eq!(terms, ["httpserver", "http", "server", "getuser", "get", "user"]);
/// ```
pub fn for_each_term(text: &str, mut emit: impl FnMut(&str)) {
    let mut splitter = Splitter::default();
    for_each_word(text, |word| splitter.split(word, |term, _| emit(term)));
}

/// The terms of prose: what [`for_each_term`] gives, with the words of Chinese and Japanese in place of single characters
/// and pairs. Pairs make many accidental matches, and a text of twice as many terms.
///
/// ```
/// let mut terms = Vec::new();
/// codecairn_lexical::analyzer::for_each_prose_term("缓存大小 is 512", |term| terms.push(term.to_owned()));
/// assert_eq!(terms, ["缓存", "大小", "is", "512"]);
/// ```
pub fn for_each_prose_term(text: &str, mut emit: impl FnMut(&str)) {
    let mut splitter = Splitter::new(Spaceless::Words);
    for_each_word(text, |word| splitter.split(word, |term, _| emit(term)));
}

/// Calls `emit` with each part of `text`'s words in order: what [`for_each_term`] gives, less the wholes of several
/// parts.
pub fn for_each_part(text: &str, mut emit: impl FnMut(&str)) {
    let mut splitter = Splitter::default();
    for_each_word(text, |word| {
        splitter.split(word, |term, role| {
            if role != split::Role::Whole {
                emit(term);
            }
        });
    });
}

/// The longest prefix of `text` of at most `limit` bytes, cut between characters.
fn cut(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}
