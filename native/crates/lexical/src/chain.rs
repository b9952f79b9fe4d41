//! Many growing byte strings in one arena: the postings of every term while a segment is built.
//!
//! Each string is a chain of blocks that double up to a maximum; a full block ends with the offset of the next.
//! Lucene's `ByteBlockPool` keeps the postings of its indexing buffer so. Appending a byte takes amortised constant
//! time.

/// Payload of the first block of a chain. Most terms are rare and never need a second.
const FIRST_BLOCK: u32 = 8;
/// Payload of the largest block.
const LARGEST_BLOCK: u32 = 512;
/// Bytes at the end of a block for the offset of the next.
const LINK: u32 = 4;

/// One string in a [`ChainArena`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Chain {
    head: u32,
    /// Where the next byte goes.
    at: u32,
    /// Where the payload of the last block ends.
    end: u32,
    /// Payload of the last block; zero before the first.
    block: u32,
    length: u32,
}

/// The bytes of all chains.
#[derive(Debug, Default)]
pub(super) struct ChainArena {
    bytes: Vec<u8>,
}

impl ChainArena {
    /// Appends to `chain`, which belongs to this arena.
    pub(super) fn append(&mut self, chain: &mut Chain, mut bytes: &[u8]) {
        chain.length += bytes.len() as u32;
        while !bytes.is_empty() {
            if chain.at == chain.end {
                self.extend(chain);
            }
            let count = bytes.len().min((chain.end - chain.at) as usize);
            let (fitting, rest) = bytes.split_at(count);
            self.bytes[chain.at as usize..][..count].copy_from_slice(fitting);
            chain.at += count as u32;
            bytes = rest;
        }
    }

    fn extend(&mut self, chain: &mut Chain) {
        let block = if chain.block == 0 { FIRST_BLOCK } else { (chain.block * 2).min(LARGEST_BLOCK) };
        let start = self.bytes.len();
        let end = start + (block + LINK) as usize;
        let start =
            u32::try_from(end).map(|_| start as u32).expect("invariant: a segment has less than 4 GiB of postings");
        self.bytes.resize(end, 0);
        if chain.block == 0 {
            chain.head = start;
        } else {
            self.bytes[chain.end as usize..][..LINK as usize].copy_from_slice(&start.to_le_bytes());
        }
        (chain.at, chain.end, chain.block) = (start, start + block, block);
    }

    /// Copies the string of `chain` behind what `target` holds.
    pub(super) fn read(&self, chain: &Chain, target: &mut Vec<u8>) {
        let (mut start, mut block, mut left) = (chain.head as usize, FIRST_BLOCK as usize, chain.length as usize);
        loop {
            let count = left.min(block);
            target.extend_from_slice(&self.bytes[start..start + count]);
            left -= count;
            if left == 0 {
                return;
            }
            let link = self.bytes[start + block..][..LINK as usize].try_into().expect("invariant: four bytes");
            start = u32::from_le_bytes(link) as usize;
            block = (block * 2).min(LARGEST_BLOCK as usize);
        }
    }

    /// Memory in use.
    pub(super) fn byte_size(&self) -> usize {
        self.bytes.capacity()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn strings_grow_side_by_side(writes in proptest::collection::vec((0usize..4, proptest::collection::vec(any::<u8>(), 0..300)), 0..60)) {
            let mut arena = ChainArena::default();
            let mut chains = [Chain::default(); 4];
            let mut expected: [Vec<u8>; 4] = Default::default();
            for (which, bytes) in &writes {
                arena.append(&mut chains[*which], bytes);
                expected[*which].extend(bytes);
            }
            for (chain, expected) in chains.iter().zip(&expected) {
                let mut found = Vec::new();
                arena.read(chain, &mut found);
                prop_assert_eq!(&found, expected);
            }
        }
    }
}
