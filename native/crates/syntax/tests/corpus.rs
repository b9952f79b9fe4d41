//! Snapshots of what the extractor makes of the files below `corpus/<language id>/`.

#![allow(clippy::disallowed_methods, reason = "files of a developer, at paths of their choice")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

use std::fmt::Write as _;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use codecairn_base::span::ByteSpan;
use codecairn_syntax::chunk::{Extraction, Extractor};
use codecairn_syntax::language;

#[test]
fn every_corpus_file_gives_its_snapshot() {
    let mut extractor = Extractor::new();
    let mut failures = Vec::new();
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for (id, path) in corpus() {
        let text = fs::read_to_string(&path).unwrap();
        let language = language::by_id(&id).unwrap_or_else(|| panic!("no language `{id}`"));
        let listing = listing(&text, &extractor.extract(&text, language));
        let file = path.file_name().unwrap().to_string_lossy();
        let name = format!("{id}__{file}");
        let check = || settings.bind(|| insta::assert_snapshot!(name.as_str(), listing));
        if catch_unwind(AssertUnwindSafe(check)).is_err() {
            failures.push(name);
        }
    }
    assert!(failures.is_empty(), "changed: {}", failures.join(", "));
}

#[test]
fn every_corpus_file_is_covered_once() {
    let mut extractor = Extractor::new();
    for (id, path) in corpus() {
        let text = fs::read_to_string(&path).unwrap();
        let extraction = extractor.extract(&text, language::by_id(&id).unwrap());
        let mut end = 0;
        for chunk in &extraction.chunks {
            let range = chunk.span.range();
            assert!(end <= range.start && text[end..range.start].trim().is_empty(), "{}: {range:?}", path.display());
            end = range.end;
        }
        assert!(text[end..].trim().is_empty(), "{}: the end is missing", path.display());
    }
}

/// The corpus as language ids and files, sorted.
fn corpus() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files = Vec::new();
    for folder in fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let id = folder.file_name().unwrap().to_string_lossy().into_owned();
        files.extend(fs::read_dir(folder).unwrap().map(|entry| (id.clone(), entry.unwrap().path())));
    }
    files.sort();
    files
}

/// An extraction for people.
fn listing(text: &str, extraction: &Extraction) -> String {
    let syntax = &extraction.syntax;
    let line = |span: ByteSpan| text[..span.range().start].matches('\n').count() + 1;
    let mut out = String::from("chunks\n");
    for chunk in &extraction.chunks {
        let names: Vec<&str> =
            chunk.symbols.iter().map(|number| syntax.symbols[*number as usize].name.as_str()).collect();
        let lines = format!("{}-{}", chunk.lines.start, chunk.lines.end);
        let text = text[chunk.span.range()].trim();
        let first = text.lines().next().unwrap_or_default();
        writeln!(out, "  {lines:9} {:9} {:30} {names:?} | {first}", chunk.kind.name(), chunk.qualified_name).unwrap();
    }
    out.push_str("symbols\n");
    for symbol in &syntax.symbols {
        writeln!(out, "  {:9} {:9} {}", line(symbol.name_span), symbol.kind.name(), symbol.qualified_name).unwrap();
    }
    out.push_str("references\n");
    for reference in &syntax.references {
        let kind = format!("{:?}", reference.kind).to_lowercase();
        writeln!(out, "  {:9} {kind:9} {} | {}", line(reference.span), reference.name, reference.receiver).unwrap();
    }
    out.push_str("imports\n");
    for import in &syntax.imports {
        writeln!(out, "  {:9} {} | {} | {}", line(import.span), import.source, import.name, import.alias).unwrap();
    }
    out.push_str("inheritance\n");
    for inheritance in &syntax.inheritance {
        let verb = if inheritance.implements { "implements" } else { "extends" };
        writeln!(out, "  {:9} {} {verb} {}", line(inheritance.span), inheritance.derived, inheritance.base).unwrap();
    }
    if !syntax.bindings.is_empty() {
        out.push_str("bindings\n");
    }
    for binding in &syntax.bindings {
        let evidence = format!("{:?}", binding.evidence).to_lowercase();
        writeln!(out, "  {:9} {evidence:9} {} | {}", line(binding.span), binding.name, binding.text).unwrap();
    }
    writeln!(out, "comments\n  {}", syntax.comments.len()).unwrap();
    for diagnostic in &syntax.diagnostics {
        writeln!(out, "diagnostic\n  {:9} {}", line(diagnostic.span), diagnostic.message).unwrap();
    }
    let trimmed: Vec<&str> = out.lines().map(str::trim_end).collect();
    trimmed.join("\n")
}
