//! Indexes symbol names for exact look-up.
//!
//! A name is stored as a hash of its lower-cased form only; the symbols' records have the names.

use xxhash_rust::xxh3::xxh3_64;

use codecairn_base::error::Result;
use codecairn_base::id::BlobId;

use super::snapshot::Snapshot;
use super::sorted_runs::{self, Entry, Space};
use super::write_guard::WriteGuard;

/// Names of symbols and the blobs that define them, gathered from all blobs.
#[derive(Debug, Default)]
pub struct Names(Vec<Entry>);

impl Names {
    /// Adds a name that a blob defines.
    pub fn add(&mut self, name: &str, blob: BlobId) {
        self.0.push((NameHash::of(name).0, blob.0));
    }

    /// The number of names.
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

impl Snapshot {
    /// The number of `names` that the index lacks.
    pub fn names_missing(&self, names: &Names) -> Result<usize> {
        let mut stored = sorted_runs::all(self.database(), Space::Symbol)?;
        stored.sort_unstable();
        Ok(names.0.iter().filter(|name| stored.binary_search(name).is_err()).count())
    }
}

impl WriteGuard {
    /// Rewrites the index of names.
    pub fn rewrite_names(&mut self, names: Names) -> Result<()> {
        self.state = None;
        let database = self.database();
        database.transaction(|| {
            sorted_runs::rewrite(database, Space::Symbol, names.0)?;
            self.advance().map(drop)
        })
    }
}

/// The hash that a name is filed under: that of its lower-cased form, so `Foo` and `foo` are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameHash(pub(super) u64);

impl NameHash {
    /// Of a name as written.
    pub fn of(name: &str) -> Self {
        if name.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
            Self(xxh3_64(name.as_bytes()))
        } else {
            Self(xxh3_64(name.to_lowercase().as_bytes()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_makes_no_difference() {
        assert_eq!(NameHash::of("getUserById"), NameHash::of("getuserbyid"));
        assert_eq!(NameHash::of("Ärger"), NameHash::of("ärger"));
        assert_ne!(NameHash::of("a"), NameHash::of("b"));
    }
}
