//! Secrets that a format or a protocol carries: key blocks, tokens with their own structure, URLs, headers.

use super::{Secret, is_token_byte, occurrences, run_end};

pub(super) fn find(text: &str, found: &mut Vec<Secret>) {
    key_blocks(text, found);
    json_web_tokens(text, found);
    url_passwords(text, found);
    schemes(text, found);
    cookies(text, found);
    netrc(text, found);
    sql_passwords(text, found);
}

/// From `BEGIN … PRIVATE KEY` to its end, or to the end of the text; line breaks may be escaped.
fn key_blocks(text: &str, found: &mut Vec<Secret>) {
    let mut covered = 0;
    for start in occurrences(text, "-----BEGIN ") {
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
fn json_web_tokens(text: &str, found: &mut Vec<Secret>) {
    for start in occurrences(text, "eyJ") {
        if text.as_bytes()[..start].last().is_some_and(|byte| is_token_byte(*byte)) {
            continue;
        }
        let end = run_end(text, start, |byte| is_token_byte(byte) || byte == b'.' || byte == b'=');
        let parts: Vec<&str> = text[start..end].split('.').collect();
        if parts.len() >= 3 && parts[0].len() >= 10 && parts[1].len() >= 10 {
            found.push(Secret::new(start..end, "jwt"));
        }
    }
}

/// `scheme://user:password@host`, and a long user name that stands alone.
fn url_passwords(text: &str, found: &mut Vec<Secret>) {
    for at in occurrences(text, "://") {
        let start = at + 3;
        let end = run_end(text, start, |byte| !byte.is_ascii_whitespace() && !b"/\"'`<>\\)".contains(&byte));
        let Some(host) = text[start..end].rfind('@') else { continue };
        let user_info = &text[start..start + host];
        if user_info.starts_with("[REDACTED:") && user_info.ends_with(']') {
            continue;
        }
        match user_info.split_once(':') {
            Some((user, password)) if password.len() >= 3 && !is_placeholder(password) => {
                let from = start + user.len() + 1;
                found.push(Secret::new(from..from + password.len(), "url-password"));
            }
            None if user_info.len() >= 20 && user_info.bytes().any(|byte| byte.is_ascii_digit()) => {
                found.push(Secret::new(start..start + user_info.len(), "url-token"));
            }
            _ => {}
        }
    }
}

/// `Bearer x`, `Basic x`, `Token x` where x looks made by a machine.
fn schemes(text: &str, found: &mut Vec<Secret>) {
    for (scheme, least) in [("bearer", 8), ("basic", 8), ("apikey", 8), ("negotiate", 20)] {
        for start in starts_ignoring_case(text, scheme) {
            let after = start + scheme.len();
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

/// The values of a header that carries cookies.
fn cookies(text: &str, found: &mut Vec<Secret>) {
    for start in starts_ignoring_case(text, "cookie:") {
        let value = start + "cookie:".len();
        let end = run_end(text, value, |byte| !b"\r\n\"'".contains(&byte));
        let content = text[value..end].trim();
        if content.len() >= 16 && content.contains('=') && !content.contains(['(', '{']) {
            found.push(Secret::new(value + 1..end, "cookie"));
        }
    }
}

/// `login x password y`, as `.netrc` writes it.
fn netrc(text: &str, found: &mut Vec<Secret>) {
    for start in occurrences(text, " password ") {
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        if text[line..start].contains("login ") {
            let value = start + " password ".len();
            let end = run_end(text, value, |byte| !byte.is_ascii_whitespace());
            found.push(Secret::new(value..end, "password"));
        }
    }
}

/// `IDENTIFIED BY 'x'`, `PASSWORD 'x'` in SQL; `sshpass -p x`.
fn sql_passwords(text: &str, found: &mut Vec<Secret>) {
    for (lead, needs_quote) in [("identified by ", true), ("password ", true), ("sshpass -p ", false)] {
        for start in starts_ignoring_case(text, lead) {
            let value = start + lead.len();
            let quote = text.as_bytes().get(value).copied().filter(|byte| b"'\"".contains(byte));
            if needs_quote && quote.is_none() {
                continue;
            }
            let from = value + usize::from(quote.is_some());
            let end = run_end(text, from, |byte| quote.map_or(!byte.is_ascii_whitespace(), |quote| byte != quote));
            let content = &text[from..end];
            if content.len() >= 3
                && content.len() <= 200
                && !content.contains(char::is_whitespace)
                && !is_placeholder(content)
            {
                found.push(Secret::new(from..end, "password"));
            }
        }
    }
}

/// Whether a value only marks where a secret belongs.
pub(super) fn is_placeholder(value: &str) -> bool {
    let value = value.trim();
    let first = value.chars().next();
    value.starts_with("[REDACTED")
        || value.starts_with(['<', '$', '{', '%', '*', '#', '@', '&'])
        || value.chars().all(|char| Some(char) == first)
        || value.chars().all(|char| matches!(char, 'x' | 'X' | '.' | '-' | '_' | '*' | '…'))
        || ["your", "example", "placeholder", "changeit", "dummy", "redacted"].iter().any(|word| {
            value.len() >= word.len() && value.as_bytes()[..word.len()].eq_ignore_ascii_case(word.as_bytes())
        })
}

fn starts_ignoring_case<'a>(text: &'a str, lower: &'a str) -> impl Iterator<Item = usize> + 'a {
    let (first, bytes) = (lower.as_bytes()[0], text.as_bytes());
    (0..(text.len() + 1).saturating_sub(lower.len())).filter(move |&at| {
        bytes[at].eq_ignore_ascii_case(&first) && bytes[at..at + lower.len()].eq_ignore_ascii_case(lower.as_bytes())
    })
}
