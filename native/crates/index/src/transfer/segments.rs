//! Packs the live segments of a store without their places.

use std::path::Path;

use codecairn_base::error::{Error, Result};
use codecairn_lexical as lexical;
use codecairn_model::embed::Embedder;
use codecairn_model::vector;
use codecairn_store::{SegmentKind, Snapshot};

use super::compressed::compress;
use crate::indexer::{lexical_files, vector_files};

/// The kind of segments of terms; of vectors it is this with the model's id: `vector:static-256-v1`.
pub(super) const LEXICAL: &str = "lexical";
const VECTOR: &str = "vector:";

/// zstd's level: higher ones save two hundredths.
const LEVEL: i32 = 3;

/// A segment without its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentPart<D = Vec<u8>> {
    /// `lexical`, or `vector:` with the id of the model.
    pub kind: String,
    /// Its first document.
    pub first: u32,
    /// How many it covers.
    pub count: u32,
    /// The segment, compressed.
    pub data: D,
}

/// The kind of the vectors of a model.
pub(super) fn vector_kind(model: &dyn Embedder) -> String {
    format!("{VECTOR}{}", model.id())
}

/// The live segments of terms, and of the vectors of a built-in model.
///
/// # Errors
/// [`Error::InvalidArgument`] if they do not cover the same documents: the index is not complete.
pub fn segment_parts(snapshot: &Snapshot, folder: &Path, model: &dyn Embedder) -> Result<Vec<SegmentPart>> {
    let mut parts = Vec::new();
    for file in lexical_files(folder, &snapshot.segments(SegmentKind::Lexical)?) {
        let data = compress(&lexical::take_out(folder, &file)?, LEVEL);
        parts.push(SegmentPart { kind: LEXICAL.to_owned(), first: file.first.0, count: file.count, data });
    }
    let covered: u64 = parts.iter().map(|part| u64::from(part.count)).sum();
    let embedder = snapshot.embedders()?.into_iter().find(|embedder| embedder.name == model.id());
    let listed = embedder.map(|embedder| snapshot.segments(SegmentKind::Vector(embedder.id))).transpose()?;
    let mut embedded = 0u64;
    for file in vector_files(folder, &listed.unwrap_or_default()) {
        let data = compress(&vector::take_out(folder, &file)?, LEVEL);
        embedded += u64::from(file.count);
        parts.push(SegmentPart { kind: vector_kind(model), first: file.first.0, count: file.count, data });
    }
    if covered == embedded {
        return Ok(parts);
    }
    Err(Error::InvalidArgument("the segments of the index are not complete; run `codecairn index` first".to_owned()))
}
