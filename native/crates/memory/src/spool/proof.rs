//! How a file and a record in a spool are known for what they are.
//!
//! Beside the memory's own database, in the user's folder, a checksum shows whether a record is whole. A spool inside a
//! workspace lies where a repository can put files: there the names of files and all records are signed by the user's
//! key, for this folder and no other, and nothing without a signature is read, written or removed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use codecairn_base::error::{Error, Result};
use codecairn_base::hash::ContentHash;
use codecairn_base::private_files;
use codecairn_trust::{UserKey, tracked_below};

use super::Entry;

const FILE: &str = "codecairn spool file 1";
const RECORD: &str = "codecairn spool record 1";
/// Hexadecimal digits of a signature in a file's name: 128 bits.
const NAME_DIGITS: usize = 32;

/// The proof that the files and records of one spool carry.
#[derive(Debug, Clone)]
pub(super) enum Proof {
    /// The hash of a record.
    Checksum,
    /// Signatures by a key, which is read when it is first needed.
    Signature(Arc<Signer>),
}

/// What signs in a workspace.
#[derive(Debug)]
pub(super) struct Signer {
    key_file: PathBuf,
    key: OnceLock<UserKey>,
}

impl Proof {
    /// Signatures by the key in a file, which need not exist yet.
    pub(super) fn signature(key_file: PathBuf) -> Self {
        Self::Signature(Arc::new(Signer { key_file, key: OnceLock::new() }))
    }

    /// Makes a spool's folder ready for a file.
    ///
    /// # Errors
    /// [`Error::Untrusted`] if the folder, or the one that holds it, is a link or not this user's;
    /// [`Error::StoreReadOnly`] if git tracks files in it, or there is no key.
    pub(super) fn make_folder(&self, dir: &Path) -> Result<()> {
        if let Self::Signature(signer) = self {
            let unwritable = |detail: String| Error::StoreReadOnly { path: dir.to_path_buf(), detail };
            signer.key_or_create().map_err(|error| unwritable(format!("there is no key to sign with: {error}")))?;
            dir.parent().map_or(Ok(()), private_files::make_folder)?;
            if tracked_below(dir).is_none_or(|tracked| !tracked.is_empty()) {
                return Err(unwritable("git tracks it, so it is not this user's alone".to_owned()));
            }
        }
        private_files::make_folder(dir)
    }

    /// Whether files of a spool's folder may be looked at.
    pub(super) fn is_folder_trusted(&self, dir: &Path) -> bool {
        match self {
            Self::Checksum => true,
            Self::Signature(signer) => {
                let is_own = |dir: &Path| private_files::require_folder(dir).unwrap_or(false);
                is_own(dir)
                    && dir.parent().is_some_and(is_own)
                    && signer.key().is_some()
                    && tracked_below(dir).is_some_and(|tracked| tracked.is_empty())
            }
        }
    }

    /// The name of a new file in a spool's folder.
    pub(super) fn file_name(&self, dir: &Path, stem: &str) -> String {
        match self {
            Self::Checksum => format!("{stem}.log"),
            Self::Signature(signer) => format!("{stem}-{}.log", signer.name_tag(dir, stem).unwrap_or_default()),
        }
    }

    /// Whether a file of this name in a spool's folder may be this user's.
    pub(super) fn is_file_name(&self, dir: &Path, name: &str) -> bool {
        let Some(stem) = name.strip_suffix(".log") else { return false };
        match self {
            Self::Checksum => true,
            Self::Signature(signer) => stem.rsplit_once('-').is_some_and(|(stem, tag)| {
                tag.len() == NAME_DIGITS && signer.name_tag(dir, stem).is_some_and(|expected| expected == tag)
            }),
        }
    }

    /// What a file goes by in the database; no two files of a memory's spools share it.
    pub(super) fn mark(&self, path: &Path) -> String {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        match self {
            Self::Checksum => name,
            Self::Signature(_) => format!("signed/{name}"),
        }
    }

    /// A record as a line of a file: the proof of the rest, the time, and the record. Its texts hold no line feed: they
    /// are JSON.
    pub(super) fn line(&self, path: &Path, entry: &Entry, now_ns: i64) -> String {
        let body = serde_json::to_string(entry).unwrap_or_default();
        let rest = format!("{:020} {body}", now_ns.max(0));
        let proof = match self {
            Self::Checksum => ContentHash::of(rest.as_bytes()).to_string(),
            Self::Signature(signer) => signer.tag(RECORD, &signed(path, &rest)).unwrap_or_default(),
        };
        format!("{proof} {rest}\n")
    }

    /// The record of a line; `None` if it isn't whole, or not this user's.
    pub(super) fn read_line(&self, path: &Path, line: &str) -> Option<Entry> {
        let (proof, rest) = line.split_once(' ')?;
        let is_proven = match self {
            Self::Checksum => ContentHash::of(rest.as_bytes()).to_string() == proof,
            Self::Signature(signer) => {
                signer.key().is_some_and(|key| key.is_tag(proof, RECORD, signed(path, rest).as_bytes()))
            }
        };
        if !is_proven {
            return None;
        }
        serde_json::from_str(rest.split_once(' ')?.1).ok()
    }
}

impl Signer {
    fn key(&self) -> Option<&UserKey> {
        if self.key.get().is_none() {
            let _ = self.key.set(UserKey::load(&self.key_file).ok()??);
        }
        self.key.get()
    }

    fn key_or_create(&self) -> Result<&UserKey> {
        let key = UserKey::load_or_create(&self.key_file)?;
        Ok(self.key.get_or_init(|| key))
    }

    fn tag(&self, purpose: &str, text: &str) -> Option<String> {
        Some(self.key()?.tag(purpose, text.as_bytes()))
    }

    fn name_tag(&self, dir: &Path, stem: &str) -> Option<String> {
        let mut tag = self.tag(FILE, &format!("{} {stem}", folder_id(dir)))?;
        tag.truncate(NAME_DIGITS);
        Some(tag)
    }
}

/// What the signature of a record covers. The file's name is signed for its folder.
fn signed(path: &Path, rest: &str) -> String {
    format!("{} {rest}", path.file_name().unwrap_or_default().display())
}

/// What tells a folder from its copies and clones.
fn folder_id(dir: &Path) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        std::fs::symlink_metadata(dir).map_or_else(|_| String::new(), |dir| format!("{} {}", dir.dev(), dir.ino()))
    }
    #[cfg(not(unix))]
    {
        dir.canonicalize().unwrap_or_default().display().to_string()
    }
}

/// When the record of a line was made; for putting the lines of several files in order.
pub(super) fn time_of(line: &str) -> i64 {
    line.split(' ').nth(1).and_then(|time| time.parse().ok()).unwrap_or(0)
}
