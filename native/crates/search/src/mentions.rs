//! How many files speak of a file: what the others name is where a thing lives, and what none names is a detail.
//!
//! A file is spoken of where its stem stands as a word: `QueueManager.php` wherever `QueueManager` or `queue_manager`
//! does. It stands in for the count of imports, which no text alone resolves alike in all languages. Where several
//! files have one stem, they share what is said of it.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use codecairn_base::bitmap::Bitmap;
use codecairn_base::error::Result;
use codecairn_base::id::DocId;
use codecairn_index::view::{FileIndex, View, stem_term};
use codecairn_lexical::LexicalIndex;

use super::chunk_postings::BATCH;

/// Counted for a file when it is first asked for, and kept.
#[derive(Debug)]
pub(super) struct Mentions {
    by_file: Vec<OnceLock<f32>>,
    /// How many files have a stem as a word, so that namesakes are counted once.
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
        // The chunks of the file that was met last: those of one file follow each other.
        let mut met = 0..0;
        let mut take = |batch: &mut Vec<DocId>| {
            for chunk in batch.drain(..).flat_map(|doc| columns.occurrences(doc)) {
                if !met.contains(&chunk.0) {
                    let file = columns.file_of(chunk);
                    files.set(file.0 as usize);
                    met = view.chunk_range(file);
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
