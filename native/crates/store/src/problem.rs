//! Defines the problems that a verification reports.

use std::collections::BTreeSet;
use std::fmt;

use codecairn_base::id::{BlobId, EmbedderId};

use super::record::SegmentKind;
use super::sorted_runs::Space;

/// What sort of invariant doesn't hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProblemCode {
    /// The database's pages don't fit together.
    Database,
    /// A branch's layers are incomplete.
    Catalog,
    /// A catalog leads to a blob that isn't there.
    BlobMissing,
    /// A blob lacks one of its parts.
    BlobIncomplete,
    /// A blob's text can't be read.
    TextUnreadable,
    /// A document lacks its chunk or text.
    DocIncomplete,
    /// A text has neither a vector nor a mark that it is to be embedded.
    VectorMissing,
    /// Stored vectors can't be read.
    VectorsUnreadable,
    /// A look-up of hashes lacks entries.
    LookUpIncomplete,
    /// A derived file is missing, of a later generation, or leaves a gap.
    Segment,
    /// Something that belongs to nothing.
    Orphan,
}

impl ProblemCode {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Database => "database",
            Self::Catalog => "catalog",
            Self::BlobMissing => "blob-missing",
            Self::BlobIncomplete => "blob-incomplete",
            Self::TextUnreadable => "text-unreadable",
            Self::DocIncomplete => "doc-incomplete",
            Self::VectorMissing => "vector-missing",
            Self::VectorsUnreadable => "vectors-unreadable",
            Self::LookUpIncomplete => "look-up-incomplete",
            Self::Segment => "segment",
            Self::Orphan => "orphan",
        }
    }
}

impl fmt::Display for ProblemCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// One invariant that doesn't hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Which sort.
    pub code: ProblemCode,
    /// What was found, in words.
    pub detail: String,
    pub(super) subject: RepairTarget,
}

impl Problem {
    /// A blob whose content does not match its numbers; `detail` in words.
    pub fn of_blob(blob: BlobId, detail: &str) -> Self {
        let detail = format!("blob {}: {detail}", blob.0);
        Self { code: ProblemCode::BlobIncomplete, detail, subject: RepairTarget::Blob(blob.0) }
    }

    /// Symbols that aren't found by their name.
    pub fn of_names(missing: usize, all: usize) -> Self {
        let detail = format!("{missing} of {all} names of symbols aren't found");
        Self { code: ProblemCode::LookUpIncomplete, detail, subject: RepairTarget::LookUp(Space::Symbol) }
    }

    /// Whether it is about the names of symbols, which the store can't read by itself.
    pub fn is_of_names(&self) -> bool {
        self.subject == RepairTarget::LookUp(Space::Symbol)
    }

    /// The blob that it is about.
    pub fn blob(&self) -> Option<BlobId> {
        if let RepairTarget::Blob(blob) = self.subject { Some(BlobId(blob)) } else { None }
    }
}

/// The part of a store that a repair deals with.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RepairTarget {
    Database,
    Branch(String),
    Blob(u32),
    Doc(u32),
    /// Texts without a vector.
    Texts(EmbedderId, Vec<u32>),
    VectorBlock(i64),
    LookUp(Space),
    Segments(SegmentKind),
    Orphans(Orphans),
}

/// Rows that belong to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Orphans {
    Chunks,
    Syntax,
    Entries,
    Layers,
    Stats,
    Skips,
    Vectors,
}

impl Orphans {
    pub(super) const ALL: [Self; 7] =
        [Self::Chunks, Self::Syntax, Self::Entries, Self::Layers, Self::Stats, Self::Skips, Self::Vectors];

    /// Their table and the condition that they meet.
    pub(super) fn rows(self) -> (&'static str, &'static str) {
        match self {
            Self::Chunks => ("blob_chunks", "blob NOT IN (SELECT id FROM blob)"),
            Self::Syntax => ("blob_syntax", "blob NOT IN (SELECT id FROM blob)"),
            Self::Entries => ("layer_entry", "layer NOT IN (SELECT id FROM layer)"),
            Self::Layers => (
                "layer",
                "id NOT IN (WITH RECURSIVE used (id) AS (SELECT layer FROM branch UNION \
                 SELECT layer.parent FROM layer JOIN used ON layer.id = used.id WHERE layer.parent IS NOT NULL) \
                 SELECT id FROM used)",
            ),
            // `NULL NOT IN (…)` holds while there are no blobs at all.
            Self::Stats => (
                "stat",
                "worktree NOT IN (SELECT id FROM worktree) OR (blob IS NOT NULL AND blob NOT IN (SELECT id FROM blob))",
            ),
            Self::Skips => ("skip", "worktree NOT IN (SELECT id FROM worktree)"),
            Self::Vectors => ("vector_block", "(id >> 32) NOT IN (SELECT id FROM embedder)"),
        }
    }
}

/// What a repair did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repair {
    /// What was put right. What was dropped for it is indexed again by the next run.
    pub fixed: Vec<Problem>,
    /// The problems that need the caller: the database must be set aside, or the symbol names rewritten.
    pub remaining: Vec<Problem>,
    /// The kinds of derived files that must be rebuilt.
    pub rebuild: BTreeSet<SegmentKind>,
}
