//! Writes every chunk of a folder as a line of JSON: what the index would embed, and what is known about it.
//!
//!     cargo run --release --example chunks -- FOLDER > chunks.jsonl
//!
//! It is what the training pairs of the built-in model are made from. `comments` and `symbols` hold byte offsets into
//! the chunk's own text: a comment's start and end; a symbol's start, the start of its name, and its end.

#![allow(clippy::print_stdout, reason = "its output is what it is for")]

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use codecairn_base::cancel::CancelToken;
use codecairn_syntax::chunk::{Chunk, Extraction, Extractor};
use codecairn_walk::{RuleOptions, Rules, Source, read_source, walk};
use rayon::prelude::*;
use serde_json::{Value, json};

/// Files that are read and written together, so that a folder of any size fits in memory.
const FILES_AT_ONCE: usize = 512;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = PathBuf::from(std::env::args_os().nth(1).ok_or("which folder?")?);
    let rules = Rules::new(&root, &RuleOptions::default())?;
    let found = walk(&root, &rules, &CancelToken::default())?;
    let mut output = BufWriter::new(std::io::stdout().lock());
    for files in found.files.chunks(FILES_AT_ONCE) {
        let lines: Vec<Vec<Value>> = files
            .par_iter()
            .map_init(Extractor::new, |extractor, file| match read_source(&root, &file.path) {
                Ok(source) => describe(&file.path, &source, &extractor.extract(&source.text, source.language)),
                Err(_) => Vec::new(),
            })
            .collect();
        for line in lines.iter().flatten() {
            writeln!(output, "{line}")?;
        }
    }
    output.flush()?;
    Ok(())
}

/// The chunks of one file that have vectors.
fn describe(path: &str, source: &Source, extraction: &Extraction) -> Vec<Value> {
    let embedded = extraction.chunks.iter().filter(|chunk| !chunk.lexical_only);
    embedded.map(|chunk| describe_chunk(path, source, extraction, chunk)).collect()
}

fn describe_chunk(path: &str, source: &Source, extraction: &Extraction, chunk: &Chunk) -> Value {
    let (start, end) = (chunk.span.start, chunk.span.end);
    let inside = |offset: u32| offset.clamp(start, end) - start;
    let comments = &extraction.syntax.comments;
    let first = comments.partition_point(|comment| comment.end <= start);
    let comments: Vec<[u32; 2]> = comments[first..]
        .iter()
        .take_while(|comment| comment.start < end)
        .map(|comment| [inside(comment.start), inside(comment.end)])
        .collect();
    let symbols = chunk.symbols.iter().map(|&number| &extraction.syntax.symbols[number as usize]);
    let symbols: Vec<Value> = symbols
        .map(|symbol| {
            let places = [symbol.span.start, symbol.name_span.start, symbol.span.end].map(inside);
            json!([symbol.qualified_name, symbol.kind.name(), places[0], places[1], places[2]])
        })
        .collect();
    json!({
        "path": path,
        "language": source.language.id,
        "kind": chunk.kind.name(),
        "name": chunk.qualified_name,
        "line": chunk.lines.start,
        "text": &source.text[chunk.span.range()],
        "comments": comments,
        "symbols": symbols,
    })
}
