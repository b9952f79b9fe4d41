//! Defines blocks of 64 documents: the size of their sketches, and masks with a bit for each document.

/// Documents whose sketches lie side by side.
pub(super) const BLOCK: usize = 64;
/// Bytes of a block for four dimensions: half a byte a document.
pub(super) const GROUP_BYTES: usize = BLOCK / 2;
/// Length of a block of sketches for padded rows of `width` bytes.
pub(super) fn block_bytes(width: usize) -> usize {
    width / 4 * GROUP_BYTES
}

/// The bits of those whose flag is set: eight bytes become eight bits by one multiplication.
#[inline]
pub(super) fn bits(flags: [bool; BLOCK]) -> u64 {
    let bytes = flags.as_chunks::<8>().0.iter().map(|flags| u64::from_le_bytes(flags.map(u8::from)));
    bytes
        .enumerate()
        .fold(0, |mask, (byte, flags)| mask | flags.wrapping_mul(0x0102_0408_1020_4080) >> 56 << (byte * 8))
}

/// Calls `act` with the place of each set bit, lowest first.
pub(super) fn for_each_bit(mut mask: u64, mut act: impl FnMut(usize)) {
    while mask != 0 {
        act(mask.trailing_zeros() as usize);
        mask &= mask - 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_bits_of_a_mask_are_its_flags(mask: u64) {
            let mut flags = [false; BLOCK];
            for_each_bit(mask, |bit| flags[bit] = true);
            prop_assert_eq!(flags.iter().filter(|flag| **flag).count(), mask.count_ones() as usize);
            prop_assert_eq!(bits(flags), mask);
        }
    }
}
