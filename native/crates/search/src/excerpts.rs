//! Makes the ways to show a place, from a few lines to all of it; linear in its lines.
//!
//! An excerpt is the window of lines with the most words of the query, and the line of the definition that it lies in.
//! Windows tie in favour of the first.

use codecairn_base::span::LineSpan;

use super::answer_places::MAX_LINES;
use super::query_words::LineMatch;

/// Bytes for each token, as answers estimate them.
const BYTES_PER_TOKEN: u32 = 4;
/// Tokens of the mark before a part.
const PART_TOKENS: u32 = 4;
/// Tokens of the line that names a span.
const HEADER_TOKENS: u32 = 10;
/// The lines of windows.
const WINDOWS: [usize; 4] = [CORE_LINES, 12, 24, 48];
/// The lines that have most words of the query, which windows grow around.
const CORE_LINES: usize = 6;
/// A window that leaves out fewer lines than this, or than half of its own, saves too little.
const MIN_LEFT_OUT: usize = 4;

/// What the lines of a chunk or a place have of a query. Lines are relative to its first.
#[derive(Debug, Default)]
pub(super) struct ChunkLines {
    /// Those that have something of it, in order.
    pub(super) matches: Vec<LineMatch>,
    /// The line with the name of the definition that the best line lies in; the first without definitions.
    pub(super) signature: usize,
}

/// A way to show a place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Excerpt {
    /// The number of its form: a window of each size, everything.
    pub(super) form: usize,
    /// Lines relative to the first of the place; ranges in order, which don't touch.
    pub(super) lines: Vec<(usize, usize)>,
    /// What it costs.
    pub(super) tokens: u32,
}

/// The forms of an excerpt.
pub(super) const FORMS: usize = WINDOWS.len() + 1;

impl ChunkLines {
    /// With the lines that match; `definitions` are the lines with names of definitions, in order.
    pub(super) fn new(matches: Vec<LineMatch>, definitions: &[usize]) -> Self {
        let best = matches.iter().max_by(|a, b| a.weight.total_cmp(&b.weight).then(b.line.cmp(&a.line)));
        let around = definitions.iter().rev().find(|&&line| best.is_some_and(|best| line <= best.line));
        let signature = around.or(definitions.first()).copied().unwrap_or(0);
        Self { matches, signature }
    }

    /// All ways to show a place whose lines have so many bytes, the cheapest first. All of it is one of them if it has at most
    /// [`MAX_LINES`]. `head` has the bytes of the line with the name of the definition that the place is a later piece of.
    pub(super) fn excerpts(&self, sizes: &[u32], head: Option<u32>) -> Vec<Excerpt> {
        let count = sizes.len();
        let mut found = Vec::with_capacity(FORMS);
        let core = self.best_window(CORE_LINES, count);
        let can_be_whole = (1..=MAX_LINES as usize).contains(&count);
        let saves = |size: usize| {
            let left_out = if can_be_whole { MIN_LEFT_OUT.max(size / 2) } else { MIN_LEFT_OUT };
            count >= size + left_out
        };
        for (form, size) in WINDOWS.into_iter().enumerate().filter(|&(_, size)| saves(size)) {
            let start = core.saturating_sub((size - CORE_LINES) / 2).min(count - size);
            let end = start + size - 1;
            let lines = if head.is_some() { vec![(start, end)] } else { self.with_signature(start, end) };
            found.push(excerpt(form, lines, sizes, head));
        }
        if can_be_whole {
            found.push(excerpt(FORMS - 1, vec![(0, count - 1)], sizes, head));
        }
        found
    }

    /// The first line of the window of `size` lines with the most weight, the first of equals; around the signature if
    /// no line has any.
    fn best_window(&self, size: usize, count: usize) -> usize {
        let last = count.saturating_sub(size);
        // The first of equal windows ends with a line that matches, unless it is the first of all.
        let starts = self.matches.iter().map(|of_line| (of_line.line + 1).saturating_sub(size).min(last));
        let weight = |start: usize| -> f32 {
            let first = self.matches.partition_point(|of_line| of_line.line < start);
            let inside = self.matches[first..].iter().take_while(|of_line| of_line.line < start + size);
            inside.map(|of_line| of_line.weight).sum()
        };
        let weights = starts.map(|start| (start, weight(start)));
        let best = weights.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        best.filter(|best| best.1 > 0.0).map_or(self.signature.min(last), |best| best.0)
    }

    /// A window, and the signature where it lies outside.
    fn with_signature(&self, first: usize, last: usize) -> Vec<(usize, usize)> {
        let name = self.signature;
        match () {
            () if name + 1 < first => vec![(name, name), (first, last)],
            () if name < first => vec![(name, last)],
            () if name == last + 1 => vec![(first, name)],
            () if name > last => vec![(first, last), (name, name)],
            () => vec![(first, last)],
        }
    }
}

/// Some lines of a place, with their cost.
fn excerpt(form: usize, lines: Vec<(usize, usize)>, sizes: &[u32], head: Option<u32>) -> Excerpt {
    let bytes = |&(first, last): &(usize, usize)| sizes.iter().take(last + 1).skip(first).sum::<u32>();
    let text = (lines.iter().map(bytes).sum::<u32>() + head.unwrap_or(0)) / BYTES_PER_TOKEN;
    let parts = lines.len() as u32 + u32::from(head.is_some());
    let tokens = HEADER_TOKENS + PART_TOKENS * (parts - 1) + text;
    Excerpt { form, lines, tokens }
}

impl Excerpt {
    /// The lines in a file where the place begins at line `start`.
    pub(super) fn lines_from(&self, start: u32) -> Vec<LineSpan> {
        let line = |at: usize| start + at as u32;
        self.lines.iter().map(|&(first, last)| LineSpan { start: line(first), end: line(last) }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The excerpts of a place of `count` lines of ten bytes, of which some have a word of the query.
    fn excerpts(count: usize, matching: &[usize], definitions: &[usize]) -> Vec<Excerpt> {
        chunk(matching, definitions).excerpts(&vec![10; count], None)
    }

    fn chunk(matching: &[usize], definitions: &[usize]) -> ChunkLines {
        let of_line = |&line| LineMatch { line, weight: 1.0, ..LineMatch::default() };
        ChunkLines::new(matching.iter().map(of_line).collect(), definitions)
    }

    fn lines(excerpts: Vec<Excerpt>) -> Vec<Vec<(usize, usize)>> {
        excerpts.into_iter().map(|excerpt| excerpt.lines).collect()
    }

    #[test]
    fn a_short_place_is_shown_whole() {
        assert_eq!(lines(excerpts(2, &[1], &[0])), [[(0, 1)]]);
        assert_eq!(lines(excerpts(3, &[1], &[0])), [[(0, 2)]]);
    }

    #[test]
    fn a_window_has_the_matching_lines_and_comes_with_the_signature() {
        let found = excerpts(61, &[30, 32], &[0]);
        assert_eq!(found[0].lines, [(0, 0), (27, 32)]);
        assert_eq!(found[1].lines, [(0, 0), (24, 35)]);
        assert_eq!(found[2].lines, [(0, 0), (18, 41)]);
        assert_eq!(found[3].lines, [(0, 0), (6, 53)]);
        assert_eq!(found[0].tokens, HEADER_TOKENS + PART_TOKENS + 70 / 4);
        assert!(found.is_sorted_by_key(|excerpt| excerpt.tokens));
    }

    #[test]
    fn a_place_that_was_not_read_is_not_shown() {
        assert_eq!(excerpts(0, &[], &[]), []);
    }

    #[test]
    fn a_long_place_is_never_shown_whole() {
        let forms = |count| excerpts(count, &[30], &[0]).iter().map(|excerpt| excerpt.form).collect::<Vec<_>>();
        assert_eq!(forms(61), [0, 1, 2, 3]);
        assert_eq!(forms(60), [0, 1, 2, FORMS - 1]);
    }

    #[test]
    fn a_later_piece_costs_the_line_of_its_name() {
        let lines = chunk(&[30], &[0]);
        let (alone, piece) = (lines.excerpts(&[10; 40], None), lines.excerpts(&[10; 40], Some(40)));
        assert_eq!(piece.iter().map(|excerpt| excerpt.form).collect::<Vec<_>>(), [0, 1, 2, FORMS - 1]);
        assert_eq!(piece[0].lines, [(25, 30)]);
        assert_eq!(piece[3].tokens, alone[3].tokens + PART_TOKENS + 10);
    }

    #[test]
    fn a_window_that_leaves_out_little_is_left_out() {
        assert_eq!(excerpts(9, &[5], &[0]).len(), 1);
        assert_eq!(excerpts(10, &[5], &[0]).len(), 2);
        assert_eq!(excerpts(35, &[5], &[0]).len(), 3);
        assert_eq!(excerpts(36, &[5], &[0]).len(), 4);
    }

    #[test]
    fn the_first_of_equal_windows_is_shown() {
        assert_eq!(excerpts(40, &[10, 30], &[0])[0].lines, [(0, 0), (5, 10)]);
        assert_eq!(excerpts(40, &[2, 30], &[0])[0].lines, [(0, 5)]);
        assert_eq!(excerpts(40, &[10, 30, 31], &[0])[0].lines, [(0, 0), (26, 31)]);
    }

    #[test]
    fn the_signature_is_that_of_the_definition_around_the_best_line() {
        assert_eq!(chunk(&[14], &[1, 10, 20]).signature, 10);
        assert_eq!(chunk(&[0], &[1, 10, 20]).signature, 1);
        assert_eq!(chunk(&[], &[]).signature, 0);
    }

    #[test]
    fn a_signature_beside_the_window_joins_it() {
        assert_eq!(excerpts(30, &[6, 11], &[5])[0].lines, [(5, 11)]);
        assert_eq!(excerpts(30, &[6], &[0])[0].lines, [(0, 6)]);
    }

    #[test]
    fn without_a_word_of_the_query_the_window_begins_at_the_signature() {
        assert_eq!(excerpts(30, &[], &[3])[0].lines, [(3, 8)]);
    }
}
