//! Compaction: renumbers documents without the gaps that garbage collection left, and rebuilds all derived files.

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::Result;
use codecairn_base::failpoint;
use codecairn_base::id::{EmbedderId, Generation};
use codecairn_model::embed::{Embedder as Model, builtin};
use codecairn_store::{Embedder, SegmentKind, Segments, Snapshot, Store, WriteGuard};

use super::derived_files::DerivedFiles;
use super::text_locations::Gaps;
use super::vector_segments::{VectorSegments, VectorSpace};

/// Renumbers the live documents and rebuilds the derived files for them, those of the space of `model` among
/// them. Readers see the old state until it is done, and for good if it fails.
pub fn close_gaps(store: &Store, guard: &mut WriteGuard, model: &dyn Model, cancel: &CancelToken) -> Result<()> {
    let snapshot = store.reader()?;
    let (name, dimensions) = (model.id(), model.dimensions() as u32);
    let id = guard.embedder(name, dimensions, dimensions)?;
    // The snapshot goes before the change is committed: without a log a commit waits for all readers.
    guard.renumber(move |renumbering| {
        failpoint::reach("gc.renumbered")?;
        let own = VectorSpace { id, name, dimensions, model: Some(model) };
        let mut segments = DerivedFiles::without_gaps(store, &snapshot, own, renumbering.generation, cancel)?;
        segments.extend(others(store, &snapshot, id, renumbering.generation, cancel)?);
        failpoint::reach("gc.segments-written")?;
        Ok(segments)
    })?;
    failpoint::reach("gc.gaps-closed")
}

/// The segments of the spaces other than `own` that have any.
fn others(
    store: &Store,
    snapshot: &Snapshot,
    own: EmbedderId,
    generation: Generation,
    cancel: &CancelToken,
) -> Result<Segments> {
    let mut segments = Segments::new();
    for Embedder { id, name, dimensions, .. } in snapshot.embedders()?.into_iter().filter(|other| other.id != own) {
        let kind = SegmentKind::Vector(id);
        if snapshot.segments(kind)?.is_empty() {
            continue;
        }
        let model = builtin(&name);
        let space = VectorSpace { id, name: &name, dimensions, model: model.as_deref() };
        let mut vectors = VectorSegments::open(store, space, true, generation)?;
        vectors.catch_up(snapshot, Gaps::Closed, cancel)?;
        vectors.write()?;
        segments.extend(vectors.listed());
    }
    Ok(segments)
}
