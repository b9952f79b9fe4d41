//! Names the texts of a branch by their digests, and packs their records.

use std::collections::HashMap;

use rayon::prelude::*;

use codecairn_base::error::{Error, Result};
use codecairn_base::id::BlobId;
use codecairn_base::parallel::on_all_threads;
use codecairn_store::{BlobRecord, PROVISIONAL, Snapshot, TablePacker, UNPARSED};
use codecairn_syntax::chunk::{EXTRACTOR_VERSION, VerifiedRecord};

use super::record_pack::{NewRecord, PackWriter, seal_of};

/// BLAKE3 of a decoded text.
pub type TextDigest = [u8; 32];

/// Texts that are in memory at once while they are hashed or packed: their number, and bytes.
const BATCH: usize = 256;
const BATCH_BYTES: u64 = 32 << 20;

/// The digest of a text.
pub fn digest_of(text: &str) -> TextDigest {
    *blake3::hash(text.as_bytes()).as_bytes()
}

/// Cuts blobs into groups of texts that are in memory at once.
fn batches<'b>(blobs: &'b [&BlobRecord]) -> impl Iterator<Item = &'b [&'b BlobRecord]> {
    let mut rest = blobs;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = |blob: &&&BlobRecord| {
            bytes += u64::from(blob.byte_len);
            bytes <= BATCH_BYTES
        };
        let count = rest.iter().take(BATCH).take_while(fits).count().max(1).min(rest.len());
        let (some, after) = rest.split_at(count);
        rest = after;
        (!some.is_empty()).then_some(some)
    })
}

/// A file of a branch, as another store would name its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedContent {
    /// Path relative to the root.
    pub path: String,
    /// Digest of its text.
    pub digest: TextDigest,
    /// The language that it is read as.
    pub language: String,
}

/// The digests of a store's texts, as far as they were needed. A blob never changes its text, so they stay valid.
#[derive(Debug, Default)]
pub struct Digests {
    of_blobs: HashMap<BlobId, TextDigest>,
    blobs: HashMap<(TextDigest, String), BlobId>,
}

impl Digests {
    /// Computes those of `blobs` that are missing.
    fn add(&mut self, snapshot: &Snapshot, blobs: &[BlobRecord]) -> Result<()> {
        let new: Vec<&BlobRecord> = blobs.iter().filter(|blob| !self.of_blobs.contains_key(&blob.id)).collect();
        for some in batches(&new) {
            let texts = snapshot.blob_texts(&some.iter().map(|blob| blob.id).collect::<Vec<_>>())?;
            let digests: Vec<TextDigest> = on_all_threads(|| texts.par_iter().map(|text| digest_of(text)).collect());
            for (blob, digest) in some.iter().zip(digests) {
                self.of_blobs.insert(blob.id, digest);
                self.blobs.insert((digest, blob.language.clone()), blob.id);
            }
        }
        Ok(())
    }
}

/// Whether a blob is one that the extractor of this version made.
fn is_current(blob: &BlobRecord) -> bool {
    blob.extractor_version == EXTRACTOR_VERSION
}

/// The files of a branch in order of their paths, as far as this version read them; `None` if it is not indexed.
pub fn contents(snapshot: &Snapshot, branch: &str, digests: &mut Digests) -> Result<Option<Vec<IndexedContent>>> {
    let Some(catalog) = snapshot.catalog(branch)? else { return Ok(None) };
    let mut ids: Vec<BlobId> = catalog.values().copied().collect();
    ids.sort_unstable();
    ids.dedup();
    let blobs = ids.iter().map(|id| snapshot.blob(*id)).collect::<Result<Vec<_>>>()?;
    let blobs: Vec<BlobRecord> = blobs.into_iter().filter(is_current).collect();
    digests.add(snapshot, &blobs)?;
    let languages: HashMap<BlobId, String> = blobs.into_iter().map(|blob| (blob.id, blob.language)).collect();
    let content = |(path, blob): (String, BlobId)| {
        let language = languages.get(&blob)?.clone();
        Some(IndexedContent { path, digest: *digests.of_blobs.get(&blob)?, language })
    };
    Ok(Some(catalog.into_iter().filter_map(content).collect()))
}

/// The records of texts, given by digest and language, as one pack in this order. Texts whose parse took too long have
/// none, so that each store tries again.
///
/// # Errors
/// [`Error::InvalidArgument`] if the store has no such text, or for too many of them.
pub fn records(snapshot: &Snapshot, digests: &mut Digests, wanted: &[(TextDigest, String)]) -> Result<Vec<u8>> {
    if !wanted.iter().all(|key| digests.blobs.contains_key(key)) {
        let blobs: Vec<BlobRecord> = snapshot.blobs()?.into_iter().filter(is_current).collect();
        digests.add(snapshot, &blobs)?;
    }
    let unknown = |(digest, language): &(TextDigest, String)| {
        let digest = blake3::Hash::from_bytes(*digest).to_hex();
        Error::InvalidArgument(format!("the index has no text {digest} in the language `{language}`"))
    };
    let found = wanted.iter().map(|key| snapshot.blob(*digests.blobs.get(key).ok_or_else(|| unknown(key))?));
    let found = found.collect::<Result<Vec<BlobRecord>>>()?;
    let blobs: Vec<&BlobRecord> = found.iter().filter(|blob| blob.flags & PROVISIONAL == 0).collect();
    let (mut pack, mut packer) = (PackWriter::default(), TablePacker::default());
    for some in batches(&blobs) {
        let texts = snapshot.blob_texts(&some.iter().map(|blob| blob.id).collect::<Vec<_>>())?;
        for (blob, text) in some.iter().zip(&texts) {
            let ((_, table), syntax) = (snapshot.blob_chunks(blob.id)?, snapshot.blob_syntax(blob.id)?);
            // One that does not fit its text would be refused where it is used.
            let Ok(verified) = VerifiedRecord::read(&table, &syntax, text) else { continue };
            let seal = seal_of(verified.chunks.iter().map(|chunk| chunk.id));
            let (digest, flags) = (digest_of(text), blob.flags & UNPARSED);
            let tables = packer.pack(table, &syntax);
            let (table, syntax) = tables.stored();
            pack.push(&NewRecord { digest, language: &blob.language, flags, seal, table, syntax });
        }
    }
    pack.finish()
}
