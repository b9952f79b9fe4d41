//! Packs numbers and texts into bytes, as the store keeps records.
//!
//! Numbers are LEB128: seven bits per byte, lowest first. A text is its length and UTF-8. Reading never panics: bytes
//! that can't be read give [`Malformed`].

use crate::error::Error;

/// Bytes that are not what was packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

impl From<Malformed> for Error {
    fn from(_: Malformed) -> Self {
        Self::StoreDamaged { path: "index.db".into(), detail: "a packed record is unreadable".into() }
    }
}

/// Appends a number.
pub fn put_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends a text.
pub fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put_number(bytes, text.len() as u32);
    bytes.extend_from_slice(text.as_bytes());
}

/// Reads what was put, in the same order.
#[derive(Debug, Clone)]
pub struct PackedReader<'a>(&'a [u8]);

impl<'a> PackedReader<'a> {
    /// A reader from the beginning of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next number.
    #[inline]
    pub fn number(&mut self) -> Result<u32, Malformed> {
        let (mut number, mut shift) = (0u64, 0);
        loop {
            let (&byte, rest) = self.0.split_first().ok_or(Malformed)?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return u32::try_from(number).map_err(|_| Malformed);
            }
            shift += 7;
            if shift > 28 {
                return Err(Malformed);
            }
        }
    }

    /// The next number, as how many entries follow: never more than there are bytes left.
    pub fn count(&mut self) -> Result<usize, Malformed> {
        let count = self.number()? as usize;
        if count <= self.0.len() { Ok(count) } else { Err(Malformed) }
    }

    /// The next byte.
    #[inline]
    pub fn byte(&mut self) -> Result<u8, Malformed> {
        let (&byte, rest) = self.0.split_first().ok_or(Malformed)?;
        self.0 = rest;
        Ok(byte)
    }

    /// The next text.
    #[inline]
    pub fn text(&mut self) -> Result<&'a str, Malformed> {
        std::str::from_utf8(self.skip_text()?).map_err(|_| Malformed)
    }

    /// The next texts, after their number.
    pub fn texts(&mut self) -> Result<Vec<&'a str>, Malformed> {
        let count = self.count()?;
        let mut texts = Vec::with_capacity(count);
        for _ in 0..count {
            texts.push(self.text()?);
        }
        Ok(texts)
    }

    /// The bytes of the next text, whatever they are.
    #[inline]
    pub fn skip_text(&mut self) -> Result<&'a [u8], Malformed> {
        let length = self.number()? as usize;
        let (text, rest) = self.0.split_at_checked(length).ok_or(Malformed)?;
        self.0 = rest;
        Ok(text)
    }

    /// The next `length` bytes, and the reader of what follows them.
    pub fn take(self, length: usize) -> Result<(&'a [u8], Self), Malformed> {
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(Malformed)?;
        Ok((bytes, Self(rest)))
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.0.len()
    }

    /// Fails unless everything has been read.
    pub fn finish(self) -> Result<(), Malformed> {
        if self.0.is_empty() { Ok(()) } else { Err(Malformed) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_put_comes_back(numbers: Vec<u32>, text: String) {
            let mut bytes = Vec::new();
            for &number in &numbers {
                put_number(&mut bytes, number);
            }
            put_text(&mut bytes, &text);
            put_number(&mut bytes, 2);
            put_text(&mut bytes, "");
            put_text(&mut bytes, &text);
            let mut reader = PackedReader::new(&bytes);
            for number in numbers {
                prop_assert_eq!(reader.number(), Ok(number));
            }
            prop_assert_eq!(reader.text(), Ok(text.as_str()));
            prop_assert_eq!(reader.texts(), Ok(vec!["", text.as_str()]));
            prop_assert_eq!(reader.finish(), Ok(()));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes: Vec<u8>) {
            let mut reader = PackedReader::new(&bytes);
            while reader.text().is_ok() && reader.number().is_ok() {}
            let _ = PackedReader::new(&bytes).texts();
        }
    }
}
