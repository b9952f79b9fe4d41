//! The facts of a text as one packed record a blob.

use super::record::{Binding, Diagnostic, Evidence, Import, Inheritance, Reference, ReferenceKind, Symbol, Syntax};
use crate::kind::Kind;
use crate::packed::{Malformed, PackedReader, put_number, put_text};
use crate::span::ByteSpan;

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
        let mut rows = Vec::new();
        put_number(&mut rows, line_count);
        put_number(&mut rows, self.symbols.len() as u32);
        for symbol in &self.symbols {
            put_span(&mut rows, symbol.span);
            put_span(&mut rows, symbol.name_span);
            rows.push(symbol.kind as u8);
            put_number(&mut rows, texts.number(&symbol.name));
            put_number(&mut rows, texts.number(&symbol.qualified_name));
        }
        put_number(&mut rows, self.references.len() as u32);
        for reference in &self.references {
            put_span(&mut rows, reference.span);
            rows.push(reference.kind as u8);
            put_number(&mut rows, texts.number(&reference.name));
            put_number(&mut rows, texts.number(&reference.receiver));
        }
        put_number(&mut rows, self.imports.len() as u32);
        for import in &self.imports {
            put_span(&mut rows, import.span);
            for text in [&import.source, &import.name, &import.alias] {
                put_number(&mut rows, texts.number(text));
            }
        }
        put_number(&mut rows, self.inheritance.len() as u32);
        for inheritance in &self.inheritance {
            put_span(&mut rows, inheritance.span);
            rows.push(inheritance.implements.into());
            put_number(&mut rows, texts.number(&inheritance.derived));
            put_number(&mut rows, texts.number(&inheritance.base));
        }
        put_number(&mut rows, self.bindings.len() as u32);
        for binding in &self.bindings {
            put_span(&mut rows, binding.span);
            rows.push(binding.evidence as u8);
            put_number(&mut rows, texts.number(&binding.name));
            put_number(&mut rows, texts.number(&binding.text));
        }
        put_number(&mut rows, self.comments.len() as u32);
        for &comment in &self.comments {
            put_span(&mut rows, comment);
        }
        put_number(&mut rows, self.diagnostics.len() as u32);
        for diagnostic in &self.diagnostics {
            put_span(&mut rows, diagnostic.span);
            put_number(&mut rows, texts.number(&diagnostic.message));
        }
        let mut bytes = Vec::with_capacity(rows.len() + texts.list.len() * 12);
        put_number(&mut bytes, texts.list.len() as u32);
        texts.list.iter().for_each(|text| put_text(&mut bytes, text));
        bytes.extend_from_slice(&rows);
        bytes
    }

    /// The symbols alone, which stand first in a record.
    pub(crate) fn unpack_symbols(bytes: &[u8]) -> Result<Vec<Symbol>, Malformed> {
        let mut reader = PackedReader::new(bytes);
        let texts: Vec<&str> = (0..reader.count()?).map(|_| reader.text()).collect::<Result<_, _>>()?;
        reader.number()?;
        symbols(&mut reader, &texts)
    }

    /// The facts and the number of lines from a record.
    pub(crate) fn unpack(bytes: &[u8]) -> Result<(Self, u32), Malformed> {
        let mut reader = PackedReader::new(bytes);
        let texts: Vec<&str> = (0..reader.count()?).map(|_| reader.text()).collect::<Result<_, _>>()?;
        let line_count = reader.number()?;
        let mut syntax = Self { symbols: symbols(&mut reader, &texts)?, ..Self::default() };
        for _ in 0..reader.count()? {
            syntax.references.push(Reference {
                span: span(&mut reader)?,
                kind: ReferenceKind::from_number(reader.byte()?).ok_or(Malformed)?,
                name: text(&mut reader, &texts)?,
                receiver: text(&mut reader, &texts)?,
            });
        }
        for _ in 0..reader.count()? {
            syntax.imports.push(Import {
                span: span(&mut reader)?,
                source: text(&mut reader, &texts)?,
                name: text(&mut reader, &texts)?,
                alias: text(&mut reader, &texts)?,
            });
        }
        for _ in 0..reader.count()? {
            syntax.inheritance.push(Inheritance {
                span: span(&mut reader)?,
                implements: reader.byte()? > 0,
                derived: text(&mut reader, &texts)?,
                base: text(&mut reader, &texts)?,
            });
        }
        for _ in 0..reader.count()? {
            syntax.bindings.push(Binding {
                span: span(&mut reader)?,
                evidence: Evidence::from_number(reader.byte()?).ok_or(Malformed)?,
                name: text(&mut reader, &texts)?,
                text: text(&mut reader, &texts)?,
            });
        }
        for _ in 0..reader.count()? {
            syntax.comments.push(span(&mut reader)?);
        }
        for _ in 0..reader.count()? {
            syntax.diagnostics.push(Diagnostic { span: span(&mut reader)?, message: text(&mut reader, &texts)? });
        }
        reader.finish()?;
        Ok((syntax, line_count))
    }
}

fn symbols(reader: &mut PackedReader<'_>, texts: &[&str]) -> Result<Vec<Symbol>, Malformed> {
    let mut symbols = Vec::new();
    for _ in 0..reader.count()? {
        symbols.push(Symbol {
            span: span(reader)?,
            name_span: span(reader)?,
            kind: Kind::from_number(reader.byte()?).ok_or(Malformed)?,
            name: text(reader, texts)?,
            qualified_name: text(reader, texts)?,
        });
    }
    Ok(symbols)
}

fn put_span(bytes: &mut Vec<u8>, span: ByteSpan) {
    put_number(bytes, span.start);
    put_number(bytes, span.end - span.start);
}

fn span(reader: &mut PackedReader<'_>) -> Result<ByteSpan, Malformed> {
    let start = reader.number()?;
    let end = start.checked_add(reader.number()?).ok_or(Malformed)?;
    Ok(ByteSpan { start, end })
}

fn text(reader: &mut PackedReader<'_>, texts: &[&str]) -> Result<String, Malformed> {
    texts.get(reader.number()? as usize).map(|text| (*text).to_owned()).ok_or(Malformed)
}
