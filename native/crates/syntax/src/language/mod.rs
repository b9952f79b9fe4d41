//! Detects which language a file is written in, by a table of languages.
//!
//! A language is a row of a table. It names the grammar it expects; whether that grammar is compiled in
//! is asked at run time, so a row without one is still detected, searched by lines and filtered by. The
//! module reads no file: the caller passes the path and the beginning of the text.
//!
//! Invariant: every text has exactly one language, and the same path and text always give the same one.

mod ambiguous;
mod definition;
mod detect;
mod header;
mod hint;
mod tables;

pub use definition::{Class, Language};
pub use detect::detect;

/// The id of the language of last resort.
pub const FALLBACK_ID: &str = "text";

/// Every known language, family by family. Ids are unique.
pub fn all() -> &'static [Language] {
    tables::ALL
}

/// The language with this id.
pub fn by_id(id: &str) -> Option<&'static Language> {
    all().iter().find(|language| language.id == id)
}

/// Whether `text` is the name of a file of some known language, by its whole name or its extension.
pub fn is_file_name(text: &str) -> bool {
    let extension = text.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    all().iter().any(|language| {
        language.file_names.iter().any(|name| name.eq_ignore_ascii_case(text))
            || extension.as_deref().is_some_and(|extension| language.extensions.contains(&extension))
    })
}

/// Plain text, for what no other language claims.
pub fn fallback() -> &'static Language {
    tables::TEXT
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn ids_are_unique_and_lead_back() {
        for language in all() {
            assert!(std::ptr::eq(by_id(language.id).unwrap(), language), "`{}` is there twice", language.id);
        }
    }

    #[test]
    fn the_language_of_last_resort_is_plain_text() {
        assert_eq!(fallback().id, FALLBACK_ID);
    }

    #[test]
    fn extensions_names_and_interpreters_belong_to_one_language() {
        let mut owners: BTreeMap<(&str, &str), &str> = BTreeMap::new();
        for language in all() {
            let keys = (language.extensions.iter().map(|key| ("extension", *key)))
                .chain(language.file_names.iter().map(|key| ("name", *key)))
                .chain(language.interpreters.iter().map(|key| ("interpreter", *key)));
            for key in keys {
                let before = owners.insert(key, language.id);
                assert_eq!(before, None, "{key:?} belongs to `{}` too", language.id);
            }
        }
    }

    #[test]
    fn ids_and_extensions_are_in_lower_case() {
        for language in all() {
            assert!(language.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'));
            assert!(language.extensions.iter().all(|extension| *extension == extension.to_lowercase()));
            assert_ne!(language.class, Class::Generated, "a file is generated, a language is not");
        }
    }

    #[test]
    fn a_grammar_that_is_compiled_in_is_named_by_its_own_language() {
        for grammar in codecairn_grammars::all() {
            assert!(
                all().iter().any(|language| language.grammar == Some(grammar.id)),
                "no language uses the grammar `{}`",
                grammar.id
            );
        }
    }
}
