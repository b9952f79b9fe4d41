//! Decodes bytes to text, in whatever encoding they were saved.
//!
//! In this order: a byte order mark, UTF-16 by its pattern of NULs, UTF-8, UTF-8 with a few bad bytes, the encoding
//! that the text declares, the one that its letters suggest. Line ends are kept, a byte order mark is not.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::binary::{ControlBytes, HEAD_BYTES, signature};

/// A text and how it had been encoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decoded {
    pub(super) text: String,
    /// `utf-8`, `utf-8 (lossy)`, `utf-16le`, `utf-16be`, or the name of an older encoding as the WHATWG spells it.
    pub(super) encoding: &'static str,
}

const LOSSY_UTF_8: &str = "utf-8 (lossy)";

/// How much the guess at an old encoding looks at: statistics gain nothing from more.
const GUESS_BYTES: usize = 256 * 1024;

/// The bytes as text, or in words why they are none.
pub(super) fn decode(bytes: Vec<u8>) -> Result<Decoded, &'static str> {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    let oddities = ControlBytes::of(head);
    if let Some(reason) = refusal_of(head, oddities) {
        return Err(reason);
    }
    if let Some(encoding) = utf_16(head, oddities) {
        return decode_utf_16(&bytes, encoding);
    }
    match String::from_utf8(bytes) {
        Ok(_) if oddities.spoil_unicode() => Err("control characters"),
        Ok(text) => Ok(Decoded { text: without_mark(text), encoding: "utf-8" }),
        Err(_) if oddities.spoil_legacy() => Err("bytes that are no text"),
        Err(error) => decode_damaged(&error.into_bytes()),
    }
}

/// Whether the beginning alone shows that decoding is of no use.
pub(super) fn refusal(head: &[u8]) -> Option<&'static str> {
    refusal_of(head, ControlBytes::of(head))
}

fn refusal_of(head: &[u8], oddities: ControlBytes) -> Option<&'static str> {
    // UTF-32 begins like UTF-16 and ends as NULs; no source is saved in it.
    let is_utf_32 = head.starts_with(b"\xff\xfe\0\0") || head.starts_with(b"\0\0\xfe\xff");
    signature(head).or(is_utf_32.then_some("UTF-32 text")).or_else(|| {
        let is_spoilt = oddities.spoil_unicode() && oddities.spoil_legacy();
        (is_spoilt && utf_16(head, oddities).is_none()).then_some("NUL or control bytes")
    })
}

fn decode_utf_16(bytes: &[u8], encoding: &'static Encoding) -> Result<Decoded, &'static str> {
    let (text, has_errors) = encoding.decode_with_bom_removal(bytes);
    let oddities = ControlBytes::of(&text.as_bytes()[..text.len().min(HEAD_BYTES)]);
    if (has_errors && is_spoilt(&text)) || oddities.spoil_unicode() {
        return Err("bytes that are no text");
    }
    Ok(Decoded { text: text.into_owned(), encoding: if encoding == UTF_16LE { "utf-16le" } else { "utf-16be" } })
}

/// Text that is not valid UTF-8, and has no NUL near its front.
fn decode_damaged(bytes: &[u8]) -> Result<Decoded, &'static str> {
    if is_mostly_utf_8(bytes) {
        let (text, _) = UTF_8.decode_with_bom_removal(bytes);
        return Ok(Decoded { text: text.into_owned(), encoding: LOSSY_UTF_8 });
    }
    if bytes.contains(&0) {
        return Err("NUL bytes");
    }
    let declared =
        declared(bytes).and_then(|label| Encoding::for_label(label.as_bytes())).filter(|label| *label != UTF_8);
    if let Some(encoding) = declared
        && let Some(text) = encoding.decode_without_bom_handling_and_without_replacement(bytes)
    {
        return Ok(Decoded { text: text.into_owned(), encoding: encoding.name() });
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(&bytes[..bytes.len().min(GUESS_BYTES)], bytes.len() <= GUESS_BYTES);
    let encoding = detector.guess(None, chardetng::Utf8Detection::Deny);
    let (text, has_errors) = encoding.decode_without_bom_handling(bytes);
    // Single-byte encodings give a C1 control for a byte that they have no letter for.
    let odd = text.chars().filter(|letter| matches!(letter, '\u{80}'..='\u{9f}')).count();
    if (has_errors && is_spoilt(&text)) || odd * 100 > text.len() {
        return Err("bytes in no known encoding");
    }
    Ok(Decoded { text: text.into_owned(), encoding: encoding.name() })
}

/// Whether at least as many characters beyond ASCII are good UTF-8 as are not: text in another encoding hardly ever
/// has a good one by chance.
fn is_mostly_utf_8(bytes: &[u8]) -> bool {
    let (mut good, mut bad) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|letter| !letter.is_ascii()).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good >= bad
}

/// Whether more than one character in a hundred is a replacement.
fn is_spoilt(text: &str) -> bool {
    let (mut letters, mut replaced) = (0, 0);
    for letter in text.chars() {
        letters += 1;
        replaced += usize::from(letter == char::REPLACEMENT_CHARACTER);
    }
    replaced * 100 > letters
}

fn without_mark(mut text: String) -> String {
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    text
}

/// UTF-16 by its byte order mark, or by where its NULs are: in text of mostly Latin letters every second byte is one.
fn utf_16(head: &[u8], oddities: ControlBytes) -> Option<&'static Encoding> {
    /// Fewer units than this prove nothing.
    const MIN_UNITS: usize = 4;
    if head.starts_with(b"\xff\xfe") {
        return Some(UTF_16LE);
    }
    if head.starts_with(b"\xfe\xff") {
        return Some(UTF_16BE);
    }
    if !oddities.have_nul() {
        return None;
    }
    let units = head.len() / 2;
    let nuls = |parity: usize| head.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (nuls(0), nuls(1));
    let is_full = |count: usize| count * 3 > units;
    let is_bare = |count: usize| count * 100 < units;
    match () {
        () if units < MIN_UNITS => None,
        () if is_full(odd) && is_bare(even) => Some(UTF_16LE),
        () if is_full(even) && is_bare(odd) => Some(UTF_16BE),
        () => None,
    }
}

/// The encoding that a text names in its first lines: Python's and Ruby's `coding:`, Vim's `fileencoding=`, XML's
/// `encoding="…"`, HTML's and CSS's `charset`.
fn declared(bytes: &[u8]) -> Option<String> {
    const LOOKED_AT: usize = 1024;
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(LOOKED_AT)]).to_ascii_lowercase();
    ["coding:", "coding=", "charset="].iter().find_map(|marker| {
        let (_, rest) = head.split_once(marker)?;
        let rest = rest.trim_start_matches([' ', '"', '\'']);
        let is_label = |letter: char| letter.is_ascii_alphanumeric() || "-_.:".contains(letter);
        let label = &rest[..rest.find(|letter| !is_label(letter)).unwrap_or(rest.len())];
        (!label.is_empty()).then(|| label.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], text: &str, encoding: &str) {
        let decoded = decode(bytes.to_vec());
        assert_eq!(decoded.map(|decoded| (decoded.text, decoded.encoding)), Ok((text.to_owned(), encoding)));
    }

    fn utf_16_bytes(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    #[test]
    fn utf_8_is_kept_and_loses_its_mark() {
        check(b"", "", "utf-8");
        check("a\r\nü\n".as_bytes(), "a\r\nü\n", "utf-8");
        check(b"\xef\xbb\xbfa", "a", "utf-8");
        check(b"\xef\xbb\xbf\xc3\xbc\xff", "ü\u{fffd}", LOSSY_UTF_8);
    }

    #[test]
    fn utf_16_is_known_by_mark_and_by_pattern() {
        let text = "int main(void) { return 0; } // ü\r\n";
        for (mark, is_marked) in [("\u{feff}", true), ("", false)] {
            let marked = format!("{mark}{text}");
            assert_eq!(marked.len() > text.len(), is_marked);
            check(&utf_16_bytes(&marked, u16::to_le_bytes), text, "utf-16le");
            check(&utf_16_bytes(&marked, u16::to_be_bytes), text, "utf-16be");
        }
        check(&utf_16_bytes("\u{feff}日本語", u16::to_le_bytes), "日本語", "utf-16le");
    }

    #[test]
    fn one_bad_line_does_not_lose_a_text() {
        check(b"caf\xc3\xa9\nbad \xff here\n", "café\nbad \u{fffd} here\n", LOSSY_UTF_8);
    }

    #[test]
    fn older_encodings_are_guessed() {
        check(
            b"// Le fichier a \xe9t\xe9 cr\xe9\xe9 \xe0 No\xebl\n",
            "// Le fichier a été créé à Noël\n",
            "windows-1252",
        );
        let japanese = "# 設定ファイルを読み込む関数です。エラー処理も行います。\n";
        for encoding in [encoding_rs::SHIFT_JIS, encoding_rs::EUC_JP] {
            check(&encoding.encode(japanese).0, japanese, encoding.name());
        }
        let chinese = "// 读取配置文件并检查其中的错误，然后返回结果给调用者\n";
        check(&encoding_rs::GBK.encode(chinese).0, chinese, "GBK");
        let russian = "// Функция читает файл настроек и возвращает результат\n";
        check(&encoding_rs::WINDOWS_1251.encode(russian).0, russian, "windows-1251");
    }

    #[test]
    fn a_declared_encoding_is_believed_if_it_fits() {
        check(
            b"# -*- coding: iso-8859-15 -*-\nx = '\xa4'\n",
            "# -*- coding: iso-8859-15 -*-\nx = '€'\n",
            "ISO-8859-15",
        );
        check(
            b"<?xml version='1.0' encoding='koi8-r'?><a>\xc1</a>",
            "<?xml version='1.0' encoding='koi8-r'?><a>а</a>",
            "KOI8-R",
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        let noise: Vec<u8> = (0u32..4000).map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for bytes in [&[0; 100][..], b"%PDF-1.4 text", b"\xff\xfe\0\0a\0\0\0", b"a\0bc\0\0\xff\0", &noise] {
            assert!(decode(bytes.to_vec()).is_err(), "{:?}", &bytes[..8]);
        }
        // Small numbers of two bytes each: every second byte is NUL, yet no text.
        let samples: Vec<u8> = (0u16..500).flat_map(|number| (number % 23).to_le_bytes()).collect();
        assert!(decode(samples).is_err());
    }

    proptest! {
        #[test]
        fn valid_text_comes_back_as_it_was(text in "[a-zA-Zäß日 \t\r\n(){};=]{0,200}") {
            prop_assert_eq!(decode(text.clone().into_bytes()), Ok(Decoded { text, encoding: "utf-8" }));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = decode(bytes);
        }
    }
}
