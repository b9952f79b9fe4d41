//! Any bytes are text or are refused: what is text has no byte order mark, is bounded by the file, has a language, and
//! is the file itself where that was UTF-8.

#![no_main]

use codecairn_base::hash::ContentHash;
use codecairn_syntax::language::detect;
use codecairn_walk::{FileStat, source_of};
use libfuzzer_sys::fuzz_target;

/// Bytes of text that one byte of a file may become: those of the replacement character.
const MAX_GROWTH: usize = 3;

fuzz_target!(|data: &[u8]| {
    let (path, content) = codecairn_fuzz::path_and_content(data);
    let stat = FileStat { size: content.len() as u64, mtime_ns: 0, ctime_ns: 0, inode: 0 };
    let Ok(source) = source_of(&path, content.to_vec(), stat) else { return };
    assert_eq!(source.hash, ContentHash::of(content));
    assert!(source.text.len() <= content.len() * MAX_GROWTH, "{} of {}", source.text.len(), content.len());
    assert_eq!(source.language.id, detect(&path, source.text.as_bytes()).id);
    let unmarked = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
    assert_eq!(source.encoding == "utf-8", unmarked == source.text.as_bytes(), "{}", source.encoding);
    let again = source_of(&path, content.to_vec(), stat);
    assert_eq!(again.as_ref(), Ok(&source));
});
