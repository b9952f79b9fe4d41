//! Reads and creates the key of one user: 32 random bytes in a file that only this user can read.

use std::io::Write as _;
use std::path::Path;

use codecairn_base::error::{Error, Result};
use codecairn_base::private_files;

/// Bytes of a key, as `BLAKE3` takes it.
const KEY_BYTES: usize = blake3::KEY_LEN;

/// A user's key. It signs with BLAKE3 in its keyed mode, which is a message authentication code (the BLAKE3 paper,
/// section 2.3).
#[derive(Clone)]
pub struct UserKey([u8; KEY_BYTES]);

impl UserKey {
    /// The key in the file at `path`; `None` if there is no such file.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if the file is no key; input errors, also for a link in its place.
    pub fn load(path: &Path) -> Result<Option<Self>> {
        let bytes = match private_files::read(path, KEY_BYTES as u64) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            bytes => bytes.map_err(|source| Error::io(path, source))?,
        };
        let key = bytes.try_into().map_err(|_| {
            Error::InvalidArgument(format!("`{}` is no key; remove it to have a new one made", path.display()))
        })?;
        Ok(Some(Self(key)))
    }

    /// The same; a key is made if there is none. Of several processes that make one, all get the first.
    pub fn load_or_create(path: &Path) -> Result<Self> {
        if let Some(key) = Self::load(path)? {
            return Ok(key);
        }
        if let Some(folder) = path.parent().filter(|folder| !folder.exists()) {
            private_files::make_folder(folder)?;
        }
        let failed = |source| Error::io(path, source);
        let (mut key, mut suffix) = ([0; KEY_BYTES], [0; 8]);
        getrandom::fill(&mut key)
            .and_then(|()| getrandom::fill(&mut suffix))
            .map_err(|error| failed(std::io::Error::other(error.to_string())))?;
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{:016x}", u64::from_le_bytes(suffix)));
        let unfinished = std::path::PathBuf::from(name);
        let written = private_files::create(&unfinished)
            .and_then(|mut file| file.write_all(&key).and_then(|()| file.sync_all()))
            // A link fails where there is a key already, and the key appears whole or not at all.
            .and_then(|()| std::fs::hard_link(&unfinished, path));
        let removed = private_files::remove_if_exists(&unfinished);
        match written {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            written => written.and(removed).map_err(failed)?,
        }
        Self::load(path)?.ok_or_else(|| failed(std::io::ErrorKind::NotFound.into()))
    }

    /// The signature of some bytes, as 64 hexadecimal digits. `purpose` keeps signatures of one kind from being taken
    /// for another's.
    pub fn tag(&self, purpose: &str, bytes: &[u8]) -> String {
        self.hash(purpose, bytes).to_hex().to_string()
    }

    /// Whether `tag` is the signature of these bytes; takes as long for every wrong one.
    pub fn is_tag(&self, tag: &str, purpose: &str, bytes: &[u8]) -> bool {
        blake3::Hash::from_hex(tag).is_ok_and(|tag| tag == self.hash(purpose, bytes))
    }

    fn hash(&self, purpose: &str, bytes: &[u8]) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(purpose.as_bytes()).update(&[0]).update(bytes);
        hasher.finalize()
    }
}

impl std::fmt::Debug for UserKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("UserKey")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_and_signs_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("inner").join("key");
        assert!(UserKey::load(&path).unwrap().is_none());
        let tag = UserKey::load_or_create(&path).unwrap().tag("test", b"text");
        let key = UserKey::load_or_create(&path).unwrap();
        assert!(key.is_tag(&tag, "test", b"text"));
        for (purpose, bytes) in [("test", &b"other"[..]), ("other", b"text")] {
            assert!(!key.is_tag(&tag, purpose, bytes));
        }
        assert!(!key.is_tag("", "test", b"text") && !key.is_tag(&"0".repeat(64), "test", b"text"));
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn threads_that_make_a_key_at_once_get_the_same() {
        // In each round all begin at once, so that several find no key.
        for _ in 0..20 {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("key");
            let start = std::sync::Barrier::new(8);
            let tags = std::thread::scope(|scope| {
                let make = || {
                    start.wait();
                    UserKey::load_or_create(&path).unwrap().tag("test", b"text")
                };
                let threads: Vec<_> = (0..8).map(|_| scope.spawn(make)).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect::<std::collections::BTreeSet<_>>()
            });
            assert_eq!(tags.len(), 1);
        }
    }

    #[test]
    fn keys_of_two_users_differ() {
        let dir = tempfile::tempdir().unwrap();
        let tag = |name: &str| UserKey::load_or_create(&dir.path().join(name)).unwrap().tag("test", b"text");
        assert_ne!(tag("one"), tag("other"));
    }

    #[test]
    fn a_key_is_shown_by_its_name_alone() {
        let dir = tempfile::tempdir().unwrap();
        let key = UserKey::load_or_create(&dir.path().join("key")).unwrap();
        assert_eq!(format!("{key:?}"), "UserKey");
    }

    #[test]
    fn a_file_that_is_no_key_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        std::fs::write(&path, "short").unwrap();
        assert!(matches!(UserKey::load(&path), Err(Error::InvalidArgument(_))));
    }
    #[cfg(unix)]
    #[test]
    fn a_link_is_no_key_and_is_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let (target, link) = (dir.path().join("target"), dir.path().join("key"));
        UserKey::load_or_create(&target).unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        assert!(UserKey::load(&link).is_err());
        assert!(UserKey::load_or_create(&link).is_err());
        assert!(link.is_symlink());
    }

    #[cfg(unix)]
    #[test]
    fn a_key_that_cant_be_written_says_why() {
        let dir = tempfile::tempdir().unwrap();
        // The name of the unfinished file is longer than a name may be.
        let failed = UserKey::load_or_create(&dir.path().join("k".repeat(250)));
        let Err(Error::Io { source, .. }) = failed else { panic!("{failed:?}") };
        assert_eq!(source.kind(), std::io::ErrorKind::InvalidFilename);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
