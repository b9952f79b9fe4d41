//! Packs the chunk table of a blob: a view of a branch is made from these tables, so they are read by the thousand and
//! without copying a name.

use codecairn_base::error::Result;
use codecairn_base::hash::ContentHash;
use codecairn_base::leb128::{Malformed, PackedReader, put_number, put_text};
use codecairn_base::span::{ByteSpan, LineSpan};

use super::record::{Chunk, Extraction};
use crate::Syntax;
use crate::kind::Kind;

/// Set in a kind's byte if only the lexical index takes the chunk.
const LEXICAL_ONLY: u8 = 0x80;

/// Set in the byte of a symbol's kind if it has a scope: that of the symbol before it in the chunk, or the text behind
/// its name. A chunk's own name tells no scopes: symbols of several types share a chunk.
const SAME_SCOPE: u8 = 0x40;
const OWN_SCOPE: u8 = 0x80;

/// The least bytes of a row: its numbers, kind and texts take one each.
const MIN_ROW_BYTES: usize = 8;

/// A packed chunk table.
#[derive(Debug, Clone)]
pub struct ChunkTable<'a> {
    raw_kinds: Vec<&'a str>,
    count: usize,
    rows: PackedReader<'a>,
}

/// One chunk of a table; its texts lie in the packed bytes.
#[derive(Debug, Clone)]
pub struct ChunkFacts<'a> {
    /// Where it lies.
    pub span: ByteSpan,
    /// The lines it touches.
    pub lines: LineSpan,
    /// The normalised kind.
    pub kind: Kind,
    /// The grammar's name for the node, or empty.
    pub raw_kind: &'a str,
    /// The qualified name, or empty.
    pub qualified_name: &'a str,
    /// Whether only the lexical index takes it.
    pub lexical_only: bool,
    pub(super) symbol_count: usize,
    symbols: PackedReader<'a>,
}

/// A symbol that begins in a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SymbolFacts<'a> {
    /// Its number in [`Syntax::symbols`].
    pub number: u32,
    /// What it is.
    pub kind: Kind,
    /// Its name as written.
    pub name: &'a str,
    /// The name of the one scope right around it; empty at the top.
    pub scope: &'a str,
}

/// The next symbol of a chunk; `before` is the scope of the one before it.
fn symbol_facts<'a>(reader: &mut PackedReader<'a>, before: &'a str) -> Result<SymbolFacts<'a>, Malformed> {
    let (number, kind, name) = (reader.number()?, reader.byte()?, reader.text()?);
    let scope = match kind & (SAME_SCOPE | OWN_SCOPE) {
        0 => "",
        SAME_SCOPE => before,
        _ => reader.text()?,
    };
    let kind = Kind::from_number(kind & !(SAME_SCOPE | OWN_SCOPE)).ok_or(Malformed)?;
    Ok(SymbolFacts { number, kind, name, scope })
}

/// The name of the one scope right around a symbol; empty at the top.
pub(super) fn scope_of<'a>(qualified_name: &'a str, name: &str) -> &'a str {
    let scopes = qualified_name.strip_suffix(name).and_then(|scopes| scopes.strip_suffix('.')).unwrap_or_default();
    scopes.rsplit('.').next().unwrap_or_default()
}

impl<'a> ChunkFacts<'a> {
    /// The symbols that begin in it. A name that can't be read ends them: rows of the store have a checksum, and a
    /// record that came from elsewhere must list all symbols of its text.
    pub fn symbols(&self) -> impl Iterator<Item = SymbolFacts<'a>> + use<'a> {
        let (mut reader, mut scope) = (self.symbols.clone(), "");
        (0..self.symbol_count).map_while(move |_| {
            let symbol = symbol_facts(&mut reader, scope).ok()?;
            scope = symbol.scope;
            Some(symbol)
        })
    }
}

impl<'a> ChunkTable<'a> {
    /// Reads the head of a table.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let mut reader = PackedReader::new(bytes);
        let raw_kinds = reader.texts()?;
        let count = reader.count()?;
        Ok(Self { raw_kinds, count, rows: reader })
    }

    /// All chunks, and nothing behind them.
    pub(super) fn rows(&self) -> Result<Vec<ChunkFacts<'a>>, Malformed> {
        let mut reader = self.rows.clone();
        let (mut end, mut line) = (0, 0);
        let mut rows = Vec::with_capacity(self.count.min(reader.left() / MIN_ROW_BYTES));
        for _ in 0..self.count {
            rows.push(self.row(&mut reader, &mut end, &mut line)?);
        }
        reader.finish()?;
        Ok(rows)
    }

    /// The chunks in order.
    pub fn iter(&self) -> impl Iterator<Item = Result<ChunkFacts<'a>>> + use<'a, '_> {
        let mut reader = self.rows.clone();
        let (mut end, mut line) = (0, 0);
        (0..self.count).map(move |_| Ok(self.row(&mut reader, &mut end, &mut line)?))
    }

    fn row(&self, reader: &mut PackedReader<'a>, end: &mut u32, line: &mut u32) -> Result<ChunkFacts<'a>, Malformed> {
        let start = end.checked_add(reader.number()?).ok_or(Malformed)?;
        *end = start.checked_add(reader.number()?).ok_or(Malformed)?;
        let first = line.checked_add(reader.number()?).ok_or(Malformed)?;
        *line = first.checked_add(reader.number()?).ok_or(Malformed)?;
        let kind = reader.byte()?;
        let raw_kind = self.raw_kinds.get(reader.number()? as usize).ok_or(Malformed)?;
        let qualified_name = reader.text()?;
        let symbol_count = reader.number()? as usize;
        let symbols = reader.clone();
        for _ in 0..symbol_count {
            reader.number()?;
            let kind = reader.byte()?;
            reader.skip_text()?;
            if kind & OWN_SCOPE > 0 {
                reader.skip_text()?;
            }
        }
        Ok(ChunkFacts {
            span: ByteSpan { start, end: *end },
            lines: LineSpan { start: first, end: *line },
            kind: Kind::from_number(kind & !LEXICAL_ONLY).ok_or(Malformed)?,
            raw_kind,
            qualified_name,
            lexical_only: kind & LEXICAL_ONLY > 0,
            symbol_count,
            symbols,
        })
    }
}

impl Extraction {
    /// Two records for the store: the chunk table, and the facts with the number of lines.
    ///
    /// # Panics
    /// If a chunk names a symbol that is not there: an extractor's bug.
    pub fn pack(&self) -> (Vec<u8>, Vec<u8>) {
        let mut raw_kinds: Vec<&str> = self.chunks.iter().map(|chunk| chunk.raw_kind.as_str()).collect();
        raw_kinds.sort_unstable();
        raw_kinds.dedup();
        let mut table = Vec::with_capacity(self.chunks.len() * 32);
        put_number(&mut table, raw_kinds.len() as u32);
        for raw_kind in &raw_kinds {
            put_text(&mut table, raw_kind);
        }
        put_number(&mut table, self.chunks.len() as u32);
        let (mut end, mut line) = (0, 0);
        for chunk in &self.chunks {
            put_number(&mut table, chunk.span.start - end);
            put_number(&mut table, chunk.span.end - chunk.span.start);
            put_number(&mut table, chunk.lines.start - line);
            put_number(&mut table, chunk.lines.end - chunk.lines.start);
            (end, line) = (chunk.span.end, chunk.lines.end);
            table.push(chunk.kind as u8 | if chunk.lexical_only { LEXICAL_ONLY } else { 0 });
            let raw_kind = raw_kinds.binary_search(&chunk.raw_kind.as_str());
            put_number(&mut table, raw_kind.expect("invariant: all raw kinds are in the table") as u32);
            put_text(&mut table, &chunk.qualified_name);
            put_number(&mut table, chunk.symbols.len() as u32);
            let mut before = "";
            for &symbol in &chunk.symbols {
                let facts = &self.syntax.symbols[symbol as usize];
                let scope = scope_of(&facts.qualified_name, &facts.name);
                let flags = match scope {
                    "" => 0,
                    _ if scope == before => SAME_SCOPE,
                    _ => OWN_SCOPE,
                };
                put_number(&mut table, symbol);
                table.push(facts.kind as u8 | flags);
                put_text(&mut table, &facts.name);
                if flags == OWN_SCOPE {
                    put_text(&mut table, scope);
                }
                before = scope;
            }
        }
        (table, self.syntax.pack(self.line_count))
    }

    /// What was packed, given the text that it was extracted from.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`](codecairn_base::Error::StoreDamaged) for bytes that are not that.
    pub fn unpack(table: &[u8], syntax: &[u8], text: &str) -> Result<Self> {
        let (syntax, line_count) = Syntax::unpack(syntax)?;
        let table = ChunkTable::parse(table)?;
        let mut chunks = Vec::new();
        for facts in table.iter() {
            let facts = facts?;
            let text_hash = ContentHash::of(text.get(facts.span.range()).ok_or(Malformed)?.as_bytes());
            let symbols: Vec<u32> = facts.symbols().map(|symbol| symbol.number).collect();
            if symbols.iter().any(|&symbol| symbol as usize >= syntax.symbols.len()) {
                return Err(Malformed.into());
            }
            chunks.push(Chunk {
                text_hash,
                span: facts.span,
                lines: facts.lines,
                kind: facts.kind,
                raw_kind: facts.raw_kind.to_owned(),
                qualified_name: facts.qualified_name.to_owned(),
                symbols,
                lexical_only: facts.lexical_only,
            });
        }
        Ok(Self { chunks, syntax, line_count, failure: None })
    }
}
