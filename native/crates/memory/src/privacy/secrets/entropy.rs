//! Detects secrets that only look random: long tokens that mix capitals, small letters and digits throughout.
//!
//! Hashes, UUIDs, checksums of lock files, images and certificates look random too and are none: they are recognised by
//! their alphabet (hexadecimal), by a prefix (`sha512-`, `;base64,`), and by lines of equal length.

use super::runs::run_end;
use super::secret::Secret;

/// Lengths that secrets have; what is longer is data.
const LENGTHS: std::ops::RangeInclusive<usize> = 20..=128;
/// Bits a character, below which a token repeats itself too much.
const LEAST_BITS: f64 = 4.0;
const LEAST_BITS_STRICT: f64 = 3.2;

/// Prefixes of checksums.
const CHECKSUM_LEADS: [&str; 15] = [
    "sha1-", "sha224-", "sha256-", "sha384-", "sha512-", "sha1=", "sha256=", "sha384=", "sha512=", "h1:", "sha256:",
    "SHA256:", "base64,", "md5-", "md5:",
];

/// How public keys and certificates begin in base64, and what agents' hosts, models and others number their things by.
const PUBLIC_LEADS: [&str; 22] = [
    "AAAA",
    "MIIB",
    "MIIC",
    "MIID",
    "MIIF",
    "toolu_",
    "srvtoolu_",
    "call_",
    "chatcmpl-",
    "resp_",
    "msg_",
    "req_",
    "ses_",
    "prt_",
    // Objects of Stripe, and symbols of C++ and Rust.
    "price_",
    "prod_",
    "cus_",
    "evt_",
    "re_",
    "ch_",
    "_ZN",
    "_RN",
];

/// The type of a JSON Web Key is at most so far from its parts.
const MAX_KEY_BYTES: usize = 512;

/// The other characters that a line of data may have around a token, and its maximum length.
const MAX_LINE_LEAD: usize = 256;
const MAX_DATA_LINE: usize = 1024;

pub(super) fn find(text: &str, is_strict: bool, found: &mut Vec<Secret>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !is_encoded_byte(bytes[at]) {
            at += 1;
            continue;
        }
        let end = run_end(text, at, is_encoded_byte);
        at = value_start(text, at, end);
        let token = text[at..end].trim_end_matches('=');
        if LENGTHS.contains(&token.len()) && looks_random(token, is_strict) && !is_known_data(text, at, end) {
            found.push(Secret::new(at..end, "high-entropy"));
        }
        at = end;
    }
}

/// Past the name in `NAME=value`; padding is at the end of a token alone.
fn value_start(text: &str, start: usize, end: usize) -> usize {
    let token = text[start..end].trim_end_matches('=');
    token.rfind('=').map_or(start, |at| start + at + 1)
}

fn is_encoded_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte)
}

/// Whether a token mixes the classes of characters as no name does.
pub(super) fn looks_random(token: &str, is_strict: bool) -> bool {
    if token.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-') {
        return false;
    }
    let count = |class: fn(&u8) -> bool| token.bytes().filter(class).count();
    let (upper, lower, digits) =
        (count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase), count(u8::is_ascii_digit));
    let least = if is_strict { 1 } else { 3 };
    if digits < least || (upper < least || lower < least) && !(is_strict && upper.max(lower) >= 8) {
        return false;
    }
    // Names change class where a word begins; random text does at every second character.
    let changes = token.as_bytes().windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count();
    let (changes_needed, bits) = if is_strict { (20, LEAST_BITS_STRICT) } else { (35, LEAST_BITS) };
    let bits = bits.min((token.len() as f64).log2() - 0.6);
    changes * 100 >= token.len() * changes_needed && bits_per_char(token) >= bits && !is_worded(token)
}

/// Whether it is words with separators: a path, a name in several parts.
fn is_worded(token: &str) -> bool {
    let parts: Vec<&str> = token.split(['/', '-', '_', '+']).filter(|part| !part.is_empty()).collect();
    let plain = |part: &&str| {
        part.len() <= 3
            || part.bytes().all(|byte| byte.is_ascii_lowercase())
            || part.bytes().all(|byte| byte.is_ascii_uppercase())
            || part.bytes().all(|byte| byte.is_ascii_digit())
    };
    parts.len() >= 3 && parts.iter().filter(|part| plain(part)).count() * 2 > parts.len()
}

fn class(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    }
}

/// Shannon's entropy.
pub(super) fn bits_per_char(token: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in token.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let len = token.len() as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / len;
            -share * share.log2()
        })
        .sum()
}

/// Whether the token from `start` to `end` is a checksum, a public key, or one line of a longer block.
fn is_known_data(text: &str, start: usize, end: usize) -> bool {
    let token = &text[start..end];
    let before = &text[text.floor_char_boundary(start.saturating_sub(12))..start];
    if has_uuid(token) || super::encoded::is_text(token) {
        return true;
    }
    if is_public_key(text, start) {
        return true;
    }
    let is_checksum = CHECKSUM_LEADS.iter().any(|lead| before.ends_with(lead) || token.starts_with(lead));
    is_checksum || PUBLIC_LEADS.iter().any(|lead| token.starts_with(lead)) || is_line_of_block(text, start, end)
}

/// Whether a token is a public part of a JSON Web Key (RFC 7518, 6): `"n"` of an RSA key, `"x"` and `"y"` of a curve.
fn is_public_key(text: &str, start: usize) -> bool {
    let before = text[text.ceil_char_boundary(start.saturating_sub(8))..start].trim_end_matches('"').trim_end();
    let is_part = before
        .strip_suffix(':')
        .is_some_and(|name| ["\"n\"", "\"x\"", "\"y\""].iter().any(|part| name.trim_end().ends_with(part)));
    let around = text.ceil_char_boundary(start.saturating_sub(MAX_KEY_BYTES))
        ..text.floor_char_boundary(start.saturating_add(MAX_KEY_BYTES));
    is_part && text[around].contains("\"kty\"")
}

/// Whether a token is a UUID (RFC 9562) with a few letters around it, as in `GPU-3a23c669-…`.
pub(super) fn has_uuid(token: &str) -> bool {
    const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];
    let parts: Vec<&str> = token.split(['-', '_', '/', '=']).collect();
    let is_uuid = |window: &[&str]| {
        window
            .iter()
            .zip(GROUPS)
            .all(|(part, len)| part.len() == len && part.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    token.len() <= 36 + 16 && parts.windows(GROUPS.len()).any(is_uuid)
}

/// Whether a neighbouring line is as long as this one and made of the same characters, so that both are data that
/// was wrapped, or the token ends such data.
fn is_line_of_block(text: &str, start: usize, end: usize) -> bool {
    // A line of data has hardly more than the token; a longer one is not looked through.
    let before = text.ceil_char_boundary(start.saturating_sub(MAX_LINE_LEAD));
    let line_start = text[before..start].rfind('\n').map_or(before, |at| before + at + 1);
    let behind = text.floor_char_boundary(end + MAX_LINE_LEAD);
    let line_end = text[end..behind].find('\n').map_or(behind, |at| end + at);
    let is_data = |line: &str| {
        let line = line.trim_matches(|char: char| char.is_whitespace() || "\"',".contains(char));
        line.len() >= 40 && line.bytes().all(is_encoded_byte)
    };
    let line = text[line_start..line_end].trim();
    if line.len() > end - start + 4 {
        return false;
    }
    let above = text.ceil_char_boundary(line_start.saturating_sub(MAX_DATA_LINE));
    let before = text[above..line_start.saturating_sub(1).max(above)].rsplit('\n').next().unwrap_or_default();
    let below = (line_end + 1).min(text.len());
    let after = text.get(below..text.floor_char_boundary(below + MAX_DATA_LINE)).unwrap_or_default();
    let after = after.split('\n').next().unwrap_or_default();
    let same_length = |other: &str| other.trim().len() == line.len();
    is_data(before) && before.trim().len() >= line.len() || is_data(after) && same_length(after)
}
