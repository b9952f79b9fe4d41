//! From a catalog to a view.

use rayon::prelude::*;

use super::{ChunkRow, File, FileIndex, KinIndex, NONE, PathIndex, Role, View, name_hash};
use crate::bitmap::Bitmap;
use crate::id::{BlobId, DocId};
use crate::language::{Class, Language};
use crate::parallel::on_all_threads;

/// One file of the catalog with its chunks decoded.
#[derive(Debug)]
pub struct FileInput {
    /// Relative path.
    pub path: String,
    /// Its content.
    pub blob: BlobId,
    /// Its language.
    pub language: &'static Language,
    /// What it is for.
    pub class: Class,
    /// Its chunks in order; `file` is filled in by the builder.
    pub chunks: Vec<ChunkRow>,
    /// (chunk within the file, symbol name) of every symbol.
    pub names: Vec<(u32, u64)>,
    /// The same with the scope right around it, for functions, methods and types that have one.
    pub scoped_names: Vec<(u32, u64)>,
}

impl FileInput {
    /// The key under which a symbol's name is found again.
    pub fn name_key(name: &str) -> u64 {
        name_hash(name)
    }

    /// The key under which a symbol is found again by its name and the name of the scope around it.
    pub fn scoped_name_key(scope: &str, name: &str) -> u64 {
        name_hash(&format!("{scope}.{name}"))
    }
}

/// Makes views.
#[derive(Debug)]
pub struct ViewBuilder;

impl ViewBuilder {
    /// The view of `inputs`, which come sorted by path. `doc_count` is the store's number of documents.
    pub fn build(inputs: Vec<FileInput>, doc_count: usize) -> View {
        debug_assert!(inputs.is_sorted_by(|a, b| a.path < b.path), "files come in order of path");
        let total: usize = inputs.iter().map(|input| input.chunks.len()).sum();
        let mut files = Vec::with_capacity(inputs.len());
        let mut chunks: Vec<ChunkRow> = Vec::with_capacity(total);
        let (mut names, mut scoped_names) = (Vec::new(), Vec::new());
        for (number, input) in inputs.into_iter().enumerate() {
            let first_chunk = chunks.len() as u32;
            let numbered = |&(chunk, key): &(u32, u64)| (key, first_chunk + chunk);
            names.extend(input.names.iter().map(numbered));
            scoped_names.extend(input.scoped_names.iter().map(numbered));
            chunks.extend(input.chunks.iter().map(|row| ChunkRow { file: FileIndex(number as u32), ..*row }));
            files.push(File {
                role: Role::of(&input.path),
                path: input.path,
                blob: input.blob,
                language: input.language,
                class: input.class,
                first_chunk,
                chunk_count: chunks.len() as u32 - first_chunk,
            });
        }
        let (mut first_of_doc, mut next_of_chunk) = (vec![NONE; doc_count], vec![NONE; chunks.len()]);
        let (mut live, mut embedded) = (Bitmap::new(doc_count), Bitmap::new(doc_count));
        // From the last to the first, so that each chain runs in order of path and position.
        for (number, row) in chunks.iter().enumerate().rev() {
            let DocId(doc) = row.doc;
            next_of_chunk[number] = std::mem::replace(&mut first_of_doc[doc as usize], number as u32);
            live.set(doc as usize);
            if !row.lexical_only {
                embedded.set(doc as usize);
            }
        }
        for names in [&mut names, &mut scoped_names] {
            on_all_threads(|| names.par_sort_unstable());
            names.dedup();
        }
        let paths = PathIndex::build(files.iter().map(|file| file.path.as_str()));
        let kin = KinIndex::build(files.iter().map(|file| file.path.as_str()));
        let live_count = live.count();
        View { files, chunks, first_of_doc, next_of_chunk, live, embedded, live_count, names, scoped_names, paths, kin }
    }
}
