//! One text made ready to be committed; runs on all cores and touches no state.

use std::sync::{Arc, Mutex};

use crate::chunk::{Extraction, Extractor};
use crate::clock::Clock;
use crate::embed::{Embedder, Scratch};
use crate::hash::ContentHash;
use crate::id::ChunkId;
use crate::lexical::{AnalyzedBatch, Document};
use crate::span::ByteSpan;
use crate::store::{PackedTables, TablePacker};
use crate::syntax::Diagnostic;
use crate::vector::{SketchedVector, quantise};
use crate::walk::Source;

/// A text with all that is derived from it, in the form in which it is kept.
pub(super) struct Prepared {
    pub(super) source: Source,
    pub(super) line_count: u32,
    pub(super) chunks: Vec<PreparedChunk>,
    /// The names of the symbols that it defines.
    pub(super) names: Vec<String>,
    /// What could not be understood.
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) tables: PackedTables,
    /// One document per chunk, in order.
    pub(super) terms: AnalyzedBatch,
}

/// A chunk as the store and the vector segments take it.
pub(super) struct PreparedChunk {
    pub(super) id: ChunkId,
    pub(super) text_hash: ContentHash,
    pub(super) lexical_only: bool,
    /// `None` where the chunk is lexical only.
    pub(super) vector: Option<SketchedVector>,
}

/// Parsers and buffers that are costly to make, handed from one text to the next.
pub(super) struct Workbench {
    benches: Mutex<Vec<Bench>>,
    clock: Arc<dyn Clock>,
}

/// What one thread works with.
struct Bench {
    extractor: Extractor,
    scratch: Scratch,
    packer: TablePacker,
}

impl Workbench {
    /// With the clock that ends parses which take too long.
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { benches: Mutex::default(), clock }
    }

    /// Prepares one text.
    pub(super) fn prepare(&self, source: Source, embedder: &dyn Embedder) -> Prepared {
        let mut bench = self.lock().pop().unwrap_or_else(|| self.new_bench());
        let extraction = bench.extractor.extract(&source.text, source.language);
        let terms = analyze(&source.text, &extraction);
        let mut embed = |span: ByteSpan| {
            // A built-in model gives finite numbers; a vector that can't be kept is one the text does not have.
            quantise(&embedder.embed_document(&source.text[span.range()], &mut bench.scratch)).ok()
        };
        let chunks = extraction
            .chunks
            .iter()
            .zip(extraction.chunk_ids())
            .map(|(chunk, id)| PreparedChunk {
                id,
                text_hash: chunk.text_hash,
                lexical_only: chunk.lexical_only,
                vector: if chunk.lexical_only { None } else { embed(chunk.span).map(SketchedVector::of) },
            })
            .collect();
        let (table, facts) = extraction.pack();
        let tables = bench.packer.pack(table, &facts);
        self.lock().push(bench);
        let Extraction { line_count, syntax, .. } = extraction;
        let names = syntax.symbols.into_iter().map(|symbol| symbol.name).collect();
        Prepared { source, line_count, chunks, names, diagnostics: syntax.diagnostics, tables, terms }
    }

    fn new_bench(&self) -> Bench {
        let extractor = Extractor::with_clock(Arc::clone(&self.clock));
        Bench { extractor, scratch: Scratch::default(), packer: TablePacker::default() }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Bench>> {
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
    use crate::embed;
    use crate::walk::{FileStat, source_of};

    #[test]
    fn a_text_that_keeps_its_parser_busy_does_not_keep_the_indexer() {
        let stat = FileStat { size: 0, mtime_ns: 0, inode: 0 };
        let source = source_of("a.cls", "{-".repeat(200).into_bytes(), stat).unwrap();
        assert_eq!(source.language.id, "apex");
        let model = embed::builtin("feature-hash").unwrap();
        let prepared = Workbench::new(Arc::new(TickingClock::default())).prepare(source, model.as_ref());
        assert_eq!(prepared.diagnostics[0].message, "takes too long to be parsed");
        assert_eq!(prepared.chunks.len(), 1);
    }
}
