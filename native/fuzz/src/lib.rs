//! What the targets share: how a fuzzer's bytes become a language with a text, or damage to a file.

use std::borrow::Cow;
use std::time::{SystemTime, UNIX_EPOCH};

use codecairn_base::clock::Clock;
use codecairn_grammars::Grammar;

/// The clock of this machine, which ends parses that take too long.
pub struct MachineClock;

impl Clock for MachineClock {
    fn now_ns(&self) -> i64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i64)
    }

    /// A fuzzer is alone on its processor and never suspended.
    fn thread_ns(&self) -> i64 {
        self.now_ns()
    }
}

/// The grammar that the first byte selects, and the rest as text.
pub fn grammar_and_text(data: &[u8]) -> Option<(Grammar, Cow<'_, str>)> {
    let (first, rest) = data.split_first()?;
    let grammars = codecairn_grammars::all();
    Some((grammars[usize::from(*first) % grammars.len()], String::from_utf8_lossy(rest)))
}

/// The name of a file and its bytes, with a zero byte between them.
pub fn path_and_content(data: &[u8]) -> (Cow<'_, str>, &[u8]) {
    let (path, content) = match data.iter().position(|byte| *byte == 0) {
        Some(at) => (&data[..at], &data[at + 1..]),
        None => (data, &[][..]),
    };
    (String::from_utf8_lossy(path), content)
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
