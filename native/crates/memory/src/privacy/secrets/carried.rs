//! Detects secrets that a format or a protocol carries: key blocks, tokens with their own structure, URLs, headers.

use super::anchors::{Anchor, Hit};
use super::marks::marks;
use super::runs::{is_token_byte, occurrences, run_end};
use super::secret::Secret;
use super::values::{is_kind, is_placeholder};

/// The literals before what is carried, in small letters; any case is found.
pub(super) const CARRIERS: [&str; 8] =
    ["-----begin ", "eyj", "://", "cookie:", "bearer", "basic", "apikey", "negotiate"];
const KEY_BLOCK: usize = 0;
const WEB_TOKEN: usize = 1;
const ADDRESS: usize = 2;
const COOKIE: usize = 3;
/// The schemes of `Authorization` by their row in [`CARRIERS`], and the fewest bytes that their credentials have.
const SCHEMES: [(usize, usize); 4] = [(4, 8), (5, 8), (6, 8), (7, 20)];

pub(super) fn find(text: &str, hits: &[Hit], found: &mut Vec<Secret>) {
    key_blocks(text, hits, found);
    json_web_tokens(text, hits, found);
    url_passwords(text, hits, found);
    discord_tokens(text, found);
    schemes(text, hits, found);
    cookies(text, hits, found);
}

/// Where a carrier begins.
fn starts(hits: &[Hit], carrier: usize) -> impl Iterator<Item = usize> + '_ {
    hits.iter().filter(move |hit| hit.anchor == Anchor::Carrier(carrier)).map(|hit| hit.start)
}

/// From `BEGIN … PRIVATE KEY` to its end, or to the end of the text; line breaks may be escaped.
fn key_blocks(text: &str, hits: &[Hit], found: &mut Vec<Secret>) {
    let mut covered = 0;
    for start in starts(hits, KEY_BLOCK) {
        let head = &text[start..text.floor_char_boundary(start + 80)];
        if start < covered || !head.contains("PRIVATE KEY") {
            continue;
        }
        let body = start + "-----BEGIN ".len();
        let end = text[body..].find("-----END ").map_or(text.len(), |at| {
            let mark = body + at + "-----END ".len();
            text[mark..].find("-----").map_or(text.len(), |dashes| mark + dashes + "-----".len())
        });
        covered = end;
        found.push(Secret::new(start..end, "private-key"));
    }
}

/// `eyJ….….…`: header, claims, signature.
fn json_web_tokens(text: &str, hits: &[Hit], found: &mut Vec<Secret>) {
    let mut covered = 0;
    for start in starts(hits, WEB_TOKEN) {
        let is_token = text[start..].starts_with("eyJ") && start >= covered;
        if !is_token || text.as_bytes()[..start].last().is_some_and(u8::is_ascii_alphanumeric) {
            continue;
        }
        let end = run_end(text, start, |byte| is_token_byte(byte) || byte == b'.' || byte == b'=');
        covered = end;
        let parts: Vec<&str> = text[start..end].split('.').collect();
        if parts.len() >= 3 && parts[0].len() >= 10 && parts[1].len() >= 10 {
            found.push(Secret::new(start..end, "jwt"));
        }
    }
}

/// Discord's tokens of bots: a number in base64, six characters of time, a signature (Discord developer docs).
fn discord_tokens(text: &str, found: &mut Vec<Secret>) {
    const TIME: usize = 6;
    let bytes = text.as_bytes();
    for at in occurrences(text, ".") {
        if bytes.get(at + TIME + 1) != Some(&b'.') || !bytes[at + 1..=at + TIME].iter().all(|byte| is_token_byte(*byte))
        {
            continue;
        }
        let number = bytes[..at].iter().rev().take(32).take_while(|byte| is_token_byte(**byte)).count();
        let signature = at + TIME + 2;
        let end = run_end(&text[..text.floor_char_boundary(signature + 64)], signature, is_token_byte);
        if (23..=28).contains(&number) && (27..=40).contains(&(end - signature)) && b"MNO".contains(&bytes[at - number])
        {
            found.push(Secret::new(at - number..end, "discord-token"));
        }
    }
}

/// `scheme://user:password@host`, and a long user name without a password.
fn url_passwords(text: &str, hits: &[Hit], found: &mut Vec<Secret>) {
    for at in starts(hits, ADDRESS) {
        let start = at + 3;
        let end = run_end(text, start, |byte| !byte.is_ascii_whitespace() && !b"/\"'`<>\\)".contains(&byte));
        let Some(host) = text[start..end].rfind('@') else { continue };
        let user_info = &text[start..start + host];
        let unmarked = unmarked(user_info);
        let colon = unmarked.iter().find(|at| user_info.as_bytes()[**at] == b':').copied();
        let user = unmarked.iter().take_while(|at| Some(**at) != colon).map(|at| user_info.as_bytes()[*at]);
        let password = colon.map(|at| &user_info[at + 1..]);
        if let Some(password) =
            password.filter(|password| password.len() >= 3 && !is_placeholder(password) && !is_kind(password))
        {
            let end = start + user_info.len();
            found.push(Secret::new(end - password.len()..end, "url-password"));
        } else if user.clone().count() >= 20 && user.clone().any(|byte| byte.is_ascii_digit()) {
            found.push(Secret::new(start..start + colon.unwrap_or(user_info.len()), "url-token"));
        }
    }
}

/// The positions of the bytes of a text that are outside of marks.
fn unmarked(text: &str) -> Vec<usize> {
    let (mut covered, mut outside) = (0, Vec::new());
    for mark in marks(text) {
        outside.extend(covered..mark.start);
        covered = mark.end;
    }
    outside.extend(covered..text.len());
    outside
}

/// `Bearer x`, `Basic x`, `Token x` where x looks made by a machine.
fn schemes(text: &str, hits: &[Hit], found: &mut Vec<Secret>) {
    for (carrier, least) in SCHEMES {
        for start in starts(hits, carrier) {
            let after = start + CARRIERS[carrier].len();
            let value = run_end(text, after, |byte| byte == b' ');
            if value == after || text.as_bytes()[..start].last().is_some_and(u8::is_ascii_alphanumeric) {
                continue;
            }
            let end = run_end(text, value, |byte| is_token_byte(byte) || b".~+/=:".contains(&byte));
            let token = &text[value..end];
            let has_digit = token.bytes().any(|byte| byte.is_ascii_digit());
            let is_mixed = token.bytes().any(|byte| byte.is_ascii_uppercase())
                && token[1.min(token.len())..].bytes().any(|byte| byte.is_ascii_uppercase())
                && token.bytes().any(|byte| byte.is_ascii_lowercase());
            let is_encoded =
                token.len() >= least && (token.ends_with('=') || has_digit || is_mixed && token.len() >= 12);
            if is_encoded || token.len() >= 40 {
                found.push(Secret::new(value..end, "authorization"));
            }
        }
    }
}

/// The values of a header that carries cookies, if one of them may be more than a setting of a page.
fn cookies(text: &str, hits: &[Hit], found: &mut Vec<Secret>) {
    let mut covered = 0;
    for start in starts(hits, COOKIE) {
        if start < covered {
            continue;
        }
        let value = start + CARRIERS[COOKIE].len();
        let end = run_end(text, value, |byte| !b"\r\n\"'".contains(&byte));
        covered = end;
        let content = text[value..end].trim();
        let is_header = content.len() >= 16 && content.contains('=') && !content.contains(['(', '{']);
        if is_header && !content.split(';').all(is_setting) {
            found.push(Secret::new(value + 1..end, "cookie"));
        }
    }
}

/// The attributes of a cookie (RFC 6265, 5.2, and its successor).
const ATTRIBUTES: [&str; 9] =
    ["path", "domain", "expires", "max-age", "samesite", "secure", "httponly", "partitioned", "priority"];

/// Names of cookies that let their bearer in, whatever they hold.
const SESSIONS: [&str; 11] =
    ["sess", "token", "auth", "csrf", "xsrf", "jwt", "key", "secret", "login", "remember", "user"];

/// Whether a part of a cookie is an attribute or a plain word for how a page looks: `theme=dark`.
fn is_setting(part: &str) -> bool {
    let (name, value) = part.split_once('=').unwrap_or((part, ""));
    let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let is_word = value.len() <= 16
        && (digits == 0 || digits == value.len() && digits <= 4)
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        && !value.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    ATTRIBUTES.contains(&name.as_str())
        || is_word && !name.ends_with("sid") && !SESSIONS.iter().any(|session| name.contains(session))
}
