//! Reads one file to one text.

use std::io::{self, Read};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use codecairn_base::hash::ContentHash;
use codecairn_syntax::language::{self, Class, Language};

use super::decode::{Decoded, decode, refusal};
use super::folder_handle::{EntryKind, FolderHandle, OpenFolders};
use super::skip::{Skip, SkipReason};
use super::stat::FileStat;
use super::{binary, content, path};

/// Files of this many bytes and more are not indexed: 64 MiB.
pub const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// A file up to this size is read in one go; of a longer one the beginning must look like text first.
const READ_AT_ONCE: u64 = 256 * 1024;

/// How often a file that keeps changing is read before the last reading is taken.
const MAX_READINGS: usize = 3;

/// A file's text and what is known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The decoded text, with its line ends as they are and without byte order mark.
    pub text: String,
    /// Hash of the file's bytes as they are on disk.
    pub hash: ContentHash,
    /// How the bytes were encoded: `utf-8`, `utf-8 (lossy)` when some had to be replaced, `utf-16le`, `utf-16be`, or
    /// an older encoding by its WHATWG name.
    pub encoding: &'static str,
    /// The language it is written in.
    pub language: &'static Language,
    /// Its class.
    pub class: Class,
    /// What the file looked like just *before* it was read: what the stat cache records. A file that was changed
    /// meanwhile no longer looks like this, so it is read again next time.
    pub stat: FileStat,
}

/// Reads files of a workspace. The folders of the last file stay open, so files are best read folder by folder.
#[derive(Debug)]
pub struct SourceReader<'a> {
    root: &'a Path,
    open: Mutex<OpenFolders>,
}

impl<'a> SourceReader<'a> {
    /// Of the workspace at `root`.
    pub fn new(root: &'a Path) -> Self {
        Self { root, open: Mutex::default() }
    }

    /// Reads and decodes the file at `path` (relative to the root, with `/`) if it is text that is worth indexing.
    ///
    /// Links are not followed, on the way neither. A file that changes while it is read is read again, a few times.
    pub fn read(&self, path: &str) -> Result<Source, Skip> {
        if !path::stays_inside(path) {
            return Err(Skip::new(path, SkipReason::OutsideWorkspace, "the path leads out of the workspace"));
        }
        let (stat, bytes) = {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let folder = open.go_to(self.root, folder).map_err(|error| match error.kind() {
                io::ErrorKind::NotADirectory | io::ErrorKind::NotFound => {
                    Skip::new(path, SkipReason::Vanished, "a folder on the way is a link or gone")
                }
                _ => Skip::io(path, &error),
            })?;
            read_settled(|| read_once(folder, name)).map_err(|refusal| match refusal {
                Refusal::Io(error) => Skip::io(path, &error),
                Refusal::TooLarge(size) => too_large(path, size),
                Refusal::Other(reason, detail) => Skip::new(path, reason, detail),
            })?
        };
        source_of(path, bytes, stat)
    }
}

/// Reads a single file as [`SourceReader::read`] does.
pub fn read_source(root: &Path, path: &str) -> Result<Source, Skip> {
    SourceReader::new(root).read(path)
}

/// The text in `bytes`, the content of the file at `path`; the part of [`read_source`] that touches no disk.
pub fn source_of(path: &str, bytes: Vec<u8>, stat: FileStat) -> Result<Source, Skip> {
    let hash = ContentHash::of(&bytes);
    let Decoded { text, encoding } = decode(bytes).map_err(|detail| Skip::new(path, SkipReason::Binary, detail))?;
    if let Some(detail) = content::secret(path::name(path), &text) {
        return Err(Skip::new(path, SkipReason::Secret, detail));
    }
    let language = language::detect(path, text.as_bytes());
    if let Some(detail) = content::minified(&text, language) {
        return Err(Skip::new(path, SkipReason::Minified, detail));
    }
    let class = content::class(&text, language);
    Ok(Source { text, hash, encoding, language, class, stat })
}

/// The skip of a file with too many bytes.
pub(super) fn too_large(path: impl Into<String>, size: u64) -> Skip {
    Skip::new(path, SkipReason::TooLarge, format!("{size} bytes"))
}

/// Why a file gives no bytes.
#[derive(Debug)]
enum Refusal {
    Io(io::Error),
    TooLarge(u64),
    Other(SkipReason, &'static str),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// One reading: what the file looked like before, its bytes, and what it looked like after.
#[derive(Debug)]
struct Reading {
    before: FileStat,
    bytes: Vec<u8>,
    after: FileStat,
}

/// Reads until a reading was not disturbed, or often enough.
fn read_settled(mut read: impl FnMut() -> Result<Reading, Refusal>) -> Result<(FileStat, Vec<u8>), Refusal> {
    let mut reading = read()?;
    for _ in 1..MAX_READINGS {
        if reading.before == reading.after && reading.bytes.len() as u64 == reading.after.size {
            break;
        }
        reading = read()?;
    }
    Ok((reading.before, reading.bytes))
}

fn read_once(folder: &FolderHandle, name: &str) -> Result<Reading, Refusal> {
    let mut file = folder.open_entry(name).map_err(|error| match folder.kind_of(name) {
        None | Some(EntryKind::File) => Refusal::Io(error),
        Some(kind) => not_regular(kind),
    })?;
    let opened = file.metadata()?;
    match EntryKind::of(opened.file_type()) {
        EntryKind::File => {}
        kind => return Err(not_regular(kind)),
    }
    if opened.len() >= MAX_FILE_BYTES {
        return Err(Refusal::TooLarge(opened.len()));
    }
    let bytes = read_bytes(&mut file, opened.len())?;
    Ok(Reading { before: FileStat::of(&opened), bytes, after: FileStat::of(&file.metadata()?) })
}

fn not_regular(kind: EntryKind) -> Refusal {
    match kind {
        EntryKind::Link => Refusal::Other(SkipReason::Symlink, "a link"),
        EntryKind::File | EntryKind::Special => Refusal::Other(SkipReason::Special, "no regular file"),
    }
}

/// The first `size` bytes of a file, or all up to the limit if its size is not known; of a long one that is no text, only
/// the beginning is read. Whether it has more is seen by its size afterwards, not by reading on.
fn read_bytes(file: &mut impl Read, size: u64) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::with_capacity(size as usize + 1);
    if size > READ_AT_ONCE {
        file.by_ref().take(binary::HEAD_BYTES as u64).read_to_end(&mut bytes)?;
        if let Some(detail) = refusal(&bytes) {
            return Err(Refusal::Other(SkipReason::Binary, detail));
        }
    }
    let end = if size == 0 { MAX_FILE_BYTES } else { size };
    file.take(end - bytes.len() as u64).read_to_end(&mut bytes)?;
    if bytes.len() as u64 >= MAX_FILE_BYTES {
        return Err(Refusal::TooLarge(bytes.len() as u64));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn read(name: &str, content: &[u8]) -> Result<Source, SkipReason> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), content).unwrap();
        read_source(folder.path(), name).map_err(|skip| {
            assert_eq!(skip.path, name);
            assert!(!skip.detail.is_empty());
            skip.reason
        })
    }

    #[test]
    fn a_source_has_its_text_hash_language_and_class() {
        let source = read("a.py", b"\xef\xbb\xbfx = 1\r\n").unwrap();
        assert_eq!((source.text.as_str(), source.encoding), ("x = 1\r\n", "utf-8"));
        assert_eq!(source.hash, ContentHash::of(b"\xef\xbb\xbfx = 1\r\n"), "the hash is of the bytes on disk");
        assert_eq!((source.language.id, source.class, source.stat.size), ("python", Class::Code, 10));
        assert_eq!(read("a.go", b"// Code generated by x. DO NOT EDIT.\n").unwrap().class, Class::Generated);
        assert_eq!(read("a.csv", b"a,b\n").unwrap().class, Class::Data);
    }

    #[test]
    fn an_empty_file_is_a_source() {
        assert_eq!(read("__init__.py", b"").unwrap().text, "");
    }

    #[test]
    fn the_language_is_read_from_decoded_text() {
        let script: Vec<u8> = "\u{feff}#!/usr/bin/python\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let source = read("run", &script).unwrap();
        assert_eq!((source.language.id, source.encoding), ("python", "utf-16le"));
    }

    #[test]
    fn what_is_not_worth_indexing_is_refused_with_the_reason() {
        assert_eq!(read("nuls", &[0; 5000]), Err(SkipReason::Binary));
        assert_eq!(read("notes.txt", b"-----BEGIN PRIVATE KEY-----\n"), Err(SkipReason::Secret));
        assert_eq!(read("app.js", "function a(b){return b+1}".repeat(400).as_bytes()), Err(SkipReason::Minified));
    }

    #[test]
    fn names_that_lead_nowhere_or_out_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let reason = |path: &str| read_source(folder.path(), path).map(|_| ()).map_err(|skip| skip.reason);
        fs::create_dir(folder.path().join("sub")).unwrap();
        assert_eq!(reason("gone.rs"), Err(SkipReason::Vanished));
        assert_eq!(reason("sub"), Err(SkipReason::Special));
        assert_eq!(reason("../etc/passwd"), Err(SkipReason::OutsideWorkspace));
        assert_eq!(reason("/etc/passwd"), Err(SkipReason::OutsideWorkspace));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.rs"), "fn a() {}").unwrap();
        std::os::unix::fs::symlink("a.rs", folder.path().join("b.rs")).unwrap();
        assert_eq!(read_source(folder.path(), "b.rs").unwrap_err().reason, SkipReason::Symlink);
    }

    #[test]
    fn a_huge_file_is_refused_by_its_size_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = fs::File::create(folder.path().join("dump.txt")).unwrap();
        file.set_len(MAX_FILE_BYTES).unwrap(); // sparse: nothing is written
        let skip = read_source(folder.path(), "dump.txt").unwrap_err();
        assert_eq!((skip.reason, skip.detail.as_str()), (SkipReason::TooLarge, "67108864 bytes"));
    }

    /// Counts what is read from it.
    struct Counted<R>(R, usize);

    impl<R: Read> Read for Counted<R> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.read(buffer)?;
            self.1 += count;
            Ok(count)
        }
    }

    #[test]
    fn of_a_long_binary_only_the_beginning_is_read_and_of_a_text_nothing_twice() {
        let size = 10 * READ_AT_ONCE;
        let mut binary = Counted(io::repeat(0).take(size), 0);
        assert!(matches!(read_bytes(&mut binary, size), Err(Refusal::Other(SkipReason::Binary, _))));
        assert_eq!(binary.1, binary::HEAD_BYTES);
        let mut text = Counted(io::repeat(b'x').take(size), 0);
        assert_eq!(read_bytes(&mut text, size).unwrap().len() as u64, size);
        assert_eq!(text.1 as u64, size);
    }

    #[test]
    fn a_file_is_read_up_to_its_size_and_one_of_unknown_size_up_to_the_limit() {
        let mut endless = Counted(io::repeat(b'x'), 0);
        assert_eq!(read_bytes(&mut endless, 7).unwrap(), b"xxxxxxx");
        assert_eq!(endless.1, 7);
        assert!(matches!(read_bytes(&mut endless, 0), Err(Refusal::TooLarge(MAX_FILE_BYTES))));
        assert_eq!(endless.1 as u64, 7 + MAX_FILE_BYTES);
    }

    fn seen(size: u64, inode: u64) -> FileStat {
        FileStat { size, mtime_ns: 1, ctime_ns: 1, inode }
    }

    #[test]
    fn a_disturbed_reading_is_repeated() {
        let mut readings = [(1, 2), (2, 3), (3, 3)].into_iter();
        let (stat, bytes) = read_settled(|| {
            let (before, after) = readings.next().unwrap();
            Ok(Reading { before: seen(before, 1), bytes: vec![b'x'; before as usize], after: seen(after, 1) })
        })
        .unwrap();
        assert_eq!((stat, bytes.len()), (seen(3, 1), 3));
    }

    #[test]
    fn a_file_that_never_rests_is_taken_as_it_looked_before_the_last_reading() {
        let mut size = 0;
        let (stat, _) = read_settled(|| {
            size += 1;
            Ok(Reading { before: seen(size, 1), bytes: Vec::new(), after: seen(size + 1, 1) })
        })
        .unwrap();
        assert_eq!(stat, seen(MAX_READINGS as u64, 1));
    }
}
