//! Where a word stands on a branch, in order of chunks.
//!
//! Segments know documents, of which one may stand in several files. Scores are added up a stretch of chunks at a time,
//! so that they stay near the processor; for that, postings are turned to chunks first.

use std::ops::Range;

use crate::error::Result;
use crate::lexical::analyzer::QueryTerm;
use crate::lexical::{Field, LexicalIndex, Posting, TermPostings, idf};
use crate::view::{ChunkIndex, View};

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
}

/// All places of a word, and how rare it is.
#[derive(Debug)]
pub(super) struct Places {
    /// In the order of chunks, each once.
    by_chunk: Vec<Place>,
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
        let (exact, stemmed) = index.postings(term, view.live())?;
        let rarity = |postings: &TermPostings, field| idf(view.live_count(), postings.document_frequency(field));
        let places = by_chunk(&exact, &stemmed, view);
        let (in_bodies, in_names) = files(&places, view);
        Ok(Self {
            by_chunk: places,
            exact: rarity(&exact, Field::Body),
            body: rarity(&stemmed, Field::Body),
            names: rarity(&stemmed, Field::Names),
            comments: rarity(&stemmed, Field::Comments),
            file_body: idf(view.file_count(), in_bodies),
            file_names: idf(view.file_count(), in_names),
        })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.by_chunk.len()
    }

    /// Those in a stretch of chunks.
    pub(super) fn within(&self, chunks: &Range<u32>) -> &[Place] {
        let start = self.by_chunk.partition_point(|place| place.chunk < chunks.start);
        let rest = &self.by_chunk[start..];
        &rest[..rest.partition_point(|place| place.chunk < chunks.end)]
    }
}

/// Postings of a stem, and of one word among those that have it, by chunk.
fn by_chunk(exact: &TermPostings, stemmed: &TermPostings, view: &View) -> Vec<Place> {
    let columns = view.postings();
    let mut exact = exact.iter().peekable();
    let (mut places, mut further) = (Vec::with_capacity(stemmed.len()), Vec::new());
    for &Posting { doc, body, names, comments } in stemmed {
        let written = exact.next_if(|posting| posting.doc == doc);
        let (exact, is_name) = written.map_or((0, false), |posting| (posting.body, posting.names > 0));
        let place = |ChunkIndex(chunk)| Place { chunk, body, exact, names, comments, is_name };
        let mut chunks = columns.occurrences(doc);
        if let Some(first) = chunks.next() {
            places.push(place(first));
            for chunk in chunks {
                further.push(place(chunk));
            }
        }
    }
    // Documents are numbered as they are met, so most of it is in order, and what is not comes in runs.
    further.sort_unstable_by_key(|place| place.chunk);
    places.append(&mut further);
    if !places.is_sorted_by_key(|place| place.chunk) {
        places.sort_by_key(|place| place.chunk);
    }
    places
}

/// In the texts of how many files the places are, and in the names of how many.
fn files(places: &[Place], view: &View) -> (usize, usize) {
    let columns = view.postings();
    let (mut in_bodies, mut in_names) = (0, 0);
    let (mut last_body, mut last_names) = (None, None);
    for place in places {
        let file = Some(columns.file_of(ChunkIndex(place.chunk)));
        if place.body > 0 && last_body != file {
            (in_bodies, last_body) = (in_bodies + 1, file);
        }
        if place.names > 0 && last_names != file {
            (in_names, last_names) = (in_names + 1, file);
        }
    }
    (in_bodies, in_names)
}

#[cfg(test)]
impl Places {
    /// Places in these chunks and nothing else.
    pub(super) fn of_chunks(chunks: Range<u32>) -> Self {
        let place = |chunk| Place { chunk, body: 1, exact: 0, names: 0, comments: 0, is_name: false };
        let places = chunks.map(place).collect();
        Self { by_chunk: places, exact: 0.0, body: 0.0, names: 0.0, comments: 0.0, file_body: 0.0, file_names: 0.0 }
    }
}
