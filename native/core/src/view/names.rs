//! Hashes of names to chunks, in eight bytes an entry.

use super::image::{Column, Image, ImageBuilder};

/// Bits of a hash that lead to a part of the table.
const BEGINNING: u32 = 16;

/// The columns of a table: ends by beginning, rests of hashes, chunks.
pub(super) type NameColumns = [Column; 3];

pub(super) const NAMES: NameColumns = [Column::NameEnds, Column::Names, Column::ChunkOfName];
pub(super) const SCOPED_NAMES: NameColumns = [Column::ScopedNameEnds, Column::ScopedNames, Column::ChunkOfScopedName];

/// The part of a hash that is kept: 48 bits, so that among ten million names one in thirty million that are not there
/// seems to be.
pub(super) fn kept(hash: u64) -> u64 {
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

    /// The chunks of a name by the kept part of its hash, in ascending order.
    pub(super) fn find(&self, name: u64) -> &'a [u32] {
        let beginning = (name >> 32) as usize;
        let start = beginning.checked_sub(1).map_or(0, |before| self.ends[before]) as usize;
        let end = self.ends[beginning] as usize;
        let (rests, rest) = (&self.rests[start..end], name as u32);
        let first = rests.partition_point(|entry| *entry < rest);
        let count = rests[first..].partition_point(|entry| *entry == rest);
        &self.chunks[start + first..start + first + count]
    }

    /// All entries in order: kept parts of hashes, and chunks.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, u32)> + 'a {
        let (rests, chunks) = (self.rests, self.chunks);
        let starts = std::iter::once(&0).chain(self.ends);
        (0u64..).zip(starts.zip(self.ends)).flat_map(move |(beginning, (&start, &end))| {
            (start as usize..end as usize).map(move |at| (beginning << 32 | u64::from(rests[at]), chunks[at]))
        })
    }
}

/// Appends the columns of sorted entries.
pub(super) fn push(image: &mut ImageBuilder, names: &[(u64, u32)], [ends, rests, chunks]: NameColumns) {
    let mut counts = vec![0u32; 1 << BEGINNING];
    for (name, _) in names {
        counts[(name >> 32) as usize] += 1;
    }
    let mut end = 0;
    for count in &mut counts {
        end += *count;
        *count = end;
    }
    image.push(ends, &counts);
    image.push(rests, &names.iter().map(|name| name.0 as u32).collect::<Vec<u32>>());
    image.push(chunks, &names.iter().map(|name| name.1).collect::<Vec<u32>>());
}
