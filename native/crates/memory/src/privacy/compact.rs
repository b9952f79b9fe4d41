//! Shortens long tool output to its head, the lines that signal something, and its tail.

/// Words that make a line worth keeping.
const SIGNALS: [&str; 14] = [
    "error",
    "warning",
    "warn:",
    "fail",
    "trace",
    "exception",
    "panic",
    "todo",
    "fix",
    "done",
    "passed",
    "assert",
    "denied",
    "not found",
];

/// How many signal lines are kept at most.
const MAX_SIGNALS: usize = 40;

/// A signal line longer than this is cut.
const MAX_SIGNAL_BYTES: usize = 400;

/// The text in place of omitted lines.
const GAP: &str = "\n[… shortened …]\n";

/// The text within about `limit` bytes; `None` if it is short enough already.
///
/// A third goes to the head, at most a third to signal lines, and the rest to the tail, which also gets what the other
/// two leave over: a failure says at its end what went wrong.
pub(crate) fn compact(text: &str, limit: usize) -> Option<String> {
    let limit = limit.max(256);
    if text.len() <= limit {
        return None;
    }
    let third = limit / 3;
    let head = &text[..line_break_before(text, third)];
    let signals = signal_lines(&text[head.len()..text.floor_char_boundary(text.len() - third)], third);
    let room = limit.saturating_sub(head.len() + signals.len()).max(third);
    let tail = &text[line_break_after(text, text.len() - room)..];
    let mut short = String::with_capacity(limit + 64);
    short.push_str(head.trim_end());
    short.push_str(GAP);
    if !signals.is_empty() {
        short.push_str(&signals);
        short.push_str(GAP.trim_start());
    }
    short.push_str(tail.trim_start_matches('\n'));
    Some(short)
}

/// Distinct lines with a signal in them, in order, within `room` bytes.
fn signal_lines(middle: &str, room: usize) -> String {
    let mut kept = String::new();
    let mut seen: Vec<&str> = Vec::new();
    for line in middle.lines() {
        let line = line.trim();
        let lower = line.to_ascii_lowercase();
        if line.is_empty() || !SIGNALS.iter().any(|signal| lower.contains(signal)) || seen.contains(&line) {
            continue;
        }
        let cut = &line[..line.floor_char_boundary(MAX_SIGNAL_BYTES)];
        if kept.len() + cut.len() + 1 > room || seen.len() == MAX_SIGNALS {
            break;
        }
        seen.push(line);
        kept.push_str(cut);
        kept.push('\n');
    }
    kept
}

fn line_break_before(text: &str, at: usize) -> usize {
    let at = text.floor_char_boundary(at);
    text[..at].rfind('\n').filter(|found| *found > at / 2).unwrap_or(at)
}

fn line_break_after(text: &str, at: usize) -> usize {
    let at = text.ceil_char_boundary(at);
    text[at..].find('\n').filter(|found| *found < (text.len() - at) / 2).map_or(at, |found| at + found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_signals_and_tail_stay() {
        let noise = "compiling something that nobody reads again\n".repeat(400);
        let text = format!("$ make all\n{noise}error[E0382]: use of moved value\n{noise}2 failed, 31 passed");
        let short = compact(&text, 2000).unwrap();
        assert!(short.len() < 2200, "{}", short.len());
        assert!(short.starts_with("$ make all\n"));
        assert!(short.contains("error[E0382]: use of moved value"));
        assert!(short.ends_with("2 failed, 31 passed"));
    }

    #[test]
    fn long_signals_never_push_the_tail_out() {
        let text = format!("start\n{}\nthe end", format!("error {}\n", "x".repeat(900)).repeat(50));
        assert!(compact(&text, 1500).unwrap().ends_with("the end"));
    }

    #[test]
    fn short_output_stays_as_it_is() {
        assert_eq!(compact("all good", 4000), None);
        // The smallest limit is 256 bytes.
        assert_eq!(compact(&"x".repeat(256), 0), None);
        assert!(compact(&"x".repeat(257), 0).is_some());
    }

    /// Lines of ten bytes.
    fn numbered(lines: std::ops::Range<usize>) -> String {
        lines.map(|line| format!("line {line:04}\n")).collect::<Vec<_>>().concat()
    }

    #[test]
    fn a_third_is_the_head_and_the_tail_fills_the_rest() {
        let short = compact(&numbered(0..100), 305).unwrap();
        assert_eq!(short, format!("{}\n[… shortened …]\n{}", numbered(0..10).trim_end(), numbered(80..100)));
        // What signals something takes its room from the tail.
        let text = format!("{}error 050\n{}", numbered(0..50), numbered(51..100));
        let head = numbered(0..10);
        let expected =
            format!("{}\n[… shortened …]\nerror 050\n[… shortened …]\n{}", head.trim_end(), numbered(81..100));
        assert_eq!(compact(&text, 305).unwrap(), expected);
        // A signal in the tail is not repeated.
        let text = format!("{}error 095\n{}", numbered(0..95), numbered(96..100));
        assert_eq!(compact(&text, 305).unwrap().matches("error").count(), 1);
    }

    #[test]
    fn signals_are_distinct_and_fit_their_room() {
        let middle = "error one\n\nnoise\n  error one  \nWARNING 2\nerror two\n";
        assert_eq!(signal_lines(middle, 1000), "error one\nWARNING 2\nerror two\n");
        assert_eq!(signal_lines(middle, 20), "error one\nWARNING 2\n");
        assert_eq!(signal_lines(middle, 19), "error one\n");
        let many = (0..50).map(|line| format!("fail {line}\n")).collect::<Vec<_>>().concat();
        assert_eq!(signal_lines(&many, 10_000).lines().count(), 40);
        let long = format!("panic {}", "x".repeat(900));
        assert_eq!(signal_lines(&long, 10_000).len(), 401);
    }

    #[test]
    fn a_cut_moves_to_a_line_break_within_half_its_way() {
        assert_eq!(line_break_before("aaaaaa\nbbbbb", 10), 6);
        assert_eq!(line_break_before("aaaaa\nbbbbbb", 10), 10);
        assert_eq!(line_break_after("aaaaaaaaaabbbb\nccccc", 10), 14);
        assert_eq!(line_break_after("aaaaaaaaaabbbbb\ncccc", 10), 10);
    }

    proptest::proptest! {
        #[test]
        fn any_text_becomes_short_and_keeps_its_end(text in "([a-zé日]{0,30}(error|\n)?){0,200}", limit in 0usize..3000) {
            if let Some(short) = compact(&text, limit) {
                proptest::prop_assert!(short.len() <= limit.max(256) * 4 / 3 + 64);
                let end = &text[text.ceil_char_boundary(text.len() - 20)..];
                proptest::prop_assert!(short.ends_with(end.trim_start_matches('\n')));
            }
        }
    }
}
