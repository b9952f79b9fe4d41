//! Gives the prior weight of a word, independent of the workspace.
//!
//! `common_words.txt` holds the words that are in the most passages of code over nineteen languages,
//! and English function words: a level and the words of that level per line. A level is
//! 20 · √(-ln(share of passages with the word) / 6.5), rounded, and 1 for function words; every
//! other word has level 20. The root was chosen by how often comments find the code they describe
//! in 31 repositories (the plain logarithm, which BM25 uses, is too steep for sums of rows).

/// The level of a word that is not listed.
pub(super) const FULL: u8 = 20;

/// The list, sorted for looking words up.
#[derive(Debug, Clone)]
pub(super) struct CommonWords(Vec<(&'static str, u8)>);

impl CommonWords {
    pub(super) fn new() -> Self {
        let mut words = Vec::new();
        for line in include_str!("common_words.txt").lines() {
            let (level, listed) = line.split_once(' ').expect("invariant: a level, then words");
            let level = level.parse().expect("invariant: a level is a number");
            words.extend(listed.split(' ').map(|word| (word, level)));
        }
        words.sort_unstable();
        Self(words)
    }

    /// From 1 for a word that is everywhere to [`FULL`] for one that is not listed; a lone letter or
    /// digit has half of that at most.
    pub(super) fn level(&self, word: &str) -> u8 {
        let listed = self.0.binary_search_by(|(listed, _)| (*listed).cmp(word)).map_or(FULL, |index| self.0[index].1);
        if word.len() == 1 { listed.min(FULL / 2) } else { listed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_well_formed() {
        let words = CommonWords::new();
        assert!(words.0.len() > 900);
        assert!(words.0.windows(2).all(|pair| pair[0].0 < pair[1].0), "each word once");
        assert!(words.0.iter().all(|(word, level)| (1..FULL).contains(level) && *word == word.to_lowercase()));
    }

    #[test]
    fn rare_words_weigh_more_than_common_ones() {
        let words = CommonWords::new();
        let levels = ["the", "where", "return", "client", "zeitgeist"].map(|word| words.level(word));
        assert!(levels.is_sorted() && levels[0] == 1 && levels[4] == FULL, "{levels:?}");
        assert!(words.level("q") <= FULL / 2);
    }
}
