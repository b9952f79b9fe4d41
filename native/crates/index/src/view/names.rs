//! Maps hashes of names to chunks, with eight bytes per entry. A look-up selects a bucket by the hash's first 16 bits
//! and searches it by bisection; a name's chunks are in ascending order.

use std::ops::Range;

use super::image::{Column, Image, ImageBuilder};

/// The leading bits of a hash that select a bucket of the table.
const BEGINNING: u32 = 16;

/// The columns of a table: ends by beginning, rests of hashes, chunks.
pub(super) type NameColumns = [Column; 3];

pub(super) const NAMES: NameColumns = [Column::NameEnds, Column::Names, Column::ChunkOfName];
pub(super) const SCOPED_NAMES: NameColumns = [Column::ScopedNameEnds, Column::ScopedNames, Column::ChunkOfScopedName];

/// The part of a hash that is kept: 48 bits, so that among ten million names one in thirty million that are not there
/// seems to be.
pub(super) fn stored_bits(hash: u64) -> u64 {
    hash >> 16
}

/// A sorted table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names<'a> {
    ends: &'a [u32],
    rests: &'a [u32],
    chunks: &'a [u32],
}

impl<'a> Names<'a> {
    pub(super) fn of(image: &'a Image, [ends, rests, chunks]: NameColumns) -> Self {
        Self { ends: image.column(ends), rests: image.column(rests), chunks: image.column(chunks) }
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.rests.len()
    }

    /// The chunks of a name by the stored part of its hash, in ascending order.
    pub(super) fn find(&self, name: u64) -> &'a [u32] {
        let Range { start, end } = self.of_beginning((name >> 32) as usize);
        let (rests, rest) = (&self.rests[start..end], name as u32);
        let first = rests.partition_point(|entry| *entry < rest);
        let count = rests[first..].partition_point(|entry| *entry == rest);
        &self.chunks[start + first..start + first + count]
    }

    /// Whether its entries of some chunks are these, which are sorted.
    pub(super) fn has_just(&self, entries: &[(u64, u32)], is_of_some: impl Fn(u32) -> bool) -> bool {
        let found = self.chunks.iter().enumerate().filter(|(_, chunk)| is_of_some(**chunk));
        found.map(|(at, chunk)| (self.name(at), *chunk)).eq(entries.iter().copied())
    }

    /// The stored part of an entry's hash.
    fn name(&self, at: usize) -> u64 {
        let beginning = self.ends.partition_point(|end| *end as usize <= at);
        (beginning as u64) << 32 | u64::from(self.rests[at])
    }

    /// The entries of a bucket.
    fn of_beginning(&self, beginning: usize) -> Range<usize> {
        let start = beginning.checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[beginning] as usize
    }
}

/// A table in the making.
#[derive(Debug)]
pub(super) struct NewNames {
    ends: Vec<u32>,
    rests: Vec<u32>,
    chunks: Vec<u32>,
}

impl NewNames {
    /// The table of sorted `new` entries and of those of an older table whose chunks are still there. `moved` gives
    /// their numbers, which are in the same order as before.
    pub(super) fn merged(new: &[(u64, u32)], old: Option<Names<'_>>, moved: impl Fn(u32) -> Option<u32>) -> Self {
        let room = new.len() + old.map_or(0, |old| old.len());
        let (rests, chunks) = (Vec::with_capacity(room), Vec::with_capacity(room));
        let mut table = Self { ends: Vec::with_capacity(1 << BEGINNING), rests, chunks };
        let mut new = new.iter().peekable();
        for beginning in 0..1usize << BEGINNING {
            let kept = old.map_or(0..0, |old| old.of_beginning(beginning));
            for (rest, chunk) in kept.filter_map(|at| old.and_then(|old| Some((old.rests[at], moved(old.chunks[at])?))))
            {
                let name = (beginning as u64) << 32 | u64::from(rest);
                while let Some(&first) = new.next_if(|first| **first < (name, chunk)) {
                    table.push(first);
                }
                table.push((name, chunk));
            }
            while let Some(&first) = new.next_if(|first| (first.0 >> 32) as usize == beginning) {
                table.push(first);
            }
            table.ends.push(table.rests.len() as u32);
        }
        table
    }

    /// Appends its columns to an image.
    pub(super) fn write(self, image: &mut ImageBuilder, [ends, rests, chunks]: NameColumns) {
        image.push(ends, self.ends);
        image.push(rests, self.rests);
        image.push(chunks, self.chunks);
    }

    #[inline]
    fn push(&mut self, (name, chunk): (u64, u32)) {
        self.rests.push(name as u32);
        self.chunks.push(chunk);
    }
}
