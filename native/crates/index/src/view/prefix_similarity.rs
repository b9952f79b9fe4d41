//! The similarity of words in paths and queries by their common prefix: `extractors` and `extract/`, `scheduled` and
//! `scheduler.rs`, `config` and `configuration.ts`.
//!
//! The similarity is the length of the common prefix divided by that of the longer word, if the prefix has at least
//! [`BEGINNING`] letters; equal words have similarity 1. A stemmer conflates inflections; a prefix also conflates
//! derived words and abbreviations, which names of files are made of.

use std::collections::{BTreeMap, BTreeSet};

use codecairn_lexical::analyzer::for_each_part;
use codecairn_lexical::idf;

use super::image::{Column, Image, ImageBuilder};
use super::path_index::PathParts;
use super::terms::{TermColumns, Terms, TermsBuilder};

/// The minimum length of a common prefix in letters: with three, `con` would match unrelated words.
const BEGINNING: usize = 4;

const WORDS: TermColumns = [Column::KinTerms, Column::KinTermEnds, Column::KinPostingEnds, Column::KinPostings];

/// Words of paths to files, in order of the words.
#[derive(Debug, Clone, Copy)]
pub struct PrefixIndex<'a> {
    words: Terms<'a>,
    /// By file: words of its stem.
    stem_words: &'a [u8],
}

/// How nearly paths have the words of a query, by file.
#[derive(Debug, Default)]
pub struct PrefixScores {
    /// How much of the query (by rarity) the path is akin to, 0 to 1.
    pub path: Vec<f32>,
    /// How much of the stem the query is akin to, 0 to 1.
    pub stem: Vec<f32>,
}

impl<'a> PrefixIndex<'a> {
    pub(super) fn of(image: &'a Image) -> Self {
        Self { words: Terms::of(image, WORDS), stem_words: image.column(Column::StemWords) }
    }

    /// How rare a word is among the paths.
    pub fn rarity(&self, word: &str) -> f32 {
        idf(self.stem_words.len(), self.words.find(word.as_bytes()).len())
    }

    /// Appends the columns of the index over `paths`, in the order of the view's files.
    pub(super) fn build<'p>(paths: impl Iterator<Item = &'p str>, image: &mut ImageBuilder) {
        let mut words = TermsBuilder::default();
        let mut stem_words = Vec::new();
        // The words of the last file's folders, as the next file often has the same, and those of the file's name.
        let (mut analysed, mut of_folders) = ("", BTreeSet::new());
        let mut of_name: BTreeMap<Box<str>, u8> = BTreeMap::new();
        for (file, path) in paths.enumerate() {
            let parts = PathParts::of(path);
            if parts.folders != analysed {
                of_folders.clear();
                for_each_part(parts.folders, |word| {
                    of_folders.insert(Box::<str>::from(word));
                });
                analysed = parts.folders;
            }
            for_each_part(parts.name, |word| {
                of_name.entry(word.into()).or_default();
            });
            let mut count = 0u8;
            for_each_part(parts.speaking, |word| {
                count = count.saturating_add(1);
                let in_stem = of_name.entry(word.into()).or_default();
                *in_stem = in_stem.saturating_add(1);
            });
            stem_words.push(count);
            for word in &of_folders {
                words.add(word, file as u32, 0, of_name.remove(word).unwrap_or_default());
            }
            while let Some((word, in_stem)) = of_name.pop_first() {
                words.add(&word, file as u32, 0, in_stem);
            }
        }
        words.push(image, WORDS);
        image.push(Column::StemWords, stem_words);
    }

    /// How akin each file's path is to a query's `words`, which come with their rarity.
    pub fn score(&self, words: &[(&str, f32)]) -> PrefixScores {
        let files = self.stem_words.len();
        let mut scores = PrefixScores { path: vec![0.0; files], stem: vec![0.0; files] };
        let total: f32 = words.iter().map(|word| word.1).sum();
        // By word of paths: the most that any word of the query is akin to it.
        let mut to_query: BTreeMap<usize, f32> = BTreeMap::new();
        let mut best = vec![0.0f32; files];
        let mut touched = Vec::new();
        for (word, rarity) in words {
            for (index, kinship) in self.akin(word) {
                let most = to_query.entry(index).or_default();
                *most = most.max(kinship);
                for posting in self.words.postings(index) {
                    let slot = &mut best[posting.file as usize];
                    if *slot == 0.0 {
                        touched.push(posting.file as usize);
                    }
                    *slot = slot.max(kinship);
                }
            }
            for file in touched.drain(..) {
                scores.path[file] += rarity * std::mem::take(&mut best[file]) / total;
            }
        }
        for (index, kinship) in to_query {
            for posting in self.words.postings(index).iter().filter(|posting| posting.in_stem > 0) {
                let file = posting.file as usize;
                scores.stem[file] += kinship * f32::from(posting.in_stem) / f32::from(self.stem_words[file]);
            }
        }
        scores
    }

    /// The words of paths that are akin to `word`, by number.
    fn akin<'w>(&self, word: &'w str) -> impl Iterator<Item = (usize, f32)> + use<'a, 'w> {
        let beginning = &word.as_bytes()[..word.floor_char_boundary(BEGINNING)];
        let words = self.words;
        words
            .from(beginning)
            .take_while(move |&at| words.word(at).starts_with(beginning))
            .map(move |at| (at, prefix_similarity(word.as_bytes(), words.word(at))))
            .filter(|found| found.1 > 0.0)
    }
}

/// 1 for equal words, else the share of the longer one that both begin with, if that is long enough.
fn prefix_similarity(first: &[u8], second: &[u8]) -> f32 {
    if first == second {
        return 1.0;
    }
    let common = first.iter().zip(second).take_while(|(a, b)| a == b).count();
    if common < BEGINNING { 0.0 } else { common as f32 / first.len().max(second.len()) as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f32, expected: f32) {
        assert!((value - expected).abs() < 1e-6, "{value} is not {expected}");
    }

    #[test]
    fn words_of_one_family_are_akin_and_short_beginnings_are_not() {
        near(prefix_similarity(b"extractors", b"extract"), 0.7);
        near(prefix_similarity(b"scheduled", b"scheduler"), 8.0 / 9.0);
        near(prefix_similarity(b"dns", b"dns"), 1.0);
        near(prefix_similarity(b"contain", b"connect"), 0.0);
        near(prefix_similarity(b"dn", b"dns"), 0.0);
    }

    fn score(paths: &[&str], words: &[(&str, f32)]) -> PrefixScores {
        crate::view::ViewBuilder::of_paths(paths).kin().score(words)
    }

    #[test]
    fn paths_and_stems_are_told_apart() {
        let paths = ["extract/mod.rs", "extract/path.rs", "state_machine.rs"];
        let scores = score(&paths, &[("extractors", 3.0), ("machine", 1.0)]);
        near(scores.stem[0], 0.7);
        near(scores.stem[1], 0.0);
        near(scores.stem[2], 0.5);
        near(scores.path[1], 0.7 * 0.75);
        near(scores.path[2], 0.25);
    }

    #[test]
    fn a_word_that_most_paths_have_is_less_rare() {
        let view = crate::view::ViewBuilder::of_paths(&["src/a/queue.rs", "src/b.rs", "src/c.rs"]);
        let rarity = |word| view.kin().rarity(word);
        assert!(rarity("src") < rarity("queue") && rarity("queue") < rarity("absent"));
    }

    #[test]
    fn nothing_asked_and_nothing_there_score_nothing() {
        assert_eq!(score(&["a.rs"], &[]).path, [0.0]);
        assert!(score(&[], &[("a", 1.0)]).stem.is_empty());
    }
}
