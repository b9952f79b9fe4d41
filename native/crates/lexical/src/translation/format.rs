//! Reads the dictionary, one block of bytes.
//!
//! All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | magic `CAIRNDIC` |
//! | 8..12 | format version, 1 |
//! | 12..16 | languages besides English |
//! | then | the words of English, then those of each language, each followed by its meanings |
//!
//! Words of a language: its code, eight bytes filled up with zeros; u32 number of words; u32 length of their texts; u32 a
//! word: where its text ends; the texts, in lower case, each greater than the one before as bytes; u8 a word: its rarity,
//! twelve times minus the natural logarithm of its share of all words. Meanings: two u16 a word, numbers of English words,
//! 0xFFFF for none.
//!
//! Invariant: [`Dictionary::read`] accepts a file only if every slice that is taken later lies inside it.

use std::cmp::Ordering;

const MAGIC: &[u8; 8] = b"CAIRNDIC";
const VERSION: u32 = 1;
const CODE_BYTES: usize = 8;
const NO_MEANING: u16 = u16::MAX;
/// Meanings of a word.
pub(super) const MEANINGS: usize = 2;

/// The words of English, and those of other languages with their meanings.
pub(super) struct Dictionary {
    pub(super) english: Words,
    pub(super) languages: Vec<Language>,
}

/// The words of a language other than English.
pub(super) struct Language {
    pub(super) words: Words,
    meanings: &'static [u8],
}

/// The words of a language, sorted by their bytes.
pub(super) struct Words {
    /// The language's code: `de`.
    pub(super) code: &'static str,
    ends: &'static [u8],
    text: &'static [u8],
    rarities: &'static [u8],
}

impl Dictionary {
    /// The dictionary in `bytes`, or what is wrong with it.
    pub(super) fn read(bytes: &'static [u8]) -> Result<Self, &'static str> {
        let mut reader = Reader(bytes);
        if reader.take(MAGIC.len())? != MAGIC || reader.number()? != VERSION {
            return Err("not a dictionary of this version");
        }
        let count = reader.number()?;
        let english = reader.words()?;
        let language = |_| {
            let words = reader.words()?;
            let meanings = reader.take(words.len() * MEANINGS * size_of::<u16>())?;
            Ok(Language { words, meanings })
        };
        let languages = (0..count).map(language).collect::<Result<_, &'static str>>()?;
        if reader.0.is_empty() { Ok(Self { english, languages }) } else { Err("more bytes than its header declares") }
    }
}

impl Language {
    /// The English words that a word stands for, by number, the likeliest first.
    pub(super) fn meanings(&self, word: usize) -> impl Iterator<Item = usize> + use<> {
        let size = MEANINGS * size_of::<u16>();
        let of_word = self.meanings.get(word * size..(word + 1) * size).unwrap_or_default();
        let number = |pair: &[u8]| u16::from_le_bytes([pair[0], pair[1]]);
        of_word.chunks_exact(2).map(number).filter(|&number| number != NO_MEANING).map(usize::from)
    }
}

impl Words {
    pub(super) fn len(&self) -> usize {
        self.rarities.len()
    }

    /// The text of a word.
    pub(super) fn get(&self, word: usize) -> &'static str {
        str::from_utf8(self.bytes(word)).unwrap_or_default()
    }

    fn bytes(&self, word: usize) -> &'static [u8] {
        let end = |word: usize| number_at(self.ends, word) as usize;
        let start = word.checked_sub(1).map_or(0, end);
        self.text.get(start..end(word)).unwrap_or_default()
    }

    /// Where a word is, or where it would be.
    pub(super) fn find(&self, word: &str) -> Result<usize, usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.bytes(middle).cmp(word.as_bytes()) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Ok(middle),
            }
        }
        Err(low)
    }

    /// Twelve times minus the logarithm of a word's share of all words; 255 for the rarest.
    pub(super) fn rarity(&self, word: usize) -> u8 {
        self.rarities.get(word).copied().unwrap_or(u8::MAX)
    }
}

fn number_at(numbers: &[u8], at: usize) -> u32 {
    let bytes = numbers.get(at * size_of::<u32>()..).and_then(<[u8]>::first_chunk);
    bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// What is left to read.
struct Reader(&'static [u8]);

impl Reader {
    fn take(&mut self, count: usize) -> Result<&'static [u8], &'static str> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or("fewer bytes than its header declares")?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, &'static str> {
        Ok(number_at(self.take(size_of::<u32>())?, 0))
    }

    fn words(&mut self) -> Result<Words, &'static str> {
        let code = str::from_utf8(self.take(CODE_BYTES)?).map_err(|_| "a code is not UTF-8")?.trim_end_matches('\0');
        let (count, bytes) = (self.number()? as usize, self.number()? as usize);
        let ends = self.take(count.checked_mul(size_of::<u32>()).ok_or("too many words")?)?;
        Ok(Words { code, ends, text: self.take(bytes)?, rarities: self.take(count)? })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DICTIONARY, FILE};
    use super::*;

    #[test]
    fn all_words_are_sorted_and_all_meanings_known() {
        let words = DICTIONARY.languages.iter().map(|language| &language.words);
        for words in words.chain([&DICTIONARY.english]) {
            assert!((1..words.len()).all(|at| words.get(at - 1) < words.get(at)), "{}", words.code);
            assert!((0..words.len()).all(|at| words.find(words.get(at)) == Ok(at)), "{}", words.code);
        }
        for language in &DICTIONARY.languages {
            let mut meanings = (0..language.words.len()).flat_map(|word| language.meanings(word));
            assert!(meanings.all(|meaning| meaning < DICTIONARY.english.len()), "{}", language.words.code);
        }
    }

    #[test]
    fn a_file_that_is_cut_is_refused() {
        for end in (0..64).chain((64..FILE.len()).step_by(9_973)) {
            assert!(Dictionary::read(&FILE[..end]).is_err(), "{end}");
        }
    }
}
