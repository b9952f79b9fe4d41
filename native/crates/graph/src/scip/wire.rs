//! Reads protocol buffers, as far as SCIP needs it, by iterating over the fields of a message without copies.

use super::Malformed;

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value<'a> {
    /// A number of variable length.
    Number(u64),
    /// A text, a message, or packed numbers.
    Bytes(&'a [u8]),
    /// A number of fixed length: SCIP has none.
    Fixed,
}

/// The fields of a message: number and value. Ends after the first that can't be read.
#[derive(Debug, Clone)]
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Value<'a>), Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.read();
        if field.is_err() {
            self.0 = &[];
        }
        Some(field)
    }
}

impl<'a> Fields<'a> {
    fn read(&mut self) -> Result<(u64, Value<'a>), Malformed> {
        let (field, kind) = parts(number(&mut self.0)?);
        let value = match kind {
            VARINT => Value::Number(number(&mut self.0)?),
            BYTES => {
                let length = usize::try_from(number(&mut self.0)?).map_err(|_| Malformed)?;
                Value::Bytes(self.take(length)?)
            }
            FIXED64 => self.take(8).map(|_| Value::Fixed)?,
            FIXED32 => self.take(4).map(|_| Value::Fixed)?,
            _ => return Err(Malformed),
        };
        Ok((field, value))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Malformed)?;
        self.0 = rest;
        Ok(taken)
    }
}

/// A field's number, and how its value is written.
pub(super) fn parts(tag: u64) -> (u64, u64) {
    (tag >> 3, tag & 7)
}

/// A value of variable length.
pub(super) const VARINT: u64 = 0;
/// A value of eight bytes.
pub(super) const FIXED64: u64 = 1;
/// A value with its length before it.
pub(super) const BYTES: u64 = 2;
/// A value of four bytes.
pub(super) const FIXED32: u64 = 5;

/// A number of seven bits a byte, least first.
pub(super) fn number(bytes: &mut &[u8]) -> Result<u64, Malformed> {
    let mut value = 0;
    for place in 0..10 {
        let (&byte, rest) = bytes.split_first().ok_or(Malformed)?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << (7 * place);
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Vec<Result<(u64, Value<'_>), Malformed>> {
        Fields(bytes).collect()
    }

    #[test]
    fn fields_are_numbers_and_bytes() {
        assert_eq!(read(b"\x18\x96\x01"), [Ok((3, Value::Number(150)))]);
        assert_eq!(read(b"\x12\x02ab\x08\x01"), [Ok((2, Value::Bytes(b"ab"))), Ok((1, Value::Number(1)))]);
    }

    #[test]
    fn fixed_numbers_are_passed_over() {
        assert_eq!(read(b"\x0d1234\x08\x01"), [Ok((1, Value::Fixed)), Ok((1, Value::Number(1)))]);
    }

    #[test]
    fn what_ends_too_early_is_malformed() {
        for bytes in [&b"\x12\x05ab"[..], b"\x08\x80", b"\x0b", b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"] {
            assert_eq!(read(bytes), [Err(Malformed)], "{bytes:?}");
        }
    }

    #[test]
    fn endless_number_is_malformed() {
        assert_eq!(read(&[0xff; 40]), [Err(Malformed)]);
    }
}
