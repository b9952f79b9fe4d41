//! Splits a word into its terms: the joined identifier and its parts.

use super::super::translation::{is_spaceless, split_words};
use super::scan::{is_cjk, is_hiragana};
use super::{MAX_TERM_BYTES, cut};

/// A word with more parts than this, and short ones, is data (`a3f5b2c9…`), whose parts mean nothing.
const MANY_PARTS: usize = 8;

/// The role of a term in its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The word has one part, and this is it.
    Only,
    /// All parts of the word, joined.
    Whole,
    /// One of several parts.
    Part,
    /// One of several parts, written in hiragana: mostly a particle or an ending of Japanese.
    Particle,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Joiner,
}

impl Class {
    fn of(char: char) -> Self {
        match char {
            'a'..='z' => Self::Lower,
            'A'..='Z' => Self::Upper,
            '0'..='9' => Self::Digit,
            '_' | '-' => Self::Joiner,
            _ if char.is_uppercase() => Self::Upper,
            _ if char.is_numeric() => Self::Digit,
            _ => Self::Lower,
        }
    }
}

/// How a run of Chinese or Japanese, which put no spaces between words, is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Spaceless {
    /// Into single characters and pairs, so that any part of an identifier is found.
    #[default]
    Pairs,
    /// Into words, and into pairs of the characters that are in no longer word.
    Words,
}

/// Splits words; holds the buffers for it.
#[derive(Debug, Default)]
pub(crate) struct Splitter {
    spaceless: Spaceless,
    /// The word in lower case, without joiners.
    lower: String,
    /// Where in `lower` each part begins.
    starts: Vec<usize>,
    chars: Vec<(char, Class)>,
}

impl Splitter {
    pub(crate) fn new(spaceless: Spaceless) -> Self {
        Self { spaceless, ..Self::default() }
    }

    /// Calls `emit` with each term of `word`, which comes from [`for_each_word`](super::for_each_word).
    pub(crate) fn split(&mut self, word: &str, mut emit: impl FnMut(&str, Role)) {
        if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return emit(cut(word, MAX_TERM_BYTES), Role::Only);
        }
        if word.chars().next().is_some_and(is_cjk) {
            return match self.spaceless {
                Spaceless::Pairs => pairs(word, true, emit),
                Spaceless::Words => words(word, emit),
            };
        }
        self.find_parts(word);
        let count = self.starts.len();
        if count == 0 {
            return;
        }
        let role = if count == 1 { Role::Only } else { Role::Whole };
        emit(cut(&self.lower, MAX_TERM_BYTES), role);
        let is_data = count > MANY_PARTS && self.lower.len() * 2 < count * 5;
        if count == 1 || is_data {
            return;
        }
        for (index, &start) in self.starts.iter().enumerate() {
            let end = self.starts.get(index + 1).copied().unwrap_or(self.lower.len());
            emit(cut(&self.lower[start..end], MAX_TERM_BYTES), Role::Part);
        }
    }

    fn find_parts(&mut self, word: &str) {
        self.lower.clear();
        self.starts.clear();
        self.chars.clear();
        self.chars.extend(word.chars().map(|char| (char, Class::of(char))));
        // A run that begins with a digit is a number (`0xFF`, `10px`, `3d`) and stays together.
        let (mut in_part, mut is_number) = (false, false);
        for (at, &(char, class)) in self.chars.iter().enumerate() {
            if class == Class::Joiner {
                in_part = false;
                continue;
            }
            if !in_part {
                is_number = class == Class::Digit;
            }
            if !in_part || !is_number && self.begins_part(at) {
                self.starts.push(self.lower.len());
            }
            in_part = true;
            if char.is_ascii() {
                self.lower.push(char.to_ascii_lowercase());
            } else {
                self.lower.extend(char.to_lowercase());
            }
        }
    }

    /// Whether a part begins at the character `at`, which follows another one of the same run.
    fn begins_part(&self, at: usize) -> bool {
        let class = |at: usize| self.chars.get(at).map_or(Class::Joiner, |found| found.1);
        match (class(at - 1), class(at)) {
            (Class::Lower, Class::Upper) => true,
            // The last capital before small letters belongs to them (`HTTPServer`), but a plural's `s` does
            // not make a word (`parseURLs`).
            (Class::Upper, Class::Upper) => {
                let is_plural =
                    self.chars.get(at + 1).is_some_and(|next| next.0 == 's') && class(at + 2) != Class::Lower;
                class(at + 1) == Class::Lower && !is_plural
            }
            (Class::Digit, next) => next != Class::Digit,
            (_, next) => next == Class::Digit,
        }
    }
}

/// Pairs of the characters of a run, and the characters themselves `with_singles`.
fn pairs(run: &str, with_singles: bool, mut emit: impl FnMut(&str, Role)) {
    let mut previous: Option<usize> = None;
    for (start, char) in run.char_indices() {
        let end = start + char.len_utf8();
        if let Some(previous) = previous {
            emit(&run[previous..end], Role::Part);
        }
        if with_singles {
            emit(&run[start..end], Role::Part);
        }
        previous = Some(start);
    }
}

/// The words of a run of Chinese or Japanese. Characters that follow each other and are in no longer word may be a name:
/// they give pairs too. Korean has spaces, and endings that pairs skip.
fn words(run: &str, mut emit: impl FnMut(&str, Role)) {
    let mut rest = run;
    while let Some(first) = rest.chars().next() {
        let is_same = |letter: char| is_spaceless(letter) == is_spaceless(first);
        let (part, after) = rest.split_at(rest.find(|letter| !is_same(letter)).unwrap_or(rest.len()));
        rest = after;
        if !is_spaceless(first) {
            pairs(part, true, &mut emit);
            continue;
        }
        // Where the characters that are words of their own begin, and where they end.
        let (mut lone, mut at) = (0, 0);
        for word in split_words(part) {
            emit(word, if word.chars().all(is_hiragana) { Role::Particle } else { Role::Part });
            if word.chars().nth(1).is_some() {
                pairs(&part[lone..at], false, &mut emit);
                lone = at + word.len();
            }
            at += word.len();
        }
        pairs(&part[lone..], false, &mut emit);
    }
}

#[cfg(test)]
mod tests {
    use super::super::for_each_term;

    fn terms(text: &str) -> String {
        let mut terms = Vec::new();
        for_each_term(text, |term| terms.push(term.to_owned()));
        terms.join(" ")
    }

    #[test]
    fn identifiers_give_the_whole_and_the_parts() {
        assert_eq!(terms("getUserById2"), "getuserbyid2 get user by id 2");
        assert_eq!(terms("GET_USER_BY_ID"), "getuserbyid get user by id");
        assert_eq!(terms("dry-run"), "dryrun dry run");
        assert_eq!(terms("__init__ _x"), "init x");
        assert_eq!(terms("Session"), "session");
    }

    #[test]
    fn acronyms_are_parts() {
        assert_eq!(terms("HTTPServer"), "httpserver http server");
        assert_eq!(terms("parseHTTP"), "parsehttp parse http");
        assert_eq!(terms("IOError"), "ioerror io error");
        assert_eq!(terms("parseURLs"), "parseurls parse urls");
        assert_eq!(terms("URLsByID"), "urlsbyid urls by id");
        assert_eq!(terms("URLset"), "urlset ur lset");
    }

    #[test]
    fn digits_are_kept() {
        assert_eq!(terms("utf8 sha256sum x86_64"), "utf8 utf 8 sha256sum sha 256 sum x8664 x 86 64");
        assert_eq!(terms("0xFF 1e5 10px 1_000"), "0xff 1e5 10px 1000 1 000");
    }

    #[test]
    fn other_scripts_are_lower_cased_and_split_by_case() {
        assert_eq!(terms("НоваяСтрока Größe"), "новаястрока новая строка größe");
        assert_eq!(terms("検索中"), "検 検索 索 索中 中");
    }

    #[test]
    fn prose_in_chinese_and_japanese_gives_words_and_pairs_of_what_is_in_none() {
        let words = |text: &str| {
            let mut terms = Vec::new();
            super::super::for_each_prose_term(text, |term| terms.push(term.to_owned()));
            terms.join(" ")
        };
        assert_eq!(words("默认缓存大小是512"), "默认 缓存 大小 是 512");
        assert_eq!(words("設定を変更 getUser"), "設定 を 変更 getuser get user");
        assert_eq!(words("钉钉的缓存"), "钉 钉 的 缓存 钉钉 钉的");
        assert_eq!(words("검색 kakao検索"), terms("검색 kakao") + " 検索");
    }

    #[test]
    fn data_has_no_parts_and_long_terms_are_cut() {
        assert_eq!(terms("a3f5b2c9d1e7f0"), "a3f5b2c9d1e7f0");
        assert_eq!(terms(&"x".repeat(100)), "x".repeat(64));
        assert_eq!(terms("___"), "");
    }
}
