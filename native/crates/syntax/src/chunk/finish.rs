//! Completes parts to chunks: hashes, line numbers, symbols.

use codecairn_base::hash::ContentHash;
use codecairn_base::span::ByteSpan;

use super::lines::Lines;
use super::record::{Chunk, Extraction};
use crate::Syntax;
use crate::kind::Kind;

/// A piece of text with its name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'p> {
    pub(super) span: ByteSpan,
    pub(super) kind: Kind,
    pub(super) raw_kind: &'p str,
    pub(super) qualified_name: &'p str,
}

/// Makes chunks of parts that are in order.
pub(super) fn finish(text: &str, lines: &Lines, parts: &[Part<'_>], lexical_only: bool, syntax: Syntax) -> Extraction {
    let mut symbols = symbols_of(parts, &syntax);
    let chunks = parts.iter().zip(&mut symbols).map(|(part, symbols)| Chunk {
        text_hash: ContentHash::of(text[part.span.range()].as_bytes()),
        span: part.span,
        lines: lines.span(part.span),
        kind: part.kind,
        raw_kind: part.raw_kind.to_owned(),
        qualified_name: part.qualified_name.to_owned(),
        symbols: std::mem::take(symbols),
        lexical_only,
    });
    Extraction { chunks: chunks.collect(), line_count: lines.count(), syntax, failure: None }
}

/// For each part the symbols whose names are in it.
fn symbols_of(parts: &[Part<'_>], syntax: &Syntax) -> Vec<Vec<u32>> {
    let mut symbols = vec![Vec::new(); parts.len()];
    for (number, symbol) in syntax.symbols.iter().enumerate() {
        let after = parts.partition_point(|part| part.span.start <= symbol.name_span.start);
        if let Some(part) = after.checked_sub(1) {
            symbols[part].push(number as u32);
        }
    }
    symbols
}
