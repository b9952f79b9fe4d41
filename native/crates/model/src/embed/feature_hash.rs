//! Embeds text without learned weights: words and their parts are hashed into 256 dimensions.
//!
//! Each distinct word has a row: a random sign in every dimension for the word and for its
//! [stem](super::stem), and sparse random signs for its character n-grams, so that words which share
//! parts have rows which agree. A row's length is the word's weight: what is common in any code says
//! little. A text is the sum of its words' rows times ln(1 + count), scaled to length one.
//! Random signs keep the angles between bags of words to within about 1/√256
//! (Achlioptas, "Database-friendly random projections", 2003).
//!
//! Everything before the last scaling is integer arithmetic, so sums are exact in any order.

use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::common_words::{CommonWords, FULL};
use super::stem::stem;
use super::tokenizer::{MAX_WORD_BYTES, for_each_word};
use super::weight::ln_1p;
use super::{Embedder, Scratch};

/// The model's id.
pub(super) const ID: &str = "feature-hash-256-v1";
const DIMENSIONS: usize = 256;
/// Tells scratch rows of this model from those of others.
const OWNER: u64 = u64::from_le_bytes(*b"feature1");

/// Words of a text that count: far beyond a chunk, and low enough that no sum can overflow.
const MAX_WORDS: usize = 8_192;
/// Words cached before the cache is cleared: a row each, 4 MB in all, is what a core's own cache can hold.
const MAX_CACHED_WORDS: usize = 16_384;
/// What a word itself, its stem and all its n-grams together add to the square of a row's length.
const WORD_SHARE: usize = 2;
const STEM_SHARE: usize = 4;
const GRAM_SHARE: usize = 2;
/// Lengths of n-grams, in bytes of a word with an end mark on either side.
const GRAM_LENGTHS: std::ops::RangeInclusive<usize> = 3..=5;
/// Dimensions that an n-gram sets.
const GRAM_SIGNS: usize = 12;
/// Square of the length that one share adds before a row is scaled to its weight.
const SHARE_SQUARE: usize = 1 << 20;
/// Length of the row of a word of full weight: values about ±24, so that the rare peaks stay below 127.
const ROW_LENGTH: i32 = 24 * 16;
/// Steps per unit of ln(1 + count): what a row is multiplied by stays below 150, products fit 16 bits.
const COUNT_STEPS: f32 = 16.0;

/// The hashed sub-word model. See the module.
#[derive(Debug, Clone)]
pub struct FeatureHash {
    common_words: CommonWords,
}

impl Default for FeatureHash {
    fn default() -> Self {
        Self { common_words: CommonWords::new() }
    }
}

impl Embedder for FeatureHash {
    fn id(&self) -> &str {
        ID
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed_document(&self, text: &str, scratch: &mut Scratch) -> Vec<f32> {
        self.embed(text, scratch)
    }

    fn embed_query(&self, text: &str, scratch: &mut Scratch) -> Vec<f32> {
        self.embed(text, scratch)
    }
}

impl FeatureHash {
    fn embed(&self, text: &str, scratch: &mut Scratch) -> Vec<f32> {
        scratch.begin(OWNER, MAX_CACHED_WORDS);
        let Scratch { words, rows, .. } = scratch;
        let mut left = MAX_WORDS;
        for_each_word(text, |word| {
            if words.count(word).1 {
                rows.extend_from_slice(&self.row(word));
            }
            left -= 1;
            left > 0
        });
        let mut sum = [0i32; DIMENSIONS];
        for (word, count) in words.entries() {
            let factor = (ln_1p(count) * COUNT_STEPS) as i16;
            for (value, &part) in sum.iter_mut().zip(&rows[word * DIMENSIONS..(word + 1) * DIMENSIONS]) {
                *value += i32::from(factor * i16::from(part));
            }
        }
        unit(&sum)
    }

    /// The row of one word.
    fn row(&self, word: &str) -> [i8; DIMENSIONS] {
        let mut sum = [0i32; DIMENSIONS];
        add_dense(&mut sum, word, 1, WORD_SHARE);
        add_dense(&mut sum, stem(word, &mut [0; MAX_WORD_BYTES]), 2, STEM_SHARE);
        add_grams(&mut sum, word);
        let length = square_of(&sum).isqrt().max(1) as i32;
        let wanted = ROW_LENGTH * i32::from(self.common_words.level(word)) / i32::from(FULL);
        // In 1/65536, so that 256 divisions become multiplications; the products stay below 2^26.
        let factor = (wanted << 16) / length;
        sum.map(|value| ((value * factor + (1 << 15)) >> 16).clamp(-127, 127) as i8)
    }
}

/// Adds a sign in every dimension.
fn add_dense(sum: &mut [i32; DIMENSIONS], feature: &str, seed: u64, share: usize) {
    let amplitude = (share * SHARE_SQUARE / DIMENSIONS).isqrt() as i32;
    for (half, values) in sum.chunks_exact_mut(128).enumerate() {
        let bits = xxh3_128_with_seed(feature.as_bytes(), seed << 8 | half as u64).to_le_bytes();
        for (byte, values) in bits.into_iter().zip(values.chunks_exact_mut(8)) {
            for (bit, value) in values.iter_mut().enumerate() {
                *value += (i32::from(byte >> bit & 1) * 2 - 1) * amplitude;
            }
        }
    }
}

/// Adds a few signs for each n-gram of the word between end marks.
fn add_grams(sum: &mut [i32; DIMENSIONS], word: &str) {
    let mut marked = [b'<'; MAX_WORD_BYTES + 2];
    let len = word.len() + 2;
    marked[1..=word.len()].copy_from_slice(word.as_bytes());
    marked[len - 1] = b'>';
    let marked = &marked[..len];
    let grams = || GRAM_LENGTHS.flat_map(|width| marked.windows(width)).filter(|gram| gram.len() < len);
    let count = grams().count();
    if count == 0 {
        return;
    }
    let amplitude = (GRAM_SHARE * SHARE_SQUARE / (count * GRAM_SIGNS)).isqrt() as i32;
    for gram in grams() {
        let mut bits = xxh3_128_with_seed(gram, 3);
        for _ in 0..GRAM_SIGNS {
            let dimension = bits as usize % DIMENSIONS;
            sum[dimension] += if bits >> 8 & 1 == 1 { amplitude } else { -amplitude };
            bits >>= 9;
        }
    }
}

fn square_of(sum: &[i32; DIMENSIONS]) -> i64 {
    sum.iter().map(|&value| i64::from(value) * i64::from(value)).sum()
}

/// The sum scaled to length one; nothing stays nothing.
fn unit(sum: &[i32; DIMENSIONS]) -> Vec<f32> {
    let square = square_of(sum);
    if square == 0 {
        return vec![0.0; DIMENSIONS];
    }
    let length = (square as f64).sqrt();
    sum.iter().map(|&value| (f64::from(value) / length) as f32).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cosine(left: &str, right: &str) -> f32 {
        let model = FeatureHash::default();
        let scratch = &mut Scratch::default();
        let (left, right) = (model.embed_query(left, scratch), model.embed_document(right, scratch));
        left.iter().zip(&right).map(|(left, right)| left * right).sum()
    }

    #[test]
    fn words_find_the_code_that_holds_them() {
        let check = |query: &str, near: &str, far: &str| {
            let (near, far) = (cosine(query, near), cosine(query, far));
            assert!(near > far + 0.1, "{query}: {near} against {far}");
        };
        let get_user = "fn getUserById(id: UserId) -> Option<User> { self.users.get(&id).cloned() }";
        let window = "fn resizeWindow(width: u32, height: u32) { canvas.width = width; canvas.height = height; }";
        let token = "def verify_token(self, token):\n    claims = jwt.decode(token, self.secret)\n    return claims";
        check("get user by id", get_user, window);
        check("where are tokens verified", token, get_user);
        check("window resizing", window, token);
        check("users", get_user, token);
        check("decoding of a JWT", token, window);
    }

    #[test]
    fn forms_of_a_word_are_near_and_other_words_are_not() {
        assert!(cosine("authentication", "authenticate") > 0.3);
        assert!(cosine("parser", "parsing") > 0.4);
        assert!(cosine("authentication", "window").abs() < 0.2);
    }

    #[test]
    fn nothing_to_embed_gives_zeros() {
        let vector = FeatureHash::default().embed_document("{}; -- ()", &mut Scratch::default());
        assert!(vector.iter().all(|&value| value.to_bits() == 0) && vector.len() == DIMENSIONS);
    }

    #[test]
    fn a_text_of_any_length_fits_the_sums() {
        let text: String = (0..20_000).map(|word| word.to_string() + "w same ").collect();
        let vector = FeatureHash::default().embed_document(&text, &mut Scratch::default());
        let length: f32 = vector.iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-4);
    }

    #[test]
    fn the_vector_of_a_text_is_fixed_for_this_id() {
        let vector = FeatureHash::default().embed_document("getUserById größe 日本", &mut Scratch::default());
        let bits: Vec<u8> = vector.iter().flat_map(|value| value.to_bits().to_le_bytes()).collect();
        insta::assert_snapshot!(codecairn_base::hash::ContentHash::of(&bits), @"46e4b6b7ab36c26f0fd1f7cf116de397");
    }

    proptest! {
        #[test]
        fn what_was_embedded_before_never_matters(texts in proptest::collection::vec("\\PC{0,60}", 1..8)) {
            let model = FeatureHash::default();
            let mut warm = Scratch::default();
            for text in &texts {
                prop_assert_eq!(model.embed_document(text, &mut warm), model.embed_document(text, &mut Scratch::default()));
            }
        }
    }
}
