//! Finds the regions of a text that a grammar gives up on, and the parts of it that can be left out so that the rest is
//! read.
//!
//! A grammar that is older than its language meets a word that it does not know, and may skip all that follows up to the
//! end of the text: nothing there is defined any more. So what stands around that word is replaced by blanks, little
//! first, and the text is parsed again, until most of the region is read. Everything keeps its place. What is left out is
//! never a part of a string or of a comment, so neither is ever read as code.

use std::borrow::Cow;
use std::ops::Range;

use tree_sitter::Node;

use codecairn_base::span::ByteSpan;

use super::tree::Tree;

/// A region with fewer ends of lines is not worth another parse.
const MIN_LINES: usize = 3;

/// How many times a text is parsed again at most.
const MAX_PARSES: usize = 24;

/// How many blocks around a line are tried.
const MAX_BLOCKS: usize = 4;

/// A part of a text that was skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LostRegion {
    /// From the first token that was skipped.
    pub(super) span: Range<usize>,
    /// Where the parser may have gone wrong before: in what it had read last, and in the first part with an error.
    causes: [Option<usize>; 2],
    /// How many bytes of it are in no node but tokens.
    bytes: usize,
}

/// The regions of a tree in which the grammar skips what it finds, in order of position.
pub(super) fn lost_regions(root: Node<'_>, text: &[u8]) -> Vec<LostRegion> {
    let mut found = Vec::new();
    if !root.has_error() {
        return found;
    }
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if node.has_error() {
            found.extend(lost_in(node, text));
            if cursor.goto_first_child() {
                continue;
            }
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

/// What is lost in a node: of an error, the tokens from the first one that was skipped, before which come the parts of
/// what the parser was at; of any node, the text that is in none of its parts.
fn lost_in(node: Node<'_>, text: &[u8]) -> Option<LostRegion> {
    let end = node.end_byte().min(text.len());
    let mut lost = Loss { text, start: None, bytes: 0, lines: 0 };
    let (mut at, mut error) = (node.start_byte(), None);
    let mut cursor = node.walk();
    let mut has_child = cursor.goto_first_child();
    while has_child {
        let child = cursor.node();
        lost.add(at, child.start_byte());
        if child.child_count() > 0 {
            error = error.or_else(|| node.is_error().then(|| first_error(child)).flatten());
        } else if node.is_error()
            && !child.is_extra()
            && (lost.start.is_some() || error.is_some() || child.parse_state() == 0)
        {
            lost.add(child.start_byte(), child.end_byte());
        }
        at = child.end_byte();
        has_child = cursor.goto_next_sibling();
    }
    lost.add(at, end);
    let start = lost.start.filter(|_| lost.lines >= MIN_LINES)?;
    let last = text[..start].trim_ascii_end().len().checked_sub(1);
    let causes = [last, error.filter(|error| *error < start)];
    Some(LostRegion { span: start..end, causes, bytes: lost.bytes })
}

/// Whether an error is so long that definitions may be missing in it.
pub(super) fn is_long(error: &str) -> bool {
    memchr::memchr_iter(b'\n', error.trim_end().as_bytes()).count() >= MIN_LINES
}

/// A sum of parts that are lost.
struct Loss<'t> {
    text: &'t [u8],
    start: Option<usize>,
    bytes: usize,
    lines: usize,
}

impl Loss<'_> {
    fn add(&mut self, from: usize, to: usize) {
        let part = self.text.get(from..to.min(self.text.len())).unwrap_or_default();
        let visible = part.trim_ascii();
        if !visible.is_empty() {
            self.start.get_or_insert(from + part.len() - part.trim_ascii_start().len());
            self.bytes += visible.len();
        }
        // Between tokens there is white space alone.
        if self.start.is_some() {
            self.lines += memchr::memchr_iter(b'\n', part).count();
        }
    }
}

/// Where the first error in a node begins.
fn first_error(node: Node<'_>) -> Option<usize> {
    let mut cursor = node.walk();
    while cursor.node().has_error() {
        if cursor.node().is_error() {
            return Some(cursor.node().start_byte());
        }
        let mut has_child = cursor.goto_first_child();
        while has_child && !cursor.node().has_error() {
            has_child = cursor.goto_next_sibling();
        }
        if !has_child {
            return None;
        }
    }
    None
}

/// Leaves the constructs out of a text that keep the grammar from reading on. `parse` parses it without some parts; it fails if the text
/// may not be parsed again. The cost is that of at most 24 parses.
pub(super) fn recover<E>(
    text: &str,
    range: Range<usize>,
    tree: &mut Tree,
    mut parse: impl FnMut(&[ByteSpan], &mut Tree) -> Result<(), E>,
) {
    let (mut tried, mut best) = (Tree::default(), Tree::default());
    let (mut from, mut parses) = (range.start, 0);
    for _ in 0..MAX_PARSES {
        let Some(region) = tree.lost.iter().find(|region| region.span.start >= from) else { return };
        let LostRegion { span, causes, .. } = region.clone();
        let (mut least, mut is_better) = (lost_bytes(&tree.lost), false);
        for blank in candidates(text, &range, span.start, causes) {
            parses += 1;
            let mut blanks = tree.blanks.clone();
            blanks.push(ByteSpan::new(blank.start, blank.end));
            blanks.sort_unstable();
            if parses > MAX_PARSES || parse(&blanks, &mut tried).is_err() {
                parses = MAX_PARSES;
                break;
            }
            let bytes = lost_bytes(&tried.lost) + text[blank.clone()].trim().len();
            let is_over = !tried.lost.iter().any(|other| other.span.start < span.end && blank.start < other.span.end);
            if bytes < least {
                (least, is_better, tried.blanks) = (bytes, true, blanks);
                std::mem::swap(&mut best, &mut tried);
            }
            if is_over {
                break;
            }
        }
        from = if is_better { range.start } else { span.start + 1 };
        if is_better {
            std::mem::swap(tree, &mut best);
        }
        if parses == MAX_PARSES {
            return;
        }
    }
}

/// A text with blanks in the place of some parts; lines stay lines.
pub(super) fn blanked<'t>(mut bytes: Cow<'t, [u8]>, blanks: &[ByteSpan]) -> Cow<'t, [u8]> {
    for blank in blanks {
        let part = &mut bytes.to_mut()[blank.range()];
        part.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    }
    bytes
}

fn lost_bytes(lost: &[LostRegion]) -> usize {
    lost.iter().map(|region| region.bytes).sum()
}

/// What may be left out so that a text can be read on from `at`, smaller parts first: what is in brackets there, the rest
/// of the line, the line, the lines that are indented below it, and the blocks around it.
fn candidates(text: &str, within: &Range<usize>, at: usize, causes: [Option<usize>; 2]) -> Vec<Range<usize>> {
    let at = text.floor_char_boundary(at);
    let line = line_of(text, at);
    let whole = |line: &Range<usize>| line.start..line.end - closers_at(&text[line.clone()]);
    let mut found = Vec::new();
    found.extend(bracketed(text, &line, at));
    found.push(at..line.end - closers_at(&text[at..line.end]));
    found.push(whole(&line));
    for cause in causes.into_iter().flatten() {
        let cause = line_of(text, text.floor_char_boundary(cause));
        if cause != line {
            found.push(whole(&cause));
            found.push(block_of(text, &cause));
        }
    }
    let mut block = block_of(text, &line);
    found.push(block.clone());
    for _ in 0..MAX_BLOCKS {
        let Some(outer) = outer_line(text, &block) else { break };
        block = block_of(text, &outer);
        found.push(outer.end..block.end.min(last_line(text, &block).start).max(outer.end));
        found.push(block.clone());
    }
    found.dedup();
    found.retain(|range| {
        let part = &text[range.clone()];
        within.start <= range.start && range.end <= within.end && !part.trim().is_empty() && is_whole(part)
    });
    found
}

/// The brackets of a line around `at`, with the word before them.
fn bracketed(text: &str, line: &Range<usize>, at: usize) -> Option<Range<usize>> {
    let before = &text[line.start..at];
    let mut depth = 0_usize;
    let open = before.char_indices().rev().find(|(_, char)| match char {
        ')' | ']' => {
            depth += 1;
            false
        }
        '(' | '[' if depth > 0 => {
            depth -= 1;
            false
        }
        '(' | '[' => true,
        _ => false,
    });
    let open = line.start + open?.0;
    let is_part = |char: char| char.is_alphanumeric() || char == '_' || char == '@' || char == '#';
    let start = text[..open].trim_end_matches(is_part).len().max(line.start);
    let rest = &text[at..line.end];
    let close = rest.len() - closers_at(rest);
    rest[close..].starts_with([')', ']']).then(|| start..at + close + 1)
}

/// How many bytes at the end of a text begin with a bracket that has no partner in it.
fn closers_at(text: &str) -> usize {
    let mut open: Vec<usize> = Vec::new();
    for (at, char) in text.char_indices() {
        match char {
            '(' | '[' | '{' => open.push(at),
            ')' | ']' | '}' if open.pop().is_none() => return text.len() - at,
            _ => {}
        }
    }
    open.first().map_or(0, |at| text.len() - at)
}

/// The line of a byte, without its end.
fn line_of(text: &str, at: usize) -> Range<usize> {
    let start = text[..at].rfind('\n').map_or(0, |before| before + 1);
    start..text[at..].find('\n').map_or(text.len(), |length| at + length)
}

fn last_line(text: &str, block: &Range<usize>) -> Range<usize> {
    line_of(text, block.end)
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// A line with all that is indented below it, and with the line that closes it.
fn block_of(text: &str, line: &Range<usize>) -> Range<usize> {
    let depth = indentation(&text[line.clone()]);
    let mut end = line.end;
    let mut next = line.end;
    while next < text.len() {
        let below = line_of(text, next + 1);
        let inside = &text[below.clone()];
        if !inside.trim().is_empty() {
            let closes = inside.trim_start().starts_with(['}', ')', ']']) || inside.trim() == "end";
            match indentation(inside).cmp(&depth) {
                std::cmp::Ordering::Greater => end = below.end,
                std::cmp::Ordering::Equal if closes => return line.start..below.end,
                _ => break,
            }
        }
        next = below.end;
    }
    line.start..end
}

/// The nearest line above that is indented less.
fn outer_line(text: &str, block: &Range<usize>) -> Option<Range<usize>> {
    let depth = indentation(&text[line_of(text, block.start)]);
    let mut start = block.start;
    while depth > 0 && start > 0 {
        let line = line_of(text, start - 1);
        let inside = &text[line.clone()];
        if !inside.trim().is_empty() && indentation(inside) < depth {
            return Some(line);
        }
        start = line.start;
    }
    None
}

/// Whether no string and no comment begins or ends in a part without its other end.
fn is_whole(part: &str) -> bool {
    let is_even = |quote: char| part.matches(quote).count().is_multiple_of(2);
    let opened = part.matches("/*").count() + part.matches("--[[").count() + part.matches("{-").count();
    let closed = part.matches("*/").count() + part.matches("]]").count() + part.matches("-}").count();
    is_even('"') && is_even('`') && part.matches("'''").count().is_multiple_of(2) && opened == closed
}
