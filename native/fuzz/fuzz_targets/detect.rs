//! Every path with every beginning of a file has a language, and always the same.

#![no_main]

use codecairn_syntax::language::detect;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (path, head) = codecairn_fuzz::path_and_content(data);
    assert_eq!(detect(&path, head).id, detect(&path, head).id);
});
