//! Manages the vector spaces of a run: the one of the built-in model, and the remote ones.
//!
//! Invariant: in each remote space in use, every text that needs a vector has one or is pending. Vectors of built-in
//! models are derived from the texts and are in their segments only.

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::Result;
use codecairn_base::id::{DocId, EmbedderId};
use codecairn_model::embed::builtin;
use codecairn_store::{Embedder, SegmentKind, Segments, Snapshot, Store, WriteGuard};

use super::text_locations::Gaps;
use super::vector_segments::{VectorSegments, VectorSpace};

/// The name and the dimensions of a space.
pub type SpaceName<'a> = (&'a str, u32);

/// The spaces of a store by their rows.
#[derive(Debug, Clone)]
pub(super) struct VectorSpaces {
    /// The one that this run embeds into.
    pub(super) own: EmbedderId,
    /// The remote spaces, in which new texts become pending.
    pub(super) remote: Vec<EmbedderId>,
}

impl VectorSpaces {
    /// Opens the named spaces, creating them if they are new, and all other spaces of the store.
    pub(super) fn open(guard: &mut WriteGuard, own: SpaceName<'_>, remote: Option<SpaceName<'_>>) -> Result<Self> {
        let (name, dimensions) = own;
        let own = guard.embedder(name, dimensions, dimensions)?;
        if let Some(remote) = remote {
            open_remote(guard, remote)?;
        }
        let known = guard.store().reader()?.embedders()?;
        let is_remote = |embedder: &Embedder| embedder.id != own && builtin(&embedder.name).is_none();
        Ok(Self { own, remote: known.into_iter().filter(is_remote).map(|embedder| embedder.id).collect() })
    }
}

/// The row of a remote space; in a new one all texts of the store are pending.
fn open_remote(guard: &mut WriteGuard, (name, dimensions): SpaceName<'_>) -> Result<EmbedderId> {
    let embedder = guard.embedder(name, dimensions, dimensions)?;
    guard.list_all_texts(embedder)?;
    Ok(embedder)
}

/// The segments of the other spaces that have any, grown by the documents that are new.
pub(super) fn grow_others(guard: &mut WriteGuard, spaces: &VectorSpaces, cancel: &CancelToken) -> Result<Segments> {
    let (store, generation) = (&guard.store().clone(), guard.next_generation()?);
    let mut snapshot = store.reader()?;
    let mut grown = Segments::new();
    for embedder in snapshot.embedders()?.into_iter().filter(|embedder| embedder.id != spaces.own) {
        let kind = SegmentKind::Vector(embedder.id);
        if snapshot.segments(kind)?.is_empty() {
            continue;
        }
        let model = builtin(&embedder.name);
        let Embedder { id, ref name, dimensions, .. } = embedder;
        let space = VectorSpace { id, name, dimensions, model: model.as_deref() };
        let mut vectors = VectorSegments::open(store, space, false, generation)?;
        if vectors.is_rebuilt() {
            drop(snapshot);
            guard.forget_documents_without_text(DocId(0))?;
            snapshot = store.reader()?;
        }
        vectors.catch_up(&snapshot, Gaps::Kept, cancel)?;
        vectors.write()?;
        if vectors.has_changed() {
            grown.extend(vectors.listed());
        }
    }
    Ok(grown)
}

/// Makes the segments of a space agree with its stored vectors and publishes them. What is there is kept if vectors
/// came for new documents only.
pub fn publish_vectors(
    store: &Store,
    guard: &mut WriteGuard,
    space: SpaceName<'_>,
    cancel: &CancelToken,
) -> Result<()> {
    let embedder = open_remote(guard, space)?;
    let snapshot = store.reader()?;
    let named = VectorSpace { id: embedder, name: space.0, dimensions: space.1, model: None };
    let mut vectors = VectorSegments::open(store, named, false, guard.next_generation()?)?;
    if !vectors.agrees(&snapshot)? {
        vectors = VectorSegments::open(store, named, true, guard.next_generation()?)?;
    }
    vectors.catch_up(&snapshot, Gaps::Kept, cancel)?;
    vectors.write()?;
    if vectors.has_changed() {
        guard.publish_segments(&vectors.listed())?;
    }
    Ok(())
}

/// The texts without a vector in a space, in ascending order; none if the space was never used.
pub fn pending_in(snapshot: &Snapshot, name: &str) -> Result<Vec<codecairn_base::id::TextId>> {
    match snapshot.embedders()?.into_iter().find(|embedder| embedder.name == name) {
        Some(embedder) => snapshot.pending(embedder.id),
        None => Ok(Vec::new()),
    }
}
