//! Defines the sizes of chunks.
//!
//! Retrieval quality moves by a hundredth over a wide range of sizes, so the figures follow what is pleasant to read:
//! a chunk is at most a screen or two.

/// Larger chunks are split, in bytes.
pub(super) const MAX_CHUNK: u32 = 2000;

/// What the parts of a split chunk aim at, in bytes.
pub(super) const TARGET_CHUNK: u32 = 1500;

/// Neighbours below this share a chunk, in bytes.
pub(super) const SMALL: u32 = 200;

/// How large a shared chunk may become, in bytes.
pub(super) const MAX_SHARED: u32 = 1000;

/// How many lines a window over text without structure has at most.
pub(super) const WINDOW_LINES: u32 = 40;

/// The size of coarse windows, in bytes.
pub(super) const COARSE: u32 = 12_000;

/// Texts above this without definitions get coarse windows, in bytes.
pub(super) const LARGE_TEXT: usize = 1 << 20;

/// The longest piece of one line, in bytes.
pub(super) const MAX_LINE: u32 = 4000;

/// How much foreign text on its first and last line a definition takes along, in bytes.
pub(super) const STRAY: u32 = 200;
