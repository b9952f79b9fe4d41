//! Collects the columns of a view by file and by chunk while they are built.

use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;

use codecairn_base::id::DocId;
use codecairn_base::parallel::on_all_threads;
use codecairn_lexical::analyzer::for_each_term;
use codecairn_syntax::language::{Class, Language};

use super::build::{FileInput, FileSource};
use super::image::Column;
use super::rows::{ChunkRowData, FileRow};
use super::{FileIndex, PathParts, Role, View};

/// So many runs are looked through faster than they are searched.
const FEW: usize = 4;

/// See the module.
#[derive(Default)]
pub(super) struct Columns {
    pub(super) files: Vec<FileRow>,
    pub(super) paths: Vec<u8>,
    pub(super) languages: Languages,
    pub(super) places: Vec<ChunkRowData>,
    pub(super) file_of_chunk: Vec<u32>,
    pub(super) doc_of_chunk: Vec<u32>,
    pub(super) lengths: Vec<[u8; 4]>,
    pub(super) names: Vec<(u64, u32)>,
    pub(super) scoped_names: Vec<(u64, u32)>,
    /// The ranges of chunks kept from the previous view, in order, with the (wrapping) shift of their numbers.
    kept: Vec<(Range<u32>, u32)>,
}

#[derive(Default)]
pub(super) struct Languages {
    pub(super) list: Vec<&'static Language>,
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
    /// Appends a file whose chunks are new.
    pub(super) fn push_file(&mut self, input: &FileInput, lengths: impl Fn(DocId) -> [u8; 3]) {
        let (number, first_chunk) = (self.files.len() as u32, self.doc_of_chunk.len() as u32);
        self.paths.extend_from_slice(input.path.as_bytes());
        let (language, class) = match &input.source {
            // A view to keep it from is lacking.
            FileSource::Kept(_) => (codecairn_syntax::language::fallback(), Class::Code),
            FileSource::Decoded(facts, language, class) => {
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

    /// Appends files that are adjacent in the previous view.
    pub(super) fn push_kept(&mut self, first: FileIndex, count: usize, before: &View) {
        let files = first.0 as usize..first.0 as usize + count;
        let last = FileIndex(files.end as u32 - 1);
        let chunks = before.chunk_range(first).start..before.chunk_range(last).end;
        let path_start = before.rows()[..files.start].last().map_or(0, |row| row.path_end);
        let path_end = before.rows()[files.end - 1].path_end;
        let chunk_rise = (self.doc_of_chunk.len() as u32).wrapping_sub(chunks.start);
        let file_rise = (self.files.len() as u32).wrapping_sub(first.0);
        let path_rise = (self.paths.len() as u32).wrapping_sub(path_start);
        let all = chunks.start as usize..chunks.end as usize;
        self.doc_of_chunk.extend_from_slice(&before.image.column(Column::DocOfChunk)[all.clone()]);
        self.places.extend_from_slice(&before.image.column(Column::Places)[all.clone()]);
        self.lengths.extend_from_slice(&before.image.column(Column::Lengths)[all.clone()]);
        let file_of: &[u32] = &before.image.column(Column::FileOfChunk)[all];
        self.file_of_chunk.extend(file_of.iter().map(|file| file.wrapping_add(file_rise)));
        let paths: &[u8] = before.image.column(Column::Paths);
        self.paths.extend_from_slice(&paths[path_start as usize..path_end as usize]);
        for (row, file) in before.rows()[files].iter().zip(first.0..) {
            let language = self.languages.number(before.file(FileIndex(file)).language);
            self.files.push(FileRow {
                path_end: row.path_end.wrapping_add(path_rise),
                first_chunk: row.first_chunk.wrapping_add(chunk_rise),
                namesakes: 0,
                language,
                ..*row
            });
        }
        self.kept.push((chunks, chunk_rise));
    }

    /// The new number of a chunk of the previous view, if it is kept.
    #[inline]
    pub(super) fn moved(&self, chunk: u32) -> Option<u32> {
        if self.kept.len() <= FEW {
            // After an edit of one file there are two ranges: before it and after it.
            let run = self.kept.iter().find(|(chunks, _)| chunks.contains(&chunk));
            return run.map(|(_, rise)| chunk.wrapping_add(*rise));
        }
        let next = self.kept.partition_point(|(chunks, _)| chunks.start <= chunk);
        let (chunks, rise) = self.kept[..next].last()?;
        (chunk < chunks.end).then(|| chunk.wrapping_add(*rise))
    }

    /// Whether the chunks of each file have the numbers that they had, where the paths are the same.
    pub(super) fn has_numbers_of(&self, before: &View) -> bool {
        let begins_alike = |(file, row): (&FileRow, &FileRow)| file.first_chunk == row.first_chunk;
        self.doc_of_chunk.len() == before.chunk_count() && self.files.iter().zip(before.rows()).all(begins_alike)
    }

    /// Takes over how many files have each stem, where the paths are the same.
    pub(super) fn take_namesakes(&mut self, before: &View) {
        for (file, row) in self.files.iter_mut().zip(before.rows()) {
            file.namesakes = row.namesakes;
        }
    }

    /// Counts how many files have each stem.
    pub(super) fn count_namesakes(&mut self, inputs: &[FileInput]) {
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
pub fn stem_term(path: &str) -> String {
    let mut whole = None;
    for_each_term(PathParts::of(path).speaking, |term| {
        whole.get_or_insert_with(|| term.to_owned());
    });
    whole.unwrap_or_default()
}
