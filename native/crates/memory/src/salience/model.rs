//! How probably a sentence is worth remembering, and which kind of statement it is: logistic regressions.
//!
//! Weights are data (`weights/salience.bin`), fitted by `benches/memory/salience`. All numbers are little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 0..8 | magic `CAIRNSAL` |
//! | 8..28 | u32 each: version, slots of words, features of form, dimensions of meaning, outputs |
//! | then, for each output | f32 unit and an i8 for each slot; f32 unit and an i8 for each feature of form, for those of users, and for each dimension |

use std::sync::LazyLock;

use super::features::{FORM, Features, SLOTS};
use crate::words::Role;

const FILE: &[u8] = include_bytes!("../../weights/salience.bin");
const MAGIC: &[u8; 8] = b"CAIRNSAL";
const VERSION: u32 = 1;
/// The vectors of the built-in model.
const DIMENSIONS: usize = 256;
const DENSE: usize = 2 * FORM.len() + DIMENSIONS;

static MODEL: LazyLock<Model> = LazyLock::new(|| Model::read(FILE).expect("invariant: a test reads the file"));

/// The kinds of statements, in the order of the outputs after the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Decision,
    Rule,
    Preference,
    Fact,
    Fix,
    Todo,
}

const KINDS: [Kind; 6] = [Kind::Decision, Kind::Rule, Kind::Preference, Kind::Fact, Kind::Fix, Kind::Todo];

/// The weights of one output.
struct Output {
    word_unit: f32,
    words: &'static [u8],
    dense_unit: f32,
    dense: &'static [u8],
}

struct Model {
    is_kept: Output,
    kinds: Vec<Output>,
}

impl Model {
    fn read(mut bytes: &'static [u8]) -> Result<Self, &'static str> {
        let mut take = |count: usize| {
            let (taken, rest) = bytes.split_at_checked(count).ok_or("fewer bytes than its header declares")?;
            bytes = rest;
            Ok::<&'static [u8], &'static str>(taken)
        };
        if take(MAGIC.len())? != MAGIC {
            return Err("no weights of salience");
        }
        let header: Vec<u32> = take(20)?.chunks_exact(4).map(number).collect();
        let wanted = [VERSION, SLOTS as u32, FORM.len() as u32, DIMENSIONS as u32, 1 + KINDS.len() as u32];
        if header != wanted {
            return Err("weights of other features");
        }
        let mut output = || {
            let word_unit = f32::from_bits(number(take(4)?));
            let words = take(SLOTS)?;
            let dense_unit = f32::from_bits(number(take(4)?));
            Ok::<Output, &'static str>(Output { word_unit, words, dense_unit, dense: take(DENSE)? })
        };
        let is_kept = output()?;
        let kinds = KINDS.iter().map(|_| output()).collect::<Result<_, _>>()?;
        if bytes.is_empty() { Ok(Self { is_kept, kinds }) } else { Err("more bytes than its header declares") }
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

fn weight(weights: &[u8], at: usize) -> f32 {
    weights.get(at).map_or(0.0, |weight| f32::from(i8::from_le_bytes([*weight])))
}

impl Output {
    fn score(&self, features: &Features, role: Role) -> f32 {
        let words: f32 = features.words.iter().map(|(slot, value)| value * weight(self.words, *slot)).sum();
        let of_user = f32::from(u8::from(role == Role::User));
        let dense = features.form.iter().copied();
        let dense =
            dense.chain(features.form.iter().map(|value| value * of_user)).chain(features.meaning.iter().copied());
        let dense: f32 = dense.enumerate().map(|(at, value)| value * weight(self.dense, at)).sum();
        words * self.word_unit + dense * self.dense_unit
    }
}

/// The probability that a sentence is worth remembering.
pub(super) fn probability(features: &Features, role: Role) -> f32 {
    1.0 / (1.0 + (-MODEL.is_kept.score(features, role)).exp())
}

/// The likeliest kind of a statement.
pub(super) fn kind(features: &Features, role: Role) -> Kind {
    let scored = MODEL.kinds.iter().zip(KINDS).map(|(output, kind)| (output.score(features, role), kind));
    scored.max_by(|left, right| left.0.total_cmp(&right.0)).map_or(Kind::Fact, |(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_are_read_and_others_are_refused() {
        let read = |bytes: Vec<u8>| Model::read(bytes.leak()).err().unwrap_or_default();
        assert_eq!(read(FILE.to_vec()), "");
        assert_eq!(read(FILE[..FILE.len() - 1].to_vec()), "fewer bytes than its header declares");
        assert_eq!(read([FILE, b"x"].concat()), "more bytes than its header declares");
        assert_eq!(read([b"CAIRNXXX", &FILE[8..]].concat()), "no weights of salience");
        let mut other = FILE.to_vec();
        other[8] = 9;
        assert_eq!(read(other), "weights of other features");
    }
}
