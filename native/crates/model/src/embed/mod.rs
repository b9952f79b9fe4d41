//! Embeds text with what is compiled in: no network, no download, no thread of its own.
//!
//! Two models share one [`tokenizer`]: [`FeatureHash`] needs no weights at all, [`StaticModel`] adds up learned rows,
//! one per word; one such model is compiled in (see `weights/README.md` of this crate). Both are bags of words with
//! sub-linear counts, so a text is one pass over its bytes and one sum over its distinct words.
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

use codecairn_base::parallel::on_all_threads;
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
/// use codecairn_model::embed::{Embedder, Scratch, builtin};
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

    /// The vector of a text in which each word has the weight of `weigh` times the model's.
    /// A model that can't tell words apart takes no notice of the weights.
    fn embed_weighted(&self, text: &str, weigh: &dyn Fn(&str) -> f32, scratch: &mut Scratch) -> Vec<f32> {
        let _ = weigh;
        self.embed_query(text, scratch)
    }

    /// The vectors of many texts in order, on all threads.
    fn embed_documents(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let embed_some = |texts: &[&str]| {
            let mut scratch = Scratch::default();
            texts.iter().map(|text| self.embed_document(text, &mut scratch)).collect::<Vec<_>>()
        };
        on_all_threads(|| texts.par_chunks(TEXTS_PER_TASK).flat_map_iter(embed_some).collect())
    }
}

/// The names by which the newest versions of compiled-in models are asked for.
pub const FEATURE_HASH: &str = "feature-hash";
/// See [`FEATURE_HASH`].
pub const STATIC: &str = "static";

/// The id of the learned model that is compiled in, as its file has it.
pub const STATIC_ID: &str = "static-256-v1";
static STATIC_FILE: &[u8] = include_bytes!("../../weights/static-256-v1.bin");

/// The model compiled in under this name or id, if there is one.
pub fn builtin(name: &str) -> Option<Box<dyn Embedder>> {
    match name {
        FEATURE_HASH | feature_hash::ID => Some(Box::<FeatureHash>::default()),
        STATIC | STATIC_ID => Some(Box::new(StaticModel::shipped(STATIC_FILE))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_id_is_no_model() {
        assert!(builtin("feature-hash-256-v0").is_none());
    }

    #[test]
    fn every_model_goes_by_its_name_and_its_id() {
        for (name, id) in [(FEATURE_HASH, feature_hash::ID), (STATIC, STATIC_ID)] {
            for asked in [name, id] {
                let model = builtin(asked).unwrap();
                assert_eq!((model.id(), model.dimensions()), (id, 256));
            }
        }
    }

    #[test]
    fn the_model_that_is_compiled_in_is_sound() {
        let model = StaticModel::compiled_in(STATIC_FILE).unwrap();
        assert_eq!((model.id(), model.dimensions()), (STATIC_ID, 256));
        assert!(STATIC_FILE.len() <= 12_000_000, "a wheel carries it");
    }

    /// The vectors in `example.json` were made in Python from the same file (`benches/quality/model`). Both add up
    /// 32-bit floats, in different orders, so they agree to a hundred-thousandth.
    #[test]
    fn training_and_use_give_the_same_vectors() {
        #[derive(serde::Deserialize)]
        struct Example {
            text: String,
            vector: Vec<f32>,
        }
        let examples: Vec<Example> = serde_json::from_str(include_str!("../../weights/example.json")).unwrap();
        let model = builtin(STATIC).unwrap();
        for Example { text, vector } in &examples {
            let found = model.embed_document(text, &mut Scratch::default());
            assert_eq!(found.len(), vector.len());
            for (found, expected) in found.iter().zip(vector) {
                assert!((found - expected).abs() < 1e-5, "{text}: {found} and {expected}");
            }
        }
        assert!(examples.len() > 5);
    }

    #[test]
    fn meanings_meet_where_words_do_not() {
        let model = builtin(STATIC).unwrap();
        let cosine = |left: &str, right: &str| -> f32 {
            let scratch = &mut Scratch::default();
            let (left, right) = (model.embed_query(left, scratch), model.embed_document(right, scratch));
            left.iter().zip(&right).map(|(left, right)| left * right).sum()
        };
        let check = |query: &str, near: &str, far: &str| {
            let (near, far) = (cosine(query, near), cosine(query, far));
            assert!(near > far + 0.1, "{query}: {near} against {far}");
        };
        let remove = "fn remove(&mut self, path: &Path) { fs::unlink(path); }";
        let sign_in = "def login(self, user, password):\n    return self.session.authenticate(user, password)";
        let retry = "for attempt in 0..limit { if send(request).is_ok() { break } sleep(backoff(attempt)) }";
        check("deleting files", remove, sign_in);
        check("verifying credentials", sign_in, retry);
        check("repeat failed HTTP calls", retry, remove);
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
