//! From a catalog to a view.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::image::{Column, ImageBuilder, Origin};
use super::names::{self, NAMES, NameColumns, Names, SCOPED_NAMES, kept};
use super::path_index::PathIndex;
use super::rows::{FileRow, PlaceRow};
use super::{FileIndex, KinIndex, NONE, PathParts, Role, View, name_hash};
use crate::bitmap::Bitmap;
use crate::error::Result;
use crate::id::{BlobId, DocId, Generation};
use crate::kind::Kind;
use crate::language::{Class, Language};
use crate::lexical::analyzer::for_each_term;
use crate::parallel::on_all_threads;
use crate::span::{ByteSpan, LineSpan};

/// What a view takes from the chunk table of one blob.
#[derive(Debug, Default)]
pub struct BlobFacts {
    docs: Vec<u32>,
    places: Vec<PlaceRow>,
    names: Vec<(u64, u32)>,
    scoped_names: Vec<(u64, u32)>,
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
        self.places.push(PlaceRow::new(span, lines, kind, kinds, lexical_only, is_test));
    }

    /// Appends a symbol of the chunk pushed last.
    pub fn push_name(&mut self, name: &str) {
        self.names.push((kept(name_hash(name)), self.docs.len() as u32 - 1));
    }

    /// Appends a symbol of the chunk pushed last with the scope right around it.
    pub fn push_scoped_name(&mut self, scope: &str, name: &str) {
        self.scoped_names.push((kept(name_hash(&format!("{scope}.{name}"))), self.docs.len() as u32 - 1));
    }
}

/// One file of the catalog.
#[derive(Debug)]
pub struct FileInput {
    /// Relative path.
    pub path: String,
    /// Its content.
    pub blob: BlobId,
    /// Where its chunks are taken from.
    pub source: FileSource,
}

/// Where the chunks of a file are taken from.
#[derive(Debug, Clone)]
pub enum FileSource {
    /// A blob's chunk table, with its language and what it is for.
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
    /// The view that files are kept from.
    pub before: Option<&'a View>,
}

impl ViewBuilder<'_> {
    /// The view of `inputs`, which come sorted by path. `lengths` gives the length codes of a document.
    ///
    /// # Errors
    /// [`Error::Internal`](crate::Error::Internal) if the image comes out incomplete.
    pub fn build(&self, inputs: &[FileInput], lengths: impl Fn(DocId) -> [u8; 3]) -> Result<View> {
        debug_assert!(inputs.is_sorted_by(|a, b| a.path < b.path), "files come in order of path");
        let mut columns = Columns::default();
        for input in inputs {
            columns.push_file(input, self.before, &lengths);
        }
        columns.count_namesakes(inputs);
        let Columns { files, paths, languages, places, file_of_chunk, doc_of_chunk, lengths, .. } = &columns;
        let (mut first_of_doc, mut next_of_chunk) = (vec![NONE; self.doc_count], vec![NONE; places.len()]);
        let (mut live, mut embedded) = (Bitmap::new(self.doc_count), Bitmap::new(self.doc_count));
        // From the last to the first, so that each chain runs in order of path and position.
        for (number, (&doc, place)) in doc_of_chunk.iter().zip(places).enumerate().rev() {
            next_of_chunk[number] = std::mem::replace(&mut first_of_doc[doc as usize], number as u32);
            live.set(doc as usize);
            if !place.is_lexical_only() {
                embedded.set(doc as usize);
            }
        }
        let named = self.names(&columns, &columns.names, NAMES);
        let scoped = self.names(&columns, &columns.scoped_names, SCOPED_NAMES);
        let mut image = ImageBuilder::new(places.len() * 44 + (named.len() + scoped.len()) * 8 + paths.len() * 4);
        image.push(Column::Files, files);
        image.push(Column::Paths, paths);
        image.push(
            Column::Languages,
            &languages.list.iter().map(|language| language.id).collect::<Vec<_>>().join("\0").into_bytes(),
        );
        image.push(Column::Places, places);
        image.push(Column::FileOfChunk, file_of_chunk);
        image.push(Column::DocOfChunk, doc_of_chunk);
        image.push(Column::NextOfChunk, &next_of_chunk);
        image.push(Column::Lengths, lengths);
        image.push(Column::FirstOfDoc, &first_of_doc);
        image.push(Column::Live, live.words());
        image.push(Column::Embedded, embedded.words());
        names::push(&mut image, &named, NAMES);
        names::push(&mut image, &scoped, SCOPED_NAMES);
        let paths = || inputs.iter().map(|input| input.path.as_str());
        PathIndex::build(paths(), &mut image);
        KinIndex::build(paths(), &mut image);
        let (identity, generation) = self.origin;
        Ok(View::of(image.finish(Origin { identity, generation: generation.0 })?))
    }

    /// The names of all chunks, sorted: new ones and those of files that are kept.
    fn names(&self, columns: &Columns, new: &[(u64, u32)], table: NameColumns) -> Vec<(u64, u32)> {
        let mut names = new.to_vec();
        on_all_threads(|| names.par_sort_unstable());
        names.dedup();
        let Some(before) = self.before else { return names };
        let old = Names::of(&before.image, table);
        let file_of: &[u32] = before.image.column(Column::FileOfChunk);
        // Kept files stay in order of path, so what is left of the old names is sorted too.
        let kept = old.iter().filter_map(|(name, chunk)| {
            let shift = columns.shifts.get(file_of[chunk as usize] as usize).copied().flatten()?;
            Some((name, chunk.wrapping_add(shift)))
        });
        let mut merged = Vec::with_capacity(old.len() + names.len());
        let mut new = names.into_iter().peekable();
        for name in kept {
            while let Some(first) = new.next_if(|new| *new < name) {
                merged.push(first);
            }
            merged.push(name);
        }
        merged.extend(new);
        merged
    }

    /// A view of files that are empty.
    #[cfg(test)]
    pub(crate) fn of_paths(paths: &[&str]) -> View {
        let facts = Arc::new(BlobFacts::default());
        let input = |path: &&str| {
            let source = FileSource::Decoded(Arc::clone(&facts), crate::language::fallback(), Class::Code);
            FileInput { path: (*path).to_owned(), blob: BlobId(0), source }
        };
        let builder = Self { origin: (0, Generation(0)), doc_count: 0, before: None };
        builder.build(&paths.iter().map(input).collect::<Vec<_>>(), |_| [0; 3]).unwrap()
    }
}

/// The columns by file and by chunk while they grow.
#[derive(Default)]
struct Columns {
    files: Vec<FileRow>,
    paths: Vec<u8>,
    languages: Languages,
    places: Vec<PlaceRow>,
    file_of_chunk: Vec<u32>,
    doc_of_chunk: Vec<u32>,
    lengths: Vec<[u8; 4]>,
    names: Vec<(u64, u32)>,
    scoped_names: Vec<(u64, u32)>,
    /// By file of the view before: by how much the numbers of its chunks rise (wrapping), if it is kept.
    shifts: Vec<Option<u32>>,
}

#[derive(Default)]
struct Languages {
    list: Vec<&'static Language>,
    numbers: HashMap<&'static str, u16>,
}

impl Languages {
    fn number(&mut self, language: &'static Language) -> u16 {
        *self.numbers.entry(language.id).or_insert_with(|| {
            self.list.push(language);
            self.list.len() as u16 - 1
        })
    }
}

impl Columns {
    fn push_file(&mut self, input: &FileInput, before: Option<&View>, lengths: impl Fn(DocId) -> [u8; 3]) {
        let (number, first_chunk) = (self.files.len() as u32, self.doc_of_chunk.len() as u32);
        self.paths.extend_from_slice(input.path.as_bytes());
        let (language, class) = match (&input.source, before) {
            (FileSource::Kept(file), Some(before)) => {
                let file_before = before.file(*file);
                self.shifts.resize(before.file_count(), None);
                self.shifts[file.0 as usize] = Some(first_chunk.wrapping_sub(file_before.first_chunk));
                let start = file_before.first_chunk as usize;
                let range = start..start + file_before.chunk_count as usize;
                self.doc_of_chunk.extend_from_slice(&before.image.column(Column::DocOfChunk)[range.clone()]);
                self.places.extend_from_slice(&before.image.column(Column::Places)[range.clone()]);
                self.lengths.extend_from_slice(&before.image.column(Column::Lengths)[range]);
                (file_before.language, file_before.class)
            }
            (FileSource::Kept(_), None) => (crate::language::fallback(), Class::Code),
            (FileSource::Decoded(facts, language, class), _) => {
                self.doc_of_chunk.extend_from_slice(&facts.docs);
                self.places.extend_from_slice(&facts.places);
                self.lengths.extend(facts.docs.iter().map(|&doc| {
                    let [body, names, comments] = lengths(DocId(doc));
                    [body, names, comments, 0]
                }));
                let numbered = |&(hash, chunk): &(u64, u32)| (hash, first_chunk + chunk);
                self.names.extend(facts.names.iter().map(numbered));
                self.scoped_names.extend(facts.scoped_names.iter().map(numbered));
                (*language, *class)
            }
        };
        self.file_of_chunk.resize(self.doc_of_chunk.len(), number);
        self.files.push(FileRow {
            path_end: self.paths.len() as u32,
            blob: input.blob.0,
            first_chunk,
            chunk_count: self.doc_of_chunk.len() as u32 - first_chunk,
            namesakes: 0,
            language: self.languages.number(language),
            class: class as u8,
            role: FileRow::pack_role(Role::of(&input.path)),
        });
    }

    fn count_namesakes(&mut self, inputs: &[FileInput]) {
        let stems: Vec<String> = on_all_threads(|| inputs.par_iter().map(|input| stem_term(&input.path)).collect());
        let mut counts: HashMap<&str, u32> = HashMap::with_capacity(stems.len());
        for stem in &stems {
            *counts.entry(stem).or_default() += 1;
        }
        for (file, stem) in self.files.iter_mut().zip(&stems) {
            file.namesakes = counts[stem.as_str()];
        }
    }
}

/// The stem of a path as one term.
pub(crate) fn stem_term(path: &str) -> String {
    let mut whole = None;
    for_each_term(PathParts::of(path).speaking, |term| {
        whole.get_or_insert_with(|| term.to_owned());
    });
    whole.unwrap_or_default()
}
