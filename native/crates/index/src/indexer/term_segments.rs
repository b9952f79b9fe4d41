//! Appends the documents of a run to a growing lexical segment, writes it, and merges it with the live ones.
//!
//! Invariant: they are derived from the store alone, so they can be rebuilt at any time.

use std::path::PathBuf;

use codecairn_base::error::Result;
use codecairn_base::id::{DocId, Generation};
use codecairn_lexical::{AnalyzedBatch, LexicalIndex, SegmentBuilder, SegmentFile};
use codecairn_store::{Segment, SegmentKind, Snapshot, Store};

use super::merge_policy::{Mergeable, end, settle};
use super::segment_files::lexical_files;

/// A segment in the making is written out when it holds this much memory.
const LARGEST_BUILDER: usize = 128 << 20;

/// Lexical segments in the making.
pub(super) struct TermSegments {
    folder: PathBuf,
    generation: Generation,
    files: Vec<SegmentFile>,
    builder: SegmentBuilder,
    changed: bool,
}

impl TermSegments {
    /// Takes up the live files, unless they are damaged; with `afresh` none of them.
    pub(super) fn open(store: &Store, snapshot: &Snapshot, afresh: bool, generation: Generation) -> Result<Self> {
        let folder = store.segments_dir();
        let mut files = Vec::new();
        if !afresh {
            files = lexical_files(&folder, &snapshot.segments(SegmentKind::Lexical)?);
            // A damaged or missing file is no error here: it is derived, and is rebuilt.
            if LexicalIndex::open(&folder, &files).is_err() {
                files.clear();
            }
        }
        let covered = files.last().map_or(DocId(0), end);
        Ok(Self { folder, generation, files, builder: SegmentBuilder::new(covered), changed: false })
    }

    /// The first document that is not covered yet.
    pub(super) fn next_doc(&self) -> DocId {
        DocId(self.files.last().map_or(0, |file| end(file).0) + self.builder.len() as u32)
    }

    /// Appends documents' terms.
    pub(super) fn push(&mut self, terms: &AnalyzedBatch, keep: &[bool]) -> Result<()> {
        self.builder.push(terms, keep);
        if self.builder.byte_size() > LARGEST_BUILDER { self.write_builder() } else { Ok(()) }
    }

    /// Writes what was appended.
    pub(super) fn write(&mut self) -> Result<()> {
        self.write_builder()?;
        if self.changed { settle(&self.folder, &mut self.files, self.generation) } else { Ok(()) }
    }

    fn write_builder(&mut self) -> Result<()> {
        if self.builder.is_empty() {
            return Ok(());
        }
        let next = SegmentBuilder::new(self.next_doc());
        let file = std::mem::replace(&mut self.builder, next).write(&self.folder, self.generation)?;
        self.changed = true;
        self.files.push(file);
        Ok(())
    }

    /// Whether there are files that no publication lists yet.
    pub(super) fn has_changed(&self) -> bool {
        self.changed
    }

    /// The live files, for publication.
    pub(super) fn listed(&self) -> Vec<Segment> {
        self.files.iter().map(Mergeable::listed).collect()
    }
}
