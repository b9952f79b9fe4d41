//! Maps documents to the chunks that have their text.
//!
//! The chunks of a document are a linked list: the document has the first, each chunk the next. Nearly all lists have
//! one chunk, so a link has a flag for the last one, which saves a cache miss for each posting of a query.

use codecairn_base::id::DocId;

use super::image::{Column, Image};
use super::{ChunkIndex, FileIndex};

/// Where a chain would go on, if the document is nowhere on the branch.
const NONE: u32 = u32::MAX;
/// In a link: no other follows.
const IS_LAST: u32 = 1 << 31;

/// The links of all documents of a branch.
#[derive(Debug)]
pub(super) struct Chains {
    pub(super) first_of_doc: Vec<u32>,
    pub(super) next_of_chunk: Vec<u32>,
}

impl Chains {
    /// Of `docs` documents, from the document of each chunk.
    pub(super) fn of(doc_of_chunk: &[u32], docs: usize) -> Self {
        assert!(doc_of_chunk.len() < IS_LAST as usize, "a branch has fewer chunks than a link can tell apart");
        let (mut first_of_doc, mut next_of_chunk) = (vec![NONE; docs], vec![NONE; doc_of_chunk.len()]);
        // From the last to the first, so that each chain runs in order of path and position.
        for (number, &doc) in doc_of_chunk.iter().enumerate().rev() {
            let first = &mut first_of_doc[doc as usize];
            let link = number as u32 | if *first == NONE { IS_LAST } else { 0 };
            next_of_chunk[number] = std::mem::replace(first, link);
        }
        Self { first_of_doc, next_of_chunk }
    }
}

/// The columns that are read for every posting of a query.
#[derive(Debug, Clone, Copy)]
pub struct Postings<'a> {
    first_of_doc: &'a [u32],
    next_of_chunk: &'a [u32],
    file_of_chunk: &'a [u32],
    /// By chunk: the length codes of body, names and comments.
    pub lengths: &'a [[u8; 4]],
}

impl<'a> Postings<'a> {
    pub(super) fn of_image(image: &'a Image) -> Self {
        Self {
            first_of_doc: image.column(Column::FirstOfDoc),
            next_of_chunk: image.column(Column::NextOfChunk),
            file_of_chunk: image.column(Column::FileOfChunk),
            lengths: image.column(Column::Lengths),
        }
    }

    /// Where a document occurs.
    #[inline]
    pub fn occurrences(&self, doc: DocId) -> Occurrences<'a> {
        Occurrences {
            next_of_chunk: self.next_of_chunk,
            next: self.first_of_doc.get(doc.index()).copied().unwrap_or(NONE),
        }
    }

    /// The file that a chunk lies in.
    #[inline]
    pub fn file_of(&self, chunk: ChunkIndex) -> FileIndex {
        FileIndex(self.file_of_chunk[chunk.0 as usize])
    }
}

/// The occurrences of one document, in order of path and position.
#[derive(Debug)]
pub struct Occurrences<'a> {
    next_of_chunk: &'a [u32],
    next: u32,
}

impl Iterator for Occurrences<'_> {
    type Item = ChunkIndex;

    #[inline]
    fn next(&mut self) -> Option<ChunkIndex> {
        if self.next == NONE {
            return None;
        }
        let chunk = self.next & !IS_LAST;
        self.next = if self.next & IS_LAST == 0 { self.next_of_chunk[chunk as usize] } else { NONE };
        Some(ChunkIndex(chunk))
    }
}

/// The columns of a few documents without a view, as tests search them.
#[derive(Debug)]
pub struct TestPostings {
    chains: Chains,
    lengths: Vec<[u8; 4]>,
}

impl TestPostings {
    /// Of `docs` documents, from the document of each chunk, whose number is the length of its text, too.
    pub fn new(docs: usize, doc_of_chunk: &[u32]) -> Self {
        let lengths = doc_of_chunk.iter().map(|&doc| [doc as u8, 0, 0, 0]).collect();
        Self { chains: Chains::of(doc_of_chunk, docs), lengths }
    }

    /// Borrows the columns.
    pub fn columns(&self) -> Postings<'_> {
        let Chains { first_of_doc, next_of_chunk } = &self.chains;
        Postings { first_of_doc, next_of_chunk, file_of_chunk: &[], lengths: &self.lengths }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_leads_to_all_its_chunks_in_their_order() {
        let made = TestPostings::new(5, &[1, 3, 1, 0, 1, 3]);
        let of = |doc| made.columns().occurrences(DocId(doc)).map(|chunk| chunk.0).collect::<Vec<_>>();
        assert_eq!([0, 1, 2, 3, 4, 9].map(of), [vec![3], vec![0, 2, 4], vec![], vec![1, 5], vec![], vec![]]);
    }
}
