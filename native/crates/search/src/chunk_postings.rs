//! Where a word stands on a branch, in order of chunks.
//!
//! Segments know documents, of which one may stand in several files. Scores are added up some files at a time, so that
//! they stay near the processor; for that, postings are turned to chunks first.

use std::ops::Range;

use codecairn_base::error::Result;
use codecairn_base::gallop::gallop;
use codecairn_index::view::{ChunkIndex, FileIndex, View};
use codecairn_lexical::analyzer::QueryTerm;
use codecairn_lexical::{LexicalIndex, idf};

use super::gathering::{BATCH, Frequency, gather};

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

/// A file that a word's stem stands in, and how often in all of it: in texts, in names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InFile {
    pub(super) file: u32,
    pub(super) body: u32,
    pub(super) names: u32,
    /// The number of its first place.
    first: u32,
}

/// All places of a word, and how rare it is.
#[derive(Debug)]
pub(super) struct Places {
    /// In the order of chunks, each once.
    by_chunk: Vec<Place>,
    /// The numbers of those in whose names it stands.
    named: Vec<u32>,
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

impl Places {
    /// The places of a word in the branch.
    pub(super) fn find(term: &QueryTerm, view: &View, index: &LexicalIndex) -> Result<Self> {
        let mut postings = Vec::new();
        index.for_each_posting(term, |posting, written| postings.push((posting, written)))?;
        let (by_chunk, Frequency { exact, body, names, comments }) = gather(&postings, view.postings());
        drop(postings);
        let by_file = files(&by_chunk, view);
        let files_with = |count: fn(&InFile) -> u32| by_file.iter().filter(|file| count(file) > 0).count();
        let (in_bodies, in_names) = (files_with(|file| file.body), files_with(|file| file.names));
        let rarity = |documents| idf(view.live_count(), documents);
        Ok(Self {
            named: (0u32..).zip(&by_chunk).filter(|(_, place)| place.names > 0).map(|(number, _)| number).collect(),
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
    pub(super) fn in_files(&self, files: &Range<u32>) -> PlacesIn<'_> {
        let start = self.by_file.partition_point(|entry| entry.file < files.start);
        let end = start + self.by_file[start..].partition_point(|entry| entry.file < files.end);
        let numbers = self.first(start)..self.first(end);
        let before = |number: usize| self.named.partition_point(|named| (*named as usize) < number);
        PlacesIn {
            by_chunk: &self.by_chunk[numbers.clone()],
            by_file: &self.by_file[start..end],
            named: &self.named[before(numbers.start)..before(numbers.end)],
            all: &self.by_chunk,
        }
    }

    /// How often the word stands in a file, and its places there. Files that are asked for in their order are found
    /// sooner: `near` is zero at first, and then what it was left at.
    #[inline]
    pub(super) fn in_file(&self, FileIndex(file): FileIndex, near: &mut usize) -> Option<(InFile, &[Place])> {
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
pub(super) struct PlacesIn<'a> {
    /// In the order of chunks.
    pub(super) by_chunk: &'a [Place],
    /// In the order of files.
    pub(super) by_file: &'a [InFile],
    named: &'a [u32],
    all: &'a [Place],
}

impl<'a> PlacesIn<'a> {
    /// Those in whose names the word stands.
    pub(super) fn named(self) -> impl Iterator<Item = &'a Place> {
        self.named.iter().map(move |number| &self.all[*number as usize])
    }
}

/// The files that the places are in.
fn files(places: &[Place], view: &View) -> Vec<InFile> {
    let columns = view.postings();
    let mut files: Vec<InFile> = Vec::new();
    let mut batch = Vec::with_capacity(BATCH);
    for (number, places) in (0u32..).zip(places.chunks(BATCH)) {
        batch.extend(places.iter().map(|place| columns.file_of(ChunkIndex(place.chunk)).0));
        for ((first, place), file) in (number * BATCH as u32..).zip(places).zip(batch.drain(..)) {
            let (body, names) = (u32::from(place.body), u32::from(place.names));
            if let Some(entry) = files.last_mut().filter(|entry| entry.file == file) {
                entry.body += body;
                entry.names += names;
            } else {
                files.push(InFile { file, body, names, first });
            }
        }
    }
    files
}

#[cfg(test)]
impl Places {
    /// Places in these chunks, each a file of its own, and nothing else.
    pub(super) fn of_chunks(chunks: Range<u32>) -> Self {
        let place = |chunk| Place { chunk, body: 1, exact: 0, names: 0, comments: 0, is_name: false, length: 0 };
        let in_file = |(first, file)| InFile { file, body: 1, names: 0, first };
        Self {
            by_chunk: chunks.clone().map(place).collect(),
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
    use super::*;

    #[test]
    fn places_are_found_by_files_in_any_order() {
        let places = Places::of_chunks(100..300);
        for (start, end) in [(0, 100), (0, 101), (103, 107), (100, 300), (150, 200), (299, u32::MAX), (300, 400)] {
            let expected: Vec<u32> = (start.max(100)..end.min(300)).collect();
            let found: Vec<u32> = places.in_files(&(start..end)).by_chunk.iter().map(|place| place.chunk).collect();
            assert_eq!(found, expected, "{start}..{end}");
        }
        let mut near = 0;
        for file in [120, 120, 121, 299, 300, 0, 100, 250, 249] {
            let found = places.in_file(FileIndex(file), &mut near);
            let chunks = found.map(|(_, places)| places.iter().map(|place| place.chunk).collect::<Vec<_>>());
            assert_eq!(chunks, (100..300).contains(&file).then(|| vec![file]), "{file}");
        }
    }
}
