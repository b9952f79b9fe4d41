//! Defines the identifiers of chunks, documents, blobs, texts, embedders, worktrees and generations, each as a type of
//! its own.

use crate::hash::ContentHash;

/// A chunk's stable identity: the hash of its text, its qualified name, what else an index sees of it, and its ordinal
/// among equals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkId(pub ContentHash);

impl ChunkId {
    /// The identity of the `ordinal`-th chunk in its blob with this text, qualified name and facts.
    pub fn new(text_hash: ContentHash, qualified_name: &str, facts: &[u8], ordinal: u32) -> Self {
        Self(ContentHash::of_parts(&[text_hash.as_bytes(), qualified_name.as_bytes(), facts, &ordinal.to_le_bytes()]))
    }
}

/// The number of a chunk in its store: dense, given once in order of commit, never reused. Segments
/// hold contiguous ranges of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocId(pub u32);

impl DocId {
    /// This number as an index into a column.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The row of a blob in its store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlobId(pub u32);

/// The number of a distinct chunk text in its store; each vector belongs to one. Dense, never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextId(pub u32);

/// The row of an embedder in its store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EmbedderId(pub u32);

/// The row of a worktree in its store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorktreeId(pub u32);

/// The number that ties derived files to the database state they were made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Generation(pub u64);
