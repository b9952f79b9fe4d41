//! Builds a view from a catalog, reusing the columns of a previous view.

use std::sync::Arc;

use rayon::prelude::*;

use codecairn_base::bitmap::Bitmap;
use codecairn_base::error::Result;
use codecairn_base::id::{BlobId, DocId, Generation};
use codecairn_base::parallel::on_all_threads;
use codecairn_base::span::{ByteSpan, LineSpan};
use codecairn_syntax::kind::Kind;
use codecairn_syntax::language::{Class, Language};

use super::columns::Columns;
use super::image::{Column, ImageBuilder, Origin};
use super::names::{NAMES, NameColumns, Names, NewNames, SCOPED_NAMES, stored_bits};
use super::occurrences::Chains;
use super::path_index::PathIndex;
use super::rows::ChunkRowData;
use super::{FileIndex, PrefixIndex, View, name_hash};

/// The data that a view takes from the chunk table of a blob.
#[derive(Debug, Default)]
pub struct BlobFacts {
    pub(super) docs: Vec<u32>,
    pub(super) places: Vec<ChunkRowData>,
    pub(super) names: Vec<(u64, u32)>,
    pub(super) scoped_names: Vec<(u64, u32)>,
}

impl BlobFacts {
    /// With room for so many chunks.
    pub fn with_capacity(chunks: usize) -> Self {
        Self { docs: Vec::with_capacity(chunks), places: Vec::with_capacity(chunks), ..Self::default() }
    }

    /// Appends a chunk. `kinds` are what it and the symbols in it are, a bit for each.
    pub fn push(
        &mut self,
        doc: DocId,
        (span, lines): (ByteSpan, LineSpan),
        (kind, kinds): (Kind, u16),
        lexical_only: bool,
        is_test: bool,
    ) {
        self.docs.push(doc.0);
        self.places.push(ChunkRowData::new(span, lines, kind, kinds, lexical_only, is_test));
    }

    /// Appends a symbol of the chunk pushed last.
    pub fn push_name(&mut self, name: &str) {
        self.names.push((stored_bits(name_hash(name)), self.docs.len() as u32 - 1));
    }

    /// Appends a symbol of the chunk pushed last with the scope right around it.
    pub fn push_scoped_name(&mut self, scope: &str, name: &str) {
        self.scoped_names.push((stored_bits(name_hash(&format!("{scope}.{name}"))), self.docs.len() as u32 - 1));
    }
}

/// One file of the catalog.
#[derive(Debug)]
pub struct FileInput {
    /// Relative path.
    pub path: String,
    /// Its content.
    pub blob: BlobId,
    /// The source of its chunks.
    pub source: FileSource,
}

/// The source of a file's chunks.
#[derive(Debug, Clone)]
pub enum FileSource {
    /// A blob's chunk table, with its language and class.
    Decoded(Arc<BlobFacts>, &'static Language, Class),
    /// The same file of the view before.
    Kept(FileIndex),
}

/// Makes views.
#[derive(Debug)]
pub struct ViewBuilder<'a> {
    /// The number of the database and its state.
    pub origin: (u64, Generation),
    /// The store's number of documents.
    pub doc_count: usize,
    /// The previous view, which files are kept from.
    pub before: Option<&'a View>,
}

impl ViewBuilder<'_> {
    /// The view of `inputs`, which come sorted by path. `lengths` gives the length codes of a document.
    ///
    /// # Errors
    /// [`Error::Internal`](codecairn_base::Error::Internal) if the image comes out incomplete.
    pub fn build(&self, inputs: &[FileInput], lengths: impl Fn(DocId) -> [u8; 3]) -> Result<View> {
        debug_assert!(inputs.is_sorted_by(|a, b| a.path < b.path), "files come in order of path");
        let same_paths = self.before.filter(|before| has_paths(before, inputs));
        let mut columns = Columns::default();
        for run in inputs.chunk_by(follows) {
            match (&run[0].source, self.before) {
                (FileSource::Kept(first), Some(before)) => columns.push_kept(*first, run.len(), before),
                _ => run.iter().for_each(|input| columns.push_file(input, &lengths)),
            }
        }
        match same_paths {
            Some(before) => columns.take_namesakes(before),
            None => columns.count_namesakes(inputs),
        }
        // Where the chunks of each file are as many as before, much else is as it was too.
        let same_chunks = same_paths.filter(|before| columns.has_numbers_of(before));
        let ((chains, live, embedded), (named, scoped)) = on_all_threads(|| {
            rayon::join(
                || {
                    let (live, embedded) = documents(&columns.doc_of_chunk, &columns.places, self.doc_count);
                    (Chains::of(&columns.doc_of_chunk, self.doc_count), live, embedded)
                },
                || {
                    rayon::join(
                        || self.names(&columns, same_chunks, &columns.names, NAMES),
                        || self.names(&columns, same_chunks, &columns.scoped_names, SCOPED_NAMES),
                    )
                },
            )
        });
        let Columns { files, paths, languages, places, file_of_chunk, doc_of_chunk, lengths, .. } = columns;
        let mut image = ImageBuilder::default();
        image.push(Column::Files, files);
        match same_paths {
            Some(before) => image.keep(Column::Paths, &before.image),
            None => image.push(Column::Paths, paths),
        }
        image.push(
            Column::Languages,
            languages.list.iter().map(|language| language.id).collect::<Vec<_>>().join("\0").into_bytes(),
        );
        image.push(Column::Places, places);
        match same_chunks {
            Some(before) => image.keep(Column::FileOfChunk, &before.image),
            None => image.push(Column::FileOfChunk, file_of_chunk),
        }
        image.push(Column::DocOfChunk, doc_of_chunk);
        image.push(Column::NextOfChunk, chains.next_of_chunk);
        image.push(Column::Lengths, lengths);
        image.push(Column::FirstOfDoc, chains.first_of_doc);
        image.push(Column::Live, live.words().to_vec());
        image.push(Column::Embedded, embedded.words().to_vec());
        for (table, new) in [(NAMES, named), (SCOPED_NAMES, scoped)] {
            if let Some(new) = new {
                new.write(&mut image, table);
            } else if let Some(before) = self.before {
                for column in table {
                    image.keep(column, &before.image);
                }
            }
        }
        if let Some(before) = same_paths {
            for column in OF_PATHS {
                image.keep(column, &before.image);
            }
        } else {
            let paths = || inputs.iter().map(|input| input.path.as_str());
            PathIndex::build(paths(), &mut image);
            PrefixIndex::build(paths(), &mut image);
        }
        let (identity, generation) = self.origin;
        Ok(View::of(image.finish(Origin { identity, generation: generation.0 })?))
    }

    /// The names of all chunks: new ones and those of files that are kept, which stay in order of path; `None` if they
    /// are those of the view before, which has the same chunks.
    fn names(
        &self,
        columns: &Columns,
        same_chunks: Option<&View>,
        new: &[(u64, u32)],
        table: NameColumns,
    ) -> Option<NewNames> {
        let mut names = new.to_vec();
        names.par_sort_unstable();
        names.dedup();
        let is_new = |chunk| columns.moved(chunk).is_none();
        if same_chunks.is_some_and(|before| Names::of(&before.image, table).has_just(&names, is_new)) {
            return None;
        }
        let old = self.before.map(|before| Names::of(&before.image, table));
        Some(NewNames::merged(&names, old, |chunk| columns.moved(chunk)))
    }

    /// A view of files that are empty.
    #[cfg(test)]
    pub(crate) fn of_paths(paths: &[&str]) -> View {
        let facts = Arc::new(BlobFacts::default());
        let input = |path: &&str| {
            let source = FileSource::Decoded(Arc::clone(&facts), codecairn_syntax::language::fallback(), Class::Code);
            FileInput { path: (*path).to_owned(), blob: BlobId(0), source }
        };
        let builder = Self { origin: (0, Generation(0)), doc_count: 0, before: None };
        builder.build(&paths.iter().map(input).collect::<Vec<_>>(), |_| [0; 3]).unwrap()
    }
}

/// The columns that depend on paths alone.
const OF_PATHS: [Column; 11] = [
    Column::PathTerms,
    Column::PathTermEnds,
    Column::PathPostingEnds,
    Column::PathPostings,
    Column::PathLengths,
    Column::StemLengths,
    Column::KinTerms,
    Column::KinTermEnds,
    Column::KinPostingEnds,
    Column::KinPostings,
    Column::StemWords,
];

/// Whether a view has the very paths of `inputs`, whatever lies there.
fn has_paths(view: &View, inputs: &[FileInput]) -> bool {
    view.file_count() == inputs.len() && view.files().zip(inputs).all(|(file, input)| file.path == input.path)
}

/// Whether both files are kept and were adjacent in the previous view.
fn follows(one: &FileInput, next: &FileInput) -> bool {
    matches!((&one.source, &next.source), (FileSource::Kept(one), FileSource::Kept(next)) if next.0 == one.0 + 1)
}

/// Which documents there are, and which of them are meant to have a vector.
fn documents(doc_of_chunk: &[u32], places: &[ChunkRowData], docs: usize) -> (Bitmap, Bitmap) {
    let (mut live, mut embedded) = (Bitmap::new(docs), Bitmap::new(docs));
    for (&doc, place) in doc_of_chunk.iter().zip(places) {
        live.set(doc as usize);
        if !place.is_lexical_only() {
            embedded.set(doc as usize);
        }
    }
    (live, embedded)
}
