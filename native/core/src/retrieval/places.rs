//! Where a word stands on a branch, in order of chunks.
//!
//! Segments know documents, of which one may stand in several files. Scores are added up a stretch of chunks at a time,
//! so that they stay near the processor; for that, postings are turned to chunks first.

use std::ops::Range;

use crate::error::Result;
use crate::lexical::analyzer::QueryTerm;
use crate::lexical::{LexicalIndex, Posting, Written, idf};
use crate::view::{ChunkIndex, FileIndex, View};

/// A chunk that a word stands in, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) chunk: u32,
    /// Words of its stem in the text.
    pub(super) body: u16,
    /// The word as written in the text.
    pub(super) exact: u16,
    /// Words of its stem in the names that the chunk defines.
    pub(super) names: u8,
    /// Words of its stem in comments.
    pub(super) comments: u8,
    /// Whether it stands as written in such a name.
    pub(super) is_name: bool,
    /// The length code of the chunk's text, here because each look at a place needs it.
    pub(super) length: u8,
}

/// A file that a word's stem stands in, and how often in all of it: in texts, in names; one of them is not zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InFile {
    pub(super) file: u32,
    pub(super) body: u32,
    pub(super) names: u32,
}

/// All places of a word, and how rare it is.
#[derive(Debug)]
pub(super) struct Places {
    /// In the order of chunks, each once.
    by_chunk: Vec<Place>,
    /// How many places come before each run of [`RUN`] chunks; none where there are few places.
    before_run: Vec<u32>,
    /// In the order of files, each once.
    by_file: Vec<InFile>,
    /// How rare the word as written is in texts.
    pub(super) exact: f32,
    /// How rare words of its stem are among chunks: in texts, in names, in comments.
    pub(super) body: f32,
    pub(super) names: f32,
    pub(super) comments: f32,
    /// How rare they are among files: in texts, in names.
    pub(super) file_body: f32,
    pub(super) file_names: f32,
}

/// Chunks of a run, as a power of two.
const RUN: u32 = 8;
/// Places from which on it pays to know where runs begin.
const MANY: usize = 1 << 12;

/// In how many documents of the branch a word is.
#[derive(Default)]
struct Frequency {
    exact: usize,
    body: usize,
    names: usize,
    comments: usize,
}

impl Places {
    /// The places of a word in the branch.
    pub(super) fn find(term: &QueryTerm, view: &View, index: &LexicalIndex) -> Result<Self> {
        let columns = view.postings();
        let mut found = Frequency::default();
        let (mut by_chunk, mut further) = (Vec::new(), Vec::new());
        index.for_each_posting(term, |Posting { doc, body, names, comments }, written| {
            let mut chunks = columns.occurrences(doc);
            // Who stands nowhere on this branch does not count.
            let Some(first) = chunks.next() else { return };
            found.exact += usize::from(written.body > 0);
            found.body += usize::from(body > 0);
            found.names += usize::from(names > 0);
            found.comments += usize::from(comments > 0);
            let Written { body: exact, is_name } = written;
            let length = columns.lengths[first.0 as usize][0];
            let place = |chunk: ChunkIndex| Place { chunk: chunk.0, body, exact, names, comments, is_name, length };
            by_chunk.push(place(first));
            for chunk in chunks {
                further.push(place(chunk));
            }
        })?;
        // Documents are numbered as they are met, so most of it is in order, and what is not comes in runs.
        further.sort_unstable_by_key(|place| place.chunk);
        by_chunk.append(&mut further);
        if !by_chunk.is_sorted_by_key(|place| place.chunk) {
            by_chunk.sort_by_key(|place| place.chunk);
        }
        by_chunk.shrink_to_fit();
        let by_file = files(&by_chunk, view);
        let files_with = |count: fn(&InFile) -> u32| by_file.iter().filter(|file| count(file) > 0).count();
        let (in_bodies, in_names) = (files_with(|file| file.body), files_with(|file| file.names));
        let rarity = |documents| idf(view.live_count(), documents);
        Ok(Self {
            before_run: before_run(&by_chunk),
            by_chunk,
            by_file,
            exact: rarity(found.exact),
            body: rarity(found.body),
            names: rarity(found.names),
            comments: rarity(found.comments),
            file_body: idf(view.file_count(), in_bodies),
            file_names: idf(view.file_count(), in_names),
        })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.by_chunk.len()
    }

    /// Bytes that they take.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.by_chunk) + size_of_val(&*self.before_run) + size_of_val(&*self.by_file)
    }

    /// Those in a stretch of chunks.
    pub(super) fn within(&self, chunks: &Range<u32>) -> &[Place] {
        &self.by_chunk[self.before(chunks.start)..self.before(chunks.end)]
    }

    /// The files among a stretch of them.
    pub(super) fn in_files(&self, files: &Range<u32>) -> &[InFile] {
        let start = self.by_file.partition_point(|entry| entry.file < files.start);
        let rest = &self.by_file[start..];
        &rest[..rest.partition_point(|entry| entry.file < files.end)]
    }

    /// How often the word stands in a file.
    pub(super) fn in_file(&self, FileIndex(file): FileIndex) -> Option<InFile> {
        let at = self.by_file.binary_search_by_key(&file, |entry| entry.file).ok()?;
        Some(self.by_file[at])
    }

    /// How many places come before a chunk.
    fn before(&self, chunk: u32) -> usize {
        let run = (chunk >> RUN) as usize;
        let start = match self.before_run.get(run) {
            Some(&start) => start as usize,
            None if self.before_run.is_empty() => 0,
            None => return self.by_chunk.len(),
        };
        let end = self.before_run.get(run + 1).map_or(self.by_chunk.len(), |&end| end as usize);
        start + self.by_chunk[start..end].partition_point(|place| place.chunk < chunk)
    }
}

fn before_run(places: &[Place]) -> Vec<u32> {
    let Some(last) = places.last().filter(|_| places.len() >= MANY) else { return Vec::new() };
    let mut before = Vec::with_capacity((last.chunk >> RUN) as usize + 1);
    for (at, place) in (0u32..).zip(places) {
        let run = (place.chunk >> RUN) as usize;
        if before.len() <= run {
            before.resize(run + 1, at);
        }
    }
    before
}

/// The files that the places are in.
fn files(places: &[Place], view: &View) -> Vec<InFile> {
    let columns = view.postings();
    let mut files: Vec<InFile> = Vec::new();
    let mut ends_at = 0;
    for place in places {
        let (body, names) = (u32::from(place.body), u32::from(place.names));
        if body + names == 0 {
            continue;
        }
        if let Some(file) = files.last_mut().filter(|_| place.chunk < ends_at) {
            file.body += body;
            file.names += names;
        } else {
            let file = columns.file_of(ChunkIndex(place.chunk));
            ends_at = view.chunk_range(file).end;
            files.push(InFile { file: file.0, body, names });
        }
    }
    files
}

#[cfg(test)]
impl Places {
    /// Places in these chunks and nothing else.
    pub(super) fn of_chunks(chunks: Range<u32>) -> Self {
        let place = |chunk| Place { chunk, body: 1, exact: 0, names: 0, comments: 0, is_name: false, length: 0 };
        let by_chunk: Vec<Place> = chunks.map(place).collect();
        Self {
            before_run: before_run(&by_chunk),
            by_chunk,
            by_file: Vec::new(),
            exact: 0.0,
            body: 0.0,
            names: 0.0,
            comments: 0.0,
            file_body: 0.0,
            file_names: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_found_by_runs_and_without() {
        for count in [10, MANY as u32 * 3] {
            let places = Places::of_chunks(100..100 + count);
            for (start, end) in
                [(0, 100), (0, 101), (103, 107), (100, 100 + count), (count / 2, count), (count + 99, u32::MAX)]
            {
                let expected: Vec<u32> = (start.max(100)..end.min(100 + count)).collect();
                let found: Vec<u32> = places.within(&(start..end)).iter().map(|place| place.chunk).collect();
                assert_eq!(found, expected, "{start}..{end} of {count}");
            }
        }
    }
}
