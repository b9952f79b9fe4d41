//! Decides when an entry of the stat cache is trusted instead of reading the file.

/// The metadata of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileStat {
    /// Length in bytes.
    pub size: u64,
    /// Time of last modification, in nanoseconds since the Unix epoch. Programs may set it: `cp -p`, `touch -r`.
    pub mtime_ns: i64,
    /// Time of the last change of content or attributes, in nanoseconds since the Unix epoch, which only the system
    /// sets. 0 where there is none: Windows has one that the standard library doesn't give, and calls the creation time
    /// ctime.
    pub ctime_ns: i64,
    /// Number of the file in its file system; 0 where there is none (Windows).
    pub inode: u64,
}

impl FileStat {
    /// As the system reports it.
    pub(super) fn of(metadata: &std::fs::Metadata) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let stamp = |seconds: i64, nanos: i64| seconds.saturating_mul(NANOS_PER_SECOND).saturating_add(nanos);
            Self {
                size: metadata.len(),
                mtime_ns: stamp(metadata.mtime(), metadata.mtime_nsec()),
                ctime_ns: stamp(metadata.ctime(), metadata.ctime_nsec()),
                inode: metadata.ino(),
            }
        }
        #[cfg(not(unix))]
        {
            let since_epoch = metadata.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
            let mtime_ns = since_epoch.map_or(0, |age| i64::try_from(age.as_nanos()).unwrap_or(i64::MAX));
            Self { size: metadata.len(), mtime_ns, ctime_ns: 0, inode: 0 }
        }
    }
}

/// What a file looks like now; nothing if it is gone, can't be looked at, or lies behind a linked folder. A link is
/// looked at as itself.
pub fn stat_file(root: &std::path::Path, path: &str) -> Option<FileStat> {
    super::contained_files::look_inside(root, path).map(|metadata| FileStat::of(&metadata))
}

/// Whether there is a file, a folder, a link or something else at this path; nothing if it is gone or lies behind a
/// linked folder.
pub(super) fn kind_of(root: &std::path::Path, path: &str) -> Option<std::fs::FileType> {
    super::contained_files::look_inside(root, path).map(|metadata| metadata.file_type())
}

/// A row of the stat cache: what a file looked like when its content was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StatEntry {
    /// Length in bytes.
    pub size: u64,
    /// Time of last modification, in nanoseconds since the Unix epoch.
    pub mtime_ns: i64,
    /// Time of the last change of content or attributes, in nanoseconds since the Unix epoch; 0 where there is none.
    pub ctime_ns: i64,
    /// Number of the file in its file system.
    pub inode: u64,
    /// When the file was looked at, by the clock, *before* its content was read.
    pub recorded_ns: i64,
}

impl StatEntry {
    /// What was seen at `recorded_ns`.
    pub fn new(stat: FileStat, recorded_ns: i64) -> Self {
        let FileStat { size, mtime_ns, ctime_ns, inode } = stat;
        Self { size, mtime_ns, ctime_ns, inode, recorded_ns }
    }

    /// The file's metadata.
    pub fn stat(&self) -> FileStat {
        FileStat { size: self.size, mtime_ns: self.mtime_ns, ctime_ns: self.ctime_ns, inode: self.inode }
    }
}

const NANOS_PER_SECOND: i64 = 1_000_000_000;

/// Coarsest file system in use: FAT counts two seconds.
const COARSE_NS: i64 = 2 * NANOS_PER_SECOND;

/// Others stamp files with the kernel's tick, at most a hundredth of a second long.
const FINE_NS: i64 = NANOS_PER_SECOND / 100;

/// How far apart two changes must be for a file system that gave this stamp to stamp them differently, in nanoseconds.
/// A whole second betrays a coarse one (or, once in a billion, is chance and costs a needless read).
fn granularity_ns(stamp_ns: i64) -> i64 {
    if stamp_ns % NANOS_PER_SECOND == 0 { COARSE_NS } else { FINE_NS }
}

/// Whether the content read when `entry` was recorded is still the file's.
///
/// It is not known to be when the file looks different, or when it had been changed so shortly before the recording
/// (or, by its file system's clock, after it) that a second change could have left the same stamps: git calls such
/// entries racy. A change of attributes alone (`chmod`, `link`) looks different too, and costs a read.
pub fn is_trustworthy(entry: &StatEntry, current: FileStat) -> bool {
    let is_settled = |stamp_ns: i64| stamp_ns.saturating_add(granularity_ns(stamp_ns)) < entry.recorded_ns;
    entry.stat() == current && is_settled(entry.mtime_ns) && is_settled(entry.ctime_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEN: FileStat = FileStat { size: 10, mtime_ns: 5_000_000_001, ctime_ns: 5_000_000_001, inode: 7 };

    fn trusted_after(stat: FileStat, age_ns: i64) -> bool {
        is_trustworthy(&StatEntry::new(stat, stat.ctime_ns + age_ns), stat)
    }

    #[test]
    fn any_difference_asks_for_a_read() {
        let entry = StatEntry::new(SEEN, i64::MAX);
        assert!(is_trustworthy(&entry, SEEN));
        for other in [
            FileStat { size: 11, ..SEEN },
            FileStat { mtime_ns: SEEN.mtime_ns - 1, ..SEEN },
            FileStat { ctime_ns: SEEN.ctime_ns + 1, ..SEEN },
            FileStat { inode: 8, ..SEEN },
        ] {
            assert!(!is_trustworthy(&entry, other));
        }
    }

    #[test]
    fn a_file_changed_within_the_granularity_is_read_again() {
        assert!(!trusted_after(SEEN, 10_000_000));
        assert!(trusted_after(SEEN, 10_000_001));
        let written_long_ago = FileStat { mtime_ns: 3_000_000_000, ..SEEN };
        assert!(!trusted_after(written_long_ago, 10_000_000), "its mtime was set");
        assert!(trusted_after(written_long_ago, 10_000_001));
        let coarse = FileStat { mtime_ns: 5_000_000_000, ctime_ns: 5_000_000_000, ..SEEN };
        assert!(!trusted_after(coarse, 2_000_000_000));
        assert!(trusted_after(coarse, 2_000_000_001));
    }

    #[test]
    fn a_stamp_from_the_future_is_never_trusted() {
        assert!(!trusted_after(SEEN, -1_000_000_000));
        for stat in [FileStat { mtime_ns: i64::MAX, ..SEEN }, FileStat { ctime_ns: i64::MAX, ..SEEN }] {
            assert!(!is_trustworthy(&StatEntry::new(stat, i64::MAX), stat));
        }
    }

    #[test]
    fn files_without_a_change_time_are_told_by_the_rest() {
        let stat = FileStat { ctime_ns: 0, inode: 0, ..SEEN };
        assert!(is_trustworthy(&StatEntry::new(stat, stat.mtime_ns + 10_000_001), stat));
    }
}
