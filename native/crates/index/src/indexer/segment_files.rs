//! Converts published segments to what the lexical and the vector index open.

use std::path::Path;

use codecairn_lexical::SegmentFile;
use codecairn_model::vector::{HnswFile, VectorSegmentFile};
use codecairn_store::Segment;

/// Listed segments as the lexical index opens them.
pub fn lexical_files(folder: &Path, segments: &[Segment]) -> Vec<SegmentFile> {
    segments
        .iter()
        .map(|segment| SegmentFile {
            file_name: segment.file.clone(),
            generation: segment.generation,
            first: segment.first,
            count: segment.count,
            size_bytes: size_bytes(folder, segment),
        })
        .collect()
}

/// Listed segments as the vector index opens them.
pub fn vector_files(folder: &Path, segments: &[Segment]) -> Vec<VectorSegmentFile> {
    segments
        .iter()
        .map(|segment| VectorSegmentFile {
            file_name: segment.file.clone(),
            generation: segment.generation,
            first: segment.first,
            count: segment.count,
            size_bytes: size_bytes(folder, segment),
        })
        .collect()
}

/// The listed graph as the vector index opens it, if there is one.
pub fn graph_file(folder: &Path, segments: &[Segment]) -> Option<HnswFile> {
    segments.first().map(|segment| HnswFile {
        file_name: segment.file.clone(),
        generation: segment.generation,
        count: segment.count,
        size_bytes: size_bytes(folder, segment),
    })
}

/// The length of a segment's file; zero if it is missing, which fails when it is opened.
fn size_bytes(folder: &Path, segment: &Segment) -> u64 {
    std::fs::metadata(folder.join(&segment.file)).map_or(0, |metadata| metadata.len())
}
