//! Attaches comments and attributes to the definition that follows them.

use super::layers::Layer;

/// The comments and attributes of one text.
#[derive(Debug)]
pub(super) struct Attachments<'a> {
    text: &'a str,
    /// First byte and one past the last visible byte of each, in order.
    spans: Vec<(u32, u32)>,
}

impl<'a> Attachments<'a> {
    /// Those that the queries found.
    pub(super) fn new(layers: &[Layer], text: &'a str) -> Self {
        let mut spans = Vec::new();
        for Layer { facts, tree, .. } in layers {
            let nodes = facts.comments.iter().chain(&facts.attributes);
            spans.extend(nodes.map(|node| visible(text, tree.start(*node), tree.end(*node))));
        }
        spans.sort_unstable();
        spans.dedup();
        Self { text, spans }
    }

    /// Where a definition that starts at `start` begins with all that is attached to it: what precedes it without a
    /// blank line between, as far as it begins on a line of its own.
    pub(super) fn begin(&self, start: u32) -> u32 {
        let (mut at, mut begin) = (start, start);
        let before = self.spans.partition_point(|span| span.0 < start);
        for &(attached, end) in self.spans[..before].iter().rev() {
            let Some(between) = self.text.get(end as usize..at as usize) else { break };
            if !between.trim().is_empty() || between.bytes().filter(|byte| *byte == b'\n').count() > 1 {
                break;
            }
            at = attached;
            if self.begins_line(attached) {
                begin = attached;
            }
        }
        begin
    }

    /// Those that begin in a range of bytes and on a line of their own.
    pub(super) fn on_own_lines(&self, start: u32, end: u32) -> impl Iterator<Item = (u32, u32)> {
        let first = self.spans.partition_point(|span| span.0 < start);
        let inside = self.spans[first..].iter().take_while(move |span| span.0 < end);
        inside.copied().filter(|span| self.begins_line(span.0))
    }

    fn begins_line(&self, at: u32) -> bool {
        let before = self.text.get(..at as usize).unwrap_or_default();
        before.trim_end_matches([' ', '\t']).ends_with('\n') || before.trim_start_matches('\u{feff}').trim().is_empty()
    }
}

/// A node's span without the white space at its ends.
pub(super) fn visible(text: &str, start: u32, end: u32) -> (u32, u32) {
    let Some(inside) = text.get(start as usize..end as usize) else { return (start, end.max(start)) };
    let trimmed = inside.trim_end();
    let leading = trimmed.len() - trimmed.trim_start().len();
    (start + leading as u32, start + trimmed.len() as u32)
}
