//! How many files speak of a file: what the others name is where a thing lives, and what none names is a detail.
//!
//! A file is spoken of where its stem stands as a word: `QueueManager.php` wherever `QueueManager` or `queue_manager`
//! does. It stands in for the count of imports, which no text alone resolves alike in all languages. Where several
//! files have one stem, they share what is said of it.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::error::Result;
use crate::lexical::LexicalIndex;
use crate::lexical::analyzer::for_each_term;
use crate::view::{FileIndex, PathParts, View};

/// Counted for a file when it is first asked for, and kept.
#[derive(Debug)]
pub(super) struct Mentions {
    by_file: Vec<OnceLock<f32>>,
    /// How many files have a stem.
    namesakes: HashMap<String, u32>,
}

impl Mentions {
    pub(super) fn new(view: &View) -> Self {
        let mut namesakes: HashMap<String, u32> = HashMap::new();
        for file in view.files() {
            *namesakes.entry(stem_term(&file.path)).or_default() += 1;
        }
        Self { by_file: vec![OnceLock::new(); view.files().len()], namesakes }
    }

    /// The logarithm of one plus the number of files that mention the file, shared among its namesakes.
    pub(super) fn of(&self, file: FileIndex, view: &View, index: &LexicalIndex) -> Result<f32> {
        let slot = &self.by_file[file.0 as usize];
        if let Some(&known) = slot.get() {
            return Ok(known);
        }
        let term = stem_term(&view.file(file).path);
        let mut files: Vec<FileIndex> = index
            .exact_postings(&term, view.live())?
            .iter()
            .filter(|posting| posting.body > 0)
            .flat_map(|posting| view.occurrences(posting.doc))
            .map(|chunk| view.chunk(chunk).file)
            .collect();
        files.sort_unstable();
        files.dedup();
        let share = files.len() as f32 / self.namesakes.get(&term).copied().unwrap_or(1).max(1) as f32;
        Ok(*slot.get_or_init(|| share.ln_1p()))
    }
}

/// The stem as one term.
fn stem_term(path: &str) -> String {
    let mut whole = None;
    for_each_term(PathParts::of(path).speaking, |term| {
        whole.get_or_insert_with(|| term.to_owned());
    });
    whole.unwrap_or_default()
}
