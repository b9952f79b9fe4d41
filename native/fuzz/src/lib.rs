//! What the targets share: how a fuzzer's bytes become a language with a text, or damage to a file.

use std::borrow::Cow;

use codecairn_grammars::Grammar;

/// The grammar that the first byte selects, and the rest as text.
pub fn grammar_and_text(data: &[u8]) -> Option<(Grammar, Cow<'_, str>)> {
    let (first, rest) = data.split_first()?;
    let grammars = codecairn_grammars::all();
    Some((grammars[usize::from(*first) % grammars.len()], String::from_utf8_lossy(rest)))
}

/// Changes a file as `data` says: four bytes are a place (three, little-endian) and what to flip there; three that are
/// left over are the length to cut it to.
pub fn damage(file: &mut Vec<u8>, data: &[u8]) {
    let place = |bytes: &[u8], length: usize| {
        let number = bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte));
        number % length.max(1)
    };
    let (changes, rest) = data.as_chunks::<4>();
    for [at @ .., mask] in changes {
        let at = place(at, file.len());
        file[at] ^= mask;
    }
    if let [_, _, _] = rest {
        file.truncate(place(rest, file.len()));
    }
}
