//! Detects codes that stand in for a second factor, which services print as a list: `recovery codes: 26558-945af …`.

use super::anchors::{Anchor, Hit};
use super::runs::run_end;
use super::secret::Secret;

/// Names of such codes at different services, in lower case.
pub(super) const CODES: &[&str] = &[
    "recovery code",
    "recovery-code",
    "recovery_code",
    "recoverycode",
    "backup code",
    "backup-code",
    "backup_code",
    "backupcode",
    "scratch code",
    "scratch_code",
    "wiederherstellungscode",
    "ersatzcode",
    "codes de récupération",
    "codes de secours",
    "códigos de recuperación",
    "códigos de respaldo",
    "códigos de recuperação",
    "códigos de backup",
    "codici di recupero",
    "codici di backup",
    "herstelcode",
    "резервные коды",
    "коды восстановления",
    "恢复代码",
    "恢复码",
    "备用验证码",
    "リカバリーコード",
    "バックアップコード",
    "복구 코드",
];

/// From the name of a list to its first code: "codes for bob (keep them safe):".
const MAX_BYTES_BETWEEN: usize = 64;
/// Behind a word.
const MAX_DIGITS: usize = 4;
/// A list is at most so long.
const MAX_LIST_BYTES: usize = 1024;

pub(super) fn find(text: &str, hits: &[Hit], found: &mut Vec<Secret>) {
    let mut covered = 0;
    for hit in hits.iter().filter(|hit| hit.anchor == Anchor::Codes) {
        if hit.start < covered {
            continue;
        }
        let list = run_end(text, hit.end, |byte| byte.is_ascii_alphabetic());
        let window = &text[list..text.floor_char_boundary(list + MAX_BYTES_BETWEEN)];
        let sign = window.find([':', '：', '=', '[', '\n']);
        let verb = [" are ", " is "].iter().find_map(|verb| Some(window.find(verb)? + verb.len()));
        let Some(lead) = sign.or(verb).filter(|lead| !window[..*lead].contains(['.', ';'])) else { continue };
        covered = codes(text, list + lead, found);
    }
}

/// Takes the codes of the list that begins at `start`, and says where it ends.
fn codes(text: &str, start: usize, found: &mut Vec<Secret>) -> usize {
    let end = text.floor_char_boundary(start + MAX_LIST_BYTES);
    let is_between = |char: char| char.is_whitespace() || "\"'`,;:：=[](){}<>*|•·#-".contains(char);
    let mut at = start;
    let mut taken: Vec<std::ops::Range<usize>> = Vec::new();
    while at < end {
        at += text[at..end].len() - text[at..end].trim_start_matches(is_between).len();
        let word_end = text[at..end].find(|char: char| char != '-' && is_between(char)).map_or(end, |len| at + len);
        let word = text[at..word_end].trim_end_matches('.');
        // The number of a code in its list: `1. 26558-945af`.
        let is_number = word.len() <= 2 && word_end > at && word.bytes().all(|byte| byte.is_ascii_digit());
        if is_code(word) {
            taken.push(at..at + word.len());
        } else if !is_number || at >= end {
            break;
        }
        at = word_end;
    }
    // `base64-encoded` is none, though a code among others may look like a word.
    if taken.iter().filter(|span| is_words(&text[(*span).clone()])).count() * 2 >= taken.len() {
        taken.retain(|span| !is_words(&text[span.clone()]));
    }
    // Four digits alone are a code only among others: they may be half of one.
    let is_half = |span: &std::ops::Range<usize>| span.len() < 6;
    if taken.len() < 4 {
        taken.retain(|span| !is_half(span));
    }
    found.extend(taken.into_iter().map(|span| Secret::new(span, "recovery-code")));
    at
}

/// Whether each group is a word that can be spoken, with a number behind it or none: `crash-safe`, `node18`.
fn is_words(code: &str) -> bool {
    code.split('-').all(|group| {
        let word = group.trim_end_matches(|char: char| char.is_ascii_digit());
        let is_spoken = word.bytes().any(|byte| b"aeiouy".contains(&byte.to_ascii_lowercase()));
        is_spoken && word.bytes().all(|byte| byte.is_ascii_alphabetic()) && group.len() - word.len() <= MAX_DIGITS
    })
}

/// Whether a word is a code: letters and digits in groups, with at least as much of chance as services give them.
fn is_code(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let groups = word.split('-');
    let is_plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_grouped =
        groups.clone().count() >= 2 && groups.clone().all(|group| group.len() == word.find('-').unwrap_or(0));
    let is_date = word.len() == 10 && word.as_bytes()[4] == b'-' && digits == 8;
    is_plain
        && (4..=64).contains(&word.len())
        && !is_date
        && (digits >= 2 || is_grouped && word.len() >= 9)
        && groups.into_iter().all(|group| (4..=32).contains(&group.len()))
}

#[cfg(test)]
mod tests {
    use super::super::redact;

    #[test]
    fn codes_go_and_words_stay() {
        for (text, count) in [
            ("backup code is base64-encoded", 0),
            ("backup code: sha256-verified before upload", 0),
            ("backup code: base32 base64 sha256", 0),
            ("the recovery code is crash-safes-tests", 0),
            ("backup code is read-only, real-time-data", 0),
            ("recovery code = node18", 0),
            ("recovery code: 26558-945af", 1),
            ("backup codes: 12345678, 23456789", 2),
            ("recovery code: xkcd-bdfg-hjkl", 1),
            ("backup codes:\n1. abcde-12f45\n2. made-upto\n3. 1a2b3-4c5d6", 3),
        ] {
            let mut redacted = text.to_owned();
            assert_eq!(redact(&mut redacted, false), count, "{text}: {redacted}");
        }
    }
}
