//! One text made ready to be committed; runs on all cores and touches no state.

use std::sync::{Arc, Mutex};

use crate::chunk::{Extraction, Extractor};
use crate::clock::Clock;
use crate::embed::{Embedder, Scratch};
use crate::id::ChunkId;
use crate::lexical::{AnalyzedBatch, Document};
use crate::vector::{QuantisedVector, quantise};
use crate::walk::Source;

/// A text with all that is derived from it.
pub(super) struct Prepared {
    pub(super) source: Source,
    pub(super) extraction: Extraction,
    /// The chunks' identities, in order.
    pub(super) chunk_ids: Vec<ChunkId>,
    /// One document per chunk, in order.
    pub(super) terms: AnalyzedBatch,
    /// One vector per chunk, in order; `None` where the chunk is lexical only or nothing embeds here.
    pub(super) vectors: Vec<Option<QuantisedVector>>,
}

/// Parsers and buffers that are costly to make, handed from one text to the next.
pub(super) struct Workbench {
    benches: Mutex<Vec<(Extractor, Scratch)>>,
    clock: Arc<dyn Clock>,
}

impl Workbench {
    /// With the clock that ends parses which take too long.
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { benches: Mutex::default(), clock }
    }

    /// Prepares one text.
    pub(super) fn prepare(&self, source: Source, embedder: Option<&dyn Embedder>) -> Prepared {
        let (mut extractor, mut scratch) =
            self.lock().pop().unwrap_or_else(|| (Extractor::with_clock(Arc::clone(&self.clock)), Scratch::default()));
        let extraction = extractor.extract(&source.text, source.language);
        let terms = analyze(&source.text, &extraction);
        let vectors = extraction
            .chunks
            .iter()
            .map(|chunk| {
                let embedder = embedder.filter(|_| !chunk.lexical_only)?;
                // A built-in model gives finite numbers; a vector that can't be kept is one the text does not have.
                quantise(&embedder.embed_document(&source.text[chunk.span.range()], &mut scratch)).ok()
            })
            .collect();
        self.lock().push((extractor, scratch));
        Prepared { source, chunk_ids: extraction.chunk_ids(), extraction, terms, vectors }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<(Extractor, Scratch)>> {
        self.benches.lock().expect("invariant: no holder panics")
    }
}

/// The lexical documents of a text: one per chunk, with the names that begin in it and its comments.
pub(super) fn analyze(text: &str, extraction: &Extraction) -> AnalyzedBatch {
    let symbols = &extraction.syntax.symbols;
    let comments = extraction.comments_by_chunk();
    let names: Vec<Vec<&str>> = extraction
        .chunks
        .iter()
        .map(|chunk| chunk.symbols.iter().map(|&symbol| symbols[symbol as usize].name.as_str()).collect())
        .collect();
    let documents = extraction.chunks.iter().zip(&names).zip(&comments).map(|((chunk, names), comments)| Document {
        text: &text[chunk.span.range()],
        names,
        comments,
    });
    AnalyzedBatch::analyze(documents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::TickingClock;
    use crate::walk::{FileStat, source_of};

    #[test]
    fn a_text_that_keeps_its_parser_busy_does_not_keep_the_indexer() {
        let stat = FileStat { size: 0, mtime_ns: 0, inode: 0 };
        let source = source_of("a.cls", "{-".repeat(200).into_bytes(), stat).unwrap();
        assert_eq!(source.language.id, "apex");
        let prepared = Workbench::new(Arc::new(TickingClock::default())).prepare(source, None);
        assert_eq!(prepared.extraction.syntax.diagnostics[0].message, "takes too long to be parsed");
        assert_eq!(prepared.chunk_ids.len(), 1);
    }
}
