//! Converts lines and characters, in an indexer's encoding, to byte offsets.

/// The unit of character offsets in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Unspecified: only offsets after ASCII alone are the same in all units.
    Unknown,
    /// Bytes.
    Utf8,
    /// Units of UTF-16, as in JavaScript and Java.
    Utf16,
    /// Characters, as in Python.
    Utf32,
}

impl Encoding {
    /// The encoding of a document that gives its number; `tool` names the indexer.
    pub(super) fn of(number: u64, tool: &str) -> Self {
        match number {
            1 => Self::Utf8,
            2 => Self::Utf16,
            3 => Self::Utf32,
            // They specify none, and run on JavaScript and Java.
            _ if matches!(tool, "scip-typescript" | "scip-python" | "scip-java") => Self::Utf16,
            _ => Self::Unknown,
        }
    }

    /// Whether the unit is known.
    pub(crate) fn is_known(self) -> bool {
        self != Self::Unknown
    }

    /// The byte of a line at which that many units have passed; none inside of a character, behind the end, or if it is
    /// not known.
    pub(crate) fn byte(self, line: &str, units: u32) -> Option<u32> {
        let wanted = units as usize;
        if self == Self::Utf8 {
            return line.is_char_boundary(wanted).then_some(units);
        }
        let ascii = line.bytes().take(wanted).take_while(u8::is_ascii).count();
        if ascii == wanted {
            return Some(units);
        }
        let (mut passed, mut at) = (ascii, ascii);
        for char in line[ascii..].chars() {
            if passed >= wanted {
                break;
            }
            at += char.len_utf8();
            passed += match self {
                Self::Utf16 => char.len_utf16(),
                Self::Utf32 => 1,
                Self::Unknown | Self::Utf8 => return None,
            };
        }
        (passed == wanted).then_some(at as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_counted_as_the_document_says() {
        let line = "é🧾x";
        assert_eq!(Encoding::Utf8.byte(line, 6), Some(6));
        assert_eq!(Encoding::Utf16.byte(line, 3), Some(6));
        assert_eq!(Encoding::Utf32.byte(line, 2), Some(6));
        assert_eq!(Encoding::Utf16.byte(line, 4), Some(7));
    }

    #[test]
    fn places_inside_of_characters_or_behind_the_end_are_none() {
        assert_eq!(Encoding::Utf8.byte("é", 1), None);
        assert_eq!(Encoding::Utf16.byte("🧾", 1), None);
        assert_eq!(Encoding::Utf16.byte("ab", 3), None);
        assert_eq!(Encoding::Utf32.byte("é", 2), None);
    }

    #[test]
    fn unknown_encoding_knows_places_behind_ascii_alone() {
        assert_eq!(Encoding::Unknown.byte("ab é", 2), Some(2));
        assert_eq!(Encoding::Unknown.byte("é b", 2), None);
        assert_eq!(Encoding::of(0, "scip-typescript"), Encoding::Utf16);
        assert_eq!(Encoding::of(0, "another"), Encoding::Unknown);
    }
}
