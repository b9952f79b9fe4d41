//! A packed extraction with bytes changed or missing, before it was compressed or after, is refused or read as another, but
//! never makes a panic. One that passes as a record of its text has chunks that cover it.

#![no_main]

use std::sync::LazyLock;

use codecairn_store::{PackedTables, TableUnpacker};
use codecairn_syntax::chunk::{ChunkTable, Extraction, Extractor, VerifiedRecord};
use codecairn_syntax::language;
use libfuzzer_sys::fuzz_target;

const TEXT: &str = include_str!("../seeds/source/python");

const MAX_TABLE: usize = 1 << 20;

static SAMPLE: LazyLock<(Vec<u8>, Vec<u8>)> = LazyLock::new(|| {
    let python = language::by_id("python").expect("a language that is compiled in");
    Extractor::new().extract(TEXT, python).pack()
});

fuzz_target!(|data: &[u8]| {
    let (mut table, mut syntax) = SAMPLE.clone();
    let (first, second) = data.split_at(data.len() / 2);
    codecairn_fuzz::damage(&mut table, first);
    codecairn_fuzz::damage(&mut syntax, second);
    if let Ok(table) = ChunkTable::parse(&table) {
        table.iter().filter_map(Result::ok).for_each(|row| row.symbols().for_each(drop));
    }
    if let Ok(verified) = VerifiedRecord::read(&table, &syntax, TEXT) {
        let mut end = 0;
        for chunk in &verified.chunks {
            let span = chunk.span.range();
            assert!(
                end <= span.start && TEXT[end..span.start].trim().is_empty(),
                "nothing covers a part before {span:?}"
            );
            assert!(!TEXT[span.clone()].trim().is_empty(), "{span:?} is blank");
            end = span.end;
        }
        assert!(TEXT[end..].trim().is_empty(), "nothing covers the end");
        Extraction::unpack(&table, &syntax, TEXT).expect("what passes can be read as a whole");
    }
    if let Ok(extraction) = Extraction::unpack(&table, &syntax, TEXT) {
        extraction.chunk_ids();
    }
    let stored = PackedTables::new(&SAMPLE.0, &SAMPLE.1);
    let (mut table, mut syntax) = (stored.stored().0.to_vec(), stored.stored().1.to_vec());
    codecairn_fuzz::damage(&mut table, first);
    codecairn_fuzz::damage(&mut syntax, second);
    if let Some((table, syntax)) = TableUnpacker::default().unpack(&table, &syntax, MAX_TABLE) {
        assert!(table.len() <= MAX_TABLE && syntax.len() <= MAX_TABLE);
        let _ = VerifiedRecord::read(table, syntax, TEXT);
    }
});
