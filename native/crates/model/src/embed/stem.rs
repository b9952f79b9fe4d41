//! Stems words: `parser`, `parsing`, `parsed` meet where feature hashing looks for what words share.
//!
//! A stem need not be a word. It never leaves ASCII and never shortens a word below three letters.

/// Endings and what takes their place, the longest first.
const ENDINGS: [(&str, &str); 29] = [
    ("ization", "iz"),
    ("isation", "iz"),
    ("ations", ""),
    ("ation", ""),
    ("ators", ""),
    ("ating", ""),
    ("ments", ""),
    ("ities", ""),
    ("ator", ""),
    ("ates", ""),
    ("ated", ""),
    ("ings", ""),
    ("ment", ""),
    ("ions", ""),
    ("ives", ""),
    ("ing", ""),
    ("ate", ""),
    ("ity", ""),
    ("ers", ""),
    ("ies", "y"),
    ("ied", "y"),
    ("ion", ""),
    ("ive", ""),
    ("ed", ""),
    ("er", ""),
    ("or", ""),
    ("es", ""),
    ("ly", ""),
    ("s", ""),
];

/// The stem of a lower-cased word, written into `buffer`.
pub(super) fn stem<'a>(word: &'a str, buffer: &'a mut [u8; 64]) -> &'a str {
    if word.len() <= 3 || word.len() > buffer.len() || !word.is_ascii() || word.ends_with("ss") {
        return word;
    }
    let (ending, instead) = ENDINGS
        .iter()
        .find(|(ending, _)| word.len() >= ending.len() + 3 && word.ends_with(ending))
        .unwrap_or(&("", ""));
    let mut len = word.len() - ending.len();
    buffer[..len].copy_from_slice(&word.as_bytes()[..len]);
    for &byte in instead.as_bytes() {
        buffer[len] = byte;
        len += 1;
    }
    let doubled = len > 3 && buffer[len - 1] == buffer[len - 2] && !matches!(buffer[len - 1], b's' | b'l');
    if (doubled && !ending.is_empty()) || (len > 3 && buffer[len - 1] == b'e') {
        len -= 1;
    }
    std::str::from_utf8(&buffer[..len]).expect("invariant: an ASCII word cut between letters")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_meet() {
        let check = |forms: &[&str], expected: &str| {
            for form in forms {
                assert_eq!(stem(form, &mut [0; 64]), expected, "{form}");
            }
        };
        check(&["parse", "parses", "parser", "parsers", "parsing", "parsed"], "pars");
        check(&["user", "users"], "user");
        check(&["index", "indexes", "indexed", "indexing", "indexer"], "index");
        check(&["normalization", "normalisation", "normalize"], "normaliz");
        check(&["run", "running", "runner"], "run");
        check(&["entry", "entries"], "entry");
        check(&["validate", "validates", "validated", "validating", "validation", "validator"], "valid");
        check(&["class"], "class");
        check(&["größen"], "größen");
    }
}
