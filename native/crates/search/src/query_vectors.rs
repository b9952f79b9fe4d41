//! Makes the query's vectors with the built-in model.
//!
//! The model has learned weights of words from many projects, but that `table` is common in a project about tables only
//! the branch shows. So words are weighted by their IDF on the branch too (Arora, Liang, Ma, "A simple but
//! tough-to-beat baseline for sentence embeddings", 2017, weight words by their frequency in the collection). The
//! exponents were chosen on the public benchmark.

use codecairn_model::embed::{Embedder, Scratch};

use super::query::Query;

/// The weight of stop words, which are not among the query's terms: that of a term in every third chunk.
const STOP_WORD_WEIGHT: f32 = 1.0;

/// The vectors of one query; all zeros if the model has none of its words.
#[derive(Debug)]
pub(super) struct QueryVectors {
    /// For chunks: words are weighted by the root of their IDF, as the model's weights have learned a part of it.
    pub text: Vec<f32>,
    /// For paths: words have the model's weights.
    pub plain: Vec<f32>,
    /// For paths by their rare words: words are weighted by their IDF.
    pub rare: Vec<f32>,
}

impl QueryVectors {
    /// The vectors of `query`; `rarity` is the IDF of its terms.
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
