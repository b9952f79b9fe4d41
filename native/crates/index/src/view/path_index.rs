//! A BM25 index over file names and folders: a path is matched like prose, apart from the file's content.
//!
//! The *stem* is the file's name without extension; for files that take their meaning from their
//! folder (`mod.rs`, `index.ts`, `__init__.py`, `lib.rs`, `main.go`) it is the folder's name.

use std::collections::BTreeMap;

use codecairn_lexical::analyzer::{for_each_term, stem};

use super::image::{Column, Image, ImageBuilder};
use super::terms::{TermColumns, Terms, TermsBuilder};

/// BM25's saturation of term frequency, as everywhere.
const K1: f32 = 1.2;
/// BM25's `b` for whole paths and for stems: short texts, whose length matters little.
const B_PATH: f32 = 0.3;
const B_STEM: f32 = 0.5;

/// File names without a meaning of their own; the folder's name is used instead.
const ANONYMOUS: [&str; 8] = ["mod", "index", "__init__", "lib", "main", "init", "default", "package-info"];

/// The parts of a path that are analysed.
#[derive(Debug, Clone, Copy)]
pub struct PathParts<'a> {
    /// Everything before the file's name.
    pub folders: &'a str,
    /// The file's name without extensions.
    pub name: &'a str,
    /// The stem: the name, or the folder's if the name has no meaning of its own.
    pub speaking: &'a str,
}

impl<'a> PathParts<'a> {
    /// Takes a path apart.
    pub fn of(path: &'a str) -> Self {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let name = name.split_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem });
        let folder = folders.rsplit('/').next().unwrap_or_default();
        let speaking = if ANONYMOUS.contains(&name) && !folder.is_empty() { folder } else { name };
        Self { folders, name, speaking }
    }
}

const TERMS: TermColumns = [Column::PathTerms, Column::PathTermEnds, Column::PathPostingEnds, Column::PathPostings];

/// Terms of paths to files.
#[derive(Debug, Clone, Copy)]
pub struct PathIndex<'a> {
    terms: Terms<'a>,
    path_length: &'a [u16],
    stem_length: &'a [u16],
    averages: PathAverages,
}

/// Average lengths of paths and stems, in terms.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PathAverages {
    path: f32,
    stem: f32,
}

impl PathAverages {
    pub(super) fn of(image: &Image) -> Self {
        Self { path: average(image.column(Column::PathLengths)), stem: average(image.column(Column::StemLengths)) }
    }
}

/// How often a path and its stem have a term.
#[derive(Debug, Clone, Copy, Default)]
struct TermCount {
    in_path: u8,
    in_stem: u8,
}

impl TermCount {
    fn and(self, other: Self) -> Self {
        Self {
            in_path: self.in_path.saturating_add(other.in_path),
            in_stem: self.in_stem.saturating_add(other.in_stem),
        }
    }
}

/// Counts the terms of a part of a path, or of its stem.
fn add_terms(counts: &mut BTreeMap<String, TermCount>, text: &str, is_stem: bool) {
    let once = TermCount { in_path: u8::from(!is_stem), in_stem: u8::from(is_stem) };
    for_each_term(text, |term| {
        let count = counts.entry(stem(term).into_owned()).or_default();
        *count = count.and(once);
    });
}

/// What a query finds in the paths, by file.
#[derive(Debug, Default)]
pub struct PathScores {
    /// BM25 over the whole path.
    pub path: Vec<f32>,
    /// BM25 over the stem.
    pub stem: Vec<f32>,
    /// Share of the query's terms (weighted by rarity) that the path has, 0 to 1.
    pub coverage: Vec<f32>,
    /// Share of the stem's terms that the query has, 0 to 1.
    pub stem_coverage: Vec<f32>,
}

impl<'a> PathIndex<'a> {
    pub(super) fn of(image: &'a Image, averages: PathAverages) -> Self {
        Self {
            terms: Terms::of(image, TERMS),
            path_length: image.column(Column::PathLengths),
            stem_length: image.column(Column::StemLengths),
            averages,
        }
    }

    /// Appends the columns of the index over `paths`, in the order of the view's files.
    pub(super) fn build<'p>(paths: impl Iterator<Item = &'p str>, image: &mut ImageBuilder) {
        let mut terms = TermsBuilder::default();
        let (mut path_length, mut stem_length) = (Vec::new(), Vec::new());
        // The terms of the last file's folders, as the next file often has the same, and those of the file's name.
        let (mut analysed, mut of_folders) = ("", BTreeMap::new());
        let mut of_name = BTreeMap::new();
        for (file, path) in paths.enumerate() {
            let PathParts { folders, name: name_stem, speaking } = PathParts::of(path);
            if folders != analysed {
                of_folders.clear();
                add_terms(&mut of_folders, folders, false);
                analysed = folders;
            }
            add_terms(&mut of_name, name_stem, false);
            add_terms(&mut of_name, speaking, true);
            let (mut in_path, mut in_stem) = (0u16, 0u16);
            let mut add = |term: &str, count: TermCount| {
                in_path = in_path.saturating_add(count.in_path.into());
                in_stem = in_stem.saturating_add(u16::from(count.in_stem > 0));
                terms.add(term, file as u32, count.in_path, count.in_stem);
            };
            for (term, count) in &of_folders {
                add(term, of_name.remove(term).unwrap_or_default().and(*count));
            }
            while let Some((term, count)) = of_name.pop_first() {
                add(&term, count);
            }
            path_length.push(in_path);
            stem_length.push(in_stem);
        }
        terms.push(image, TERMS);
        image.push(Column::PathLengths, path_length);
        image.push(Column::StemLengths, stem_length);
    }

    /// How well each file's path fits the stemmed query `terms` (distinct).
    pub fn score(&self, terms: &[&str]) -> PathScores {
        let files = self.path_length.len();
        let mut scores = PathScores {
            path: vec![0.0; files],
            stem: vec![0.0; files],
            coverage: vec![0.0; files],
            stem_coverage: vec![0.0; files],
        };
        let mut total_weight = 0.0;
        for term in terms {
            let list = self.terms.find(term.as_bytes());
            let idf = idf(files, list.len());
            total_weight += idf;
            for posting in list {
                let file = posting.file as usize;
                let path_tf = f32::from(posting.in_path);
                let norm = K1 * (1.0 - B_PATH + B_PATH * f32::from(self.path_length[file]) / self.averages.path);
                scores.path[file] += idf * path_tf * (K1 + 1.0) / (path_tf + norm);
                scores.coverage[file] += idf;
                if posting.in_stem > 0 {
                    let stem_tf = f32::from(posting.in_stem);
                    let norm = K1 * (1.0 - B_STEM + B_STEM * f32::from(self.stem_length[file]) / self.averages.stem);
                    scores.stem[file] += idf * stem_tf * (K1 + 1.0) / (stem_tf + norm);
                    scores.stem_coverage[file] += 1.0;
                }
            }
        }
        if total_weight > 0.0 {
            scores.coverage.iter_mut().for_each(|coverage| *coverage /= total_weight);
        }
        for (coverage, &length) in scores.stem_coverage.iter_mut().zip(self.stem_length) {
            *coverage = (*coverage / f32::from(length.max(1))).min(1.0);
        }
        scores
    }
}

fn average(lengths: &[u16]) -> f32 {
    let total: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
    (total as f32 / lengths.len().max(1) as f32).max(1.0)
}

/// Robertson and Spärck Jones' inverse document frequency in the form that never turns negative.
fn idf(documents: usize, with_term: usize) -> f32 {
    let (documents, with_term) = (documents as f32, with_term as f32);
    (1.0 + (documents - with_term + 0.5) / (with_term + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(scores: &[f32]) -> usize {
        (0..scores.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap()
    }

    fn score(paths: &[&str], terms: &[&str]) -> PathScores {
        let view = crate::view::ViewBuilder::of_paths(paths);
        view.paths().score(terms)
    }

    #[test]
    fn stem_beats_folder_and_anonymous_names_take_their_folder() {
        let paths = ["README.md", "src/cookie/mod.rs", "src/session/store.rs", "src/store/session.rs"];
        let session = stem("session").into_owned();
        assert_eq!(best(&score(&paths, &[&session]).stem), 3);
        let cookie = stem("cookie").into_owned();
        let scores = score(&paths, &[&cookie]);
        assert_eq!(best(&scores.stem), 1);
        assert!((scores.stem_coverage[1] - 1.0).abs() < f32::EPSILON);
        assert!((scores.coverage[1] - 1.0).abs() < f32::EPSILON);
    }

    #[test]
    fn no_paths_and_no_terms_score_nothing() {
        assert!(score(&[], &["a"]).path.is_empty());
        assert_eq!(score(&["a.rs"], &[]).coverage, [0.0]);
    }
}
