//! Quantises field lengths to one byte each, as Lucene does.

/// Lengths below this are exact (as in Lucene's `SmallFloat.intToByte4`).
const EXACT: u32 = 24;

/// The number of terms of each field of a document, quantised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FieldLengths {
    /// Terms of the text.
    pub body: u32,
    /// Terms of the names it defines.
    pub names: u32,
    /// Terms of its comments.
    pub comments: u32,
}

/// The largest length that has a code; longer fields count as this long.
const LONGEST: u32 = i32::MAX as u32;

/// The one-byte code of a length: exact below 24, then four significant bits. Codes rise with lengths.
pub(super) fn quantise(length: u32) -> u8 {
    if length < EXACT {
        return length as u8;
    }
    let value = length.min(LONGEST) - EXACT;
    let shift = (28 - value.leading_zeros().min(28)) as u8;
    let code = if shift == 0 { value as u8 } else { ((value >> shift) as u8 & 0x07) | (shift + 1) << 3 };
    EXACT as u8 + code
}

/// The smallest length with this code.
pub fn dequantise(code: u8) -> u32 {
    if u32::from(code) < EXACT {
        return code.into();
    }
    let code = u32::from(code) - EXACT;
    let shift = code >> 3;
    EXACT + if shift == 0 { code } else { (code & 7 | 8) << (shift - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_lengths_are_exact_and_large_ones_close_from_below() {
        let mut before = 0;
        for length in (0..100_000).chain([LONGEST / 3, LONGEST]) {
            let code = quantise(length);
            let kept = dequantise(code);
            assert!(code >= before, "{length}");
            assert!(kept <= length && u64::from(length - kept) * 8 <= u64::from(length), "{length} {kept}");
            assert_eq!(quantise(kept), code);
            assert!(length > 39 || kept == length, "{length}");
            before = code;
        }
        assert_eq!(quantise(u32::MAX), u8::MAX);
    }
}
