//! Compresses parts by zstd with their length and a checksum, and decompresses them within bounds.

use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::CParameter;
use zstd::zstd_safe::get_frame_content_size;

/// Compresses a part into one frame.
pub(super) fn compress(raw: &[u8], level: i32) -> Vec<u8> {
    let mut compressor = Compressor::new(level).expect("invariant: the level is one that zstd has");
    compressor.set_parameter(CParameter::ChecksumFlag(true)).expect("invariant: zstd has checksums");
    compressor.compress(raw).expect("invariant: zstd compresses into a buffer of its own bound")
}

/// How many bytes a frame declares, if it is one and declares any.
pub(super) fn declared_length(packed: &[u8]) -> Option<u64> {
    get_frame_content_size(packed).ok()?
}

/// Decompresses one frame of exactly `length` bytes, which the caller has bounded; the error describes the problem.
pub(super) fn decompress(packed: &[u8], length: usize) -> Result<Vec<u8>, &'static str> {
    if declared_length(packed) != Some(length as u64) {
        return Err("it declares another length, or is no compressed part");
    }
    let mut decompressor = Decompressor::new().expect("invariant: zstd's state needs memory only");
    let raw = decompressor.decompress(packed, length).map_err(|_| "it can't be decompressed")?;
    if raw.len() == length { Ok(raw) } else { Err("it is shorter than it declares") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_longer_or_shorter_than_declared_is_refused() {
        let packed = compress(&vec![7; 100_000], 3);
        assert_eq!(decompress(&packed, 100_000), Ok(vec![7; 100_000]));
        assert!(decompress(&packed, 99_999).is_err() && decompress(&packed, 100_001).is_err());
        let two = [packed.clone(), compress(&vec![7; 100_000], 3)].concat();
        assert!(decompress(&two, 100_000).is_err(), "a frame behind the first is more than was declared");
        assert!(decompress(&packed[..packed.len() - 1], 100_000).is_err());
        assert!(decompress(b"", 0).is_err() && decompress(b"no frame", 8).is_err());
        for at in 0..packed.len() {
            let mut damaged = packed.clone();
            damaged[at] ^= 1;
            assert!(decompress(&damaged, 100_000).is_err(), "{at}");
        }
    }
}
