//! Closing the gaps that collected documents left: all derived files are made again, without them.

use super::derive::{Derived, VectorSpace};
use super::derive_vectors::{Gaps, GrowingVectors};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::failpoint;
use crate::store::{SegmentKind, Segments, Snapshot, Store, WriteGuard};

/// Numbers the documents that are left anew and makes the derived files for them, those of `space` among them. Readers
/// see the old state until it is done, and for good if it fails.
pub fn close_gaps(store: &Store, guard: &mut WriteGuard, space: (&str, u32), cancel: &CancelToken) -> Result<()> {
    let snapshot = store.reader()?;
    let own = guard.embedder(space.0, space.1, space.1)?;
    // The snapshot goes before the change is committed: without a log a commit waits for all readers.
    guard.renumber(move |renumbering| {
        failpoint::reach("gc.renumbered")?;
        let own = (own, space.0, space.1);
        let mut segments = Derived::without_gaps(store, &snapshot, own, renumbering.generation, cancel)?;
        segments.extend(others(store, &snapshot, own, renumbering.generation, cancel)?);
        failpoint::reach("gc.segments-written")?;
        Ok(segments)
    })?;
    failpoint::reach("gc.gaps-closed")
}

/// The segments of the other spaces that have any.
fn others(
    store: &Store,
    snapshot: &Snapshot,
    own: VectorSpace<'_>,
    generation: crate::id::Generation,
    cancel: &CancelToken,
) -> Result<Segments> {
    let mut segments = Segments::new();
    for embedder in snapshot.embedders()?.into_iter().filter(|embedder| embedder.id != own.0) {
        let kind = SegmentKind::Vector(embedder.id);
        if snapshot.segments(kind)?.is_empty() {
            continue;
        }
        let space = (embedder.id, embedder.name.as_str(), embedder.dimensions);
        let mut vectors = GrowingVectors::open(store, space, true, generation)?;
        vectors.catch_up(snapshot, Gaps::Closed, cancel)?;
        vectors.write()?;
        segments.insert(kind, vectors.listed());
    }
    Ok(segments)
}
