//! Splits what is too long at the line with the lowest cost within the limit; ties go to the cut nearest to the ideal
//! size, then to the first. The cost of a line falls between statements and before blank lines.

use codecairn_base::span::ByteSpan;

use super::lines::{Line, Lines};

/// How long parts may become.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    /// What is longer is cut, in bytes.
    pub(super) max: u32,
    /// What the parts aim at, in bytes.
    pub(super) target: u32,
    /// What a line weighs at least, in bytes: a limit on lines.
    pub(super) min_line: u32,
    /// The longest part of a single line, in bytes.
    pub(super) max_line: u32,
}

/// How much a cut before a line would hurt: 0 for not at all.
pub(super) type Cost = u32;

/// Cuts a span into parts. `costs` has one entry for each line of the span, the first of which is not looked at.
pub(super) fn split(
    text: &str,
    lines: &Lines,
    span: ByteSpan,
    budget: Budget,
    costs: &[Cost],
    parts: &mut Vec<ByteSpan>,
) {
    let (first, last) = (lines.of(span.start), lines.of(span.end.max(span.start + 1) - 1));
    let weight = |line: Line| {
        let (start, end) = (lines.start(line).max(span.start), lines.end(line).min(span.end));
        (end - start).max(budget.min_line)
    };
    let mut left: u32 = (first..=last).map(weight).sum();
    let mut line = first;
    let mut start = span.start;
    while left > budget.max {
        let ideal = left / left.div_ceil(budget.target);
        let Some((cut, taken)) = best_cut(line, last, ideal, budget.max, &weight, |line| costs[line - first]) else {
            break;
        };
        push(text, start, lines.start(cut), budget, parts);
        start = lines.start(cut);
        line = cut;
        left -= taken;
    }
    push(text, start, span.end, budget, parts);
}

/// The line to cut before, with the weight of the lines above it since `from`.
fn best_cut(
    from: Line,
    last: Line,
    ideal: u32,
    max: u32,
    weight: &impl Fn(Line) -> u32,
    cost: impl Fn(Line) -> Cost,
) -> Option<(Line, u32)> {
    let mut taken = 0;
    let mut best: Option<(Cost, u32, Line, u32)> = None;
    for line in from + 1..=last {
        taken += weight(line - 1);
        if taken > max && best.is_some() {
            break;
        }
        if taken * 2 >= ideal {
            let candidate = (cost(line), taken.abs_diff(ideal), line, taken);
            best = Some(best.map_or(candidate, |best| best.min(candidate)));
        }
    }
    best.map(|(_, _, line, taken)| (line, taken))
}

/// Takes in a part without the white space around it; a line that is too long is cut further.
fn push(text: &str, start: u32, end: u32, budget: Budget, parts: &mut Vec<ByteSpan>) {
    let mut start = start as usize;
    let end = start + text[start..end as usize].trim_end().len();
    // Blank lines before the first visible one; its indentation stays.
    let blank = text[start..end].len() - text[start..end].trim_start().len();
    start += text[start..start + blank].rfind('\n').map_or(0, |at| at + 1);
    while end - start > budget.max_line as usize {
        let cut = start + line_cut(&text[start..end], budget.max_line as usize);
        let visible = start + text[start..cut].trim_end().len();
        if visible > start {
            parts.push(ByteSpan::new(start, visible));
        }
        start = cut;
    }
    if start < end {
        parts.push(ByteSpan::new(start, end));
    }
}

/// How far back from the limit a cut between words is looked for, in bytes.
const CUT_WINDOW: usize = 256;

/// Where to cut a text that is too long: behind a line's end, a delimiter or white space near the limit, else at it.
fn line_cut(text: &str, limit: usize) -> usize {
    let limit = text.floor_char_boundary(limit);
    let from = text.floor_char_boundary(limit.saturating_sub(CUT_WINDOW));
    let window = &text[from..limit];
    let found = window.rfind('\n').or_else(|| window.rfind([';', '}', ',', '>', ' ', '\t']));
    found.map_or(limit, |at| from + at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET: Budget = Budget { max: 20, target: 15, min_line: 0, max_line: 40 };

    fn parts(text: &str, costs: &[Cost]) -> Vec<String> {
        let mut lines = Lines::default();
        lines.fill(text);
        let mut parts = Vec::new();
        split(text, &lines, ByteSpan::new(0, text.len()), BUDGET, costs, &mut parts);
        parts.into_iter().map(|part| text[part.range()].to_owned()).collect()
    }

    #[test]
    fn short_text_stays_whole() {
        assert_eq!(parts("a\nb\n", &[0; 2]), ["a\nb"]);
    }

    #[test]
    fn cheap_cuts_are_taken() {
        assert_eq!(parts("11111111\n  2222\n33333333\n", &[0, 5, 0]), ["11111111\n  2222", "33333333"]);
        assert_eq!(parts("11111111\n  2222\n33333333\n", &[0, 0, 5]), ["11111111", "  2222\n33333333"]);
    }

    #[test]
    fn long_lines_are_cut_between_words() {
        assert_eq!(
            parts(&"word ".repeat(20), &[0]),
            [["word"; 8].join(" "), ["word"; 8].join(" "), ["word"; 4].join(" ")]
        );
        assert_eq!(parts(&"é".repeat(30), &[0]), ["é".repeat(20), "é".repeat(10)]);
    }
}
