//! Remote vectors: lists the pending texts, and stores the delivered vectors.
//!
//! Texts are identified by hash, which is stable whatever another process does to the store meanwhile. The write lease
//! is held while vectors are stored, and never while a caller waits for them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::{Error, Result};
use codecairn_base::hash::ContentHash;
use codecairn_base::id::{BlobId, DocId, EmbedderId, TextId};
use codecairn_index::indexer::{blobs_of, current_branch, pending_in, places_of, publish_vectors};
use codecairn_model::vector::quantise;
use codecairn_store::{Snapshot, Spending};

use super::Engine;

/// A remote vector space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteSpace {
    /// Names model, prompts and dimensions; vectors of different names never meet.
    pub name: String,
    /// Length of the vectors.
    pub dimensions: u32,
}

/// A text that waits for its vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingText {
    /// Its hash, by which its vector is handed in.
    pub hash: ContentHash,
    /// The text.
    pub text: String,
}

/// The content of one answer of a provider.
#[derive(Debug, Clone, Default)]
pub struct Delivery {
    /// Vectors (float32, little-endian) by the hash of their text.
    pub vectors: Vec<(ContentHash, Vec<u8>)>,
    /// Texts that could not be embedded, and why.
    pub failures: Vec<(ContentHash, String)>,
    /// Its cost.
    pub spending: Spending,
}

/// The progress of a remote space.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemoteProgress {
    /// Texts of the branch that have their vector or wait for it.
    pub texts: u64,
    /// Those that wait, the failed ones included.
    pub pending: u64,
    /// Those that could not be embedded, and why.
    pub failures: Vec<(ContentHash, String)>,
    /// Whether searches use the space.
    pub is_active: bool,
}

impl Engine {
    /// The hashes of the branch's texts that wait for a vector.
    pub fn pending_hashes(&self) -> Result<Vec<ContentHash>> {
        let snapshot = self.store.reader()?;
        snapshot.hashes_of(&self.waiting(&snapshot)?.0)
    }

    /// The contents of some pending texts; those that are no longer pending are left out.
    pub fn pending_texts(&self, hashes: &[ContentHash]) -> Result<Vec<PendingText>> {
        let snapshot = self.store.reader()?;
        let (waiting, blobs) = self.waiting(&snapshot)?;
        let mut wanted: BTreeMap<TextId, ContentHash> = snapshot.texts_for(hashes)?;
        wanted.retain(|text, _| waiting.binary_search(text).is_ok());
        let numbers: Vec<TextId> = wanted.keys().copied().collect();
        let places = places_of(&snapshot, &blobs, &numbers).map_err(|error| self.located(error))?;
        places
            .into_iter()
            .map(|(text, (blob, span))| {
                Ok(PendingText { hash: wanted[&text], text: snapshot.blob_text_range(blob, span)? })
            })
            .collect()
    }

    /// Stores a delivery in one transaction. Vectors of texts that the store no longer has are skipped. Returns the
    /// number of stored vectors.
    pub fn deliver(&self, delivery: &Delivery) -> Result<u64> {
        let space = self.remote_space()?;
        let vectors = delivery.vectors.iter().map(|(hash, bytes)| Ok((*hash, quantised(bytes, space.dimensions)?)));
        let vectors = vectors.collect::<Result<Vec<_>>>()?;
        let mut guard = self.store.lock(&self.writer)?;
        let embedder = guard.embedder(&space.name, space.dimensions, space.dimensions)?;
        let mut batch = guard.begin()?;
        let mut kept = Vec::with_capacity(vectors.len());
        for (hash, bytes) in &vectors {
            if let Some(text) = batch.text_for(*hash)? {
                kept.push((text, bytes.as_slice()));
            }
            batch.forget_failure(embedder, *hash)?;
        }
        let count = kept.len() as u64;
        batch.put_vectors(embedder, kept)?;
        for (hash, reason) in &delivery.failures {
            batch.record_failure(embedder, *hash, reason)?;
        }
        if delivery.spending != Spending::default() {
            batch.add_spending(&space.name, delivery.spending)?;
        }
        batch.commit()?;
        Ok(count)
    }

    /// Builds segments from the stored vectors and publishes them.
    pub fn publish_vectors(&self, cancel: &CancelToken) -> Result<()> {
        let RemoteSpace { name, dimensions } = self.remote_space()?;
        let mut guard = self.store.lock(&self.writer)?;
        publish_vectors(&self.store, &mut guard, (name, *dimensions), cancel)?;
        if pending_in(&self.store.reader()?, name)?.is_empty() {
            self.update_graphs(&mut guard, cancel)
        } else {
            Ok(())
        }
    }

    /// Records spending on other things than vectors of texts, such as a query's vector or a reranking.
    pub fn add_spending(&self, name: &str, spending: Spending) -> Result<()> {
        let mut guard = self.store.lock(&self.writer)?;
        let mut batch = guard.begin()?;
        batch.add_spending(name, spending)?;
        batch.commit()
    }

    /// The spending so far, by vector space or reranker.
    pub fn spending(&self) -> Result<Vec<(String, Spending)>> {
        self.store.reader()?.spending()
    }

    /// Takes the right to have texts embedded, which one process has at a time; `false` if another one has it.
    pub fn start_draining(&self) -> Result<bool> {
        let mut held = self.draining.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_some() {
            return Ok(false);
        }
        *held = self.store.drain_lock()?;
        Ok(held.is_some())
    }

    /// Gives the right back.
    pub fn stop_draining(&self) {
        self.draining.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Whether searches use the remote space, so that a query needs a remote vector.
    pub fn uses_remote(&self) -> Result<bool> {
        match &self.remote {
            Some(_) => Ok(self.loaded()?.0.searcher.remote.is_some()),
            None => Ok(false),
        }
    }

    /// The progress of the remote space.
    pub fn remote_progress(&self) -> Result<RemoteProgress> {
        let snapshot = self.store.reader()?;
        let mut state = RemoteProgress::default();
        let (waiting, blobs) = self.waiting(&snapshot)?;
        let Some(embedder) = self.remote_embedder(&snapshot)? else {
            state.pending = waiting.len() as u64;
            return Ok(RemoteProgress { texts: state.pending, ..state });
        };
        let hashes: BTreeSet<ContentHash> = snapshot.hashes_of(&waiting)?.into_iter().collect();
        state.pending = waiting.len() as u64;
        state.failures = snapshot.failures(embedder)?;
        state.failures.retain(|(hash, _)| hashes.contains(hash));
        let embedded = snapshot.embedded_texts(embedder)?;
        let texts = texts_of(&snapshot, &blobs)?;
        state.texts = state.pending + texts.iter().filter(|text| embedded.get(text.0 as usize)).count() as u64;
        state.is_active = self.uses_remote()?;
        Ok(state)
    }

    /// A query's vector in the remote space, from float32, little-endian.
    pub(super) fn query_vector(&self, bytes: Option<&[u8]>) -> Result<Option<Vec<f32>>> {
        bytes.map(|bytes| floats(bytes, self.remote_space()?.dimensions)).transpose()
    }

    fn remote_space(&self) -> Result<&RemoteSpace> {
        let none = || Error::InvalidArgument("no embedder outside the core is configured".to_owned());
        self.remote.as_ref().ok_or_else(none)
    }

    fn remote_embedder(&self, snapshot: &Snapshot) -> Result<Option<EmbedderId>> {
        let Some(space) = &self.remote else { return Ok(None) };
        let known = snapshot.embedders()?.into_iter().find(|embedder| embedder.name == space.name);
        Ok(known.map(|embedder| embedder.id))
    }

    /// The texts of the branch that wait for a vector, in ascending order, and the branch's blobs. In a space that was
    /// never used all of them do.
    fn waiting(&self, snapshot: &Snapshot) -> Result<(Vec<TextId>, Vec<BlobId>)> {
        let blobs = blobs_of(snapshot, &current_branch(&self.root).0)?;
        self.remote_space()?;
        let Some(embedder) = self.remote_embedder(snapshot)? else {
            let plain = snapshot.plain_texts()?;
            let texts = texts_of(snapshot, &blobs)?.into_iter().filter(|text| !plain.contains(text)).collect();
            return Ok((texts, blobs));
        };
        let mut waiting = snapshot.pending(embedder)?;
        if !waiting.is_empty() {
            let texts = texts_of(snapshot, &blobs)?;
            waiting.retain(|text| texts.contains(text));
        }
        Ok((waiting, blobs))
    }
}

/// The texts of some blobs, which are in ascending order.
fn texts_of(snapshot: &Snapshot, blobs: &[BlobId]) -> Result<BTreeSet<TextId>> {
    let end = snapshot.next_doc()?;
    let mut texts = vec![None; end.index()];
    for (doc, _, text) in snapshot.chunks(DocId(0)..end)? {
        texts[doc.index()] = Some(text);
    }
    let mut found = BTreeSet::new();
    snapshot.each_chunks(blobs, |_, docs, _| {
        found.extend(docs.iter().filter_map(|doc| texts.get(doc.index()).copied().flatten()));
        Ok(())
    })?;
    Ok(found)
}

/// A vector as it is stored.
fn quantised(bytes: &[u8], dimensions: u32) -> Result<Vec<u8>> {
    Ok(quantise(&floats(bytes, dimensions)?)?.to_bytes())
}

/// A vector from float32, little-endian.
fn floats(bytes: &[u8], dimensions: u32) -> Result<Vec<f32>> {
    let wanted = dimensions as usize * 4;
    if bytes.len() != wanted {
        let found = bytes.len();
        let message = format!("a vector of {dimensions} dimensions has {wanted} bytes, not {found}");
        return Err(Error::InvalidArgument(message));
    }
    Ok(bytes.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect())
}

#[cfg(test)]
#[path = "remote_vectors_tests.rs"]
mod tests;
