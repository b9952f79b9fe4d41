//! Prepares one text for its commit: parses, analyses and embeds it. It runs on all cores and changes no state.
//!
//! A record that was made elsewhere takes the place of the parse if it fits the text. Either way the same is derived.

use std::sync::{Arc, Mutex};

use codecairn_base::clock::Clock;
use codecairn_base::error::Result;
use codecairn_base::hash::ContentHash;
use codecairn_base::id::ChunkId;
use codecairn_base::span::ByteSpan;
use codecairn_lexical::{AnalyzedBatch, Document};
use codecairn_model::embed::{Embedder, Scratch};
use codecairn_model::vector::{SketchedVector, quantise};
use codecairn_store::{
    ChunkSet, Cursor, FATAL, LOSSY, NameHash, PROVISIONAL, PackedTables, Store, TablePacker, TableUnpacker, UNPARSED,
};
use codecairn_syntax::chunk::{Extraction, Extractor, VerifiedChunk, VerifiedRecord};
use codecairn_syntax::{Diagnostic, ParseFailure};
use codecairn_walk::Source;

use crate::transfer::{Record, RecordPacks, digest_of, seal_of};

/// Chunks of the store for each file to read up to which all their ids are read first: that takes a tenth of a
/// millisecond, about what is spared if most of the file's chunks are known, as after a switch of branches.
const IDS_PER_FILE: usize = 2000;

/// The maximum size of each table of a record in bytes.
const MAX_TABLE: usize = 256 << 20;
/// It is less for a short text: this much, and for each byte of it far more than a parse yields.
const MAX_TABLE_BASE: usize = 1 << 20;
const MAX_TABLE_PER_BYTE: usize = 64;

/// A text with all data derived from it.
pub(super) struct PreparedText {
    pub(super) source: Source,
    pub(super) derived: DerivedData,
}

/// The data derived from a text, in stored form.
pub(super) struct DerivedData {
    pub(super) line_count: u32,
    pub(super) chunks: Vec<PreparedChunk>,
    /// The names of the symbols that it defines.
    pub(super) names: Vec<NameHash>,
    /// How the store marks its blob.
    pub(super) flags: u32,
    /// Where its chunks and names come from.
    pub(super) origin: Origin,
    /// What could not be understood.
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) tables: PackedTables,
    /// One document per chunk, in order; without terms where the chunk is known.
    pub(super) terms: AnalyzedBatch,
}

/// Where the chunks and names of a text come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// It was parsed.
    Parsed,
    /// It was parsed, as a record that was made elsewhere did not fit it.
    ParsedInstead,
    /// A record that was made elsewhere.
    Record,
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
pub(super) struct PreparerPool<'a> {
    benches: Mutex<Vec<Preparer>>,
    clock: Arc<dyn Clock>,
    /// Chunks that the store and its segments have: nothing is derived from them again.
    known: ChunkSet,
    /// Records that were made elsewhere.
    records: Option<&'a RecordPacks>,
}

/// What one thread works with.
struct Preparer {
    extractor: Extractor,
    scratch: Scratch,
    packer: TablePacker,
    unpacker: TableUnpacker,
}

impl<'a> PreparerPool<'a> {
    /// With the clock that ends parses which take too long.
    pub(super) fn new(clock: Arc<dyn Clock>, known: ChunkSet, records: Option<&'a RecordPacks>) -> Self {
        Self { benches: Mutex::default(), clock, known, records }
    }

    /// Whether there are records to be taken in place of parses.
    pub(super) fn has_records(&self) -> bool {
        self.records.is_some()
    }

    /// Prepares one text.
    ///
    /// # Errors
    /// [`Error::PartDamaged`](codecairn_base::Error::PartDamaged) if the pack with its record can't be read.
    pub(super) fn prepare(&self, source: Source, embedder: &dyn Embedder) -> Result<PreparedText> {
        let found = match self.records {
            Some(records) => records.find(digest_of(&source.text), source.language.id)?,
            None => None,
        };
        let mut bench = self.lock().pop().unwrap_or_else(|| self.new_bench());
        let taken = found.as_ref().and_then(|record| self.take_record(&mut bench, record, &source, embedder));
        let derived = taken.unwrap_or_else(|| {
            let origin = if found.is_some() { Origin::ParsedInstead } else { Origin::Parsed };
            self.parse(&mut bench, &source, embedder, origin)
        });
        self.lock().push(bench);
        Ok(PreparedText { source, derived })
    }

    fn parse(&self, bench: &mut Preparer, source: &Source, embedder: &dyn Embedder, origin: Origin) -> DerivedData {
        let extraction = bench.extractor.extract(&source.text, source.language);
        let ids = extraction.chunk_ids();
        let is_known = self.are_known(ids.iter().copied());
        let terms = analyze(&source.text, &extraction, |chunk| !is_known[chunk]);
        let chunks = extraction.chunks.iter().zip(ids).zip(&is_known).map(|((chunk, id), &is_known)| {
            let is_embedded = !chunk.lexical_only && !is_known;
            let vector = is_embedded.then(|| embed(&mut bench.scratch, &source.text, chunk.span, embedder)).flatten();
            PreparedChunk { id, text_hash: chunk.text_hash, lexical_only: chunk.lexical_only, vector }
        });
        let chunks = chunks.collect();
        let (table, facts) = extraction.pack();
        let tables = bench.packer.pack(table, &facts);
        let Extraction { line_count, syntax, failure, .. } = extraction;
        let names = syntax.symbols.iter().map(|symbol| NameHash::of(&symbol.name)).collect();
        let flags = failure.map_or(0, flags_of) | loss_of(&syntax.diagnostics);
        DerivedData { line_count, chunks, names, flags, origin, diagnostics: syntax.diagnostics, tables, terms }
    }

    /// What a record says of a text; `None` if it does not fit it.
    fn take_record(
        &self,
        bench: &mut Preparer,
        record: &Record,
        source: &Source,
        embedder: &dyn Embedder,
    ) -> Option<DerivedData> {
        let Preparer { scratch, unpacker, .. } = bench;
        let max_bytes = MAX_TABLE.min(MAX_TABLE_BASE + source.text.len() * MAX_TABLE_PER_BYTE);
        let (table, syntax) = unpacker.unpack(record.table(), record.syntax(), max_bytes)?;
        let verified = VerifiedRecord::read(table, syntax, &source.text).ok()?;
        let fits =
            record.seal == seal_of(verified.chunks.iter().map(|chunk| chunk.id)) && record.flags & !UNPARSED == 0;
        if !fits {
            return None;
        }
        let is_known = self.are_known(verified.chunks.iter().map(|chunk| chunk.id));
        let terms = AnalyzedBatch::analyze(verified.chunks.iter().zip(&is_known).map(|(chunk, &is_known)| {
            let VerifiedChunk { span, names, comments, .. } = chunk;
            let document = Document { text: &source.text[span.range()], names, comments };
            if is_known { Document::default() } else { document }
        }));
        let chunks = verified.chunks.iter().zip(&is_known).map(|(chunk, &is_known)| {
            let is_embedded = !chunk.lexical_only && !is_known;
            let vector = is_embedded.then(|| embed(scratch, &source.text, chunk.span, embedder)).flatten();
            PreparedChunk { id: chunk.id, text_hash: chunk.text_hash, lexical_only: chunk.lexical_only, vector }
        });
        let chunks = chunks.collect();
        let tables = PackedTables::of_stored(record.table(), record.syntax());
        let names = verified.names.iter().map(|name| NameHash::of(name)).collect();
        let VerifiedRecord { line_count, diagnostics, .. } = verified;
        let (flags, origin) = (record.flags | loss_of(&diagnostics), Origin::Record);
        Some(DerivedData { line_count, chunks, names, flags, origin, diagnostics, tables, terms })
    }

    /// Which chunks of a text need not be prepared again.
    fn are_known(&self, ids: impl Iterator<Item = ChunkId>) -> Vec<bool> {
        let mut cursor = Cursor::default();
        ids.map(|id| self.known.has(id, &mut cursor)).collect()
    }

    fn new_bench(&self) -> Preparer {
        let extractor = Extractor::with_clock(Arc::clone(&self.clock));
        let (packer, unpacker) = (TablePacker::default(), TableUnpacker::default());
        Preparer { extractor, scratch: Scratch::default(), packer, unpacker }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Preparer>> {
        self.benches.lock().expect("invariant: no holder panics")
    }
}

/// The vector of a part of a text. A built-in model gives finite numbers; a vector that can't be quantised counts as none.
fn embed(scratch: &mut Scratch, text: &str, span: ByteSpan, embedder: &dyn Embedder) -> Option<SketchedVector> {
    quantise(&embedder.embed_document(&text[span.range()], scratch)).ok().map(SketchedVector::of)
}

/// How the store marks a blob whose parse was stopped. Only processor time may do for the same text another time, and
/// another version of the parsers.
fn flags_of(failure: ParseFailure) -> u32 {
    match failure {
        ParseFailure::Slow => UNPARSED | PROVISIONAL,
        ParseFailure::Fatal => UNPARSED | PROVISIONAL | FATAL,
        _ => UNPARSED,
    }
}

/// The flag of a blob with regions that its grammar can't read.
fn loss_of(diagnostics: &[Diagnostic]) -> u32 {
    if diagnostics.iter().any(Diagnostic::is_loss) { LOSSY } else { 0 }
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
        let pool = PreparerPool::new(Arc::new(TickingClock::default()), ChunkSet::default(), None);
        let prepared = pool.prepare(source, model.as_ref()).unwrap().derived;
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
            let pool = PreparerPool::new(Arc::new(codecairn_base::clock::FixedClock(0)), known, None);
            pool.prepare(source, model.as_ref()).unwrap().derived
        };
        let all = prepare(ChunkSet::default());
        assert!(all.chunks.len() > 1 && all.chunks.iter().all(|chunk| chunk.vector.is_some()));
        let known = prepare(all.chunks[1..].iter().map(|chunk| chunk.id).collect());
        let vectors: Vec<bool> = known.chunks.iter().map(|chunk| chunk.vector.is_some()).collect();
        assert_eq!(vectors, [vec![true], vec![false; all.chunks.len() - 1]].concat());
        assert!(known.terms.len() == all.terms.len() && known.terms.byte_size() < all.terms.byte_size());
        assert!(known.chunks.iter().map(|chunk| chunk.id).eq(all.chunks.iter().map(|chunk| chunk.id)));
    }

    /// A pack with the record that is made of one text, under the digest of another.
    fn pack_of(text: &str, named: &str, language: &str, flags: u32) -> RecordPacks {
        let extraction = Extractor::new().extract(text, codecairn_syntax::language::by_id(language).unwrap());
        let (table, syntax) = extraction.pack();
        let seal = seal_of(extraction.chunk_ids().into_iter());
        let digest = digest_of(named);
        RecordPacks::open(vec![crate::transfer::pack_of(digest, language, flags, seal, (&table, &syntax))]).unwrap()
    }

    fn prepared(text: &str, known: ChunkSet, records: Option<&RecordPacks>) -> DerivedData {
        let stat = FileStat { size: 0, mtime_ns: 0, ctime_ns: 0, inode: 0 };
        let source = source_of("a.py", text.as_bytes().to_vec(), stat).unwrap();
        let model = embed::builtin(embed::STATIC).unwrap();
        let pool = PreparerPool::new(Arc::new(codecairn_base::clock::FixedClock(0)), known, records);
        pool.prepare(source, model.as_ref()).unwrap().derived
    }

    const TEXT: &str = "# About it\ndef greet(name):\n    return name\n\n\nclass Guest:\n    pass\n";

    #[test]
    fn a_record_gives_what_a_parse_gives() {
        let text = &TEXT.repeat(40);
        let packs = pack_of(text, text, "python", 0);
        let (parsed, taken) =
            (prepared(text, ChunkSet::default(), None), prepared(text, ChunkSet::default(), Some(&packs)));
        assert_eq!((parsed.origin, taken.origin), (Origin::Parsed, Origin::Record));
        assert!(parsed.tables == taken.tables && parsed.terms == taken.terms && parsed.names == taken.names);
        assert_eq!((parsed.line_count, parsed.flags), (taken.line_count, taken.flags));
        let chunks = |derived: &DerivedData| {
            let chunk = |chunk: &PreparedChunk| (chunk.id, chunk.text_hash, chunk.lexical_only);
            derived.chunks.iter().map(chunk).collect::<Vec<_>>()
        };
        assert_eq!(chunks(&parsed), chunks(&taken));
        assert!(parsed.chunks.iter().map(|chunk| &chunk.vector).eq(taken.chunks.iter().map(|chunk| &chunk.vector)));
        assert!(parsed.chunks.iter().all(|chunk| chunk.vector.is_some()));
        let known = prepared(text, chunks(&taken).iter().map(|(id, ..)| *id).collect(), Some(&packs));
        assert!(known.chunks.iter().all(|chunk| chunk.vector.is_none()) && known.terms.len() == taken.terms.len());
        assert!(known.terms.byte_size() < taken.terms.byte_size());
    }

    #[test]
    fn a_record_that_does_not_fit_is_not_used() {
        let other = TEXT.replace("greet", "meets");
        assert_eq!(other.len(), TEXT.len());
        let longer = TEXT.repeat(2);
        for (made_of, flags) in [(other.as_str(), 0), (longer.as_str(), 0), (TEXT, 4), (TEXT, PROVISIONAL)] {
            let packs = pack_of(made_of, TEXT, "python", flags);
            let derived = prepared(TEXT, ChunkSet::default(), Some(&packs));
            assert_eq!((derived.origin, derived.flags), (Origin::ParsedInstead, 0), "{made_of}");
            assert!(derived.names == prepared(TEXT, ChunkSet::default(), None).names);
        }
        let unparsed = prepared(TEXT, ChunkSet::default(), Some(&pack_of(TEXT, TEXT, "python", UNPARSED)));
        assert_eq!((unparsed.origin, unparsed.flags), (Origin::Record, UNPARSED));
        let as_text = prepared(TEXT, ChunkSet::default(), Some(&pack_of(TEXT, TEXT, "text", 0)));
        assert_eq!(as_text.origin, Origin::Parsed);
    }
}
