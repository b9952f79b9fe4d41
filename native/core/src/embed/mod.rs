//! Text to vectors with what is compiled in: no network, no download, no thread of its own.
//!
//! Two models share one [`tokenizer`]: [`FeatureHash`] needs no weights at all, [`StaticModel`] adds
//! up learned rows, one per word. Both are bags of words with sub-linear counts, so a text is one
//! pass over its bytes and one sum over its distinct words.
//!
//! Invariant: a vector depends on the model's id and the text alone. It is the same bit for bit on
//! every platform, whatever was embedded before: sums are integers, or floats added in the order of
//! first occurrence by plain multiplication and addition (Rust never fuses these), logarithms come
//! from a table made at compile time, and square roots are exact by IEEE 754.

pub mod tokenizer;

mod common_words;
mod feature_hash;
mod format;
mod scratch;
mod static_model;
mod stem;
mod weight;

use crate::parallel::on_all_threads;
use rayon::prelude::*;

pub use feature_hash::FeatureHash;
pub use format::{ModelRows, write_model};
pub use scratch::Scratch;
pub use static_model::StaticModel;

/// Texts that one thread embeds with one [`Scratch`] in [`Embedder::embed_documents`].
const TEXTS_PER_TASK: usize = 256;

/// A model that turns texts into vectors of length one.
///
/// ```
/// use codecairn_core::embed::{Embedder, Scratch, builtin};
///
/// let model = builtin("feature-hash-256-v1").expect("compiled in");
/// let vector = model.embed_document("fn get_user(id: UserId) -> User", &mut Scratch::default());
/// assert_eq!(vector.len(), model.dimensions());
/// ```
pub trait Embedder: Send + Sync {
    /// Names the model with its dimensions and version; vectors of different ids never meet.
    fn id(&self) -> &str;

    /// Length of the vectors.
    fn dimensions(&self) -> usize;

    /// The vector of a text to be found; all zeros if the model knows nothing in it.
    fn embed_document(&self, text: &str, scratch: &mut Scratch) -> Vec<f32>;

    /// The vector of a text to search with; all zeros if the model knows nothing in it.
    fn embed_query(&self, text: &str, scratch: &mut Scratch) -> Vec<f32>;

    /// The vectors of many texts in order, on all threads.
    fn embed_documents(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let embed_some = |texts: &[&str]| {
            let mut scratch = Scratch::default();
            texts.iter().map(|text| self.embed_document(text, &mut scratch)).collect::<Vec<_>>()
        };
        on_all_threads(|| texts.par_chunks(TEXTS_PER_TASK).flat_map_iter(embed_some).collect())
    }
}

/// The name by which the newest version of a compiled-in model is asked for.
pub const FEATURE_HASH: &str = "feature-hash";

/// The model compiled in under this name or id, if there is one.
pub fn builtin(name: &str) -> Option<Box<dyn Embedder>> {
    (name == FEATURE_HASH || name == feature_hash::ID).then(|| Box::<FeatureHash>::default() as Box<dyn Embedder>)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_id_is_no_model() {
        assert!(builtin("feature-hash-256-v0").is_none());
    }

    #[test]
    fn many_texts_give_what_each_gives_alone() {
        let model = builtin(feature_hash::ID).unwrap();
        let texts: Vec<String> = (0..700).map(|i| format!("let total{} = sumOfRow({i});", i % 60)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let alone: Vec<_> = texts.iter().map(|text| model.embed_document(text, &mut Scratch::default())).collect();
        assert_eq!(model.embed_documents(&texts), alone);
    }
}
