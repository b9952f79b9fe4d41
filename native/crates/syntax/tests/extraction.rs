//! What holds for every text in every language.

#![allow(clippy::disallowed_methods, reason = "files of a developer, at paths of their choice")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

use std::cell::RefCell;
use std::fs;
use std::path::Path;

use codecairn_syntax::chunk::{ChunkTable, Extraction, Extractor, VerifiedRecord};
use codecairn_syntax::language::{self, Language};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};

/// Fails unless the chunks are in order, disjoint, and cover all but white space.
fn assert_covered(text: &str, extraction: &Extraction) {
    let breaks: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let line = |byte: usize| breaks.partition_point(|at| *at < byte) as u32 + 1;
    let mut end = 0;
    for chunk in &extraction.chunks {
        let range = chunk.span.range();
        assert!(end <= range.start && range.start < range.end, "{range:?} after {end}");
        assert!(text[end..range.start].trim().is_empty(), "nothing covers {:?}", &text[end..range.start]);
        assert_eq!((chunk.lines.start, chunk.lines.end), (line(range.start), line(range.end - 1)));
        assert!(range.len() <= if chunk.lexical_only { 12_000 } else { 4_000 }, "{} bytes", range.len());
        end = range.end;
    }
    assert!(text[end..].trim().is_empty(), "nothing covers the end");
    let mut listed: Vec<u32> = extraction.chunks.iter().flat_map(|chunk| chunk.symbols.clone()).collect();
    listed.sort_unstable();
    assert!(listed.iter().copied().eq(0..extraction.syntax.symbols.len() as u32), "each symbol is in one chunk");
}

fn assert_packs(text: &str, extraction: &Extraction) {
    let (chunks, syntax) = extraction.pack();
    let unpacked = Extraction::unpack(&chunks, &syntax, text).unwrap();
    assert_eq!(&unpacked, extraction);
    assert_eq!(unpacked.chunk_ids(), extraction.chunk_ids());
    let verified = VerifiedRecord::read(&chunks, &syntax, text).unwrap();
    assert_eq!(verified.chunks.iter().map(|chunk| chunk.id).collect::<Vec<_>>(), extraction.chunk_ids());
    let comments = verified.chunks.iter().map(|chunk| chunk.comments.clone());
    assert_eq!(comments.collect::<Vec<_>>(), extraction.comments_by_chunk());
    let facts = verified.chunks.iter().map(|chunk| (chunk.span, chunk.text_hash, chunk.lexical_only));
    assert!(facts.eq(extraction.chunks.iter().map(|chunk| (chunk.span, chunk.text_hash, chunk.lexical_only))));
    assert!(verified.names.iter().eq(extraction.syntax.symbols.iter().map(|symbol| &symbol.name)));
    assert_eq!((verified.line_count, &verified.diagnostics), (unpacked.line_count, &unpacked.syntax.diagnostics));
    let table = ChunkTable::parse(&chunks).unwrap();
    for (row, chunk) in table.iter().zip(&extraction.chunks) {
        let row = row.unwrap();
        assert_eq!((row.span, row.lines, row.kind), (chunk.span, chunk.lines, chunk.kind));
        let names: Vec<&str> = row.symbols().map(|symbol| symbol.name).collect();
        let symbols = chunk.symbols.iter().map(|number| extraction.syntax.symbols[*number as usize].name.as_str());
        assert!(names.into_iter().eq(symbols));
        for symbol in row.symbols() {
            let facts = &extraction.syntax.symbols[symbol.number as usize];
            let scopes = facts.qualified_name.strip_suffix(&facts.name).and_then(|scopes| scopes.strip_suffix('.'));
            assert_eq!(Some(symbol.scope), scopes.map_or(Some(""), |scopes| scopes.rsplit('.').next()));
        }
    }
}

fn any_language() -> impl Strategy<Value = &'static Language> {
    select(language::all().iter().filter(|language| language.grammar.is_some()).collect::<Vec<_>>())
}

/// Runs `check` on texts made by `texts`, with one extractor for all of them.
fn for_all<S: Strategy>(cases: u32, texts: S, check: impl Fn(&mut Extractor, S::Value)) {
    let extractor = RefCell::new(Extractor::new());
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let checked = runner.run(&texts, |value| {
        check(&mut extractor.borrow_mut(), value);
        Ok(())
    });
    checked.unwrap();
}

/// Lines of all corpus files.
fn corpus_lines() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files: Vec<_> = fs::read_dir(root)
        .unwrap()
        .flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap())
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    files
        .iter()
        .flat_map(|file| fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

#[test]
fn a_nul_is_read_as_a_space() {
    for folder in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus")).unwrap() {
        let folder = folder.unwrap().path();
        let id = folder.file_name().unwrap().to_str().unwrap();
        let language = language::by_id(id).unwrap();
        for file in fs::read_dir(&folder).unwrap() {
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            for nth in [3, 4, 11] {
                let mut spaces = 0;
                let mut has_turn = |byte: u8| {
                    spaces += usize::from(byte == b' ');
                    byte == b' ' && spaces % nth == 0
                };
                let nuls: Vec<u8> = text.bytes().map(|byte| if has_turn(byte) { 0 } else { byte }).collect();
                let names = |text: &str| -> Vec<String> {
                    let extraction = Extractor::new().extract(text, language);
                    extraction.syntax.symbols.iter().map(|symbol| symbol.qualified_name.replace('\0', " ")).collect()
                };
                assert_eq!(names(std::str::from_utf8(&nuls).unwrap()), names(&text), "{id}, each space number {nth}");
            }
        }
    }
}

#[test]
fn any_text_is_covered_and_packs() {
    for_all(300, (any::<String>(), any_language()), |extractor, (text, language)| {
        let extraction = extractor.extract(&text, language);
        assert_covered(&text, &extraction);
        assert_packs(&text, &extraction);
    });
}

#[test]
fn any_heap_of_code_is_covered_and_packs() {
    let lines = prop::collection::vec(select(corpus_lines()), 0..120);
    let endings = select(vec!["\n", "\r\n", "", " "]);
    for_all(200, (lines, endings, any_language()), |extractor, (lines, ending, language)| {
        let text = lines.join(ending);
        let extraction = extractor.extract(&text, language);
        assert_covered(&text, &extraction);
        assert_packs(&text, &extraction);
        let again = Extractor::new().extract(&text, language);
        assert_eq!(again, extraction, "an extractor's past does not matter");
    });
}

#[test]
fn damaged_records_are_errors_and_never_panics() {
    let python = language::by_id("python").unwrap();
    let text = include_str!("corpus/python/session.py");
    let (chunks, syntax) = Extractor::new().extract(text, python).pack();
    let damage = (any::<prop::sample::Index>(), any::<u8>(), any::<bool>());
    for_all(2000, prop::collection::vec(damage, 1..4), |_, damages| {
        let (mut chunks, mut syntax) = (chunks.clone(), syntax.clone());
        for (index, byte, truncates) in damages {
            for record in [&mut chunks, &mut syntax] {
                if truncates {
                    record.truncate(index.index(record.len() + 1));
                } else if !record.is_empty() {
                    let at = index.index(record.len());
                    record[at] = byte;
                }
            }
        }
        let _ = Extraction::unpack(&chunks, &syntax, text);
        if let Ok(verified) = VerifiedRecord::read(&chunks, &syntax, text) {
            // Whatever else was changed, positions are in the text and the record can be read as a whole.
            assert!(verified.chunks.iter().all(|chunk| text.get(chunk.span.range()).is_some()));
            assert!(Extraction::unpack(&chunks, &syntax, text).is_ok());
        }
    });
    for end in 0..chunks.len() {
        assert!(Extraction::unpack(&chunks[..end], &syntax, text).is_err());
    }
    for end in 0..syntax.len() {
        assert!(Extraction::unpack(&chunks, &syntax[..end], text).is_err());
    }
}

#[test]
fn a_record_of_another_text_does_not_pass() {
    let python = language::by_id("python").unwrap();
    let text = include_str!("corpus/python/session.py");
    let (chunks, syntax) = Extractor::new().extract(text, python).pack();
    let (fewer, _) = Extraction { chunks: Vec::new(), ..Extractor::new().extract(text, python) }.pack();
    assert_eq!(VerifiedRecord::read(&fewer, &syntax, text).unwrap_err(), "a part of the text is in no chunk");
    let others = [
        text.replacen('\n', " ", 1),
        text.replacen(' ', "\u{e9}", 40),
        format!("{text}more\n"),
        format!("{text}\n"),
        text[..text.len() / 2].to_owned(),
        String::new(),
    ];
    for other in others {
        assert!(VerifiedRecord::read(&chunks, &syntax, &other).is_err(), "{other}");
    }
    let mut behind = chunks.clone();
    behind.push(0);
    assert!(VerifiedRecord::read(&behind, &syntax, text).is_err());
    let mut behind = syntax.clone();
    behind.push(0);
    assert!(VerifiedRecord::read(&chunks, &behind, text).is_err());
}

#[test]
fn deep_nesting_is_survived() {
    let deep = |open: &str, close: &str| [open.repeat(100_000), close.repeat(100_000)].concat();
    let cases = [
        ("python", deep("(", ")")),
        ("python", deep("[", "")),
        ("javascript", deep("{", "}")),
        ("javascript", deep("function f(){", "}")),
        ("javascript", deep("!", "")),
        ("json", deep("[", "]")),
        ("rust", deep("mod a{", "}")),
        ("c", deep("*", "")),
        ("html", deep("<div>", "</div>")),
        ("markdown", deep("> ", "")),
        ("markdown", deep("- ", "")),
        ("yaml", deep("- ", "")),
        ("text", deep("(", ")")),
    ];
    let mut extractor = Extractor::new();
    for (id, text) in cases {
        let extraction = extractor.extract(&text, language::by_id(id).unwrap());
        assert_covered(&text, &extraction);
    }
}

#[test]
fn empty_and_blank_texts_have_no_chunks() {
    for id in ["python", "markdown", "json", "text"] {
        for text in ["", "\n", " \r\n\t\n", "\u{a0}\n"] {
            let extraction = Extractor::new().extract(text, language::by_id(id).unwrap());
            assert_eq!(extraction.chunks, [], "{id} {text:?}");
            assert_eq!(extraction.line_count as usize, text.lines().count());
        }
    }
}

#[test]
fn a_huge_line_is_cut_into_pieces() {
    for id in ["javascript", "text"] {
        let text = "var x = 'é'; ".repeat(5_000);
        let extraction = Extractor::new().extract(&text, language::by_id(id).unwrap());
        assert_covered(&text, &extraction);
        assert!(extraction.chunks.len() >= 16);
        assert!(extraction.chunks.iter().all(|chunk| chunk.lines.start == 1 && chunk.lines.end == 1));
    }
}

#[test]
fn large_tables_get_coarse_windows_for_the_lexical_index_only() {
    let row = "INSERT INTO t VALUES (1, 'one', 2.5), (2, 'two', 3.5);\n";
    let text = row.repeat((1 << 20) / row.len() + 2);
    for id in ["text", "csv", "json"] {
        let Some(language) = language::by_id(id) else { continue };
        let extraction = Extractor::new().extract(&text, language);
        assert_covered(&text, &extraction);
        assert!(extraction.chunks.iter().all(|chunk| chunk.lexical_only));
        assert!(extraction.chunks.len() < 200);
    }
    let header = "#define REGISTER_NAME 0x0000ffff\n".repeat(40_000);
    let extraction = Extractor::new().extract(&header, language::by_id("c").unwrap());
    assert!(extraction.chunks.iter().all(|chunk| chunk.lexical_only), "constants are no definitions");
    let code = "int f(int a) { return a; }\n".repeat(50_000);
    let extraction = Extractor::new().extract(&code, language::by_id("c").unwrap());
    assert!(extraction.chunks.iter().all(|chunk| !chunk.lexical_only));
}
