//! Defines the rows of files and chunks in an image.

use bytemuck::{Pod, Zeroable};

use codecairn_base::span::{ByteSpan, LineSpan};
use codecairn_syntax::kind::Kind;
use codecairn_syntax::language::Class;

use super::Role;

/// The row of a file, without its path.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct FileRow {
    /// Where its path ends in the column of paths.
    pub(super) path_end: u32,
    pub(super) blob: u32,
    pub(super) first_chunk: u32,
    pub(super) chunk_count: u32,
    /// How many files have its stem, itself included.
    pub(super) namesakes: u32,
    /// Place in the list of languages.
    pub(super) language: u16,
    pub(super) class: u8,
    pub(super) role: u8,
}

/// The row of a chunk: its position and kind.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ChunkRowData {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) first_line: u32,
    pub(super) last_line: u32,
    pub(super) kinds: u16,
    pub(super) kind: u8,
    pub(super) marks: u8,
}

/// Marks of a chunk.
const LEXICAL_ONLY: u8 = 1;
const TEST: u8 = 2;

impl ChunkRowData {
    pub(super) fn new(
        span: ByteSpan,
        lines: LineSpan,
        kind: Kind,
        kinds: u16,
        lexical_only: bool,
        is_test: bool,
    ) -> Self {
        let marks = u8::from(lexical_only) * LEXICAL_ONLY + u8::from(is_test) * TEST;
        let (start, end, first_line, last_line) = (span.start, span.end, lines.start, lines.end);
        Self { start, end, first_line, last_line, kinds, kind: kind as u8, marks }
    }

    pub(super) fn span(self) -> ByteSpan {
        ByteSpan { start: self.start, end: self.end }
    }

    pub(super) fn lines(self) -> LineSpan {
        LineSpan { start: self.first_line, end: self.last_line }
    }

    pub(super) fn kind(self) -> Kind {
        Kind::from_number(self.kind).unwrap_or(Kind::Block)
    }

    pub(super) fn is_lexical_only(self) -> bool {
        self.marks & LEXICAL_ONLY > 0
    }

    pub(super) fn is_test(self) -> bool {
        self.marks & TEST > 0
    }
}

impl FileRow {
    pub(super) fn class(self) -> Class {
        Class::ALL.get(usize::from(self.class)).copied().unwrap_or(Class::Code)
    }

    pub(super) fn role(self) -> Role {
        let is = |bit: u8| self.role >> bit & 1 == 1;
        Role {
            test: is(0),
            example: is(1),
            barrel: is(2),
            declaration: is(3),
            platform: is(4),
            legacy: is(5),
            copied: is(6),
        }
    }

    pub(super) fn pack_role(role: Role) -> u8 {
        let Role { test, example, barrel, declaration, platform, legacy, copied } = role;
        [test, example, barrel, declaration, platform, legacy, copied]
            .into_iter()
            .enumerate()
            .fold(0, |bits, (bit, is)| bits | u8::from(is) << bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_and_places_come_back() {
        for path in ["tests/a.py", "docs/a.md", "src/index.d.ts", "src/win/v1/a.c", "dist/a.js", "src/a.rs"] {
            let role = Role::of(path);
            let row = FileRow { role: FileRow::pack_role(role), ..Zeroable::zeroed() };
            assert_eq!(row.role(), role, "{path}");
        }
        let (span, lines) = (ByteSpan { start: 3, end: 9 }, LineSpan { start: 1, end: 2 });
        let row = ChunkRowData::new(span, lines, Kind::Method, 7, true, false);
        assert_eq!((row.span(), row.lines(), row.kind(), row.kinds), (span, lines, Kind::Method, 7));
        assert!(row.is_lexical_only() && !row.is_test());
    }
}
