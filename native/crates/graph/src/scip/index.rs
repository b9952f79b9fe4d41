//! Reduces a SCIP index to names and their definitions.

use std::collections::HashMap;
use std::io::{BufRead, ErrorKind, Read};

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use codecairn_base::hash::ContentHash;

use super::Malformed;
use super::name::written_name;
use super::position::Encoding;
use super::wire::{BYTES, FIXED32, FIXED64, Fields, VARINT, Value, number, parts};

/// A symbol's number in its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SymbolNumber(pub(crate) u32);

/// A document's number in its index: documents are in order of path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct DocumentNumber(pub(crate) u32);

/// A name in one line of a document. Lines and units are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Name {
    pub(crate) line: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) symbol: SymbolNumber,
    pub(crate) is_definition: bool,
}

/// A file as it was indexed.
#[derive(Debug)]
pub(crate) struct Document {
    /// Relative to the folder of the index, with `/`.
    pub(crate) path: String,
    pub(crate) encoding: Encoding,
    /// The hash of its text, if the index has that.
    pub(crate) text: Option<ContentHash>,
    /// In order of position.
    pub(crate) names: Vec<Name>,
}

/// A SCIP index.
#[derive(Debug, Default)]
pub struct Index {
    tool: String,
    documents: Vec<Document>,
    /// By symbol: the hash of the name at its definition; 0 if the source need not have one there.
    written: Vec<u64>,
    /// (symbol, document, name in it), sorted.
    definitions: Vec<(SymbolNumber, DocumentNumber, u32)>,
    /// (symbol, document that names it), sorted.
    naming: Vec<(SymbolNumber, DocumentNumber)>,
}

/// A document of more bytes is none: 256 MiB.
const MAX_BYTES: u64 = 256 << 20;

impl Index {
    /// Reads an index to its end.
    ///
    /// # Errors
    /// [`Malformed`] where it is no index, or ends too early; [`std::io::Error`] of the reader as it comes.
    pub fn read(bytes: &mut impl BufRead) -> std::io::Result<Result<Self, Malformed>> {
        let mut making = IndexBuilder::default();
        let mut message = Vec::new();
        loop {
            let field = match next_field(bytes, &mut message) {
                Ok(Some(field)) => field,
                Ok(None) => break,
                Err(error) if matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof) => {
                    return Ok(Err(Malformed));
                }
                Err(error) => return Err(error),
            };
            let taken = match field {
                METADATA => making.take_metadata(&message),
                DOCUMENTS => making.take_document(&message),
                _ => Ok(()),
            };
            if taken.is_err() {
                return Ok(Err(Malformed));
            }
        }
        // Arbitrary bytes may look like unknown fields.
        Ok(if making.has_metadata { Ok(making.finish()) } else { Err(Malformed) })
    }

    /// The indexer, as it calls itself.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// How many files it holds.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether it holds no file.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    pub(crate) fn documents(&self) -> &[Document] {
        &self.documents
    }

    pub(crate) fn document(&self, number: DocumentNumber) -> &Document {
        &self.documents[number.0 as usize]
    }

    /// The hash of the name at a symbol's definition; 0 if the source need not have one there.
    pub(crate) fn written(&self, symbol: SymbolNumber) -> u64 {
        self.written[symbol.0 as usize]
    }

    /// Where a symbol is defined: documents, and names in them.
    pub(crate) fn definitions(&self, symbol: SymbolNumber) -> impl Iterator<Item = (DocumentNumber, u32)> + '_ {
        let first = self.definitions.partition_point(|entry| entry.0 < symbol);
        let same = self.definitions[first..].iter().take_while(move |entry| entry.0 == symbol);
        same.map(|&(_, document, name)| (document, name))
    }

    /// The documents in which a symbol is named.
    pub(crate) fn naming(&self, symbol: SymbolNumber) -> impl Iterator<Item = DocumentNumber> + '_ {
        let first = self.naming.partition_point(|entry| entry.0 < symbol);
        self.naming[first..].iter().take_while(move |entry| entry.0 == symbol).map(|entry| entry.1)
    }
}

/// The hash that names are compared by.
pub(crate) fn name_hash(name: &str) -> u64 {
    xxh3_64(name.as_bytes()).max(1)
}

// Fields of scip.proto.
const METADATA: u64 = 1;
const DOCUMENTS: u64 = 2;
const METADATA_TOOL: u64 = 2;
const TOOL_NAME: u64 = 1;
const TOOL_VERSION: u64 = 2;
const DOCUMENT_PATH: u64 = 1;
const DOCUMENT_OCCURRENCES: u64 = 2;
const DOCUMENT_TEXT: u64 = 5;
const DOCUMENT_ENCODING: u64 = 6;
const OCCURRENCE_RANGE: u64 = 1;
const OCCURRENCE_SYMBOL: u64 = 2;
const OCCURRENCE_ROLES: u64 = 3;
const ROLE_DEFINITION: u64 = 1;

/// The number of the next field, whose bytes are put into `message`; none at the end.
fn next_field(bytes: &mut impl BufRead, message: &mut Vec<u8>) -> std::io::Result<Option<u64>> {
    message.clear();
    if bytes.fill_buf()?.is_empty() {
        return Ok(None);
    }
    let (field, kind) = parts(read_number(bytes)?);
    let length = match kind {
        VARINT => {
            read_number(bytes)?;
            0
        }
        FIXED64 => 8,
        FIXED32 => 4,
        BYTES => read_number(bytes)?,
        _ => return Err(ErrorKind::InvalidData.into()),
    };
    if length > MAX_BYTES {
        return Err(ErrorKind::InvalidData.into());
    }
    // Grows with the content that exists, not with a declared length.
    let read = bytes.take(length).read_to_end(message)?;
    if (read as u64) < length { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(Some(field)) }
}

fn read_number(bytes: &mut impl BufRead) -> std::io::Result<u64> {
    let mut digits = [0; 10];
    for place in 0..digits.len() {
        bytes.read_exact(&mut digits[place..=place])?;
        if digits[place] < 0x80 {
            return number(&mut &digits[..=place]).map_err(|_| ErrorKind::InvalidData.into());
        }
    }
    Err(ErrorKind::InvalidData.into())
}

/// An index while it is read.
#[derive(Debug, Default)]
struct IndexBuilder {
    has_metadata: bool,
    index: Index,
    /// Numbers of symbols by their hashes. Local symbols are dropped at the end of their document.
    numbers: HashMap<u128, SymbolNumber>,
    local: HashMap<u128, SymbolNumber>,
}

impl IndexBuilder {
    fn take_metadata(&mut self, message: &[u8]) -> Result<(), Malformed> {
        self.has_metadata = true;
        for field in Fields(message) {
            let (METADATA_TOOL, Value::Bytes(tool)) = field? else { continue };
            for field in Fields(tool) {
                match field? {
                    (TOOL_NAME, Value::Bytes(name)) => text(name)?.clone_into(&mut self.index.tool),
                    (TOOL_VERSION, Value::Bytes(version)) => {
                        self.index.tool = format!("{} {}", self.index.tool, text(version)?);
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn take_document(&mut self, message: &[u8]) -> Result<(), Malformed> {
        self.local.clear();
        let (mut path, mut encoding, mut hash, mut names) = ("", 0, None, Vec::new());
        for field in Fields(message) {
            match field? {
                (DOCUMENT_PATH, Value::Bytes(bytes)) => path = text(bytes)?,
                (DOCUMENT_OCCURRENCES, Value::Bytes(bytes)) => names.extend(self.name(bytes)?),
                (DOCUMENT_TEXT, Value::Bytes(bytes)) if !bytes.is_empty() => hash = Some(ContentHash::of(bytes)),
                (DOCUMENT_ENCODING, Value::Number(number)) => encoding = number,
                _ => {}
            }
        }
        if !path.is_empty() {
            names.sort_unstable();
            names.dedup();
            names.shrink_to_fit();
            let tool = self.index.tool.split(' ').next().unwrap_or_default();
            let encoding = Encoding::of(encoding, tool);
            self.index.documents.push(Document { path: path.replace('\\', "/"), encoding, text: hash, names });
        }
        Ok(())
    }

    /// An occurrence of a symbol; none that has no symbol, or goes over several lines, which no name does.
    fn name(&mut self, message: &[u8]) -> Result<Option<Name>, Malformed> {
        let (mut range, mut length, mut symbol, mut roles) = ([0; 4], 0, "", 0);
        let mut push = |number: u64| -> Result<(), Malformed> {
            *range.get_mut(length).ok_or(Malformed)? = u32::try_from(number).map_err(|_| Malformed)?;
            length += 1;
            Ok(())
        };
        for field in Fields(message) {
            match field? {
                (OCCURRENCE_RANGE, Value::Bytes(mut packed)) => {
                    while !packed.is_empty() {
                        push(number(&mut packed)?)?;
                    }
                }
                (OCCURRENCE_RANGE, Value::Number(number)) => push(number)?,
                (OCCURRENCE_SYMBOL, Value::Bytes(bytes)) => symbol = text(bytes)?,
                (OCCURRENCE_ROLES, Value::Number(number)) => roles = number,
                _ => {}
            }
        }
        let (line, start, end) = match (length, range) {
            (3, [line, start, end, _]) => (line, start, end),
            (4, [line, start, last, end]) if line == last => (line, start, end),
            _ => return Ok(None),
        };
        if symbol.is_empty() || end < start {
            return Ok(None);
        }
        let is_definition = roles & ROLE_DEFINITION > 0;
        Ok(Some(Name { line, start, end, symbol: self.symbol(symbol), is_definition }))
    }

    fn symbol(&mut self, symbol: &str) -> SymbolNumber {
        let numbers = if symbol.starts_with("local ") { &mut self.local } else { &mut self.numbers };
        *numbers.entry(xxh3_128(symbol.as_bytes())).or_insert_with(|| {
            self.index.written.push(written_name(symbol).map_or(0, name_hash));
            SymbolNumber(self.index.written.len() as u32 - 1)
        })
    }

    fn finish(self) -> Index {
        let mut index = self.index;
        index.documents.sort_by(|a, b| a.path.cmp(&b.path));
        // Of two documents with one path it is unknown which one is valid.
        let twice: Vec<String> = index
            .documents
            .windows(2)
            .filter(|two| two[0].path == two[1].path)
            .map(|two| two[0].path.clone())
            .collect();
        index.documents.retain(|document| twice.binary_search(&document.path).is_err());
        for (document, number) in index.documents.iter().zip((0u32..).map(DocumentNumber)) {
            for (name, at) in document.names.iter().zip(0u32..) {
                if name.is_definition {
                    index.definitions.push((name.symbol, number, at));
                }
                index.naming.push((name.symbol, number));
            }
        }
        index.definitions.sort_unstable();
        index.naming.sort_unstable();
        index.naming.dedup();
        index
    }
}

fn text(bytes: &[u8]) -> Result<&str, Malformed> {
    std::str::from_utf8(bytes).map_err(|_| Malformed)
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
