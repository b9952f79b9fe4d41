//! Makes places of the chunks of a file: a definition that was cut into several chunks is one place if all of it can be
//! shown, and a piece of a longer one knows where its name is.

use std::ops::Range;

use codecairn_base::span::{ByteSpan, LineSpan};
use codecairn_index::view::ChunkIndex;
use codecairn_syntax::Extent;
use codecairn_syntax::kind::Kind;

/// Definitions of at most this many lines are shown whole.
pub(super) const MAX_LINES: u32 = 60;

/// A chunk of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) chunk: ChunkIndex,
    pub(super) span: ByteSpan,
    pub(super) lines: LineSpan,
}

/// What an answer shows as one thing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Place {
    /// The numbers of its chunks among those of the file.
    pub(super) chunks: Range<usize>,
    /// Where the name of the definition begins that it is or is a piece of.
    pub(super) name: Option<u32>,
}

/// The places of a file, in order. `pieces` are in order of their bytes, `extents` by their beginnings, outer ones first.
pub(super) fn places_of(pieces: &[Piece], extents: &[Extent]) -> Vec<Place> {
    let mut whole = joined(pieces, extents).into_iter().peekable();
    let names = later_pieces(pieces, extents);
    let mut places = Vec::new();
    let mut at = 0;
    while let Some(&name) = names.get(at) {
        let joined = whole.next_if(|place| place.chunks.start == at);
        let place = joined.unwrap_or(Place { chunks: at..at + 1, name });
        at = place.chunks.end;
        places.push(place);
    }
    places
}

/// The definitions that are cut into several chunks and can be shown whole, the outermost of nested ones.
fn joined(pieces: &[Piece], extents: &[Extent]) -> Vec<Place> {
    let mut found: Vec<Place> = Vec::new();
    for (at, extent) in extents.iter().enumerate() {
        let first = pieces.partition_point(|piece| piece.span.end <= extent.span.start);
        let end = pieces.partition_point(|piece| piece.span.start < extent.span.end);
        let is_free = found.last().is_none_or(|last| last.chunks.end <= first);
        if end >= first + 2 && is_free && is_one_piece(&pieces[first..end]) && is_whole(&extents[at..]) {
            found.push(Place { chunks: first..end, name: Some(extent.name) });
        }
    }
    found
}

/// Whether some chunks are neighbours and have few enough lines.
fn is_one_piece(pieces: &[Piece]) -> bool {
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return false };
    let are_neighbours = (last.chunk.0 - first.chunk.0) as usize == pieces.len() - 1;
    are_neighbours && last.lines.end - first.lines.start < MAX_LINES
}

/// Whether the first of some definitions is looked for as a whole: a function, and any other that has no function and none
/// of its own kind inside.
fn is_whole(extents: &[Extent]) -> bool {
    let Some((Extent { span, kind, .. }, later)) = extents.split_first() else { return false };
    if *kind == Kind::Module || is_function(*kind) {
        return is_function(*kind);
    }
    let mut inside = later.iter().take_while(|extent| extent.span.start < span.end);
    !inside.any(|extent| is_function(extent.kind) || extent.kind == *kind)
}

/// For each chunk, the name of the innermost function that it is a later piece of.
fn later_pieces(pieces: &[Piece], extents: &[Extent]) -> Vec<Option<u32>> {
    let mut functions = extents.iter().filter(|extent| is_function(extent.kind)).peekable();
    let mut around: Vec<&Extent> = Vec::new();
    let name = |piece: &Piece| {
        while let Some(extent) = functions.next_if(|extent| extent.span.start < piece.span.start) {
            around.push(extent);
        }
        while around.pop_if(|extent| extent.span.end <= piece.span.start).is_some() {}
        around.iter().rev().map(|extent| extent.name).find(|&name| name < piece.span.start)
    };
    pieces.iter().map(name).collect()
}

fn is_function(kind: Kind) -> bool {
    matches!(kind, Kind::Function | Kind::Method)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chunks of ten bytes to a line, by their numbers of lines.
    fn pieces(lines: &[u32]) -> Vec<Piece> {
        let mut start = 0;
        let piece = |(at, &count): (usize, &u32)| {
            let lines = LineSpan { start: start + 1, end: start + count };
            let span = ByteSpan { start: start * 10, end: (start + count) * 10 };
            start += count;
            Piece { chunk: ChunkIndex(at as u32), span, lines }
        };
        lines.iter().enumerate().map(piece).collect()
    }

    /// A definition from one line to another, with its name on the first.
    fn extent(first: u32, last: u32, kind: Kind) -> Extent {
        let span = ByteSpan { start: (first - 1) * 10, end: last * 10 - 1 };
        Extent { span, name: span.start + 4, kind }
    }

    /// The first chunk of each place and the one after its last.
    fn chunks(pieces: &[Piece], extents: &[Extent]) -> Vec<(usize, usize)> {
        places_of(pieces, extents).into_iter().map(|place| (place.chunks.start, place.chunks.end)).collect()
    }

    #[test]
    fn pieces_of_a_function_are_one_place() {
        let found = places_of(&pieces(&[5, 20, 20, 5]), &[extent(6, 45, Kind::Function)]);
        assert_eq!(found[1], Place { chunks: 1..3, name: Some(54) });
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn pieces_of_a_long_function_stay_apart_and_know_its_name() {
        let found = places_of(&pieces(&[30, 30, 5]), &[extent(2, 62, Kind::Method)]);
        let names: Vec<_> = found.iter().map(|place| (place.chunks.clone(), place.name)).collect();
        assert_eq!(names, [(0..1, None), (1..2, Some(14)), (2..3, Some(14))]);
    }

    #[test]
    fn the_outermost_function_that_fits_is_the_place() {
        let nested = [extent(1, 100, Kind::Function), extent(2, 50, Kind::Function), extent(3, 40, Kind::Function)];
        assert_eq!(chunks(&pieces(&[20, 20, 20, 40]), &nested), [(0, 3), (3, 4)]);
    }

    #[test]
    fn a_class_is_one_place_unless_it_has_methods() {
        let class = extent(1, 40, Kind::Class);
        assert_eq!(chunks(&pieces(&[20, 20]), &[class]), [(0, 2)]);
        assert_eq!(chunks(&pieces(&[20, 20]), &[class, extent(25, 40, Kind::Method)]), [(0, 1), (1, 2)]);
        assert_eq!(chunks(&pieces(&[20, 20]), &[class, extent(25, 40, Kind::Constant)]), [(0, 2)]);
    }

    #[test]
    fn sections_are_joined_innermost_and_modules_never() {
        let sections = [extent(1, 50, Kind::Section), extent(11, 50, Kind::Section)];
        assert_eq!(chunks(&pieces(&[10, 20, 20]), &sections), [(0, 1), (1, 3)]);
        assert_eq!(chunks(&pieces(&[10, 10]), &[extent(1, 20, Kind::Module)]), [(0, 1), (1, 2)]);
    }

    #[test]
    fn chunks_between_which_one_is_filtered_out_are_no_place() {
        let mut some = pieces(&[10, 10, 10]);
        some.remove(1);
        assert_eq!(chunks(&some, &[extent(1, 30, Kind::Function)]), [(0, 1), (1, 2)]);
    }
}
