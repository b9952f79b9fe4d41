//! Exports an index for another store whose folder has the same files, and imports it there.
//!
//! Texts are not exported. *Records* hold what was read from one text ([`RecordPacks`]); *segments* hold terms and vectors
//! of documents, and their *numbering* the chunks that these documents are. A run of the indexer takes a record in place
//! of a parse, and derives nothing from chunks whose documents were adopted.
//!
//! | part | named by | holds |
//! |---|---|---|
//! | record | BLAKE3 of the text, language | chunk table, symbols, references, names |
//! | numbering | range of documents | chunk ids, hashes of texts |
//! | segment | kind and range of documents | terms with frequencies; vectors |
//!
//! Invariant: parts are untrusted until they are checked. Decompression is bounded by what a part declares, and that
//! by fixed limits. A record that does not fit its text is not used; any other part that is not what it should be is
//! [`Error::PartDamaged`](codecairn_base::Error::PartDamaged) before anything is listed. What cannot be checked, as that
//! terms and vectors are those of the chunk that the numbering names, rests on the signer of the parts.

mod adoption;
mod compressed;
mod contents;
mod numbering;
mod record_pack;
mod segments;

use codecairn_lexical as lexical;
use codecairn_model::embed::Embedder;
use codecairn_model::vector;
use codecairn_syntax::chunk::EXTRACTOR_VERSION;

pub use adoption::adopt;
pub use contents::{Digests, IndexedContent, TextDigest, contents, digest_of, records};
pub use numbering::{NumberingPart, numbering_parts};
pub use record_pack::RecordPacks;
pub(crate) use record_pack::{Record, seal_of};
pub use segments::{SegmentPart, segment_parts};

/// All versions that two stores must agree in, so that parts of one can be used in the other, as one text.
pub fn format_name(model: &dyn Embedder) -> String {
    let (records, numbering) = (record_pack::VERSION, numbering::VERSION);
    let vectors = vector::format_name(model.id(), model.dimensions());
    let lexical = lexical::format_name();
    format!("extractor {EXTRACTOR_VERSION}; records {records}; numbering {numbering}; {lexical}; {vectors}")
}

/// A pack of one record.
#[cfg(test)]
pub(crate) fn pack_of(
    digest: TextDigest,
    language: &str,
    flags: u32,
    seal: codecairn_base::hash::ContentHash,
    (table, syntax): (&[u8], &[u8]),
) -> Vec<u8> {
    let tables = codecairn_store::PackedTables::new(table, syntax);
    let (table, syntax) = tables.stored();
    let mut writer = record_pack::PackWriter::default();
    writer.push(&record_pack::NewRecord { digest, language, flags, seal, table, syntax });
    writer.finish().expect("one record")
}
