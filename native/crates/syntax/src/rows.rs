//! Reads and writes the rows of a packed record: numbers, bytes and positions.

use codecairn_base::leb128::{Malformed, PackedReader, put_number};
use codecairn_base::span::ByteSpan;

/// What a record begins with: a zero as no number is ever written, so that it can't be an earlier form's number of texts.
pub(super) const MARK: [u8; 4] = [0x80, 0x80, 0x80, 0x00];

/// What records begin with that have no closures.
const MARK_WITHOUT_CLOSURES: [u8; 3] = [0x80, 0x80, 0x00];

/// What records begin with whose imports have no positions of names.
const MARK_WITHOUT_NAMES: [u8; 2] = [0x80, 0x00];

/// Whether a record is of the form that is written today.
pub(crate) fn is_current(bytes: &[u8]) -> bool {
    bytes.starts_with(&MARK)
}

/// The rows of a record while they are written.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) bytes: Vec<u8>,
    /// Where the span before in this list starts.
    last: u32,
}

impl Rows {
    /// Begins a list.
    pub(super) fn begin(&mut self) {
        self.last = 0;
    }

    pub(super) fn number(&mut self, number: u32) {
        put_number(&mut self.bytes, number);
    }

    pub(super) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub(super) fn span(&mut self, span: ByteSpan) {
        let distance = span.start.wrapping_sub(self.last) as i32;
        self.number((distance << 1 ^ distance >> 31) as u32);
        self.number(span.end - span.start);
        self.last = span.start;
    }
}

/// Reads the rows of a record of either form.
pub struct FactsReader<'a> {
    pub(super) packed: PackedReader<'a>,
    has_distances: bool,
    has_import_names: bool,
    has_closures: bool,
    last: u32,
}

impl<'a> FactsReader<'a> {
    /// A reader of the rows, and the texts before them.
    pub fn new(bytes: &'a [u8]) -> Result<(Self, Vec<&'a str>), Malformed> {
        let mut reader = Self::rows(bytes);
        let texts = reader.packed.texts()?;
        Ok((reader, texts))
    }

    /// A reader of the rows alone.
    pub(super) fn without_texts(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Self::rows(bytes);
        for _ in 0..reader.packed.count()? {
            reader.packed.skip_text()?;
        }
        Ok(reader)
    }

    fn rows(bytes: &'a [u8]) -> Self {
        let newest = bytes.strip_prefix(&MARK);
        let named = newest.or_else(|| bytes.strip_prefix(&MARK_WITHOUT_CLOSURES));
        let marked = named.or_else(|| bytes.strip_prefix(&MARK_WITHOUT_NAMES));
        Self {
            packed: PackedReader::new(marked.unwrap_or(bytes)),
            has_distances: marked.is_some(),
            has_import_names: named.is_some(),
            has_closures: newest.is_some(),
            last: 0,
        }
    }

    /// Begins a list, and says how long it is.
    pub fn begin(&mut self) -> Result<usize, Malformed> {
        self.last = 0;
        self.packed.count()
    }

    /// Begins the list of bindings, which records of the earlier form lack.
    pub fn begin_bindings(&mut self) -> Result<usize, Malformed> {
        if self.has_distances { self.begin() } else { Ok(0) }
    }

    /// Begins the list of closures, which earlier records lack.
    pub fn begin_closures(&mut self) -> Result<usize, Malformed> {
        if self.has_closures { self.begin() } else { Ok(0) }
    }

    /// The position of an import's name; in earlier records, that of the statement.
    pub fn import_name(&mut self, statement: ByteSpan) -> Result<ByteSpan, Malformed> {
        if self.has_import_names { self.span() } else { Ok(statement) }
    }

    /// The next number.
    pub fn number(&mut self) -> Result<u32, Malformed> {
        self.packed.number()
    }

    /// The next byte.
    pub fn byte(&mut self) -> Result<u8, Malformed> {
        self.packed.byte()
    }

    /// Fails unless everything has been read.
    pub(crate) fn finish(self) -> Result<(), Malformed> {
        self.packed.finish()
    }

    /// The next place.
    pub fn span(&mut self) -> Result<ByteSpan, Malformed> {
        let mut start = self.number()?;
        if self.has_distances {
            start = self.last.wrapping_add(start >> 1 ^ (start & 1).wrapping_neg());
            self.last = start;
        }
        let end = start.checked_add(self.number()?).ok_or(Malformed)?;
        Ok(ByteSpan { start, end })
    }
}
