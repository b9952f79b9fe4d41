//! Signs a store's folder inside a workspace.
//!
//! It covers the folder's device and inode, so it holds for this folder on this disk: a copy, a clone or an unpacked
//! archive of a signed folder is not signed.

use std::fs::Metadata;
use std::io::Write as _;
use std::path::Path;

use codecairn_base::error::{Error, Result};
use codecairn_base::private_files;

use super::hex;
use super::key::UserKey;

/// The file in a store's folder that holds its signature.
pub const SEAL_FILE: &str = "trusted";

const PURPOSE: &str = "codecairn store 1";
const MAX_BYTES: u64 = 256;
/// Bytes of the random number that tells two seals of one folder apart.
const ID_BYTES: usize = 16;

/// What a folder says of who made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seal {
    /// This user signed it.
    Valid,
    /// There is a folder, and it is not signed by this user.
    Invalid,
    /// There is no folder.
    NoFolder,
}

impl Seal {
    /// Reads the seal of the folder at `path`, which is never valid without a `key`. Nothing else in it is looked at.
    ///
    /// # Errors
    /// [`Error::Untrusted`] if it is a link, belongs to another user or may be written by others.
    pub fn of(path: &Path, key: Option<&UserKey>) -> Result<Self> {
        if !private_files::require_folder(path)? {
            return Ok(Self::NoFolder);
        }
        let Some(key) = key else { return Ok(Self::Invalid) };
        let folder = std::fs::symlink_metadata(path).map_err(|source| Error::io(path, source))?;
        let Ok(text) = private_files::read(&path.join(SEAL_FILE), MAX_BYTES) else { return Ok(Self::Invalid) };
        let text = String::from_utf8_lossy(&text);
        let mut words = text.split_ascii_whitespace();
        let (Some(id), Some(tag), None) = (words.next(), words.next(), words.next()) else {
            return Ok(Self::Invalid);
        };
        let is_valid = key.is_tag(tag, PURPOSE, signed(id, &folder).as_bytes());
        Ok(if is_valid { Self::Valid } else { Self::Invalid })
    }

    /// Signs the folder at `path`, which must be one of this user.
    pub fn write(path: &Path, key: &UserKey) -> Result<()> {
        private_files::make_folder(path)?;
        let folder = std::fs::symlink_metadata(path).map_err(|source| Error::io(path, source))?;
        let file = path.join(SEAL_FILE);
        let failed = |source| Error::io(&file, source);
        let mut id = [0; ID_BYTES];
        getrandom::fill(&mut id).map_err(|error| failed(std::io::Error::other(error.to_string())))?;
        let id = hex(&id);
        let line = format!("{id} {}\n", key.tag(PURPOSE, signed(&id, &folder).as_bytes()));
        private_files::create(&file).and_then(|mut file| file.write_all(line.as_bytes())).map_err(failed)
    }
}

fn signed(id: &str, folder: &Metadata) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        format!("{id} {} {}", folder.dev(), folder.ino())
    }
    #[cfg(not(unix))]
    {
        // Without inodes, the time at which the folder was made is signed instead.
        let made = folder.created().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        format!("{id} {}", made.unwrap_or_default().as_nanos())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copied_folder_is_not_signed() {
        let dir = tempfile::tempdir().unwrap();
        let key = UserKey::load_or_create(&dir.path().join("key")).unwrap();
        let (store, copy) = (dir.path().join("store"), dir.path().join("copy"));
        assert_eq!(Seal::of(&store, Some(&key)).unwrap(), Seal::NoFolder);
        private_files::make_folder(&store).unwrap();
        assert_eq!(Seal::of(&store, Some(&key)).unwrap(), Seal::Invalid);
        Seal::write(&store, &key).unwrap();
        assert_eq!(Seal::of(&store, Some(&key)).unwrap(), Seal::Valid);
        private_files::make_folder(&copy).unwrap();
        std::fs::copy(store.join(SEAL_FILE), copy.join(SEAL_FILE)).unwrap();
        assert_eq!(Seal::of(&copy, Some(&key)).unwrap(), Seal::Invalid);
        let moved = dir.path().join("moved");
        std::fs::rename(&store, &moved).unwrap();
        assert_eq!(Seal::of(&moved, Some(&key)).unwrap(), Seal::Valid);
    }

    #[test]
    fn another_users_key_does_not_fit() {
        let dir = tempfile::tempdir().unwrap();
        let key = |name: &str| UserKey::load_or_create(&dir.path().join(name)).unwrap();
        let store = dir.path().join("store");
        Seal::write(&store, &key("one")).unwrap();
        assert_eq!(Seal::of(&store, Some(&key("other"))).unwrap(), Seal::Invalid);
    }
}
