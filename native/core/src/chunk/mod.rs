//! Text to chunks: ordered, disjoint, covering every non-blank line, without overlap.

mod record;

pub use record::{Chunk, Extraction};
