//! The vectors that a query is compared by, as the built-in model makes them.
//!
//! A model learns from many projects how much a word says; that `table` says nothing among tables only the branch knows.
//! So words count by their rarity too (Arora, Liang, Ma, "A simple but tough-to-beat baseline for sentence embeddings",
//! 2017, weight words by their frequency in the collection). The powers were chosen on the public benchmark.

use codecairn_model::embed::{Embedder, Scratch};

use super::query::Query;

/// What a word counts that the query's terms leave out because it stands everywhere: as much as one in every third chunk.
const STOP_WORD_WEIGHT: f32 = 1.0;

/// The vectors of one query; all zeros where the model knows nothing in it.
#[derive(Debug)]
pub(super) struct QueryVectors {
    /// For chunks: words count by the root of their rarity, of which the model has learned a part.
    pub text: Vec<f32>,
    /// For paths: words count as the model says.
    pub plain: Vec<f32>,
    /// For paths by their rare words: words count by their rarity.
    pub rare: Vec<f32>,
}

impl QueryVectors {
    /// The vectors of `query`, whose terms are so rare.
    pub(super) fn of(query: &Query, rarity: &[f32], embedder: &dyn Embedder) -> Self {
        let of_word = |word: &str| {
            let known = query.terms.iter().position(|term| term.term == word);
            known.map_or(STOP_WORD_WEIGHT, |at| rarity[at])
        };
        let scratch = &mut Scratch::default();
        Self {
            text: embedder.embed_weighted(&query.text, &|word| of_word(word).sqrt(), scratch),
            plain: embedder.embed_query(&query.text, scratch),
            rare: embedder.embed_weighted(&query.text, &of_word, scratch),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use codecairn_model::embed::builtin;

    #[test]
    fn a_rare_word_turns_the_vector_of_the_text_and_not_that_of_a_plain_path() {
        let embedder = builtin("static").unwrap();
        let embedder = embedder.as_ref();
        let query = Query::parse("table of invoices");
        let near = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        let word = embedder.embed_query("invoices", &mut Scratch::default());
        let of = |table: f32| QueryVectors::of(&query, &[table, 9.0], embedder);
        let (rare, frequent) = (of(9.0), of(0.1));
        assert!(near(&frequent.text, &word) > near(&rare.text, &word));
        assert!(near(&frequent.rare, &word) > near(&frequent.text, &word));
        assert_eq!(frequent.plain, rare.plain);
    }
}
