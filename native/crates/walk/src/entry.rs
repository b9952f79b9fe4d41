//! Defines the result of a walk.

use super::skip::Skip;
use super::stat::FileStat;

/// A file to be indexed, as listed: not yet opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkedFile {
    /// Relative to the root, with `/`.
    pub path: String,
    /// Length in bytes.
    pub size: u64,
    /// Time of last modification, in nanoseconds since the Unix epoch.
    pub mtime_ns: i64,
    /// Time of the last change of content or attributes, in nanoseconds since the Unix epoch; 0 where there is none.
    pub ctime_ns: i64,
    /// Number of the file in its file system; 0 where there is none (Windows).
    pub inode: u64,
}

impl WalkedFile {
    /// A file that looks like this.
    pub fn new(path: impl Into<String>, stat: FileStat) -> Self {
        let FileStat { size, mtime_ns, ctime_ns, inode } = stat;
        Self { path: path.into(), size, mtime_ns, ctime_ns, inode }
    }

    /// Its metadata.
    pub fn stat(&self) -> FileStat {
        FileStat { size: self.size, mtime_ns: self.mtime_ns, ctime_ns: self.ctime_ns, inode: self.inode }
    }
}

/// Everything below a root, in order of path (by bytes).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walk {
    /// The files to index.
    pub files: Vec<WalkedFile>,
    /// Entries skipped for another reason than an ignore rule.
    pub skipped: Vec<Skip>,
    /// How many entries ignore rules leave out; a folder counts once, whatever is in it.
    pub ignored: u64,
    /// Whether time ran out before everything was listed: then what is not here may still be there.
    pub is_cut_short: bool,
}

impl Walk {
    /// Has these entries left out, whatever was found of them.
    pub(super) fn skip_all(&mut self, mut skips: Vec<Skip>) {
        if skips.is_empty() {
            return;
        }
        let is_other = |path: &str| skips.iter().all(|skip| skip.path != path);
        self.files.retain(|file| is_other(&file.path));
        self.skipped.retain(|skip| is_other(&skip.path));
        self.skipped.append(&mut skips);
        self.skipped.sort_unstable();
    }
}
