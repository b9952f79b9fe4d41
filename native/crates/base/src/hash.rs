//! Hashes content by xxh3-128, the only identity of content in stores and indexes.

use std::fmt;

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// xxh3-128 of some bytes. Not cryptographic: it tells equal from different, not honest from forged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct ContentHash([u8; 16]);

impl ContentHash {
    /// The hash of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(xxh3_128(bytes).to_be_bytes())
    }

    /// The hash of several parts, each framed by its length, so that `("a", "bc")` and `("ab", "c")` differ.
    pub fn of_parts(parts: &[&[u8]]) -> Self {
        let mut state = Xxh3::new();
        for part in parts {
            state.update(&(part.len() as u64).to_le_bytes());
            state.update(part);
        }
        Self(state.digest128().to_be_bytes())
    }

    /// The sixteen bytes, most significant first.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// A hash read back from storage.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_framed() {
        assert_ne!(ContentHash::of_parts(&[b"a", b"bc"]), ContentHash::of_parts(&[b"ab", b"c"]));
    }

    #[test]
    fn known_value_of_nothing() {
        assert_eq!(ContentHash::of(b"").to_string(), "99aa06d3014798d86001c324468d497f");
    }
}
