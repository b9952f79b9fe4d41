//! Translates the words of questions in other languages to English, in which most code and its comments are written.
//!
//! The dictionary was learnt from messages that projects show to people in several languages (`weights/README.md`). It is
//! a list of words: grammar and order are not translated, and need not be, since words are searched for.
//!
//! | file | content |
//! |---|---|
//! | `segment` | text → words |
//! | `language` | which language they are of |
//! | `lookup` | word → English words |
//! | `known_words` | text → words with how rare they are in their language |
//! | `format` | the file of the dictionary |

mod format;
mod known_words;
mod language;
mod lookup;
mod segment;

use std::sync::LazyLock;

use self::format::{Dictionary, Words};
pub use self::known_words::{KnownWord, known_words};
pub use self::segment::is_spaceless;
use super::analyzer::is_stop_word;

static FILE: &[u8] = include_bytes!("../../weights/translations.bin");
static DICTIONARY: LazyLock<Dictionary> =
    LazyLock::new(|| Dictionary::read(FILE).expect("invariant: a test reads the file"));

/// Half of the xxh3-64 of the dictionary: with another one, Chinese and Japanese prose may give other words.
pub const DICTIONARY_VERSION: u32 = 0x132b_ee1a;

/// The words of the languages that put no spaces between them.
static SPACELESS: LazyLock<Vec<&Words>> = LazyLock::new(|| {
    let words = DICTIONARY.languages.iter().map(|language| &language.words);
    words.filter(|words| ["ja", "zh"].contains(&words.code)).collect()
});

/// Longer texts are pasted: only so many bytes are looked at.
const MAX_BYTES: usize = 2_000;

/// The names of languages by their codes.
const NAMES: [(&str, &str); 13] = [
    ("cs", "Czech"),
    ("de", "German"),
    ("es", "Spanish"),
    ("fr", "French"),
    ("it", "Italian"),
    ("ja", "Japanese"),
    ("ko", "Korean"),
    ("pl", "Polish"),
    ("pt", "Portuguese"),
    ("ru", "Russian"),
    ("tr", "Turkish"),
    ("uk", "Ukrainian"),
    ("zh", "Chinese"),
];

/// A text that is not English.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Translation {
    /// The name of its language.
    pub language: &'static str,
    /// The English words that its words stand for, each once, without stop words.
    pub words: Vec<&'static str>,
}

/// The translation of `text`; `None` if it is English, or no language that is known.
///
/// ```
/// let found = codecairn_lexical::translation::translate("wo wird die Warteschlange gelöscht").unwrap();
/// assert_eq!((found.language, found.words), ("German", vec!["queue", "deleted"]));
/// assert_eq!(codecairn_lexical::translation::translate("where is the queue deleted"), None);
/// ```
pub fn translate(text: &str) -> Option<Translation> {
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    let words = segment::words(text);
    let language = language::language_of(&DICTIONARY, text, &words)?;
    let mut found: Vec<&'static str> = Vec::new();
    let mut add = |word: &str| {
        let mut meanings = lookup::meanings(&DICTIONARY, language, word).into_iter().peekable();
        // A word that stands for a stop word first is one itself.
        if meanings.peek().is_some_and(|meaning| is_stop_word(meaning)) {
            return;
        }
        for meaning in meanings.filter(|meaning| !is_stop_word(meaning)) {
            if !found.contains(&meaning) {
                found.push(meaning);
            }
        }
    };
    for word in &words {
        if word.starts_with(is_spaceless) {
            segment::split(&[&language.words], word).into_iter().for_each(&mut add);
        } else {
            add(word);
        }
    }
    let code = language.words.code;
    let name = NAMES.iter().find(|name| name.0 == code).map_or(code, |name| name.1);
    (!found.is_empty()).then_some(Translation { language: name, words: found })
}

/// The words of a run of Chinese or Japanese characters. Both languages' words are known, so that a run is split alike
/// whatever is written around it.
///
/// ```
/// use codecairn_lexical::translation::split_words;
///
/// assert_eq!(split_words("默认缓存大小"), ["默认", "缓存", "大小"]);
/// assert_eq!(split_words("設定を変更"), ["設定", "を", "変更"]);
/// ```
pub fn split_words(run: &str) -> Vec<&str> {
    segment::split(&SPACELESS, run)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, language: &str) -> Vec<&'static str> {
        let found = translate(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(found.language, language, "{text}");
        found.words
    }

    #[test]
    fn words_of_each_script_become_english() {
        for (text, language, wanted) in [
            ("¿Dónde se comprueba la contraseña?", "Spanish", &["checks", "password"][..]),
            ("où le fichier est-il supprimé", "French", &["file"]),
            ("Wo wird die Datei gelöscht?", "German", &["file", "deleted"]),
            ("где удаляется файл конфигурации", "Russian", &["file", "configuration"]),
            ("默认缓存大小是多少", "Chinese", &["default", "cache", "size"]),
            ("ファイルを削除する関数", "Japanese", &["file", "delete", "function"]),
            ("파일을 삭제하는 함수", "Korean", &["file"]),
        ] {
            let found = words(text, language);
            assert!(wanted.iter().all(|word| found.contains(word)), "{text}: {found:?}");
        }
    }

    #[test]
    fn the_version_is_that_of_the_file() {
        assert_eq!(DICTIONARY_VERSION, xxhash_rust::xxh3::xxh3_64(FILE) as u32);
    }

    #[test]
    fn each_language_has_a_name() {
        let codes: Vec<&str> = DICTIONARY.languages.iter().map(|language| language.words.code).collect();
        assert_eq!(codes, NAMES.map(|name| name.0));
    }

    #[test]
    fn english_and_code_stay_as_they_are() {
        for text in ["", "?!", "where is the queue deleted", "getUserById returns null", "timeout error", "src/app.py"]
        {
            assert_eq!(translate(text), None, "{text}");
        }
    }

    #[test]
    fn a_form_that_is_not_listed_has_the_meaning_of_one_that_is() {
        assert!(DICTIONARY.languages.iter().any(|language| language.words.find("warteschlangen").is_err()));
        assert!(words("welche Warteschlangenlänge gilt für die Anfragen", "German").contains(&"queue"));
    }
}
