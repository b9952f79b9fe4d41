//! Locates lines: the line of a byte is found by bisection.

use codecairn_base::span::{ByteSpan, LineSpan};

/// The beginnings of a text's lines. Lines end with `\n`; a `\r` before it is white space at the line's end.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// First byte of each line, then the text's length.
    starts: Vec<u32>,
    /// Whether the last line lacks its `\n`, or there is none.
    count: u32,
}

/// A line's number, from 0.
pub(super) type Line = usize;

impl Lines {
    /// Replaces the lines by those of `text`.
    pub(super) fn fill(&mut self, text: &str) {
        self.starts.clear();
        self.starts.push(0);
        self.starts.extend(text.match_indices('\n').map(|(at, _)| at as u32 + 1));
        let length = text.len() as u32;
        if self.starts.last() != Some(&length) {
            self.starts.push(length);
        }
        self.count = self.starts.len() as u32 - 1;
    }

    /// How many lines there are; an end of line does not begin another one.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// The line that holds a byte; bytes behind the text belong to its last line.
    pub(super) fn of(&self, byte: u32) -> Line {
        (self.starts.partition_point(|start| *start <= byte)).min(self.count as usize).saturating_sub(1)
    }

    /// The first byte of a line; of the line behind the last, the text's length.
    pub(super) fn start(&self, line: Line) -> u32 {
        self.starts.get(line).or(self.starts.last()).copied().unwrap_or(0)
    }

    /// One past a line's last byte, its `\n` included.
    pub(super) fn end(&self, line: Line) -> u32 {
        self.start(line + 1)
    }

    /// The lines that a span touches, 1-based.
    pub(super) fn span(&self, span: ByteSpan) -> LineSpan {
        let last = span.end.max(span.start + 1) - 1;
        LineSpan { start: self.of(span.start) as u32 + 1, end: self.of(last) as u32 + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_belong_to_lines() {
        let mut lines = Lines::default();
        lines.fill("ab\r\n\nc");
        assert_eq!(lines.count(), 3);
        assert_eq!([0, 3, 4, 5, 9].map(|byte| lines.of(byte)), [0, 0, 1, 2, 2]);
        assert_eq!((lines.start(1), lines.end(1), lines.end(2)), (4, 5, 6));
        lines.fill("a\n");
        assert_eq!((lines.count(), lines.of(1)), (1, 0));
        lines.fill("");
        assert_eq!((lines.count(), lines.of(0)), (0, 0));
    }
}
