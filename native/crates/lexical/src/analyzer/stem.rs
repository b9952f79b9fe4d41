//! A light English stemmer for words of code.
//!
//! It joins the forms in which code and questions about it name one thing (`parse`, `parser`,
//! `parsing`; `validate`, `validation`, `validator`; `verify`, `verified`, `verification`), which
//! Snowball keeps apart where an agent is named (`parser`, `iterator`), and leaves the rest alone.
//! Words of three letters and words with anything but small ASCII letters stay as they are. The
//! suffix rules follow Porter (1980), in two steps: inflection, then derivation.

use std::borrow::Cow;

/// Forms that no rule leads back, with their stems, sorted. Names of things that look like forms of
/// a frequent verb (`settings`) are kept apart from it.
const IRREGULAR: [(&str, &str); 16] = [
    ("built", "build"),
    ("children", "child"),
    ("indices", "index"),
    ("matrices", "matrix"),
    ("sent", "send"),
    ("setting", "setting"),
    ("settings", "setting"),
    ("something", "something"),
    ("thrown", "throw"),
    ("used", "use"),
    ("uses", "use"),
    ("using", "use"),
    ("vertices", "vertex"),
    ("whose", "whose"),
    ("written", "writ"),
    ("wrote", "writ"),
];

/// The stem of a term; the group of all terms with one stem is searched as one.
pub fn stem(term: &str) -> Cow<'_, str> {
    if term.len() <= 3 || !term.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Cow::Borrowed(term);
    }
    if let Ok(found) = IRREGULAR.binary_search_by(|entry| entry.0.cmp(term)) {
        return Cow::Borrowed(IRREGULAR[found].1);
    }
    let mut word = Word { letters: term.as_bytes().to_vec(), was_verb: false };
    word.inflect();
    while word.derive() {}
    word.settle();
    if word.letters == term.as_bytes() {
        return Cow::Borrowed(term);
    }
    Cow::Owned(word.letters.into_iter().map(char::from).collect())
}

struct Word {
    letters: Vec<u8>,
    /// Whether an ending went that a verb in `-ate` takes, so that a bare `at` is what is left of it.
    was_verb: bool,
}

impl Word {
    /// Takes `ending` off if at least `rest` letters stay.
    fn strip(&mut self, ending: &str, rest: usize) -> bool {
        let fits = self.letters.len() >= ending.len() + rest && self.letters.ends_with(ending.as_bytes());
        if fits {
            self.letters.truncate(self.letters.len() - ending.len());
        }
        fits
    }

    fn last(&self) -> u8 {
        self.letters.last().copied().unwrap_or(0)
    }

    fn has_vowel(&self) -> bool {
        self.letters.iter().any(|letter| is_vowel(*letter) || *letter == b'y')
    }

    /// Plural, past, `-ing`, `-ly`, silent `e`, `y`.
    fn inflect(&mut self) {
        if self.strip("ysis", 2) {
            self.letters.extend_from_slice(b"ys");
        } else if self.strip("sses", 1) {
            self.letters.extend_from_slice(b"ss");
        } else if self.strip("ies", 2) {
            self.letters.push(b'i');
        } else if !self.letters.ends_with(b"ss") && !self.letters.ends_with(b"us") {
            self.strip("s", 3);
        }
        if self.strip("ied", 2) {
            self.letters.push(b'i');
        } else if !self.letters.ends_with(b"eed") {
            self.strip_verbal("ed");
            self.strip_verbal("ing");
        }
        if self.letters.ends_with(b"ly") && !matches!(self.letters.iter().rev().nth(2), Some(b'p' | b'b' | b'i')) {
            self.strip("ly", 4);
        }
        if self.last() == b'e' && !self.letters.ends_with(b"ee") {
            self.was_verb |= self.strip("e", 3);
        }
        if self.last() == b'y' && self.letters.len() > 3 && !is_vowel(self.letters[self.letters.len() - 2]) {
            self.letters.pop();
            self.letters.push(b'i');
        }
    }

    fn strip_verbal(&mut self, ending: &str) {
        let before = self.letters.len();
        if self.strip(ending, 3) && !self.has_vowel() {
            self.letters.extend_from_slice(ending.as_bytes());
        }
        if self.letters.len() < before {
            self.was_verb = !self.undouble();
        }
    }

    /// Takes one derivational ending off; whether there was one.
    fn derive(&mut self) -> bool {
        let before_last = self.letters.iter().rev().nth(1).copied().unwrap_or(0);
        if self.was_verb && self.letters.ends_with(b"ificat") {
            self.letters.truncate(self.letters.len() - 3);
            return false;
        }
        // `create` and `float` keep it.
        if self.was_verb && self.letters.len() >= 5 && self.letters.ends_with(b"at") {
            let before = self.letters[self.letters.len() - 3];
            self.was_verb = false;
            return !matches!(before, b'e' | b'o') && self.strip("at", 3);
        }
        let after_t_or_s =
            |letters: &[u8], length: usize| matches!(letters.iter().rev().nth(length), Some(b't' | b's'));
        if after_t_or_s(&self.letters, 3) && self.strip("ion", 4)
            || after_t_or_s(&self.letters, 2) && self.strip("or", 3)
        {
            self.was_verb = true;
            return true;
        }
        if before_last == b'e' && self.strip("er", 3) {
            self.was_verb = !self.undouble();
            return true;
        }
        if after_t_or_s(&self.letters, 2) && self.strip("iv", 4) {
            self.was_verb = true;
            return true;
        }
        self.strip("ment", 5) || self.strip("abiliti", 4) || self.strip("abl", 4) || self.strip("iti", 4)
    }

    /// Brings spellings of one stem together: doubled last letters, British `-ise`, `analyse`; the `e` that an
    /// ending had covered.
    fn settle(&mut self) {
        if self.last() == b'e' && !self.letters.ends_with(b"ee") {
            self.strip("e", 3);
        }
        self.undouble();
        let length = self.letters.len();
        if length >= 6 && self.letters.ends_with(b"is") || length >= 5 && self.letters.ends_with(b"ys") {
            self.letters[length - 1] = b'z';
        }
    }

    /// Halves a doubled consonant at the end of more than three letters.
    fn undouble(&mut self) -> bool {
        let length = self.letters.len();
        let doubled = length > 3 && self.letters[length - 1] == self.letters[length - 2] && !is_vowel(self.last());
        if doubled {
            self.letters.pop();
        }
        doubled
    }
}

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(IRREGULAR.is_sorted());
    }

    #[test]
    fn forms_of_one_thing_share_a_stem() {
        for family in [
            "parse parser parsers parsing parsed parses",
            "validate validates validated validating validation validations validator validators",
            "iterate iterator iterators iteration iterating iterable iter",
            "tokenize tokenizer tokenized tokenizing tokenization tokenise tokenised tokenisation",
            "serialize serializer serialization serializing serialise serialisation",
            "verify verifies verified verifying verifier verification",
            "classify classified classifier classification",
            "query queries querying queried",
            "create creates created creating creation creator",
            "update updates updated updating updater",
            "execute executes executed executing execution executor executable",
            "configure configures configured configuring configuration",
            "authenticate authenticated authenticating authentication authenticator",
            "authorize authorized authorization authorizer",
            "implement implements implemented implementing implementation",
            "document documents documented documenting documentation",
            "render renders rendered rendering renderer",
            "filter filters filtered filtering",
            "buffer buffers buffered buffering",
            "route routes routed routing router routers",
            "cache caches cached caching cacheable",
            "log logs logged logging logger loggers",
            "map maps mapped mapping mapper mappings",
            "cancel cancels cancelled canceled cancelling canceling",
            "control controls controller controllers controlled",
            "process processes processed processing processor processors",
            "analyze analyzer analysis analyses analyse analyzing",
            "format formats formatted formatting formatter",
            "index indexes indexing indexed indexer indices",
            "connect connects connected connecting connection connections connector",
            "recursive recursively recursion recursions",
            "manage manages managed manager managing management",
            "copy copies copied copying",
            "error errors",
            "class classes",
            "state states",
            "available availability",
            "write writes writing writer writers written",
            "use uses used using",
            "retry retries retried retrying",
            "handle handles handled handler handlers handling",
            "allocate allocates allocated allocating allocation allocator",
            "compile compiles compiled compiler compiling compilation",
            "match matches matched matching matcher",
            "dependency dependencies",
            "identify identifies identifier identifiers",
        ] {
            let stems: Vec<_> = family.split(' ').map(stem).collect();
            let all_one = stems.iter().all(|stem| *stem == stems[0]);
            assert!(all_one, "{:?}", family.split(' ').zip(&stems).collect::<Vec<_>>());
        }
    }

    #[test]
    fn different_things_keep_their_stems() {
        for pair in [
            "setting set",
            "string str",
            "author auth",
            "status state",
            "format form",
            "archive arch",
            "key keys2",
            "user use",
            "data date",
            "address add",
            "static state",
            "float flow",
            "document doc",
            "element elect",
            "comment command",
            "private privilege",
            "token to",
            "object obj",
            "native nation",
            "table tab",
            "process procedure",
            "server sever",
        ] {
            let (left, right) = pair.split_once(' ').unwrap();
            assert_ne!(stem(left), stem(right), "{pair}");
        }
    }

    #[test]
    fn short_words_numbers_and_other_scripts_stay() {
        for word in ["is", "as", "bus", "ids", "utf8s", "größen", "getx2s", "status", "tree"] {
            assert_eq!(stem(word), word);
        }
    }
}
