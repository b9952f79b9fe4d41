//! Counts the files that mention a file: an approximation of its in-degree in the graph of imports.
//!
//! A file mentions another if it has the other's stem as a term: `QueueManager.php` is mentioned wherever
//! `QueueManager` or `queue_manager` is. Unlike imports, that needs no resolution and is the same for every language.
//! Files with one stem share its mentions evenly.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use codecairn_base::bitmap::Bitmap;
use codecairn_base::error::Result;
use codecairn_base::id::DocId;
use codecairn_index::view::{FileIndex, View, stem_term};
use codecairn_lexical::LexicalIndex;

use super::chunk_postings::BATCH;

/// The counts of a branch, each computed when it is first needed.
#[derive(Debug)]
pub(super) struct Mentions {
    by_file: Vec<OnceLock<f32>>,
    /// The number of files that have a stem as a term, so that it is counted once for all files with that stem.
    by_stem: Mutex<HashMap<String, u32>>,
}

impl Mentions {
    pub(super) fn new(files: usize) -> Self {
        Self { by_file: vec![OnceLock::new(); files], by_stem: Mutex::default() }
    }

    /// The logarithm of one plus the number of files that mention the file, shared among its namesakes.
    pub(super) fn of(&self, file: FileIndex, view: &View, index: &LexicalIndex) -> Result<f32> {
        let slot = &self.by_file[file.0 as usize];
        if let Some(&known) = slot.get() {
            return Ok(known);
        }
        let file = view.file(file);
        let mentioning = self.mentioning(stem_term(file.path), view, index)?;
        let share = mentioning as f32 / file.namesakes.max(1) as f32;
        Ok(*slot.get_or_init(|| share.ln_1p()))
    }

    /// How many files have the term `stem` in their text.
    fn mentioning(&self, stem: String, view: &View, index: &LexicalIndex) -> Result<u32> {
        let known = self.by_stem.lock().unwrap_or_else(PoisonError::into_inner).get(&stem).copied();
        if let Some(known) = known {
            return Ok(known);
        }
        let columns = view.postings();
        let mut files = Bitmap::new(view.file_count());
        let mut batch = Vec::with_capacity(BATCH);
        // The chunks of the file that was counted last: those of one file follow each other.
        let mut last_file = 0..0;
        let mut take = |batch: &mut Vec<DocId>| {
            for chunk in batch.drain(..).flat_map(|doc| columns.occurrences(doc)) {
                if !last_file.contains(&chunk.0) {
                    let file = columns.file_of(chunk);
                    files.set(file.0 as usize);
                    last_file = view.chunk_range(file);
                }
            }
        };
        index.for_each_exact(&stem, |posting| {
            if posting.body > 0 {
                batch.push(posting.doc);
            }
            if batch.len() == BATCH {
                take(&mut batch);
            }
        })?;
        take(&mut batch);
        let count = files.count() as u32;
        self.by_stem.lock().unwrap_or_else(PoisonError::into_inner).insert(stem, count);
        Ok(count)
    }
}
