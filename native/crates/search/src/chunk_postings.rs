//! Maps the postings of a term from documents to chunks.
//!
//! A document is a distinct text, and several chunks of a branch may have it. Scores are added up one range of files at
//! a time, so that they stay in the processor's cache; for that the postings of segments are mapped to chunks and
//! sorted. Documents are numbered in the order in which they are first indexed, so most postings are in order already.

use std::ops::Range;

use rayon::prelude::*;

use codecairn_base::error::Result;
use codecairn_base::gallop::gallop;
use codecairn_base::parallel::on_all_threads;
use codecairn_index::view::{ChunkIndex, FileIndex, Postings, View};
use codecairn_lexical::analyzer::QueryTerm;
use codecairn_lexical::{ExactMatch, LexicalIndex, Posting, idf};

/// Postings that are mapped together, so that the cache misses of their look-ups overlap.
pub(super) const BATCH: usize = 64;
/// Postings that one thread maps; with twice as many, parallel work pays.
const PART_POSTINGS: usize = 16_384;

/// A chunk that has a term, with the frequencies in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChunkPosting {
    pub(super) chunk: u32,
    /// Occurrences of the stem in the text.
    pub(super) body: u16,
    /// Occurrences of the exact term in the text.
    pub(super) exact: u16,
    /// Occurrences of the stem in the names that the chunk defines.
    pub(super) names: u8,
    /// Occurrences of the stem in comments.
    pub(super) comments: u8,
    /// Whether the exact term is in such a name.
    pub(super) is_name: bool,
    /// The length code of the chunk's text; every use of a posting needs it.
    pub(super) length: u8,
}

/// A file that has a term's stem, with the frequencies in all of its texts and names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FilePosting {
    pub(super) file: u32,
    pub(super) body: u32,
    pub(super) names: u32,
    /// The index of its first posting by chunk.
    first: u32,
}

/// All postings of a term, and its inverse document frequencies.
#[derive(Debug)]
pub(super) struct ChunkPostings {
    /// One posting per chunk, in the order of chunks.
    by_chunk: Vec<ChunkPosting>,
    /// The indexes of the postings with the stem in names.
    named: Vec<u32>,
    /// One posting per file, in the order of files.
    by_file: Vec<FilePosting>,
    /// The IDF of the exact term in texts.
    pub(super) exact: f32,
    /// Whether some text has the exact term.
    pub(super) is_written: bool,
    /// The IDF of the stem among chunks: in texts, in names, in comments.
    pub(super) body: f32,
    pub(super) names: f32,
    pub(super) comments: f32,
    /// The IDF of the stem among files: in texts, in names.
    pub(super) file_body: f32,
    pub(super) file_names: f32,
}

impl ChunkPostings {
    /// The postings of a term in the branch.
    pub(super) fn find(term: &QueryTerm, view: &View, index: &LexicalIndex) -> Result<Self> {
        let mut postings = Vec::new();
        index.for_each_posting(term, |posting, written| postings.push((posting, written)))?;
        let (by_chunk, Frequency { exact, body, names, comments }) = gather(&postings, view.postings());
        drop(postings);
        let by_file = files(&by_chunk, view);
        let files_with = |count: fn(&FilePosting) -> u32| by_file.iter().filter(|file| count(file) > 0).count();
        let (in_bodies, in_names) = (files_with(|file| file.body), files_with(|file| file.names));
        let rarity = |documents| idf(view.live_count(), documents);
        Ok(Self {
            named: (0u32..).zip(&by_chunk).filter(|(_, posting)| posting.names > 0).map(|(number, _)| number).collect(),
            by_chunk,
            by_file,
            exact: rarity(exact),
            is_written: exact > 0,
            body: rarity(body),
            names: rarity(names),
            comments: rarity(comments),
            file_body: idf(view.file_count(), in_bodies),
            file_names: idf(view.file_count(), in_names),
        })
    }

    /// The number of postings by chunk.
    pub(super) fn len(&self) -> usize {
        self.by_chunk.len()
    }

    /// The memory that they take.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.by_chunk) + size_of_val(&*self.named) + size_of_val(&*self.by_file)
    }

    /// The postings in a range of files.
    pub(super) fn in_files(&self, files: &Range<u32>) -> FileRangePostings<'_> {
        let start = self.by_file.partition_point(|entry| entry.file < files.start);
        let end = start + self.by_file[start..].partition_point(|entry| entry.file < files.end);
        let numbers = self.first(start)..self.first(end);
        let before = |number: usize| self.named.partition_point(|named| (*named as usize) < number);
        FileRangePostings {
            by_chunk: &self.by_chunk[numbers.clone()],
            by_file: &self.by_file[start..end],
            named: &self.named[before(numbers.start)..before(numbers.end)],
            all: &self.by_chunk,
        }
    }

    /// The posting of a file, and those of its chunks. `near` starts at zero and keeps the position for the next call:
    /// files in rising order are found by a galloping search from there.
    #[inline]
    pub(super) fn in_file(
        &self,
        FileIndex(file): FileIndex,
        near: &mut usize,
    ) -> Option<(FilePosting, &[ChunkPosting])> {
        let is_behind = near.checked_sub(1).is_some_and(|before| self.by_file[before].file >= file);
        let from = if is_behind { 0 } else { *near };
        *near = from + gallop(&self.by_file[from..], |entry| entry.file < file);
        let found = *self.by_file.get(*near).filter(|entry| entry.file == file)?;
        Some((found, &self.by_chunk[self.first(*near)..self.first(*near + 1)]))
    }

    /// The index of the first posting by chunk of an entry by file.
    fn first(&self, at: usize) -> usize {
        self.by_file.get(at).map_or(self.by_chunk.len(), |entry| entry.first as usize)
    }
}

/// The postings of a term in a range of files.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileRangePostings<'a> {
    /// In the order of chunks.
    pub(super) by_chunk: &'a [ChunkPosting],
    /// In the order of files.
    pub(super) by_file: &'a [FilePosting],
    named: &'a [u32],
    all: &'a [ChunkPosting],
}

impl<'a> FileRangePostings<'a> {
    /// The postings with the stem in names.
    pub(super) fn named(self) -> impl Iterator<Item = &'a ChunkPosting> {
        self.named.iter().map(move |number| &self.all[*number as usize])
    }
}

/// The postings by file, summed over those by chunk.
fn files(postings: &[ChunkPosting], view: &View) -> Vec<FilePosting> {
    let columns = view.postings();
    let mut files: Vec<FilePosting> = Vec::new();
    let mut batch = Vec::with_capacity(BATCH);
    for (number, postings) in (0u32..).zip(postings.chunks(BATCH)) {
        batch.extend(postings.iter().map(|posting| columns.file_of(ChunkIndex(posting.chunk)).0));
        for ((first, posting), file) in (number * BATCH as u32..).zip(postings).zip(batch.drain(..)) {
            let (body, names) = (u32::from(posting.body), u32::from(posting.names));
            if let Some(entry) = files.last_mut().filter(|entry| entry.file == file) {
                entry.body += body;
                entry.names += names;
            } else {
                files.push(FilePosting { file, body, names, first });
            }
        }
    }
    files
}

/// The document frequencies of a term on the branch.
#[derive(Debug, Default)]
struct Frequency {
    exact: usize,
    body: usize,
    names: usize,
    comments: usize,
}

/// Maps postings by document to postings by chunk, in the order of chunks, and counts the documents of the branch.
fn gather(postings: &[(Posting, ExactMatch)], columns: Postings<'_>) -> (Vec<ChunkPosting>, Frequency) {
    let part = |postings| PartialPostings::of(postings, columns);
    let all = if postings.len() < 2 * PART_POSTINGS {
        part(postings)
    } else {
        let parts: Vec<PartialPostings> = on_all_threads(|| postings.par_chunks(PART_POSTINGS).map(part).collect());
        PartialPostings::joined(&parts)
    };
    let PartialPostings { mut by_chunk, mut further, found } = all;
    // Most postings are in order and the others come in runs, which the stable sort merges in linear time.
    further.sort_unstable_by_key(|posting| posting.chunk);
    by_chunk.append(&mut further);
    if !by_chunk.is_sorted_by_key(|posting| posting.chunk) {
        by_chunk.sort_by_key(|posting| posting.chunk);
    }
    by_chunk.shrink_to_fit();
    (by_chunk, found)
}

/// The mapped postings of one part.
#[derive(Default)]
struct PartialPostings {
    /// The first chunk of each document.
    by_chunk: Vec<ChunkPosting>,
    /// The further chunks of documents that have several.
    further: Vec<ChunkPosting>,
    found: Frequency,
}

impl PartialPostings {
    fn of(postings: &[(Posting, ExactMatch)], columns: Postings<'_>) -> Self {
        let mut part = Self { by_chunk: Vec::with_capacity(postings.len()), ..Self::default() };
        let Self { by_chunk, further, found } = &mut part;
        let mut batch = Vec::with_capacity(BATCH);
        for postings in postings.chunks(BATCH) {
            batch.extend(postings.iter().map(|(posting, _)| columns.occurrences(posting.doc)));
            for (mut chunks, &(posting, written)) in batch.drain(..).zip(postings) {
                // Documents that no chunk of this branch has are not counted.
                let Some(first) = chunks.next() else { continue };
                let Posting { body, names, comments, .. } = posting;
                let ExactMatch { body: exact, is_name } = written;
                found.exact += usize::from(exact > 0);
                found.body += usize::from(body > 0);
                found.names += usize::from(names > 0);
                found.comments += usize::from(comments > 0);
                let length = columns.lengths[first.0 as usize][0];
                let of_chunk =
                    |chunk: ChunkIndex| ChunkPosting { chunk: chunk.0, body, exact, names, comments, is_name, length };
                by_chunk.push(of_chunk(first));
                further.extend(chunks.map(of_chunk));
            }
        }
        part
    }

    fn joined(parts: &[Self]) -> Self {
        let of = |list: fn(&Self) -> &[ChunkPosting]| parts.iter().map(list).collect::<Vec<_>>().concat();
        let sum = |count: fn(&Frequency) -> usize| parts.iter().map(|part| count(&part.found)).sum();
        Self {
            by_chunk: of(|part| &part.by_chunk),
            further: of(|part| &part.further),
            found: Frequency {
                exact: sum(|found| found.exact),
                body: sum(|found| found.body),
                names: sum(|found| found.names),
                comments: sum(|found| found.comments),
            },
        }
    }
}

#[cfg(test)]
impl ChunkPostings {
    /// Places in these chunks, each a file of its own, and nothing else.
    pub(super) fn of_chunks(chunks: Range<u32>) -> Self {
        let posting =
            |chunk| ChunkPosting { chunk, body: 1, exact: 0, names: 0, comments: 0, is_name: false, length: 0 };
        let in_file = |(first, file)| FilePosting { file, body: 1, names: 0, first };
        Self {
            by_chunk: chunks.clone().map(posting).collect(),
            named: Vec::new(),
            by_file: (0u32..).zip(chunks).map(in_file).collect(),
            exact: 0.0,
            is_written: false,
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
    use codecairn_base::id::DocId;
    use codecairn_index::view::TestPostings;

    use super::*;

    #[test]
    fn places_are_found_by_files_in_any_order() {
        let postings = ChunkPostings::of_chunks(100..300);
        for (start, end) in [(0, 100), (0, 101), (103, 107), (100, 300), (150, 200), (299, u32::MAX), (300, 400)] {
            let expected: Vec<u32> = (start.max(100)..end.min(300)).collect();
            let found: Vec<u32> =
                postings.in_files(&(start..end)).by_chunk.iter().map(|posting| posting.chunk).collect();
            assert_eq!(found, expected, "{start}..{end}");
        }
        let mut near = 0;
        for file in [120, 120, 121, 299, 300, 0, 100, 250, 249] {
            let found = postings.in_file(FileIndex(file), &mut near);
            let chunks = found.map(|(_, postings)| postings.iter().map(|posting| posting.chunk).collect::<Vec<_>>());
            assert_eq!(chunks, (100..300).contains(&file).then(|| vec![file]), "{file}");
        }
    }

    #[test]
    fn many_postings_are_gathered_as_few_are() {
        let count = PART_POSTINGS as u32 * 5 / 2;
        // Every third document is not there, and some are repeated behind all others.
        let once = (0..count).filter(|doc| doc % 3 > 0);
        let chunks: Vec<u32> = once.clone().chain(once.filter(|doc| doc % 21 == 1)).collect();
        let made = TestPostings::new(count as usize, &chunks);
        let posting = |doc: u32| Posting { doc: DocId(doc), body: doc as u16, names: doc as u8 % 2, comments: 0 };
        let postings: Vec<(Posting, ExactMatch)> =
            (0..count).map(|doc| (posting(doc), ExactMatch::default())).collect();
        let (gathered, found) = gather(&postings, made.columns());
        let as_expected = |(posting, (chunk, &doc)): (&ChunkPosting, (u32, &u32))| {
            posting.chunk == chunk && posting.body == doc as u16 && posting.length == doc as u8
        };
        assert_eq!(gathered.len(), chunks.len());
        assert!(gathered.iter().zip((0..).zip(&chunks)).all(as_expected));
        assert_eq!(found.names, (0..count).filter(|doc| doc % 3 > 0 && doc % 2 > 0).count());
        assert_eq!((found.exact, found.comments), (0, 0));
    }
}
