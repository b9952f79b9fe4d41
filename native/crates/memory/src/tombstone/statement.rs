//! Recognises statements in texts by keyed hashes of their words.
//!
//! A long statement is found anywhere within a text, a short one only as a whole sentence: `use tabs` is not what
//! `never use tabs in YAML` says. A copy that was cut off is known by its first words. A text is looked through with one
//! polynomial fingerprint for each number of words that a statement has, so n words cost n steps for each number, and
//! BLAKE3 in its keyed mode decides about those with a known fingerprint.

use std::collections::{BTreeMap, BTreeSet};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::words::{Word, is_cut, words};
use crate::answers::sentences;

/// A statement of fewer words, or of fewer letters, counts as a whole sentence only.
const MIN_WORDS: usize = 4;
const MIN_LETTERS: usize = 12;
/// Beginnings of a statement that are kept, in words.
const MAX_BEGINNING: usize = 40;
/// Bytes of a hash.
pub(super) const HASH_BYTES: usize = 16;

/// The hash of a statement.
pub(crate) type Hash = [u8; HASH_BYTES];

/// The key of a database's tombstones.
#[derive(Clone)]
pub(crate) struct Key {
    bytes: [u8; 32],
    seed: u64,
    base: u64,
}

impl Key {
    pub(super) fn new(bytes: [u8; 32]) -> Self {
        let hash = blake3::keyed_hash(&bytes, b"fingerprint");
        let number = |at: usize| {
            let mut eight = [0; 8];
            eight.copy_from_slice(&hash.as_bytes()[at..at + 8]);
            u64::from_le_bytes(eight)
        };
        Self { bytes, seed: number(0), base: number(8) | 1 }
    }

    /// The hash of something under a purpose of its own.
    pub(super) fn hash(&self, purpose: &str, parts: impl Iterator<Item = impl AsRef<str>>) -> Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.bytes);
        hasher.update(purpose.as_bytes());
        for part in parts {
            hasher.update(&[0]).update(part.as_ref().as_bytes());
        }
        let mut hash = [0; HASH_BYTES];
        hash.copy_from_slice(&hasher.finalize().as_bytes()[..HASH_BYTES]);
        hash
    }

    fn hash_of(&self, words: &[Word]) -> Hash {
        self.hash("statement", words.iter().map(|word| &word.form))
    }

    fn word(&self, word: &Word) -> u64 {
        xxh3_64_with_seed(word.form.as_bytes(), self.seed)
    }

    /// The fingerprint of all words before each place.
    fn prints(&self, words: &[Word]) -> Vec<u64> {
        let mut print = 0_u64;
        std::iter::once(0)
            .chain(words.iter().map(|word| {
                print = print.wrapping_mul(self.base).wrapping_add(self.word(word));
                print
            }))
            .collect()
    }

    fn power(&self, exponent: usize) -> u64 {
        (0..exponent).fold(1, |power: u64, _| power.wrapping_mul(self.base))
    }
}

/// A statement as it is known without its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Statement {
    pub(crate) hash: Hash,
    pub(super) words: usize,
    pub(super) print: u64,
    pub(super) is_long: bool,
    pub(super) beginnings: Vec<u8>,
}

impl Statement {
    fn of(key: &Key, words: &[Word]) -> Self {
        let beginnings: Vec<u8> = (MIN_WORDS..words.len().min(MAX_BEGINNING))
            .filter(|count| is_long(&words[..*count]))
            .flat_map(|count| key.hash_of(&words[..count]))
            .collect();
        Self {
            hash: key.hash_of(words),
            words: words.len(),
            print: key.prints(words).pop().unwrap_or_default(),
            is_long: is_long(words),
            beginnings,
        }
    }
}

/// The statements that a text makes: all of it, and each of its sentences that is long enough to be known by itself.
pub(crate) fn statements(key: &Key, text: &str) -> Vec<Statement> {
    let whole = words(text);
    // One word such as `yes` says nothing by itself.
    if whole.len() < 2 {
        return Vec::new();
    }
    let mut found = vec![Statement::of(key, &whole)];
    for sentence in sentences(text) {
        let part = words(sentence);
        if part.len() < whole.len() && is_long(&part) {
            found.push(Statement::of(key, &part));
        }
    }
    let mut met = BTreeSet::new();
    found.retain(|statement| met.insert(statement.hash));
    found
}

fn is_long(words: &[Word]) -> bool {
    words.len() >= MIN_WORDS && words.iter().map(Word::letters).sum::<usize>() >= MIN_LETTERS
}

/// A stretch of a text that makes a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) hash: Hash,
    /// The bytes of the sentence that it stands in.
    pub(crate) sentence: (usize, usize),
    /// Whether its sentence ends with it: one that goes on says something else.
    pub(crate) is_last: bool,
}

/// A text as words, with the sentence around each of them.
struct Sentences<'a> {
    text: &'a str,
    words: &'a [Word],
    /// By word: the first word of its sentence.
    firsts: Vec<usize>,
    /// By word, and behind the last one: the next word that begins a sentence, from it on.
    nexts: Vec<usize>,
}

impl<'a> Sentences<'a> {
    fn of(text: &'a str, words: &'a [Word]) -> Self {
        let mut first = 0;
        let firsts = (0..words.len()).map(|at| {
            first = if words[at].begins { at } else { first };
            first
        });
        let firsts = firsts.collect();
        let mut nexts = vec![words.len(); words.len() + 1];
        for at in (0..words.len()).rev() {
            nexts[at] = if words[at].begins { at } else { nexts[at + 1] };
        }
        Self { text, words, firsts, nexts }
    }

    fn found(&self, range: std::ops::Range<usize>, hash: Hash) -> Found {
        let (words, last) = (self.words, self.nexts[range.end]);
        Found {
            start: words[range.start].start,
            end: end_of(self.text, words, range.end),
            hash,
            sentence: (words[self.firsts[range.start]].start, end_of(self.text, words, last)),
            is_last: last == range.end,
        }
    }
}

/// Finds statements in texts.
pub(crate) struct Matcher {
    key: Key,
    /// By the number of words, and then by the fingerprint.
    lengths: BTreeMap<usize, BTreeMap<u64, Vec<(Hash, bool)>>>,
    /// Beginnings, with the statement that each begins.
    beginnings: BTreeMap<Hash, Hash>,
}

impl Matcher {
    pub(crate) fn new(key: Key, statements: impl Iterator<Item = Statement>) -> Self {
        let mut matcher = Self { key, lengths: BTreeMap::new(), beginnings: BTreeMap::new() };
        for Statement { hash, words, print, is_long, beginnings } in statements.filter(|each| each.words > 0) {
            matcher.lengths.entry(words).or_default().entry(print).or_default().push((hash, is_long));
            for beginning in beginnings.as_chunks::<HASH_BYTES>().0 {
                matcher.beginnings.insert(*beginning, hash);
            }
        }
        matcher
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// The stretches of a text that make one of the statements, in order of their beginnings.
    pub(crate) fn find(&self, text: &str) -> Vec<Found> {
        if self.is_empty() || text.is_empty() {
            return Vec::new();
        }
        let words = words(text);
        let prints = self.key.prints(&words);
        let sentences = Sentences::of(text, &words);
        let mut found = Vec::new();
        for (count, known) in &self.lengths {
            let power = self.key.power(*count);
            for start in 0..(words.len() + 1).saturating_sub(*count) {
                let end = start + count;
                let print = prints[end].wrapping_sub(prints[start].wrapping_mul(power));
                let Some(same) = known.get(&print) else { continue };
                let hash = self.key.hash_of(&words[start..end]);
                let is_whole = words[start].begins && words.get(end).is_none_or(|next| next.begins);
                if same.iter().any(|(known, is_long)| *known == hash && (*is_long || is_whole)) {
                    found.push(sentences.found(start..end, hash));
                }
            }
        }
        self.find_beginnings(&sentences, &mut found);
        joined(found)
    }

    /// Adds copies that were cut off before an ellipsis, the last word of which may be cut too.
    fn find_beginnings(&self, sentences: &Sentences<'_>, found: &mut Vec<Found>) {
        let Sentences { text, words, .. } = *sentences;
        if self.beginnings.is_empty() || !(text.contains('…') || text.contains("...")) {
            return;
        }
        for last in 0..words.len() {
            if !is_cut(&text[words[last].end..]) {
                continue;
            }
            let stop = words[last].end + text[words[last].end..].find(['…', '.']).map_or(0, |at| at + '…'.len_utf8());
            let stop = text.ceil_char_boundary(stop.min(text.len()));
            for end in [last + 1, last] {
                for start in end.saturating_sub(MAX_BEGINNING)..end.saturating_sub(MIN_WORDS - 1) {
                    let hash = self.key.hash_of(&words[start..end]);
                    if let Some(statement) = self.beginnings.get(&hash) {
                        let cut = sentences.found(start..end, *statement);
                        found.push(Found { end: stop, sentence: (cut.sentence.0, stop), is_last: true, ..cut });
                    }
                }
            }
        }
    }
}

/// Stretches in order of their beginnings; those of one statement that overlap are one.
fn joined(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|each| (each.start, each.end));
    let mut last: BTreeMap<Hash, usize> = BTreeMap::new();
    let mut joined: Vec<Found> = Vec::with_capacity(found.len());
    for each in found {
        if let Some(before) = last.get(&each.hash).map(|at| &mut joined[*at]).filter(|before| each.start < before.end) {
            before.end = before.end.max(each.end);
            before.sentence.1 = before.sentence.1.max(each.sentence.1);
            before.is_last = each.is_last;
        } else {
            last.insert(each.hash, joined.len());
            joined.push(each);
        }
    }
    joined
}

/// The byte at which a stretch ends: after the stop of its sentence.
fn end_of(text: &str, words: &[Word], end: usize) -> usize {
    let last = words[end - 1].end;
    let stops = text[last..].chars().take_while(|letter| ".!?。！？".contains(*letter));
    last + stops.map(char::len_utf8).sum::<usize>()
}

/// A text without some stretches of it. What is left has a mark in their place; without a letter it is nothing.
pub(crate) fn without(text: &str, stretches: &[(usize, usize)]) -> String {
    let mut stretches: Vec<(usize, usize)> = stretches
        .iter()
        .copied()
        .filter(|(start, end)| start < end && text.is_char_boundary(*start) && text.is_char_boundary(*end))
        .collect();
    stretches.sort_unstable();
    let (mut left, mut marked, mut at) = (String::new(), String::with_capacity(text.len()), 0);
    for (start, end) in stretches {
        if start > at || at == 0 {
            let kept = &text[at..start.max(at)];
            left.push_str(kept);
            marked.push_str(kept);
            marked.push_str(MARK);
        }
        at = at.max(end);
    }
    left.push_str(&text[at..]);
    marked.push_str(&text[at..]);
    if left.chars().any(char::is_alphanumeric) { marked } else { String::new() }
}

/// The mark of a stretch that is not shown.
pub(crate) const MARK: &str = "[…]";

#[cfg(test)]
mod tests {
    use super::*;

    fn matcher(text: &str) -> Matcher {
        let key = Key::new([7; 32]);
        Matcher::new(key.clone(), statements(&key, text).into_iter())
    }

    fn cut(statement: &str, text: &str) -> String {
        let found: Vec<(usize, usize)> =
            matcher(statement).find(text).into_iter().map(|each| (each.start, each.end)).collect();
        without(text, &found)
    }

    const PORT: &str = "The MatrixOne port is 6001 in all environments, that's a rule.";

    #[test]
    fn a_long_statement_is_found_anywhere_and_the_rest_stays() {
        for (text, left) in [
            (PORT, ""),
            ("Hi. the matrixone port is 6001 in all environments; that’s a rule! Bye.", "Hi. […] Bye."),
            (
                "You said \"The MatrixOne port is 6001 in all environments, that's a rule.\" yesterday.",
                "You said \"[…]\" yesterday.",
            ),
            ("Noted: The MatrixOne port is\n6001 in all environments, that's a rule", "Noted: […]"),
            (
                "The MatrixOne port is 7001 in all environments, that's a rule.",
                "The MatrixOne port is 7001 in all environments, that's a rule.",
            ),
            ("The MatrixOne port is 6001 in all enviro…", ""),
            ("ok. The MatrixOne port is 6001...\nmore", "ok. […]\nmore"),
        ] {
            assert_eq!(cut(PORT, text), left, "{text}");
        }
    }

    #[test]
    fn a_short_statement_is_found_as_a_sentence_only() {
        for (text, left) in [
            ("Use tabs.", ""),
            ("ok, use tabs", "ok, use tabs"),
            ("Never use tabs in YAML.", "Never use tabs in YAML."),
            ("Remember: use tabs! Thanks.", "Remember: […] Thanks."),
            ("- use tabs\n- use LF", "- […]\n- use LF"),
        ] {
            assert_eq!(cut("use tabs", text), left, "{text}");
        }
    }

    #[test]
    fn sentences_of_a_statement_are_known_alone_if_they_say_enough() {
        let both = "The staging database is on port 5433. It is slow.";
        assert_eq!(cut(both, "The staging database is on port 5433! Ok."), "[…] Ok.");
        assert_eq!(cut(both, "It is slow."), "It is slow.");
        assert_eq!(cut(both, "- The staging database is on port 5433.\n- It is slow."), "");
    }

    #[test]
    fn other_languages_are_found() {
        assert_eq!(cut("MatrixOne 的端口是 6001。", "好的。MatrixOne的端口是6001。谢谢"), "好的。[…]谢谢");
        assert_eq!(
            cut("Der Port von MatrixOne ist überall 6001.", "Gut, der Port von MATRIXONE ist u\u{308}berall 6001!"),
            "Gut, […]"
        );
        assert_eq!(cut("Порт MatrixOne всегда 6001.", "Да: порт MatrixOne всегда 6001. Ок."), "Да: […] Ок.");
    }

    #[test]
    fn another_key_knows_nothing() {
        let statement = statements(&Key::new([7; 32]), PORT);
        let other = Matcher::new(Key::new([8; 32]), statement.into_iter());
        assert_eq!(other.find(PORT), []);
    }
}
