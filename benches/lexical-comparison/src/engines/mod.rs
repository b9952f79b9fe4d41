//! The engines under one trait.

mod codecairn;
mod fts5;
mod tantivy;

pub use self::codecairn::Codecairn;
pub use self::fts5::Fts5;
pub use self::tantivy::Tantivy;

/// A built index.
pub trait Engine {
    /// The numbers of the best chunks, best first.
    fn search(&self, query: &str, limit: usize) -> Vec<u32>;
}

/// The plain words of a query for engines that know no identifiers, without the words that ours leaves out.
fn plain_words(query: &str) -> Vec<String> {
    let kept = codecairn_lexical::analyzer::query_terms(query);
    let mut words: Vec<String> = Vec::new();
    for word in query.split(|char: char| !char.is_alphanumeric() && char != '_').map(str::to_lowercase) {
        let joined = word.replace('_', "");
        let is_kept = kept.iter().any(|term| joined.contains(&term.term));
        if !word.is_empty() && is_kept && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}
