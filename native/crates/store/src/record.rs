//! Defines the records of the store as plain data.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use codecairn_base::hash::ContentHash;
use codecairn_base::id::{BlobId, DocId, EmbedderId, Generation};

use super::frames::TextPosition;
use super::names::NameHash;
use super::packed_tables::PackedTables;
use super::row_check;

/// A branch's files: path, relative to the root with `/`, to blob.
pub type Catalog = BTreeMap<String, BlobId>;

/// The changes of a catalog: path to new blob, or `None` for a removal.
pub type CatalogDelta = BTreeMap<String, Option<BlobId>>;

/// Flag of a blob whose text, or a part of it, was cut by lines because its parse was stopped.
pub const UNPARSED: u32 = 1;

/// Flag of a blob that might come out better another time. One that did takes its place: the store goes on having both,
/// and finds the new one.
pub const PROVISIONAL: u32 = 2;

/// Flag of a blob whose parse ended a process. It comes out better once that is forgotten: with another version.
pub const FATAL: u32 = 4;

/// Flag of a blob with a region that its grammar can't read, where definitions may be missing.
pub const LOSSY: u32 = 8;

/// Added to the flags of a provisional blob each time that it came out no better.
pub(super) const ATTEMPT: u32 = 1 << 8;

/// A blob to be stored.
#[derive(Debug, Clone, Copy)]
pub struct NewBlob<'a> {
    /// Hash of the file's raw bytes.
    pub hash: ContentHash,
    /// The language that it was read as.
    pub language: &'a str,
    /// What sort of file it is, in the walk's words.
    pub class: &'a str,
    /// The encoding that it was decoded from.
    pub encoding: &'a str,
    /// The extractor that made the chunks.
    pub extractor_version: u32,
    /// The decoded text.
    pub text: &'a str,
    /// Lines in the text.
    pub line_count: u32,
    /// [`UNPARSED`], [`PROVISIONAL`], [`FATAL`], [`LOSSY`].
    pub flags: u32,
    /// The chunks' numbers, in the order of the chunk table.
    pub docs: &'a [DocId],
    /// Its chunk table and its symbols and references.
    pub tables: &'a PackedTables,
    /// The simple names of the symbols that it defines.
    pub names: &'a [NameHash],
}

/// A stored blob without its text and tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlobRecord {
    /// Its row.
    pub id: BlobId,
    /// Hash of the file's raw bytes.
    pub hash: ContentHash,
    /// The language that it was read as.
    pub language: String,
    /// What sort of file it is.
    pub class: String,
    /// The encoding that it was decoded from.
    pub encoding: String,
    /// The extractor that made the chunks.
    pub extractor_version: u32,
    /// Bytes of the decoded text.
    pub byte_len: u32,
    /// Lines in the text.
    pub line_count: u32,
    /// [`UNPARSED`], [`PROVISIONAL`], [`FATAL`], [`LOSSY`].
    pub flags: u32,
    pub(super) place: TextPosition,
}

impl BlobRecord {
    /// The checksum of its row.
    pub(super) fn checksum(&self) -> i64 {
        let Self { id, hash, language, class, encoding, extractor_version, byte_len, line_count, flags, place } = self;
        let numbers = [id.0, *extractor_version, *byte_len, *line_count, *flags, place.frame, place.offset];
        let numbers: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        row_check::of_row(&[&numbers, hash.as_bytes(), language.as_bytes(), class.as_bytes(), encoding.as_bytes()])
    }
}

/// An indexed branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// Its name, or `@<sha>` when detached.
    pub name: String,
    /// The commit at its last publication, if git has one.
    pub head: Option<String>,
    /// The generation at which its catalog was published last.
    pub generation: Generation,
    /// When, in nanoseconds since the epoch.
    pub indexed_at_ns: i64,
    pub(super) layer: i64,
}

/// What was known of a file when it was last read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatEntry {
    /// Path relative to the worktree's root.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last change, in nanoseconds since the epoch.
    pub mtime_ns: i64,
    /// Time of the last change of content or attributes, in nanoseconds since the epoch; 0 where there is none.
    pub ctime_ns: i64,
    /// Inode, or 0 where there are none.
    pub inode: u64,
    /// When this was recorded, in nanoseconds since the epoch.
    pub recorded_ns: i64,
    /// The content found; `None` if the file was left out because of it.
    pub blob: Option<BlobId>,
}

/// Changes of a worktree's stat cache.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatDelta {
    /// New and changed entries.
    pub recorded: Vec<StatEntry>,
    /// Paths to be forgotten.
    pub removed: Vec<String>,
}

/// A file that was left out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SkipEntry {
    /// Path relative to the worktree's root.
    pub path: String,
    /// The reason's stable name.
    pub reason: String,
    /// More about it, in words.
    pub detail: String,
}

/// An embedder whose vectors the store keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embedder {
    /// Its row.
    pub id: EmbedderId,
    /// Model, dimensions and version in one name.
    pub name: String,
    /// Numbers in a vector.
    pub dimensions: u32,
    /// Bytes of a stored vector.
    pub vector_bytes: u32,
}

/// What a derived file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SegmentKind {
    /// Postings of terms.
    Lexical,
    /// Vectors of an embedder.
    Vector(EmbedderId),
    /// The graph over an embedder's vectors.
    Hnsw(EmbedderId),
}

impl fmt::Display for SegmentKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lexical => formatter.write_str("lexical"),
            Self::Vector(embedder) => write!(formatter, "vector:{}", embedder.0),
            Self::Hnsw(embedder) => write!(formatter, "hnsw:{}", embedder.0),
        }
    }
}

impl FromStr for SegmentKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let embedder = |number: &str| number.parse().map(EmbedderId).ok();
        let kind = match text.split_once(':') {
            None => (text == "lexical").then_some(Self::Lexical),
            Some(("vector", number)) => embedder(number).map(Self::Vector),
            Some(("hnsw", number)) => embedder(number).map(Self::Hnsw),
            Some(_) => None,
        };
        kind.ok_or_else(|| format!("unknown kind of segment `{text}`"))
    }
}

/// A live derived file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Its first document.
    pub first: DocId,
    /// How many documents it covers from there.
    pub count: u32,
    /// Its name in the folder of segments.
    pub file: String,
    /// The generation that it was written for.
    pub generation: Generation,
}

/// The live derived files of the kinds named, each list in order of its documents.
pub type Segments = BTreeMap<SegmentKind, Vec<Segment>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_segments_lead_back() {
        for kind in [SegmentKind::Lexical, SegmentKind::Vector(EmbedderId(3)), SegmentKind::Hnsw(EmbedderId(0))] {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        for text in ["", "vector", "vector:", "vector:x", "hnsw:-1", "tree:1"] {
            assert!(text.parse::<SegmentKind>().is_err(), "{text}");
        }
    }
}
