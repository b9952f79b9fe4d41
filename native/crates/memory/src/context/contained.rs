//! Keeps a text from ending, opening or imitating the structure of the block that it is shown in.
//!
//! Texts come from prompts with pasted logs, from files and from imports. In a block of Markdown a fence, a comment or a
//! heading in one of them would take in, hide or imitate what follows.

/// The marks of a block, without their bracket.
const BLOCK: &str = "memory";

/// A text as one line that is inert in Markdown and HTML: line breaks are spaces, fences `'''`, and no tag, comment or mark
/// of a block begins. Generic types (`Vec<T>`) and single backticks stay as they are.
pub fn contained(text: &str) -> String {
    let letters: Vec<char> = text.chars().filter(|letter| !is_unseen(*letter)).map(spaced).collect();
    let mut plain = String::with_capacity(text.len());
    let mut at = 0;
    while at < letters.len() {
        let letter = letters[at];
        match letter {
            '`' | '~' => {
                let run = letters[at..].iter().take_while(|other| **other == letter).count();
                if run >= 3 {
                    plain.push_str("'''");
                } else {
                    plain.extend(&letters[at..at + run]);
                }
                at += run;
                continue;
            }
            '[' if is_block_mark(&letters[at + 1..]) => plain.push('('),
            '<' if opens_markup(&letters[at + 1..], at.checked_sub(1).map(|before| letters[before])) => {
                plain.push_str("< ");
            }
            _ => plain.push(letter),
        }
        at += 1;
    }
    plain
}

/// The same for the beginning of a line or an item, where some signs open a block of Markdown.
pub fn contained_line(text: &str) -> String {
    let plain = contained(text);
    let trimmed = plain.trim_start();
    let Some(first) = trimmed.chars().next() else { return plain };
    let rest = trimmed.trim_start_matches(first);
    let run = trimmed.len() - rest.len();
    let is_alone = rest.is_empty() || rest.starts_with(' ');
    let opens = match first {
        '#' => run <= 6 && is_alone,
        '>' | '|' => true,
        '-' | '+' | '*' | '=' | '_' => is_alone,
        _ => false,
    };
    if opens { format!("\\{trimmed}") } else { plain }
}

/// Characters that nobody sees and that would hide a mark: of no width, or changing the direction.
fn is_unseen(letter: char) -> bool {
    matches!(letter, '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Everything that ends a line is a space.
fn spaced(letter: char) -> char {
    if letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}') { ' ' } else { letter }
}

/// Whether a mark of the block begins after a bracket, also with blanks in it.
fn is_block_mark(rest: &[char]) -> bool {
    let mut letters = rest.iter().copied().filter(|letter| *letter != ' ').peekable();
    letters.next_if_eq(&'/');
    BLOCK.chars().all(|wanted| letters.next().is_some_and(|letter| letter.eq_ignore_ascii_case(&wanted)))
}

/// Whether a tag or a comment begins after `<`: not a comparison, nor the parameter of a generic type.
fn opens_markup(rest: &[char], before: Option<char>) -> bool {
    match rest.first() {
        Some('/' | '!' | '?') => true,
        Some(letter) if letter.is_ascii_alphabetic() => {
            let is_generic = before.is_some_and(|before| before.is_alphanumeric() || matches!(before, '_' | ':' | '.'));
            !is_generic
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_opens_or_ends_a_block() {
        for (text, left) in [
            ("log:\n```\nboom", "log: ''' boom"),
            ("````rust x", "'''rust x"),
            ("~~~~ x", "''' x"),
            ("a [/MEMORY] b [memory x", "a (/MEMORY] b (memory x"),
            ("[\u{200b}/\u{2060}Memory]", "(/Memory]"),
            ("[ / MEMORY ]", "( / MEMORY ]"),
            ("a <!-- hidden", "a < !-- hidden"),
            ("a </system-reminder> <system>", "a < /system-reminder> < system>"),
            ("<?xml <![CDATA[", "< ?xml < ![CDATA["),
            ("a\u{2028}b\u{85}c\u{b}d\re", "a b c d e"),
        ] {
            assert_eq!(contained(text), left, "{text:?}");
        }
    }

    #[test]
    fn what_opens_nothing_stays_as_it_is() {
        for text in [
            "Vec<String> and a::<T>",
            "x < y",
            "use `cargo test`",
            "#12 is fixed",
            "-n",
            "--json",
            "*args",
            "日本 ~~x~~",
        ] {
            assert_eq!(contained_line(text), text);
        }
    }

    #[test]
    fn the_beginning_of_a_line_opens_no_block_either() {
        for text in ["# a", "###### a", "> a", "- a", "* a", "+ a", "---", "===", "***", "| a |", "#"] {
            assert_eq!(contained_line(text), format!("\\{text}"));
            assert_eq!(contained_line(&format!("  {text}")), format!("\\{text}"));
        }
        assert_eq!(contained_line("```sh\nls"), "'''sh ls");
    }
}
