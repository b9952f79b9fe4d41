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

/// The lines of a chunk, relative to its first.
#[derive(Debug)]
pub(super) struct ChunkLines {
    /// The bytes of each; one entry for all of them where the text was not read.
    sizes: Vec<u32>,
    count: usize,
    /// What each has of the query.
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
    /// The lines of `text`; `definitions` are the lines with names of definitions, in order.
    pub(super) fn new(text: &str, matches: Vec<LineMatch>, definitions: &[usize]) -> Self {
        let sizes: Vec<u32> = text.split_inclusive('\n').map(|line| line.len() as u32).collect();
        let best = (0..matches.len()).max_by(|&a, &b| matches[a].weight.total_cmp(&matches[b].weight).then(b.cmp(&a)));
        let around = definitions.iter().rev().find(|&&line| best.is_some_and(|best| line <= best));
        let signature = around.or(definitions.first()).copied().unwrap_or(0).min(sizes.len().saturating_sub(1));
        Self { count: sizes.len(), sizes, matches, signature }
    }

    /// The lines of a chunk that was not read: it can be shown whole alone.
    pub(super) fn unread(bytes: u32, count: usize) -> Self {
        Self { sizes: vec![bytes], count, matches: Vec::new(), signature: 0 }
    }

    /// All ways to show it, the cheapest first, everything last.
    pub(super) fn excerpts(&self) -> Vec<Excerpt> {
        let count = self.count;
        let mut found = Vec::with_capacity(FORMS);
        if count > MAX_SHORT_LINES && self.sizes.len() == count {
            found.push(self.excerpt(0, vec![(self.signature, self.signature)]));
            let at = self.best_window(WINDOWS[0]);
            for (form, size) in WINDOWS.into_iter().enumerate() {
                if count >= size + MIN_LEFT_OUT {
                    // Larger windows grow around the smallest.
                    let start = at.saturating_sub((size - WINDOWS[0]) / 2).min(count - size);
                    found.push(self.excerpt(form + 1, self.with_signature(start, start + size - 1)));
                }
            }
        }
        found.push(self.excerpt(FORMS - 1, vec![(0, count.saturating_sub(1))]));
        found
    }

    /// The first line of the window with the most weight; around the signature if no line has any.
    fn best_window(&self, size: usize) -> usize {
        let last = self.sizes.len().saturating_sub(size);
        let weight = |start: usize| -> f32 { self.matches.iter().skip(start).take(size).map(|line| line.weight).sum() };
        let weights: Vec<f32> = (0..=last).map(weight).collect();
        let best = (0..=last).max_by(|&a, &b| weights[a].total_cmp(&weights[b]).then(b.cmp(&a))).unwrap_or(0);
        if weights[best] > 0.0 { best } else { self.signature.min(last) }
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

    fn excerpt(&self, form: usize, lines: Vec<(usize, usize)>) -> Excerpt {
        let bytes = |&(first, last): &(usize, usize)| self.sizes.iter().take(last + 1).skip(first).sum::<u32>();
        let text = lines.iter().map(bytes).sum::<u32>() / BYTES_PER_TOKEN;
        let tokens = HEADER_TOKENS + PART_TOKENS * (lines.len() as u32 - 1) + text;
        Excerpt { form, lines, tokens }
    }
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

    /// A chunk of `count` lines of ten bytes, of which some have a word of the query.
    fn chunk(count: usize, matching: &[usize], definitions: &[usize]) -> ChunkLines {
        let of_line = |at| LineMatch { weight: f32::from(u8::from(matching.contains(&at))), ..LineMatch::default() };
        ChunkLines::new(&"012345678\n".repeat(count), (0..count).map(of_line).collect(), definitions)
    }

    fn lines(chunk: &ChunkLines) -> Vec<Vec<(usize, usize)>> {
        chunk.excerpts().into_iter().map(|excerpt| excerpt.lines).collect()
    }

    #[test]
    fn a_short_chunk_is_shown_whole() {
        assert_eq!(lines(&chunk(2, &[1], &[0])), [[(0, 1)]]);
        assert_eq!(lines(&chunk(3, &[1], &[0])), [[(0, 0)], [(0, 2)]]);
    }

    #[test]
    fn a_window_has_the_matching_lines_and_comes_with_the_signature() {
        let chunk = chunk(40, &[20, 22], &[0]);
        let found = chunk.excerpts();
        assert_eq!(found[1].lines, [(0, 0), (17, 22)]);
        assert_eq!(found[2].lines, [(0, 0), (14, 25)]);
        assert_eq!(found[3].lines, [(0, 0), (8, 31)]);
        assert_eq!(found[4].lines, [(0, 39)]);
        assert_eq!(found[1].tokens, HEADER_TOKENS + PART_TOKENS + 70 / 4);
        assert!(found.is_sorted_by_key(|excerpt| excerpt.tokens));
    }

    #[test]
    fn a_window_that_leaves_out_little_is_left_out() {
        assert_eq!(lines(&chunk(9, &[5], &[0])).len(), 2);
        assert_eq!(lines(&chunk(10, &[5], &[0])).len(), 3);
    }

    #[test]
    fn the_signature_is_that_of_the_definition_around_the_best_line() {
        assert_eq!(chunk(30, &[14], &[1, 10, 20]).signature, 10);
        assert_eq!(chunk(30, &[0], &[1, 10, 20]).signature, 1);
        assert_eq!(chunk(30, &[], &[]).signature, 0);
    }

    #[test]
    fn a_signature_beside_the_window_joins_it() {
        assert_eq!(chunk(30, &[6, 11], &[5]).excerpts()[1].lines, [(5, 11)]);
        assert_eq!(chunk(30, &[6], &[0]).excerpts()[1].lines, [(0, 6)]);
    }

    #[test]
    fn without_a_word_of_the_query_the_window_begins_at_the_signature() {
        assert_eq!(chunk(30, &[], &[3]).excerpts()[1].lines, [(3, 8)]);
    }
}
