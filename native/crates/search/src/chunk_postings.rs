//! Where a word stands on a branch, in order of chunks.
//!
//! Segments know documents, of which one may stand in several files. Scores are added up some files at a time, so that
//! they stay near the processor; for that, postings are turned to chunks first.

use std::ops::Range;

use rayon::prelude::*;

use codecairn_base::error::Result;
use codecairn_base::gallop::gallop;
use codecairn_base::parallel::on_all_threads;
use codecairn_index::view::{ChunkIndex, FileIndex, Postings, View};
use codecairn_lexical::analyzer::QueryTerm;
use codecairn_lexical::{ExactMatch, LexicalIndex, Posting, idf};

/// Postings that are looked at together: where their documents stand is asked of memory for all at once, and not for
/// each when the one before is done.
pub(super) const BATCH: usize = 64;
/// Postings of a part; from two of them on it pays to wake threads.
const PART_POSTINGS: usize = 16_384;

/// A chunk that a word stands in, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChunkPosting {
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

/// A file that a word's stem stands in, and how often in all of it: in texts, in names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FilePosting {
    pub(super) file: u32,
    pub(super) body: u32,
    pub(super) names: u32,
    /// The number of its first place.
    first: u32,
}

/// All places of a word, and how rare it is.
#[derive(Debug)]
pub(super) struct ChunkPostings {
    /// In the order of chunks, each once.
    by_chunk: Vec<ChunkPosting>,
    /// The numbers of those in whose names it stands.
    named: Vec<u32>,
    /// In the order of files, each once.
    by_file: Vec<FilePosting>,
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

impl ChunkPostings {
    /// The places of a word in the branch.
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
            body: rarity(body),
            names: rarity(names),
            comments: rarity(comments),
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
        size_of_val(&*self.by_chunk) + size_of_val(&*self.named) + size_of_val(&*self.by_file)
    }

    /// Those in files that follow each other, by number.
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

    /// How often the word stands in a file, and its places there. Files that are asked for in their order are found
    /// sooner: `near` is zero at first, and then what it was left at.
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

    /// The number of the first place of an entry by file.
    fn first(&self, at: usize) -> usize {
        self.by_file.get(at).map_or(self.by_chunk.len(), |entry| entry.first as usize)
    }
}

/// The places of a word in files that follow each other.
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
    /// Those in whose names the word stands.
    pub(super) fn named(self) -> impl Iterator<Item = &'a ChunkPosting> {
        self.named.iter().map(move |number| &self.all[*number as usize])
    }
}

/// The files that the places are in.
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

/// In how many documents of the branch a word is.
#[derive(Debug, Default)]
struct Frequency {
    exact: usize,
    body: usize,
    names: usize,
    comments: usize,
}

/// The places of a word in the order of chunks, and in how many documents it is, from its postings in the order of
/// documents.
fn gather(postings: &[(Posting, ExactMatch)], columns: Postings<'_>) -> (Vec<ChunkPosting>, Frequency) {
    let part = |postings| PartialPostings::of(postings, columns);
    let all = if postings.len() < 2 * PART_POSTINGS {
        part(postings)
    } else {
        let parts: Vec<PartialPostings> = on_all_threads(|| postings.par_chunks(PART_POSTINGS).map(part).collect());
        PartialPostings::joined(&parts)
    };
    let PartialPostings { mut by_chunk, mut further, found } = all;
    // Documents are numbered as they are met, so most of it is in order, and what is not comes in runs.
    further.sort_unstable_by_key(|posting| posting.chunk);
    by_chunk.append(&mut further);
    if !by_chunk.is_sorted_by_key(|posting| posting.chunk) {
        by_chunk.sort_by_key(|posting| posting.chunk);
    }
    by_chunk.shrink_to_fit();
    (by_chunk, found)
}

/// What some of the postings become.
#[derive(Default)]
struct PartialPostings {
    /// The first place of each document, and all others.
    by_chunk: Vec<ChunkPosting>,
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
                // Who stands nowhere on this branch does not count.
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
        // Every third document is not there, and some stand behind all others once more.
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
