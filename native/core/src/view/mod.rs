//! One branch as search sees it: files in path order, their chunks in order of position, and the
//! way from documents and names back to them.
//!
//! A view is made from the catalog and never changes. Chunks are numbered by (path, position), so
//! whatever is ordered by that number does not depend on the history of commits.

mod build;
mod kinship;
mod path_index;
mod role;

pub use build::{FileInput, ViewBuilder};
pub use kinship::{KinIndex, KinScores};
pub use path_index::{PathIndex, PathParts, PathScores};
pub use role::Role;

use crate::bitmap::Bitmap;
use crate::hash::ContentHash;
use crate::id::{BlobId, DocId};
use crate::kind::Kind;
use crate::language::{Class, Language};
use crate::span::{ByteSpan, LineSpan};

/// A chunk's number in its view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkIndex(pub u32);

/// A file's number in its view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileIndex(pub u32);

/// One file of the branch.
#[derive(Debug, Clone)]
pub struct File {
    /// Relative to the workspace's root, with `/`.
    pub path: String,
    /// Its content.
    pub blob: BlobId,
    /// Its language.
    pub language: &'static Language,
    /// What it is for.
    pub class: Class,
    /// What part it plays: test, example, barrel and so on.
    pub role: Role,
    /// Number of its first chunk.
    pub first_chunk: u32,
    /// How many chunks it has.
    pub chunk_count: u32,
}

/// One chunk where it occurs.
#[derive(Debug, Clone, Copy)]
pub struct ChunkRow {
    /// The chunk's number in the store, as the segments know it.
    pub doc: DocId,
    /// The file it lies in.
    pub file: FileIndex,
    /// The bytes it covers in that file.
    pub span: ByteSpan,
    /// The lines it covers.
    pub lines: LineSpan,
    /// What it is.
    pub kind: Kind,
    /// What it and the symbols that begin in it are: a bit for each kind's number.
    pub kinds: u16,
    /// Whether it has no vector on purpose.
    pub lexical_only: bool,
    /// Whether it is a test beside what it tests: in a module for tests, or by its grammar's word for it.
    pub is_test: bool,
}

/// Marks the end of a chain of occurrences, and documents that the branch does not have.
const NONE: u32 = u32::MAX;

/// All of one branch.
#[derive(Debug)]
pub struct View {
    files: Vec<File>,
    chunks: Vec<ChunkRow>,
    /// By document: its first occurrence.
    first_of_doc: Vec<u32>,
    /// By chunk: the next occurrence of the same document.
    next_of_chunk: Vec<u32>,
    live: Bitmap,
    embedded: Bitmap,
    live_count: usize,
    /// (hash of a lower-cased symbol name, chunk), sorted.
    names: Vec<(u64, u32)>,
    /// The same of names with the scope right around them.
    scoped_names: Vec<(u64, u32)>,
    paths: PathIndex,
    kin: KinIndex,
}

impl View {
    /// The files, by path.
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// The chunks, by file and position.
    pub fn chunks(&self) -> &[ChunkRow] {
        &self.chunks
    }

    /// One file.
    pub fn file(&self, file: FileIndex) -> &File {
        &self.files[file.0 as usize]
    }

    /// One chunk.
    pub fn chunk(&self, chunk: ChunkIndex) -> &ChunkRow {
        &self.chunks[chunk.0 as usize]
    }

    /// The chunks of one file.
    pub fn chunks_of(&self, file: FileIndex) -> impl Iterator<Item = ChunkIndex> + use<> {
        let file = self.file(file);
        (file.first_chunk..file.first_chunk + file.chunk_count).map(ChunkIndex)
    }

    /// How many lines of a file its chunks reach to.
    pub fn line_count(&self, file: FileIndex) -> u32 {
        self.chunks_of(file).last().map_or(0, |chunk| self.chunk(chunk).lines.end)
    }

    /// The file with this path.
    pub fn find(&self, path: &str) -> Option<FileIndex> {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok().map(|index| FileIndex(index as u32))
    }

    /// Where a document occurs on this branch; nowhere if the branch does not have it.
    pub fn occurrences(&self, doc: DocId) -> Occurrences<'_> {
        Occurrences { view: self, next: self.first_of_doc.get(doc.index()).copied().unwrap_or(NONE) }
    }

    /// The documents of this branch.
    pub fn live(&self) -> &Bitmap {
        &self.live
    }

    /// The documents of this branch that are meant to have a vector.
    pub fn embedded(&self) -> &Bitmap {
        &self.embedded
    }

    /// How many documents this branch has.
    pub fn live_count(&self) -> usize {
        self.live_count
    }

    /// The chunks in which a symbol of this name begins, ignoring case: `get`, or `session.get` for a function, method or
    /// type with the one scope right around it. In order of path and position, but names that themselves hold a dot come
    /// before scopes.
    pub fn chunks_defining(&self, name: &str) -> impl Iterator<Item = ChunkIndex> + '_ {
        let hash = name_hash(name);
        with_hash(&self.names, hash).chain(with_hash(&self.scoped_names, hash))
    }

    /// How many symbols the branch has, counting a name once a chunk.
    pub fn symbol_count(&self) -> usize {
        self.names.len()
    }

    /// The index over file names and folders.
    pub fn paths(&self) -> &PathIndex {
        &self.paths
    }

    /// The index over words of paths that are alike.
    pub fn kin(&self) -> &KinIndex {
        &self.kin
    }
}

/// The occurrences of one document, in order of path and position.
#[derive(Debug)]
pub struct Occurrences<'a> {
    view: &'a View,
    next: u32,
}

impl Iterator for Occurrences<'_> {
    type Item = ChunkIndex;

    #[inline]
    fn next(&mut self) -> Option<ChunkIndex> {
        if self.next == NONE {
            return None;
        }
        let chunk = ChunkIndex(self.next);
        self.next = self.view.next_of_chunk[chunk.0 as usize];
        Some(chunk)
    }
}

fn with_hash(names: &[(u64, u32)], hash: u64) -> impl Iterator<Item = ChunkIndex> + '_ {
    let first = names.partition_point(|entry| entry.0 < hash);
    names[first..].iter().take_while(move |entry| entry.0 == hash).map(|entry| ChunkIndex(entry.1))
}

/// The first eight bytes of the hash of a name in lower case.
fn name_hash(name: &str) -> u64 {
    let hash = ContentHash::of(name.to_lowercase().as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_be_bytes(first)
}
