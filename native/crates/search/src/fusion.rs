//! Fuses several ranked lists into one: reciprocal rank fusion, or a weighted sum of scores.

use std::str::FromStr;

use codecairn_index::view::FileIndex;
use codecairn_lexical::top_k;

/// Reciprocal rank fusion's constant (Cormack, Clarke & Büttcher 2009).
pub(super) const RANK_CONSTANT: f32 = 60.0;
/// The number of files that each retriever adds to the pool.
pub(super) const DEPTH: usize = 200;

/// The method of fusion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fusion {
    /// By ranks: a sum of `1 / (60 + rank)`.
    #[default]
    ReciprocalRank,
    /// By scores, each divided by its list's best and weighted.
    Weighted,
}

impl FromStr for Fusion {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "rrf" => Ok(Self::ReciprocalRank),
            "weighted" => Ok(Self::Weighted),
            _ => Err(format!("unknown fusion `{name}`, known are `rrf` and `weighted`")),
        }
    }
}

/// One retriever's files, best first, with their scores.
#[derive(Debug)]
pub(super) struct RankedList {
    /// Files with positive scores, best first, ties by path.
    pub files: Vec<(FileIndex, f32)>,
    /// The list's share in [`Fusion::Weighted`].
    pub weight: f32,
}

impl RankedList {
    /// The best [`DEPTH`] files by `scores` (one per file of the view).
    pub(super) fn of_scores(scores: impl Iterator<Item = f32>, weight: f32) -> Self {
        let scored = scores.enumerate().map(|(file, score)| (FileIndex(file as u32), score));
        let files = top_k(scored.filter(|entry| entry.1 > 0.0), DEPTH);
        Self { files, weight }
    }
}

/// All files of `lists` with their fused scores, in order of path.
pub(super) fn fuse(lists: &[RankedList], fusion: Fusion) -> Vec<(FileIndex, f32)> {
    let mut parts: Vec<(FileIndex, f32)> = Vec::with_capacity(lists.iter().map(|list| list.files.len()).sum());
    for list in lists {
        let best = list.files.first().map_or(1.0, |entry| entry.1);
        parts.extend(list.files.iter().enumerate().map(|(position, &(file, score))| {
            let part = match fusion {
                Fusion::ReciprocalRank => 1.0 / (RANK_CONSTANT + position as f32 + 1.0),
                Fusion::Weighted => list.weight * score / best,
            };
            (file, part)
        }));
    }
    // A stable sort keeps each file's parts in the order of the lists, and so the sum exact.
    parts.sort_by_key(|part| part.0);
    parts.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_scores(scores: &[f32], weight: f32) -> RankedList {
        RankedList::of_scores(scores.iter().copied(), weight)
    }

    #[test]
    fn ranks_add_up_over_lists() {
        let lists = [of_scores(&[3.0, 2.0, 0.0], 1.0), of_scores(&[0.0, 9.0, 1.0], 1.0)];
        let fused = fuse(&lists, Fusion::ReciprocalRank);
        assert_eq!(fused.iter().map(|entry| entry.0.0).collect::<Vec<_>>(), [0, 1, 2]);
        assert!((fused[1].1 - (1.0 / 62.0 + 1.0 / 61.0)).abs() < 1e-7);
        assert!(fused[1].1 > fused[0].1);
    }

    #[test]
    fn weights_count_when_scores_do() {
        let lists = [of_scores(&[4.0, 2.0], 1.0), of_scores(&[0.0, 5.0], 0.25)];
        assert_eq!(fuse(&lists, Fusion::Weighted), [(FileIndex(0), 1.0), (FileIndex(1), 0.75)]);
    }

    #[test]
    fn depth_bounds_a_list_and_ties_go_by_path() {
        let list = of_scores(&[1.0; 500], 1.0);
        assert_eq!(list.files.len(), DEPTH);
        assert!(list.files.is_sorted_by_key(|entry| entry.0));
    }
}
