//! Detects binary files by their first bytes.

/// How much is looked at; git's own rule looks at about as much.
pub(super) const HEAD_BYTES: usize = 8 * 1024;

/// Beginnings that decide at once. Formats with NUL bytes near the front need no row: the bytes betray them.
const SIGNATURES: [(&[u8], &str); 24] = [
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "gzip data"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ", "xz data"),
    (b"\x28\xb5\x2f\xfd", "zstandard data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-zip archive"),
    (b"Rar!\x1a", "a rar archive"),
    (b"!<arch>\n", "a library archive"),
    (b"\x7fELF", "an executable"),
    (b"MZ\x90", "an executable"),
    (b"\xca\xfe\xba\xbe", "an executable"),
    (b"\xcf\xfa\xed\xfe", "an executable"),
    (b"\0asm", "a WebAssembly module"),
    (b"BC\xc0\xde", "LLVM bitcode"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"II*\0", "a picture"),
    (b"OggS", "sound or video"),
    (b"ID3", "sound"),
    (b"wOF", "a font"),
    (b"SQLite format 3\0", "a database"),
    (b"\x80\x04\x95", "a pickle"),
];

/// The format of a binary file, by its signature.
pub(super) fn signature(head: &[u8]) -> Option<&'static str> {
    SIGNATURES.iter().find(|(signature, _)| head.starts_with(signature)).map(|(_, format)| *format)
}

/// How many bytes of a text's beginning no editor would write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ControlBytes {
    nuls: usize,
    controls: usize,
    length: usize,
}

impl ControlBytes {
    /// Counts NULs and control characters; tab, line ends, form feed, backspace and escape are usual in text.
    pub(super) fn of(head: &[u8]) -> Self {
        let is_control = |byte| matches!(byte, 1..=7 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f);
        Self { nuls: count_of(head, |byte| byte == 0), controls: count_of(head, is_control), length: head.len() }
    }

    /// Whether there is a NUL.
    pub(super) fn have_nul(self) -> bool {
        self.nuls > 0
    }

    /// Whether valid UTF-8 with these is no text: a stray NUL in a page of text is let pass.
    pub(super) fn spoil_unicode(self) -> bool {
        let is_dense = |count: usize, share: usize| count * share > self.length;
        (self.nuls > 0 && is_dense(self.nuls + self.controls, 200)) || is_dense(self.controls, 10)
    }

    /// Whether bytes that are not UTF-8 are no text in any older encoding either: those never hold a NUL.
    pub(super) fn spoil_legacy(self) -> bool {
        self.nuls > 0 || self.controls * 100 > self.length
    }
}

/// How many bytes satisfy a condition. Sums stay in a byte for as long as they fit, so that the compiler counts
/// a whole register of bytes at a time.
pub(super) fn count_of(bytes: &[u8], is_counted: impl Fn(u8) -> bool) -> usize {
    let in_chunk = |chunk: &[u8]| {
        usize::from(chunk.iter().fold(0u8, |count, byte| count.wrapping_add(u8::from(is_counted(*byte)))))
    };
    bytes.chunks(usize::from(u8::MAX)).map(in_chunk).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stray_control_character_is_let_pass_and_many_are_not() {
        let mut page = vec![b'a'; 1000];
        assert!(!ControlBytes::of(&page).spoil_unicode() && !ControlBytes::of(&page).spoil_legacy());
        page[500] = 0;
        assert!(!ControlBytes::of(&page).spoil_unicode() && ControlBytes::of(&page).spoil_legacy());
        page[0..6].fill(0);
        assert!(ControlBytes::of(&page).spoil_unicode());
        assert!(ControlBytes::of(b"a\0b").spoil_unicode());
        assert!(!ControlBytes::of(b"\x1b[31mred\x1b[0m\x0c\r\n\t").spoil_unicode());
        assert!(ControlBytes::of(&[1; 10]).spoil_unicode());
        assert!(!ControlBytes::of(b"").spoil_unicode() && !ControlBytes::of(b"").spoil_legacy());
    }

    #[test]
    fn counting_does_not_overflow() {
        assert_eq!(count_of(&[b'x'; 1000], |byte| byte == b'x'), 1000);
        assert_eq!(count_of(b"", |_| true), 0);
    }

    #[test]
    fn known_formats_are_named() {
        assert_eq!(signature(b"%PDF-1.7\n%text"), Some("a PDF document"));
        assert_eq!(signature(b"plain"), None);
        assert_eq!(signature(b""), None);
    }
}
