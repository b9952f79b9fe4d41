//! Makes the ways to show a chunk, from the line with its name to all of it; linear in its lines.
//!
//! An excerpt is the window of lines with the most words of the query, and the line of the definition that it lies in.
//! Windows tie in favour of the first.

use codecairn_base::span::LineSpan;

use super::query_words::LineMatch;

/// Bytes for each token, as answers estimate them.
const BYTES_PER_TOKEN: u32 = 4;
/// Tokens of the mark before a part.
const PART_TOKENS: u32 = 4;
/// Tokens of the line that names a span.
const HEADER_TOKENS: u32 = 10;
/// The lines of windows.
pub(super) const WINDOWS: [usize; 3] = [6, 12, 24];
/// A window that leaves out fewer lines than this saves nothing.
const MIN_LEFT_OUT: usize = 4;
/// Chunks of at most this many lines are shown whole.
const MAX_SHORT_LINES: usize = 2;

/// What the lines of a chunk have of a query. Lines are relative to its first.
#[derive(Debug, Default)]
pub(super) struct ChunkLines {
    /// Those that have something of it, in order.
    pub(super) matches: Vec<LineMatch>,
    /// The line with the name of the definition that the best line lies in; the first without definitions.
    pub(super) signature: usize,
}

/// A way to show a chunk.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Excerpt {
    /// The number of its form: the signature alone, a window of each size, everything.
    pub(super) form: usize,
    /// Lines relative to the first of the chunk; ranges in order, which don't touch.
    pub(super) lines: Vec<(usize, usize)>,
    /// What it costs.
    pub(super) tokens: u32,
}

/// The forms of an excerpt.
pub(super) const FORMS: usize = WINDOWS.len() + 2;

impl ChunkLines {
    /// With the lines that match; `definitions` are the lines with names of definitions, in order.
    pub(super) fn new(matches: Vec<LineMatch>, definitions: &[usize]) -> Self {
        let best = matches.iter().max_by(|a, b| a.weight.total_cmp(&b.weight).then(b.line.cmp(&a.line)));
        let around = definitions.iter().rev().find(|&&line| best.is_some_and(|best| line <= best.line));
        let signature = around.or(definitions.first()).copied().unwrap_or(0);
        Self { matches, signature }
    }

    /// All ways to show a chunk whose lines have so many bytes, the cheapest first, everything last.
    pub(super) fn excerpts(&self, sizes: &[u32]) -> Vec<Excerpt> {
        let count = sizes.len();
        let mut found = Vec::with_capacity(FORMS);
        if count > MAX_SHORT_LINES {
            let name = self.signature.min(count - 1);
            found.push(excerpt(0, vec![(name, name)], sizes));
            let at = self.best_window(WINDOWS[0], count);
            for (form, size) in WINDOWS.into_iter().enumerate() {
                if count >= size + MIN_LEFT_OUT {
                    // Larger windows grow around the smallest.
                    let start = at.saturating_sub((size - WINDOWS[0]) / 2).min(count - size);
                    found.push(excerpt(form + 1, self.with_signature(start, start + size - 1), sizes));
                }
            }
        }
        found.push(excerpt(FORMS - 1, vec![(0, count.saturating_sub(1))], sizes));
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

/// Some lines of a chunk, with their cost.
fn excerpt(form: usize, lines: Vec<(usize, usize)>, sizes: &[u32]) -> Excerpt {
    let bytes = |&(first, last): &(usize, usize)| sizes.iter().take(last + 1).skip(first).sum::<u32>();
    let text = lines.iter().map(bytes).sum::<u32>() / BYTES_PER_TOKEN;
    let tokens = HEADER_TOKENS + PART_TOKENS * (lines.len() as u32 - 1) + text;
    Excerpt { form, lines, tokens }
}

impl Excerpt {
    /// The lines in a file where the chunk begins at line `start`.
    pub(super) fn lines_from(&self, start: u32) -> Vec<LineSpan> {
        let line = |at: usize| start + at as u32;
        self.lines.iter().map(|&(first, last)| LineSpan { start: line(first), end: line(last) }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The excerpts of a chunk of `count` lines of ten bytes, of which some have a word of the query.
    fn excerpts(count: usize, matching: &[usize], definitions: &[usize]) -> Vec<Excerpt> {
        chunk(matching, definitions).excerpts(&vec![10; count])
    }

    fn chunk(matching: &[usize], definitions: &[usize]) -> ChunkLines {
        let of_line = |&line| LineMatch { line, weight: 1.0, ..LineMatch::default() };
        ChunkLines::new(matching.iter().map(of_line).collect(), definitions)
    }

    fn lines(excerpts: Vec<Excerpt>) -> Vec<Vec<(usize, usize)>> {
        excerpts.into_iter().map(|excerpt| excerpt.lines).collect()
    }

    #[test]
    fn a_short_chunk_is_shown_whole() {
        assert_eq!(lines(excerpts(2, &[1], &[0])), [[(0, 1)]]);
        assert_eq!(lines(excerpts(3, &[1], &[0])), [[(0, 0)], [(0, 2)]]);
    }

    #[test]
    fn a_window_has_the_matching_lines_and_comes_with_the_signature() {
        let found = excerpts(40, &[20, 22], &[0]);
        assert_eq!(found[1].lines, [(0, 0), (17, 22)]);
        assert_eq!(found[2].lines, [(0, 0), (14, 25)]);
        assert_eq!(found[3].lines, [(0, 0), (8, 31)]);
        assert_eq!(found[4].lines, [(0, 39)]);
        assert_eq!(found[1].tokens, HEADER_TOKENS + PART_TOKENS + 70 / 4);
        assert!(found.is_sorted_by_key(|excerpt| excerpt.tokens));
    }

    #[test]
    fn a_window_that_leaves_out_little_is_left_out() {
        assert_eq!(excerpts(9, &[5], &[0]).len(), 2);
        assert_eq!(excerpts(10, &[5], &[0]).len(), 3);
    }

    #[test]
    fn the_first_of_equal_windows_is_shown() {
        assert_eq!(excerpts(40, &[10, 30], &[0])[1].lines, [(0, 0), (5, 10)]);
        assert_eq!(excerpts(40, &[2, 30], &[0])[1].lines, [(0, 5)]);
        assert_eq!(excerpts(40, &[10, 30, 31], &[0])[1].lines, [(0, 0), (26, 31)]);
    }

    #[test]
    fn the_signature_is_that_of_the_definition_around_the_best_line() {
        assert_eq!(chunk(&[14], &[1, 10, 20]).signature, 10);
        assert_eq!(chunk(&[0], &[1, 10, 20]).signature, 1);
        assert_eq!(chunk(&[], &[]).signature, 0);
    }

    #[test]
    fn a_signature_beside_the_window_joins_it() {
        assert_eq!(excerpts(30, &[6, 11], &[5])[1].lines, [(5, 11)]);
        assert_eq!(excerpts(30, &[6], &[0])[1].lines, [(0, 6)]);
    }

    #[test]
    fn without_a_word_of_the_query_the_window_begins_at_the_signature() {
        assert_eq!(excerpts(30, &[], &[3])[1].lines, [(3, 8)]);
    }
}
