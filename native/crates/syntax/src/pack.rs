//! Packs the facts of a text into one record per blob.
//!
//! Places are kept as distances from the one before in their list, which are small numbers. Records of an earlier form
//! keep them as they are and begin otherwise.

use codecairn_base::leb128::{Malformed, put_number, put_text};

use super::record::{Binding, Diagnostic, Evidence, Extent, Import, Inheritance, Reference, Symbol, Syntax};
use super::rows::{FactsReader, MARK, Rows};
use crate::kind::Kind;

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
            rows.byte(reference.packed_kind());
            rows.number(texts.number(&reference.name));
            rows.number(texts.number(&reference.receiver));
        }
        rows.number(self.imports.len() as u32);
        rows.begin();
        for import in &self.imports {
            rows.span(import.span);
            rows.span(import.name_span);
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
        rows.number(self.bindings.len() as u32);
        rows.begin();
        for binding in &self.bindings {
            rows.span(binding.span);
            rows.byte(binding.evidence as u8);
            rows.number(texts.number(&binding.name));
            rows.number(texts.number(&binding.text));
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
        rows.number(self.closures.len() as u32);
        rows.begin();
        for &closure in &self.closures {
            rows.span(closure);
        }
        let mut bytes = Vec::with_capacity(rows.bytes.len() + texts.list.len() * 12);
        bytes.extend_from_slice(&MARK);
        put_number(&mut bytes, texts.list.len() as u32);
        texts.list.iter().for_each(|text| put_text(&mut bytes, text));
        bytes.extend_from_slice(&rows.bytes);
        bytes
    }

    /// The symbols alone, which are first in a record.
    pub fn unpack_symbols(bytes: &[u8]) -> Result<Vec<Symbol>, Malformed> {
        let (mut reader, texts) = FactsReader::new(bytes)?;
        reader.number()?;
        symbols(&mut reader, &texts)
    }

    /// The extents of the symbols, from a record.
    pub fn unpack_extents(bytes: &[u8]) -> Result<Vec<Extent>, Malformed> {
        let mut reader = FactsReader::without_texts(bytes)?;
        reader.number()?;
        let mut extents = Vec::new();
        for _ in 0..reader.begin()? {
            let span = reader.span()?;
            let name = reader.span()?.start;
            let kind = Kind::from_number(reader.byte()?).ok_or(Malformed)?;
            extents.push(Extent { span, name, kind });
            reader.number()?;
            reader.number()?;
        }
        Ok(extents)
    }

    /// The facts and the number of lines from a record.
    pub(crate) fn unpack(bytes: &[u8]) -> Result<(Self, u32), Malformed> {
        let (mut reader, texts) = FactsReader::new(bytes)?;
        let line_count = reader.number()?;
        let mut syntax = Self { symbols: symbols(&mut reader, &texts)?, ..Self::default() };
        for _ in 0..reader.begin()? {
            let span = reader.span()?;
            let (kind, arguments) = Reference::unpacked_kind(reader.byte()?).ok_or(Malformed)?;
            syntax.references.push(Reference {
                span,
                kind,
                arguments,
                name: text(&mut reader, &texts)?,
                receiver: text(&mut reader, &texts)?,
            });
        }
        for _ in 0..reader.begin()? {
            let span = reader.span()?;
            syntax.imports.push(Import {
                span,
                name_span: reader.import_name(span)?,
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
        for _ in 0..reader.begin_bindings()? {
            syntax.bindings.push(Binding {
                span: reader.span()?,
                evidence: Evidence::from_number(reader.byte()?).ok_or(Malformed)?,
                name: text(&mut reader, &texts)?,
                text: text(&mut reader, &texts)?,
            });
        }
        for _ in 0..reader.begin()? {
            syntax.comments.push(reader.span()?);
        }
        for _ in 0..reader.begin()? {
            syntax.diagnostics.push(Diagnostic { span: reader.span()?, message: text(&mut reader, &texts)? });
        }
        for _ in 0..reader.begin_closures()? {
            syntax.closures.push(reader.span()?);
        }
        reader.finish()?;
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

fn text(reader: &mut FactsReader<'_>, texts: &[&str]) -> Result<String, Malformed> {
    texts.get(reader.number()? as usize).map(|text| (*text).to_owned()).ok_or(Malformed)
}
