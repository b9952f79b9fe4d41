//! Numbers distinct byte strings in order of first appearance, by an open-addressing hash table (linear probing, at
//! most half full) over one arena: O(length) per string.

use xxhash_rust::xxh3::xxh3_64;

/// Slots of an empty table; a power of two.
const FIRST_SLOTS: usize = 256;

/// An arena of byte strings with an open-addressing table over it.
#[derive(Debug, Default)]
pub(super) struct Interner {
    bytes: Vec<u8>,
    /// By number: where the string ends; it begins where the one before ends.
    ends: Vec<u32>,
    /// By number: half of its hash.
    hashes: Vec<u32>,
    /// Number plus one, or zero; at least twice as many as strings.
    slots: Vec<u32>,
}

impl Interner {
    /// The number of `string`; [`len`](Self::len) grows by one if it is new.
    pub(super) fn intern(&mut self, string: &[u8]) -> u32 {
        if self.ends.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let hash = xxh3_64(string) as u32;
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                0 => break,
                entry if self.hashes[entry as usize - 1] == hash && self.get(entry - 1) == string => return entry - 1,
                _ => slot = (slot + 1) & mask,
            }
        }
        let number = self.ends.len() as u32;
        self.bytes.extend_from_slice(string);
        self.ends
            .push(u32::try_from(self.bytes.len()).expect("invariant: a batch or segment has less than 4 GiB of terms"));
        self.hashes.push(hash);
        self.slots[slot] = number + 1;
        number
    }

    /// The string of this number.
    pub(super) fn get(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] as usize };
        &self.bytes[start..self.ends[number] as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Memory in use.
    pub(super) fn byte_size(&self) -> usize {
        self.bytes.capacity() + 4 * (self.ends.capacity() + self.hashes.capacity() + self.slots.capacity())
    }

    /// The strings by number, without the table.
    pub(super) fn into_strings(self) -> Strings {
        let Self { mut bytes, mut ends, hashes: _, slots: _ } = self;
        bytes.shrink_to_fit();
        ends.shrink_to_fit();
        Strings { bytes, ends }
    }

    fn grow(&mut self) {
        let count = (self.slots.len() * 2).max(FIRST_SLOTS);
        self.slots.clear();
        self.slots.resize(count, 0);
        for (number, &hash) in self.hashes.iter().enumerate() {
            let mut slot = hash as usize & (count - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (count - 1);
            }
            self.slots[slot] = number as u32 + 1;
        }
    }
}

/// Numbered strings.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Strings {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl Strings {
    /// The strings in order of their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.bytes[start as usize..end as usize])
    }

    pub(super) fn byte_size(&self) -> usize {
        self.bytes.len() + 4 * self.ends.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_share_a_number() {
        let mut interner = Interner::default();
        let strings: Vec<String> = (0..5000).map(|number| format!("word{}", number % 1700)).collect();
        for (at, string) in strings.iter().enumerate() {
            assert_eq!(interner.intern(string.as_bytes()) as usize, at % 1700);
        }
        assert_eq!((interner.len(), interner.get(0), interner.get(1699)), (1700, &b"word0"[..], &b"word1699"[..]));
        assert_eq!(interner.intern(b""), 1700);
        assert!(interner.into_strings().iter().eq(strings[..1700].iter().map(String::as_bytes).chain([&b""[..]])));
    }
}
