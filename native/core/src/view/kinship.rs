//! Words of paths that are akin to a query's words without having the same stem: `extractors` and `extract/`,
//! `scheduled` and `scheduler.rs`, `config` and `configuration.ts`.
//!
//! Two words are akin by the share of the longer one that their common beginning makes up, if that beginning has at
//! least [`BEGINNING`] letters; equal words are wholly akin. A stemmer joins endings of one grammar, this joins the
//! families of words that names of files are made of, and abbreviations.

use std::collections::BTreeMap;

use crate::lexical::analyzer::for_each_part;

use super::path_index::PathParts;

/// Letters that two words must begin with alike: with three, `con` would join what has nothing in common.
const BEGINNING: usize = 4;

#[derive(Debug, Clone, Copy)]
struct Posting {
    file: u32,
    in_stem: u8,
}

/// Words of paths to files, in order of the words.
#[derive(Debug, Default)]
pub struct KinIndex {
    words: Vec<(Box<str>, Vec<Posting>)>,
    /// By file: words of its stem.
    stem_words: Vec<u8>,
}

/// How nearly paths have the words of a query, by file.
#[derive(Debug, Default)]
pub struct KinScores {
    /// How much of the query (by rarity) the path is akin to, 0 to 1.
    pub path: Vec<f32>,
    /// How much of the stem the query is akin to, 0 to 1.
    pub stem: Vec<f32>,
}

impl KinIndex {
    /// The index over `paths`, in the order of the view's files.
    pub fn build<'a>(paths: impl ExactSizeIterator<Item = &'a str>) -> Self {
        let mut words: BTreeMap<Box<str>, Vec<Posting>> = BTreeMap::new();
        let mut stem_words = Vec::with_capacity(paths.len());
        let mut of_file: BTreeMap<Box<str>, u8> = BTreeMap::new();
        for (file, path) in paths.enumerate() {
            let parts = PathParts::of(path);
            for text in [parts.folders, parts.name] {
                for_each_part(text, |word| {
                    of_file.entry(word.into()).or_default();
                });
            }
            let mut count = 0u8;
            for_each_part(parts.speaking, |word| {
                count = count.saturating_add(1);
                let in_stem = of_file.entry(word.into()).or_default();
                *in_stem = in_stem.saturating_add(1);
            });
            stem_words.push(count);
            while let Some((word, in_stem)) = of_file.pop_first() {
                words.entry(word).or_default().push(Posting { file: file as u32, in_stem });
            }
        }
        Self { words: words.into_iter().collect(), stem_words }
    }

    /// How akin each file's path is to a query's `words`, which come with their rarity.
    pub fn score(&self, words: &[(&str, f32)]) -> KinScores {
        let files = self.stem_words.len();
        let mut scores = KinScores { path: vec![0.0; files], stem: vec![0.0; files] };
        let total: f32 = words.iter().map(|word| word.1).sum();
        // By word of paths: the most that any word of the query is akin to it.
        let mut to_query: BTreeMap<usize, f32> = BTreeMap::new();
        let mut best = vec![0.0f32; files];
        let mut touched = Vec::new();
        for (word, rarity) in words {
            for (index, kinship) in self.akin(word) {
                let most = to_query.entry(index).or_default();
                *most = most.max(kinship);
                for posting in &self.words[index].1 {
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
            for posting in self.words[index].1.iter().filter(|posting| posting.in_stem > 0) {
                let file = posting.file as usize;
                scores.stem[file] += kinship * f32::from(posting.in_stem) / f32::from(self.stem_words[file]);
            }
        }
        scores
    }

    /// The words of paths that are akin to `word`, by number.
    fn akin<'a>(&'a self, word: &'a str) -> impl Iterator<Item = (usize, f32)> + 'a {
        let beginning = &word[..word.floor_char_boundary(BEGINNING)];
        let first = self.words.partition_point(|entry| *entry.0 < *beginning);
        self.words[first..]
            .iter()
            .take_while(move |entry| entry.0.starts_with(beginning))
            .enumerate()
            .map(move |(offset, entry)| (first + offset, kinship(word, &entry.0)))
            .filter(|found| found.1 > 0.0)
    }
}

/// 1 for equal words, else the share of the longer one that both begin with, if that is long enough.
fn kinship(first: &str, second: &str) -> f32 {
    if first == second {
        return 1.0;
    }
    let common = first.bytes().zip(second.bytes()).take_while(|(a, b)| a == b).count();
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
        near(kinship("extractors", "extract"), 0.7);
        near(kinship("scheduled", "scheduler"), 8.0 / 9.0);
        near(kinship("dns", "dns"), 1.0);
        near(kinship("contain", "connect"), 0.0);
        near(kinship("dn", "dns"), 0.0);
    }

    #[test]
    fn paths_and_stems_are_told_apart() {
        let index = KinIndex::build(["extract/mod.rs", "extract/path.rs", "state_machine.rs"].into_iter());
        let scores = index.score(&[("extractors", 3.0), ("machine", 1.0)]);
        near(scores.stem[0], 0.7);
        near(scores.stem[1], 0.0);
        near(scores.stem[2], 0.5);
        near(scores.path[1], 0.7 * 0.75);
        near(scores.path[2], 0.25);
    }

    #[test]
    fn nothing_asked_and_nothing_there_score_nothing() {
        assert_eq!(KinIndex::build(["a.rs"].into_iter()).score(&[]).path, [0.0]);
        assert!(KinIndex::build([].into_iter()).score(&[("a", 1.0)]).stem.is_empty());
    }
}
