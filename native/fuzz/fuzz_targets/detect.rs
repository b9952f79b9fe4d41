//! Every path with every beginning of a file has a language, and always the same.

#![no_main]

use codecairn_core::language::detect;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (path, head) = match data.iter().position(|byte| *byte == 0) {
        Some(at) => (&data[..at], &data[at + 1..]),
        None => (data, &[][..]),
    };
    let path = String::from_utf8_lossy(path);
    assert_eq!(detect(&path, head).id, detect(&path, head).id);
});
