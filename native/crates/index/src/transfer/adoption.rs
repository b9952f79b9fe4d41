//! Takes in the numbering and the segments of another store.
//!
//! Everything is checked and written before one transaction numbers the documents and lists the segments. Files of an
//! adoption that failed or died are listed nowhere, and are collected as all such files are.

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::{Error, Result};
use codecairn_base::failpoint;
use codecairn_base::id::{DocId, Generation};
use codecairn_base::private_files;
use codecairn_lexical as lexical;
use codecairn_model::embed::Embedder;
use codecairn_model::vector::{self, SegmentOptions};
use codecairn_store::{NumberedChunk, Segment, SegmentKind, Segments, Store, WriteGuard};

use super::compressed::{declared_length, decompress};
use super::numbering::{MAX_DOCUMENTS, NumberingPart, unpack};
use super::segments::{LEXICAL, SegmentPart, vector_kind};

/// The maximum size of a lexical segment in bytes: this much, and for each document far more than the terms of the
/// longest chunk.
const MAX_LEXICAL: u64 = 4 << 30;
const MAX_LEXICAL_BASE: u64 = 1 << 20;
const MAX_LEXICAL_PER_DOCUMENT: u64 = 512 << 10;

/// Adopts the documents of another store: numbers them and lists their segments, which no branch has yet. Returns how
/// many there are.
///
/// # Errors
/// [`Error::InvalidArgument`] if the store has documents already, or parts are missing; [`Error::PartDamaged`] for a
/// part that is not what it should be. The store is as it was.
pub fn adopt<D: AsRef<[u8]>>(
    store: &Store,
    guard: &mut WriteGuard,
    model: &dyn Embedder,
    numbering: &[NumberingPart<D>],
    segments: &[SegmentPart<D>],
    cancel: &CancelToken,
) -> Result<u32> {
    if store.reader()?.next_doc()? != DocId(0) {
        let detail = "the store has documents already, so it can't adopt those of another one";
        return Err(Error::InvalidArgument(detail.to_owned()));
    }
    let chunks = unpack_all(numbering, cancel)?;
    let kind = vector_kind(model);
    if let Some(other) = segments.iter().find(|segment| segment.kind != LEXICAL && segment.kind != kind) {
        return Err(Error::InvalidArgument(format!("segments of the kind `{}` can't be used here", other.kind)));
    }
    let (lexical, vectors): (Vec<_>, Vec<_>) = segments.iter().partition(|segment| segment.kind == LEXICAL);
    for (kind, parts) in [(LEXICAL, &lexical), (kind.as_str(), &vectors)] {
        check_cover(kind, parts.iter().map(|part| (part.first, part.count)), chunks.len())?;
    }
    let mut writer = PartWriter { store, generation: guard.next_generation()?, written: Vec::new() };
    let written = writer.write(guard, model, &lexical, &vectors, cancel);
    let adopted = written.and_then(|segments| {
        failpoint::reach("adopt.segments-written")?;
        cancel.check()?;
        guard.adopt(&chunks, &segments)
    });
    match adopted {
        Ok(_) => Ok(chunks.len() as u32),
        Err(error) => {
            writer.remove();
            Err(error)
        }
    }
}

/// The chunks of all documents, from parts that follow each other from the first document on.
fn unpack_all<D: AsRef<[u8]>>(
    numbering: &[NumberingPart<D>],
    cancel: &CancelToken,
) -> Result<Vec<Option<NumberedChunk>>> {
    check_cover("numbering", numbering.iter().map(|part| (part.first, part.count)), 0)?;
    let documents: u64 = numbering.iter().map(|part| u64::from(part.count)).sum();
    if documents > u64::from(MAX_DOCUMENTS) {
        let detail = format!("it has {documents} documents; at most {MAX_DOCUMENTS} are taken");
        return Err(damaged("the numbering".to_owned(), &detail));
    }
    let mut chunks = Vec::new();
    for part in numbering {
        cancel.check()?;
        let name = || part_name("the numbering", part.first, part.count);
        let unpacked = unpack(part.data.as_ref(), part.count);
        chunks.append(&mut unpacked.map_err(|detail| damaged(name(), detail))?);
    }
    Ok(chunks)
}

/// Fails unless ranges of documents follow each other from the first on, to the `end` if there is one.
fn check_cover(kind: &str, parts: impl Iterator<Item = (u32, u32)>, end: usize) -> Result<()> {
    let mut next = 0u32;
    for (first, count) in parts {
        let after = first.checked_add(count).filter(|_| first == next && count > 0);
        next = after.ok_or_else(|| {
            let detail = format!("{kind} parts do not follow each other at document {next}");
            Error::InvalidArgument(detail)
        })?;
    }
    if end > 0 && next as usize != end {
        return Err(Error::InvalidArgument(format!("{kind} parts cover {next} documents of {end}")));
    }
    Ok(())
}

/// Writes segments that nothing lists yet.
struct PartWriter<'a> {
    store: &'a Store,
    generation: Generation,
    written: Vec<String>,
}

impl PartWriter<'_> {
    fn write<D: AsRef<[u8]>>(
        &mut self,
        guard: &mut WriteGuard,
        model: &dyn Embedder,
        lexical: &[&SegmentPart<D>],
        vectors: &[&SegmentPart<D>],
        cancel: &CancelToken,
    ) -> Result<Segments> {
        let (name, dimensions) = (model.id(), model.dimensions());
        let embedder = guard.embedder(name, dimensions as u32, dimensions as u32)?;
        let (folder, generation) = (self.store.segments_dir(), self.generation);
        let mut listed = Segments::new();
        for part in lexical {
            cancel.check()?;
            let file = self.put(part, max_lexical(part.count), |bytes| {
                let file = lexical::put_in(&folder, bytes, DocId(part.first), part.count, generation)?;
                Ok(file.file_name)
            })?;
            listed.entry(SegmentKind::Lexical).or_default().push(file);
        }
        for part in vectors {
            cancel.check()?;
            let options = SegmentOptions { first: DocId(part.first), dimensions, embedder: name, generation };
            let max_bytes = vector::segment_bytes(dimensions, part.count).unwrap_or(0) as u64;
            let file = self.put(part, max_bytes, |bytes| {
                let file = vector::put_in(&folder, &bytes, part.count, &options)?;
                Ok(file.file_name)
            })?;
            listed.entry(SegmentKind::Vector(embedder)).or_default().push(file);
        }
        Ok(listed)
    }

    /// Decompresses a part within the bounds of its kind and has it written.
    fn put<D: AsRef<[u8]>>(
        &mut self,
        part: &SegmentPart<D>,
        max_bytes: u64,
        write: impl FnOnce(Vec<u8>) -> Result<String>,
    ) -> Result<Segment> {
        let kind = if part.kind == LEXICAL { "the lexical segment" } else { "the vector segment" };
        let name = || part_name(kind, part.first, part.count);
        let length = declared_length(part.data.as_ref()).filter(|length| *length <= max_bytes);
        let length = length.and_then(|length| usize::try_from(length).ok());
        let length = length.ok_or_else(|| damaged(name(), "it is no compressed part, or too long"))?;
        let bytes = decompress(part.data.as_ref(), length).map_err(|detail| damaged(name(), detail))?;
        let file = write(bytes).map_err(|error| match error {
            Error::StoreDamaged { detail, .. } => damaged(name(), &detail),
            other => other,
        })?;
        self.written.push(file.clone());
        Ok(Segment { first: DocId(part.first), count: part.count, file, generation: self.generation })
    }

    /// Removes what was written and nothing lists.
    fn remove(&self) {
        // The files are collected later if it can't be known what is listed.
        let Ok(listed) = self.store.reader().and_then(|snapshot| snapshot.all_segments()) else { return };
        let folder = self.store.segments_dir();
        let is_listed = |file: &str| listed.values().flatten().any(|segment| segment.file == file);
        for file in self.written.iter().filter(|file| !is_listed(file)) {
            // In use on Windows: it is collected later.
            let _ = private_files::remove(&folder.join(file));
        }
    }
}

/// The maximum length of a lexical segment of so many documents.
fn max_lexical(count: u32) -> u64 {
    MAX_LEXICAL.min(MAX_LEXICAL_BASE + u64::from(count) * MAX_LEXICAL_PER_DOCUMENT)
}

fn part_name(kind: &str, first: u32, count: u32) -> String {
    format!("{kind} of documents {first} to {}", u64::from(first) + u64::from(count))
}

fn damaged(part: String, detail: &str) -> Error {
    Error::PartDamaged { part, detail: detail.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documents_of_all_parts_are_bounded_before_any_is_decompressed() {
        let part = |first, count| NumberingPart { first, count, data: Vec::new() };
        let outcome = |parts: &[NumberingPart]| unpack_all(parts, &CancelToken::default()).unwrap_err().to_string();
        let half = MAX_DOCUMENTS / 2;
        assert!(outcome(&[part(0, half), part(half, half)]).ends_with("it is no numbering"));
        let refused = outcome(&[part(0, half), part(half, half), part(2 * half, 1)]);
        assert!(refused.starts_with("the numbering can't be used: it has 16777217 documents"), "{refused}");
    }
}
