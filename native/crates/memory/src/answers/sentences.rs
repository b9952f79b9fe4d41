//! Splits a text of any script into sentences: what a prompt asks with, and what a memory answers with.

/// Sentences of a text that count; what follows is passed over.
const MAX_SENTENCES: usize = 48;
/// A longer sentence is cut between words: a line of data, a minified file.
const MAX_BYTES: usize = 400;

/// The sentences of a text in order, without those that have neither letter nor digit.
///
/// A sentence ends with its line, after `.`, `!`, `?` or `…` before a blank, and after the full stops of Chinese and
/// Japanese.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut rest = line.trim();
        while !rest.is_empty() && found.len() < MAX_SENTENCES {
            let (sentence, after) = rest.split_at(end_of_first(rest));
            if sentence.chars().any(char::is_alphanumeric) {
                found.push(sentence.trim());
            }
            rest = after.trim_start();
        }
    }
    found
}

/// Whether a sentence is written as a question.
pub(super) fn is_question(sentence: &str) -> bool {
    let sentence = sentence.trim_end_matches(|letter: char| !(letter.is_alphanumeric() || "?？؟".contains(letter)));
    sentence.ends_with(['?', '？', '؟'])
}

/// The byte at which the first sentence of a line ends.
fn end_of_first(line: &str) -> usize {
    let mut letters = line.char_indices().peekable();
    let mut last_blank = 0;
    while let Some((at, letter)) = letters.next() {
        let end = at + letter.len_utf8();
        let is_before_blank = letters.peek().is_none_or(|(_, next)| next.is_whitespace());
        if "。！？".contains(letter) || (".!?…".contains(letter) && is_before_blank) {
            return end;
        }
        if letter.is_whitespace() {
            last_blank = end;
        }
        if end > MAX_BYTES {
            return if last_blank > 0 { last_blank } else { end };
        }
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_lines_and_full_stops() {
        assert_eq!(
            sentences("One. Two v1.2 is out!\n- three?  \n\n…\nfour"),
            ["One.", "Two v1.2 is out!", "- three?", "four"]
        );
        assert_eq!(sentences("缓存是512MB。端口？8080"), ["缓存是512MB。", "端口？", "8080"]);
        assert_eq!(sentences(""), [""; 0]);
    }

    #[test]
    fn long_lines_are_cut_between_words() {
        let text = "word ".repeat(200);
        let found = sentences(&text);
        assert!(found.iter().all(|each| each.len() <= MAX_BYTES && each.starts_with("word")));
        assert_eq!(found.join(" "), text.trim());
        assert!(sentences(&"x".repeat(1000)).iter().all(|each| each.len() <= MAX_BYTES + 4));
        assert_eq!(sentences(&"a\n".repeat(500)).len(), MAX_SENTENCES);
    }

    #[test]
    fn questions_end_with_their_mark() {
        assert!(is_question("why?") && is_question("**¿por qué?**") && is_question("なぜ？"));
        assert!(!is_question("what? no.") && !is_question(""));
    }
}
