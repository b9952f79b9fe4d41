//! The facts of a text as one packed record a blob.
//!
//! Places are kept as distances from the one before in their list, which are small numbers. Records of an earlier form
//! keep them as they are and begin otherwise.

use super::record::{Diagnostic, Import, Inheritance, Reference, ReferenceKind, Symbol, Syntax};
use crate::kind::Kind;
use crate::packed::{Malformed, PackedReader, put_number, put_text};
use crate::span::ByteSpan;

/// What a record begins with: a zero as no number is ever written, so that it can't be an earlier form's number of texts.
const MARK: [u8; 2] = [0x80, 0x00];

/// All texts of a record, each once: names repeat, and numbers are shorter.
#[derive(Default)]
struct Texts<'a> {
    list: Vec<&'a str>,
    numbers: std::collections::HashMap<&'a str, u32>,
}

impl<'a> Texts<'a> {
    fn number(&mut self, text: &'a str) -> u32 {
        *self.numbers.entry(text).or_insert_with(|| {
            self.list.push(text);
            self.list.len() as u32 - 1
        })
    }
}

impl Syntax {
    /// The record, with the number of lines of the text.
    pub(crate) fn pack(&self, line_count: u32) -> Vec<u8> {
        let mut texts = Texts::default();
        let mut rows = Rows::default();
        rows.number(line_count);
        rows.number(self.symbols.len() as u32);
        rows.begin();
        for symbol in &self.symbols {
            rows.span(symbol.span);
            rows.span(symbol.name_span);
            rows.byte(symbol.kind as u8);
            rows.number(texts.number(&symbol.name));
            rows.number(texts.number(&symbol.qualified_name));
        }
        rows.number(self.references.len() as u32);
        rows.begin();
        for reference in &self.references {
            rows.span(reference.span);
            rows.byte(reference.kind as u8);
            rows.number(texts.number(&reference.name));
            rows.number(texts.number(&reference.receiver));
        }
        rows.number(self.imports.len() as u32);
        rows.begin();
        for import in &self.imports {
            rows.span(import.span);
            for text in [&import.source, &import.name, &import.alias] {
                rows.number(texts.number(text));
            }
        }
        rows.number(self.inheritance.len() as u32);
        rows.begin();
        for inheritance in &self.inheritance {
            rows.span(inheritance.span);
            rows.byte(inheritance.implements.into());
            rows.number(texts.number(&inheritance.derived));
            rows.number(texts.number(&inheritance.base));
        }
        rows.number(self.comments.len() as u32);
        rows.begin();
        for &comment in &self.comments {
            rows.span(comment);
        }
        rows.number(self.diagnostics.len() as u32);
        rows.begin();
        for diagnostic in &self.diagnostics {
            rows.span(diagnostic.span);
            rows.number(texts.number(&diagnostic.message));
        }
        let mut bytes = Vec::with_capacity(rows.bytes.len() + texts.list.len() * 12);
        bytes.extend_from_slice(&MARK);
        put_number(&mut bytes, texts.list.len() as u32);
        texts.list.iter().for_each(|text| put_text(&mut bytes, text));
        bytes.extend_from_slice(&rows.bytes);
        bytes
    }

    /// The symbols alone, which stand first in a record.
    pub(crate) fn unpack_symbols(bytes: &[u8]) -> Result<Vec<Symbol>, Malformed> {
        let (mut reader, texts) = FactsReader::new(bytes)?;
        reader.number()?;
        symbols(&mut reader, &texts)
    }

    /// The facts and the number of lines from a record.
    pub(crate) fn unpack(bytes: &[u8]) -> Result<(Self, u32), Malformed> {
        let (mut reader, texts) = FactsReader::new(bytes)?;
        let line_count = reader.number()?;
        let mut syntax = Self { symbols: symbols(&mut reader, &texts)?, ..Self::default() };
        for _ in 0..reader.begin()? {
            syntax.references.push(Reference {
                span: reader.span()?,
                kind: reference_kind(reader.byte()?)?,
                name: text(&mut reader, &texts)?,
                receiver: text(&mut reader, &texts)?,
            });
        }
        for _ in 0..reader.begin()? {
            syntax.imports.push(Import {
                span: reader.span()?,
                source: text(&mut reader, &texts)?,
                name: text(&mut reader, &texts)?,
                alias: text(&mut reader, &texts)?,
            });
        }
        for _ in 0..reader.begin()? {
            syntax.inheritance.push(Inheritance {
                span: reader.span()?,
                implements: reader.byte()? > 0,
                derived: text(&mut reader, &texts)?,
                base: text(&mut reader, &texts)?,
            });
        }
        for _ in 0..reader.begin()? {
            syntax.comments.push(reader.span()?);
        }
        for _ in 0..reader.begin()? {
            syntax.diagnostics.push(Diagnostic { span: reader.span()?, message: text(&mut reader, &texts)? });
        }
        reader.packed.finish()?;
        Ok((syntax, line_count))
    }
}

fn symbols(reader: &mut FactsReader<'_>, texts: &[&str]) -> Result<Vec<Symbol>, Malformed> {
    let mut symbols = Vec::new();
    for _ in 0..reader.begin()? {
        symbols.push(Symbol {
            span: reader.span()?,
            name_span: reader.span()?,
            kind: Kind::from_number(reader.byte()?).ok_or(Malformed)?,
            name: text(reader, texts)?,
            qualified_name: text(reader, texts)?,
        });
    }
    Ok(symbols)
}

/// The rows of a record while they are written.
#[derive(Default)]
struct Rows {
    bytes: Vec<u8>,
    /// Where the span before in this list starts.
    last: u32,
}

impl Rows {
    /// Begins a list.
    fn begin(&mut self) {
        self.last = 0;
    }

    fn number(&mut self, number: u32) {
        put_number(&mut self.bytes, number);
    }

    fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    fn span(&mut self, span: ByteSpan) {
        let distance = span.start.wrapping_sub(self.last) as i32;
        self.number((distance << 1 ^ distance >> 31) as u32);
        self.number(span.end - span.start);
        self.last = span.start;
    }
}

/// Reads the rows of a record of either form.
struct FactsReader<'a> {
    packed: PackedReader<'a>,
    has_distances: bool,
    last: u32,
}

impl<'a> FactsReader<'a> {
    /// A reader of the rows, and the texts before them.
    fn new(bytes: &'a [u8]) -> Result<(Self, Vec<&'a str>), Malformed> {
        let marked = bytes.strip_prefix(&MARK);
        let mut packed = PackedReader::new(marked.unwrap_or(bytes));
        let texts = (0..packed.count()?).map(|_| packed.text()).collect::<Result<_, _>>()?;
        Ok((Self { packed, has_distances: marked.is_some(), last: 0 }, texts))
    }

    /// Begins a list, and says how long it is.
    fn begin(&mut self) -> Result<usize, Malformed> {
        self.last = 0;
        self.packed.count()
    }

    fn number(&mut self) -> Result<u32, Malformed> {
        self.packed.number()
    }

    fn byte(&mut self) -> Result<u8, Malformed> {
        self.packed.byte()
    }

    fn span(&mut self) -> Result<ByteSpan, Malformed> {
        let mut start = self.number()?;
        if self.has_distances {
            start = self.last.wrapping_add(start >> 1 ^ (start & 1).wrapping_neg());
            self.last = start;
        }
        let end = start.checked_add(self.number()?).ok_or(Malformed)?;
        Ok(ByteSpan { start, end })
    }
}

fn text(reader: &mut FactsReader<'_>, texts: &[&str]) -> Result<String, Malformed> {
    texts.get(reader.number()? as usize).map(|text| (*text).to_owned()).ok_or(Malformed)
}

fn reference_kind(number: u8) -> Result<ReferenceKind, Malformed> {
    match number {
        0 => Ok(ReferenceKind::Call),
        1 => Ok(ReferenceKind::Construct),
        2 => Ok(ReferenceKind::Type),
        _ => Err(Malformed),
    }
}
