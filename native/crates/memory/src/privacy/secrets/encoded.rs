//! Detects keys and secrets in base64: a blob is decoded, and is a secret if its content is one.

use super::runs::run_end;
use super::secret::Secret;

/// The shortest blob that is decoded, and the longest that is decoded as a whole.
const MIN_BYTES: usize = 24;
const MAX_BYTES: usize = 64 << 10;

/// How deep base64 within base64 is followed.
const MAX_DEPTH: usize = 2;

/// What private keys begin with once decoded; public keys and certificates begin otherwise.
const KEY_HEADS: [(&[u8], &str); 3] = [
    (b"openssh-key-v1\0", "openssh, PROTOCOL.key"),
    (b"-----BEGIN PGP PRIVATE", "RFC 9580, 6.2"),
    (b"PuTTY-User-Key-File-", "PuTTY manual, appendix C"),
];

/// Finds keys and texts with secrets; `has_secret` looks at a text that was decoded from `depth` layers.
pub(super) fn find(text: &str, depth: usize, has_secret: impl Fn(&str) -> bool, found: &mut Vec<Secret>) {
    if depth >= MAX_DEPTH {
        return;
    }
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !is_digit(bytes[at]) {
            at += 1;
            continue;
        }
        let end = run_end(text, at, |byte| is_digit(byte) || byte == b'=');
        if end - at >= MIN_BYTES {
            let end = block_end(text, at, end);
            if let Some(kind) = kind_of(&text[at..end], &has_secret) {
                found.push(Secret::new(at..end, kind));
            }
            at = end;
        } else {
            at = end;
        }
    }
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte)
}

/// Where a blob ends that is wrapped: lines of 40 digits and more, then a last one, each alone on its line.
fn block_end(text: &str, start: usize, first_end: usize) -> usize {
    if first_end - start < 40 {
        return first_end;
    }
    let mut end = first_end;
    while end - start < MAX_BYTES {
        let rest = &text[end..];
        let line = rest.trim_start_matches(['\r', '\\']).strip_prefix('\n').or_else(|| rest.strip_prefix("\\n"));
        let Some(line) = line.map(|line| line.trim_start_matches([' ', '\t'])) else { break };
        let from = text.len() - line.len();
        let next = run_end(text, from, |byte| is_digit(byte) || byte == b'=');
        let is_alone = text[next..].is_empty() || text[next..].starts_with(['\n', '\r', '"', '\'', '\\']);
        if next == from || !is_alone || text[from..next].contains("--") {
            break;
        }
        end = next;
        if next - from < 40 {
            break;
        }
    }
    end
}

/// Whether a blob holds plain text: it is as random as that, and a secret only if the text is one.
pub(super) fn is_text(blob: &str) -> bool {
    let bytes = decoded(blob.as_bytes());
    bytes.len() >= 12 && bytes.iter().all(|byte| (0x20..0x7f).contains(byte) || b"\t\n\r\0".contains(byte))
}

fn kind_of(blob: &str, has_secret: impl Fn(&str) -> bool) -> Option<&'static str> {
    let head = decoded(&blob.as_bytes()[..blob.len().min(96)]);
    if is_key(&head) {
        return Some("private-key");
    }
    // Text shows in its first bytes; hashes and images do not.
    if !is_text(&blob[..blob.floor_char_boundary(96)]) {
        return None;
    }
    let all = decoded(&blob.as_bytes()[..blob.len().min(MAX_BYTES)]);
    let text = String::from_utf8_lossy(&all);
    let is_login = text.starts_with('\0') && text.matches('\0').count() == 2;
    (is_login || has_secret(&text)).then_some("encoded-secret")
}

/// Whether bytes begin as a private key does in DER: PKCS#1, PKCS#8 (RFC 5958), SEC 1 (RFC 5915), PKCS#12.
fn is_key(bytes: &[u8]) -> bool {
    if KEY_HEADS.iter().any(|head| bytes.starts_with(head.0)) {
        return true;
    }
    if bytes.starts_with(b"-----BEGIN ") {
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(64)]);
        return head.contains("PRIVATE KEY");
    }
    // SEQUENCE, its length in one to three bytes, then INTEGER version.
    let Some((&0x30, rest)) = bytes.split_first() else { return false };
    let ([0x82, _, _, body @ ..] | [0x81, _, body @ ..] | [0..=0x7f, body @ ..]) = rest else { return false };
    let follows = |lead: &[u8], next: &[u8]| {
        body.starts_with(lead) && body.get(lead.len()).is_some_and(|byte| next.contains(byte))
    };
    // 0: PKCS#1 has a number, PKCS#8 a SEQUENCE; 1: SEC 1 has an OCTET STRING, PKCS#8 a SEQUENCE; 3: PKCS#12.
    let is_plain =
        follows(&[2, 1, 0], &[0x02, 0x30]) || follows(&[2, 1, 1], &[0x04, 0x30]) || follows(&[2, 1, 3], &[0x30]);
    // EncryptedPrivateKeyInfo names PBES2 or another algorithm of PKCS#5 or PKCS#12.
    let algorithm: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01];
    let is_encrypted = body.first() == Some(&0x30)
        && body.get(4..11) == Some(algorithm)
        && body.get(11).is_some_and(|family| [5, 12].contains(family));
    is_plain || is_encrypted
}

/// The bytes of base64 in either alphabet; line breaks and blanks are passed over, the first other byte ends it.
fn decoded(blob: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(blob.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for &byte in blob {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'\n' | b'\r' | b' ' | b'\t' => continue,
            _ => break,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}
