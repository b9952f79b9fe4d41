//! Prepares one text for its commit: parses, analyses and embeds it. It runs on all cores and changes no state.

use std::sync::{Arc, Mutex};

use codecairn_base::clock::Clock;
use codecairn_base::error::Result;
use codecairn_base::hash::ContentHash;
use codecairn_base::id::ChunkId;
use codecairn_base::span::ByteSpan;
use codecairn_lexical::{AnalyzedBatch, Document};
use codecairn_model::embed::{Embedder, Scratch};
use codecairn_model::vector::{SketchedVector, quantise};
use codecairn_store::{ChunkSet, PackedTables, Store, TablePacker};
use codecairn_syntax::chunk::{Extraction, Extractor};
use codecairn_syntax::{Diagnostic, ParseFailure};
use codecairn_walk::Source;

/// Chunks of the store for each file to read up to which all their ids are read first: that takes a tenth of a
/// millisecond, about what is spared if most of the file's chunks are known, as after a switch of branches.
const IDS_PER_FILE: usize = 2000;

/// A text with all data derived from it, in its stored form.
pub(super) struct PreparedText {
    pub(super) source: Source,
    pub(super) line_count: u32,
    pub(super) chunks: Vec<PreparedChunk>,
    /// The names of the symbols that it defines.
    pub(super) names: Vec<String>,
    /// The limit that stopped its parse.
    pub(super) failure: Option<ParseFailure>,
    /// What could not be understood.
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) tables: PackedTables,
    /// One document per chunk, in order; without terms where the chunk is known.
    pub(super) terms: AnalyzedBatch,
}

/// A chunk with its vector, in stored form.
pub(super) struct PreparedChunk {
    pub(super) id: ChunkId,
    pub(super) text_hash: ContentHash,
    pub(super) lexical_only: bool,
    /// `None` where the chunk is lexical only, or known.
    pub(super) vector: Option<SketchedVector>,
}

/// A pool of parsers and buffers, which are costly to make and reused from text to text.
pub(super) struct PreparerPool {
    benches: Mutex<Vec<Preparer>>,
    clock: Arc<dyn Clock>,
    /// Chunks that the store and its segments have: nothing is derived from them again.
    known: ChunkSet,
}

/// What one thread works with.
struct Preparer {
    extractor: Extractor,
    scratch: Scratch,
    packer: TablePacker,
}

impl PreparerPool {
    /// With the clock that ends parses which take too long.
    pub(super) fn new(clock: Arc<dyn Clock>, known: ChunkSet) -> Self {
        Self { benches: Mutex::default(), clock, known }
    }

    /// Prepares one text.
    pub(super) fn prepare(&self, source: Source, embedder: &dyn Embedder) -> PreparedText {
        let mut bench = self.lock().pop().unwrap_or_else(|| self.new_bench());
        let extraction = bench.extractor.extract(&source.text, source.language);
        let ids = extraction.chunk_ids();
        let is_known: Vec<bool> = ids.iter().map(|id| self.known.contains(&id.0)).collect();
        let terms = analyze(&source.text, &extraction, |chunk| !is_known[chunk]);
        let mut embed = |span: ByteSpan| {
            // A built-in model gives finite numbers; a vector that can't be quantised counts as none.
            quantise(&embedder.embed_document(&source.text[span.range()], &mut bench.scratch)).ok()
        };
        let chunks = extraction
            .chunks
            .iter()
            .zip(ids)
            .zip(&is_known)
            .map(|((chunk, id), &is_known)| PreparedChunk {
                id,
                text_hash: chunk.text_hash,
                lexical_only: chunk.lexical_only,
                vector: if chunk.lexical_only || is_known { None } else { embed(chunk.span).map(SketchedVector::of) },
            })
            .collect();
        let (table, facts) = extraction.pack();
        let tables = bench.packer.pack(table, &facts);
        self.lock().push(bench);
        let Extraction { line_count, syntax, failure, .. } = extraction;
        let names = syntax.symbols.into_iter().map(|symbol| symbol.name).collect();
        PreparedText { source, line_count, chunks, names, failure, diagnostics: syntax.diagnostics, tables, terms }
    }

    fn new_bench(&self) -> Preparer {
        let extractor = Extractor::with_clock(Arc::clone(&self.clock));
        Preparer { extractor, scratch: Scratch::default(), packer: TablePacker::default() }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Preparer>> {
        self.benches.lock().expect("invariant: no holder panics")
    }
}

/// The chunks that need not be prepared again, where it pays to know them.
pub(super) fn chunk_set(store: &Store, files: usize) -> Result<ChunkSet> {
    let snapshot = store.reader()?;
    let pays = snapshot.next_doc()?.0 as usize <= files.saturating_mul(IDS_PER_FILE);
    if pays { snapshot.chunk_set() } else { Ok(ChunkSet::default()) }
}

/// The lexical documents of a text: one per chunk, with the names that begin in it and its comments; without anything
/// for chunks that are not `wanted`.
pub(super) fn analyze(text: &str, extraction: &Extraction, wanted: impl Fn(usize) -> bool) -> AnalyzedBatch {
    let symbols = &extraction.syntax.symbols;
    let comments = extraction.comments_by_chunk();
    let names: Vec<Vec<&str>> = extraction
        .chunks
        .iter()
        .map(|chunk| chunk.symbols.iter().map(|&symbol| symbols[symbol as usize].name.as_str()).collect())
        .collect();
    let whole = extraction.chunks.iter().zip(&names).zip(&comments).enumerate();
    let documents = whole.map(|(number, ((chunk, names), comments))| {
        if wanted(number) { Document { text: &text[chunk.span.range()], names, comments } } else { Document::default() }
    });
    AnalyzedBatch::analyze(documents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use codecairn_base::clock::TickingClock;
    use codecairn_model::embed;
    use codecairn_walk::{FileStat, source_of};

    #[test]
    fn a_text_that_keeps_its_parser_busy_does_not_keep_the_indexer() {
        let stat = FileStat { size: 0, mtime_ns: 0, ctime_ns: 0, inode: 0 };
        let source = source_of("a.cls", format!("{}\n", "{-".repeat(100)).repeat(4).into_bytes(), stat).unwrap();
        assert_eq!(source.language.id, "apex");
        let model = embed::builtin("feature-hash").unwrap();
        let prepared =
            PreparerPool::new(Arc::new(TickingClock::default()), ChunkSet::default()).prepare(source, model.as_ref());
        assert_eq!(prepared.diagnostics[0].message, "takes too long to be parsed");
        assert_eq!(prepared.chunks.len(), 1);
    }

    #[test]
    fn nothing_is_derived_again_from_a_chunk_that_is_known() {
        let prepare = |known| {
            let stat = FileStat { size: 0, mtime_ns: 0, ctime_ns: 0, inode: 0 };
            let body = |name: &str| format!("def {name}(value):\n    return value.{name}_of\n\n\n").repeat(30);
            let source = source_of("a.py", (body("first") + &body("second")).into_bytes(), stat).unwrap();
            let model = embed::builtin(embed::STATIC).unwrap();
            PreparerPool::new(Arc::new(codecairn_base::clock::FixedClock(0)), known).prepare(source, model.as_ref())
        };
        let all = prepare(ChunkSet::default());
        assert!(all.chunks.len() > 1 && all.chunks.iter().all(|chunk| chunk.vector.is_some()));
        let known = prepare(all.chunks[1..].iter().map(|chunk| chunk.id.0).collect());
        let vectors: Vec<bool> = known.chunks.iter().map(|chunk| chunk.vector.is_some()).collect();
        assert_eq!(vectors, [vec![true], vec![false; all.chunks.len() - 1]].concat());
        assert!(known.terms.len() == all.terms.len() && known.terms.byte_size() < all.terms.byte_size());
        assert!(known.chunks.iter().map(|chunk| chunk.id).eq(all.chunks.iter().map(|chunk| chunk.id)));
    }
}
