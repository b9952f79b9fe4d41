//! Reads a packed extraction that came from elsewhere, and checks it against the text that it is said to be of.
//!
//! Invariant: what passes has the properties that an [`Extractor`](super::Extractor) promises: chunks are ordered,
//! disjoint, not blank, not too long, and cover all but white space; lines, symbols and identities fit the text; all
//! positions lie inside the text, on boundaries of characters. Names and kinds are taken as they are. One pass, linear
//! in the text and the records, which copies no name.

use std::ops::Range;

use codecairn_base::hash::ContentHash;
use codecairn_base::id::ChunkId;
use codecairn_base::leb128::Malformed;
use codecairn_base::span::ByteSpan;

use super::identity::{Identities, comments_within};
use super::limits::{COARSE, MAX_LINE};
use super::table::{ChunkFacts, ChunkTable, scope_of};
use crate::kind::Kind;
use crate::record::{Diagnostic, Evidence, Reference};
use crate::rows::{FactsReader, is_current};

/// A chunk whose place in its text was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedChunk<'a> {
    /// Its identity, computed from the text.
    pub id: ChunkId,
    /// Hash of its text.
    pub text_hash: ContentHash,
    /// Where it lies.
    pub span: ByteSpan,
    /// Whether only the lexical index takes it.
    pub lexical_only: bool,
    /// The names of the symbols that begin in it.
    pub names: Vec<&'a str>,
    /// Its comments, from its start.
    pub comments: Vec<ByteSpan>,
}

/// A packed extraction that fits a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedRecord<'a> {
    /// The chunks, in order.
    pub chunks: Vec<VerifiedChunk<'a>>,
    /// The names of all symbols, in order of position.
    pub names: Vec<&'a str>,
    /// Lines in the text.
    pub line_count: u32,
    /// What could not be read when the text was parsed.
    pub diagnostics: Vec<Diagnostic>,
}

/// What of the facts the chunks are checked against.
struct Facts<'a> {
    symbols: Vec<SymbolRow<'a>>,
    comments: Vec<ByteSpan>,
    line_count: u32,
    diagnostics: Vec<Diagnostic>,
}

struct SymbolRow<'a> {
    name: &'a str,
    /// The one scope right around it.
    scope: &'a str,
    kind: Kind,
    /// First byte of the name.
    at: u32,
}

impl<'a> VerifiedRecord<'a> {
    /// Reads the two records of [`Extraction::pack`](super::Extraction::pack), given the text.
    ///
    /// # Errors
    /// What does not fit, in words.
    pub fn read(table: &'a [u8], syntax: &'a [u8], text: &str) -> Result<Self, &'static str> {
        let unreadable = |_| "it can't be read";
        let facts = Facts::read(syntax, text).map_err(unreadable)?.ok_or("a position is not in the text")?;
        let table = ChunkTable::parse(table).map_err(|_| "it can't be read")?;
        let rows = table.rows().map_err(unreadable)?;
        let comments = comments_within(&facts.comments, rows.iter().map(|row| row.span));
        let mut lines = LineCounter::new(text);
        let mut identities = Identities::with_capacity(rows.len());
        let mut chunks = Vec::with_capacity(rows.len());
        let (mut end, mut symbols) = (0, 0);
        for (number, (row, comments)) in rows.iter().zip(comments).enumerate() {
            let body = body_of(row, end, text)?;
            end = row.span.end as usize;
            if (row.lines.start, row.lines.end) != (lines.of(row.span.start as usize), lines.of(end - 1)) {
                return Err("a chunk has other lines");
            }
            let next_start = rows.get(number + 1).map_or(u32::MAX, |next| next.span.start);
            let names = facts.names_in(row, row.span.start..next_start)?;
            symbols += names.len();
            let text_hash = ContentHash::of(body.as_bytes());
            let id =
                identities.identify(text_hash, row.qualified_name, row.lexical_only, names.iter().copied(), &comments);
            chunks.push(VerifiedChunk {
                id,
                text_hash,
                span: row.span,
                lexical_only: row.lexical_only,
                names,
                comments,
            });
        }
        if !text[end..].trim().is_empty() {
            return Err("a part of the text is in no chunk");
        }
        if symbols != facts.symbols.len() || facts.line_count != lines.count() {
            return Err("its symbols or lines are not those of the text");
        }
        let names = facts.symbols.iter().map(|symbol| symbol.name).collect();
        Ok(Self { chunks, names, line_count: facts.line_count, diagnostics: facts.diagnostics })
    }
}

/// The text of a chunk that follows one that ended at `end`.
fn body_of<'t>(row: &ChunkFacts<'_>, end: usize, text: &'t str) -> Result<&'t str, &'static str> {
    let gap = text.get(end..row.span.start as usize).ok_or("a chunk is not in the text")?;
    let body = text.get(row.span.range()).ok_or("a chunk is not in the text")?;
    if !gap.trim().is_empty() {
        return Err("a part of the text is in no chunk");
    }
    let max = if row.lexical_only { COARSE } else { MAX_LINE };
    if body.trim().is_empty() || body.len() > max as usize {
        return Err("a chunk is blank or too long");
    }
    Ok(body)
}

impl<'a> Facts<'a> {
    /// Reads the record of a text's facts; `None` if a position is not in the text.
    fn read(bytes: &'a [u8], text: &str) -> Result<Option<Self>, Malformed> {
        if !is_current(bytes) {
            return Err(Malformed);
        }
        let mut is_inside = true;
        let mut inside = |span: ByteSpan| {
            is_inside &= text.is_char_boundary(span.start as usize) && text.is_char_boundary(span.end as usize);
            span
        };
        let (mut reader, texts) = FactsReader::new(bytes)?;
        let line_count = reader.number()?;
        let count = reader.begin()?;
        let mut symbols = Vec::with_capacity(count.min(text.len()));
        for _ in 0..count {
            inside(reader.span()?);
            let at = inside(reader.span()?).start;
            let kind = Kind::from_number(reader.byte()?).ok_or(Malformed)?;
            let (name, qualified_name) = (text_at(&mut reader, &texts)?, text_at(&mut reader, &texts)?);
            symbols.push(SymbolRow { name, scope: scope_of(qualified_name, name), kind, at });
        }
        for _ in 0..reader.begin()? {
            inside(reader.span()?);
            Reference::unpacked_kind(reader.byte()?).ok_or(Malformed)?;
            skip_texts(&mut reader, &texts, 2)?;
        }
        for _ in 0..reader.begin()? {
            inside(reader.span()?);
            inside(reader.span()?);
            skip_texts(&mut reader, &texts, 3)?;
        }
        for _ in 0..reader.begin()? {
            inside(reader.span()?);
            reader.byte()?;
            skip_texts(&mut reader, &texts, 2)?;
        }
        for _ in 0..reader.begin()? {
            inside(reader.span()?);
            Evidence::from_number(reader.byte()?).ok_or(Malformed)?;
            skip_texts(&mut reader, &texts, 2)?;
        }
        let count = reader.begin()?;
        let mut comments = Vec::with_capacity(count.min(text.len()));
        for _ in 0..count {
            comments.push(inside(reader.span()?));
        }
        let mut diagnostics = Vec::new();
        for _ in 0..reader.begin()? {
            let span = inside(reader.span()?);
            diagnostics.push(Diagnostic { span, message: text_at(&mut reader, &texts)?.to_owned() });
        }
        for _ in 0..reader.begin_closures()? {
            inside(reader.span()?);
        }
        reader.finish()?;
        Ok(is_inside.then_some(Self { symbols, comments, line_count, diagnostics }))
    }

    /// The names of the symbols that a chunk lists: those whose names begin in `range`, each once.
    fn names_in(&self, row: &ChunkFacts<'a>, range: Range<u32>) -> Result<Vec<&'a str>, &'static str> {
        let (mut names, mut next) = (Vec::with_capacity(row.symbol_count.min(self.symbols.len())), 0);
        for listed in row.symbols() {
            let number = listed.number as usize;
            let symbol = self.symbols.get(number).filter(|symbol| {
                let is_listed = (listed.kind, listed.name, listed.scope) == (symbol.kind, symbol.name, symbol.scope);
                number >= next && is_listed && range.contains(&symbol.at)
            });
            names.push(symbol.ok_or("a chunk lists other symbols")?.name);
            next = number + 1;
        }
        Ok(names)
    }
}

fn text_at<'a>(reader: &mut FactsReader<'a>, texts: &[&'a str]) -> Result<&'a str, Malformed> {
    texts.get(reader.number()? as usize).copied().ok_or(Malformed)
}

fn skip_texts(reader: &mut FactsReader<'_>, texts: &[&str], count: usize) -> Result<(), Malformed> {
    for _ in 0..count {
        if reader.number()? as usize >= texts.len() {
            return Err(Malformed);
        }
    }
    Ok(())
}

/// Counts lines up to bytes that are given in ascending order.
struct LineCounter<'t> {
    text: &'t str,
    at: usize,
    breaks: u32,
}

impl<'t> LineCounter<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, at: 0, breaks: 0 }
    }

    /// The line of a byte, from 1.
    fn of(&mut self, byte: usize) -> u32 {
        self.advance(byte);
        self.breaks + 1
    }

    /// All lines; the end of a line does not begin another one.
    fn count(&mut self) -> u32 {
        self.advance(self.text.len());
        self.breaks + u32::from(!self.text.is_empty() && !self.text.ends_with('\n'))
    }

    fn advance(&mut self, to: usize) {
        let passed = &self.text.as_bytes()[self.at..to.max(self.at)];
        self.breaks += memchr::memchr_iter(b'\n', passed).count() as u32;
        self.at = to.max(self.at);
    }
}
