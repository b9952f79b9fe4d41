//! Cuts text into chunks: ordered, disjoint, covering every non-blank line, without overlap.
//!
//! An [`Extractor`] parses a text once, matches its language's queries in one walk over the tree, and cuts the text
//! at what they mark; texts without a grammar are cut by lines. It never fails: whatever the text, chunks come out.

mod attach;
mod cost;
mod extractor;
mod finish;
mod group;
mod identity;
mod layers;
mod limits;
mod lines;
mod outline;
mod record;
mod split;
mod table;
mod verified;

pub use extractor::{EXTRACTOR_VERSION, Extractor, crash_log};
pub use record::{Chunk, Extraction};
pub use table::{ChunkFacts, ChunkTable, SymbolFacts};
pub use verified::{VerifiedChunk, VerifiedRecord};
