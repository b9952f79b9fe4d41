//! The live segments while they grow: new ones at the end, small neighbours merged.
//!
//! Sizes stay geometric: a segment is merged with its left neighbour as long as that one has less than
//! twice its documents. So there are few segments, and each document is rewritten a logarithmic number
//! of times.

use std::path::Path;

use crate::error::Result;
use crate::failpoint;
use crate::id::{DocId, Generation};
use crate::lexical::{self, SegmentFile};
use crate::store::Segment;
use crate::vector::{self, VectorSegmentFile};

/// A kind of derived file that can be merged with its neighbour.
pub(super) trait Mergeable: Sized {
    /// Writes adjacent files as one.
    fn merge(folder: &Path, files: &[Self], generation: Generation) -> Result<Self>;
    /// How many documents it covers.
    fn count(&self) -> u32;
    /// As the store lists it.
    fn listed(&self) -> Segment;
}

impl Mergeable for SegmentFile {
    fn merge(folder: &Path, files: &[Self], generation: Generation) -> Result<Self> {
        lexical::merge(folder, files, generation)
    }

    fn count(&self) -> u32 {
        self.count
    }

    fn listed(&self) -> Segment {
        listed(self.first, self.count, &self.file_name, self.generation)
    }
}

impl Mergeable for VectorSegmentFile {
    fn merge(folder: &Path, files: &[Self], generation: Generation) -> Result<Self> {
        vector::merge(folder, files, generation)
    }

    fn count(&self) -> u32 {
        self.count
    }

    fn listed(&self) -> Segment {
        listed(self.first, self.count, &self.file_name, self.generation)
    }
}

fn listed(first: DocId, count: u32, file: &str, generation: Generation) -> Segment {
    Segment { first, count, file: file.to_owned(), generation }
}

/// Appends `new` to `files` and merges from the right while neighbours are of like size.
pub(super) fn append<F: Mergeable>(folder: &Path, files: &mut Vec<F>, new: F, generation: Generation) -> Result<()> {
    let mut first = files.len();
    let mut count = new.count();
    files.push(new);
    while first > 0 && files[first - 1].count() < 2 * count {
        first -= 1;
        count += files[first].count();
    }
    if first + 1 < files.len() {
        failpoint::reach("segments.before-merge")?;
        let merged = F::merge(folder, &files[first..], generation)?;
        failpoint::reach("segments.merged")?;
        files.truncate(first);
        files.push(merged);
    }
    Ok(())
}
