//! Proves that a file and a record in a spool were written by this user.
//!
//! In the user's folder, next to the memory's database, a checksum shows whether a record is complete. A spool inside a
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{self, NewFact};
    use crate::privacy::Unclosed;
    use crate::project::{Identity, ProjectName};
    use crate::spool::SpoolRecord;
    use crate::words::{FactType, Origin};
    use crate::{MemoryOptions, SignedSpool};

    fn entry(home: &Path, text: &str) -> Entry {
        let options = MemoryOptions {
            path: home.join("memory.db"),
            spool: None::<SignedSpool>,
            project: ProjectName::of(home, Identity::Folder, None),
            unclosed: Unclosed::Redact,
            compact_bytes: 4000,
        };
        let fact = fact::prepare(NewFact::told(text, FactType::Note, Origin::User), &options, 1).unwrap();
        Entry { project: options.project, waiting: SpoolRecord::Fact(fact) }
    }

    fn git(folder: &Path, arguments: &[&str]) {
        let run = std::process::Command::new("git").arg("-C").arg(folder).args(arguments).output().unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    }

    /// A workspace with a spool's folder of the user's own, and the proof of its files.
    fn spool() -> (tempfile::TempDir, PathBuf, Proof) {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("workspace").join(".codecairn").join("spool");
        std::fs::create_dir_all(home.path().join("workspace")).unwrap();
        git(&home.path().join("workspace"), &["init", "-q"]);
        let proof = Proof::signature(home.path().join("key"));
        proof.make_folder(&dir).unwrap();
        (home, dir, proof)
    }

    #[test]
    fn a_folder_of_the_users_own_is_trusted() {
        let (_home, dir, proof) = spool();
        assert!(proof.is_folder_trusted(&dir));
        assert!(Proof::Checksum.is_folder_trusted(&dir.join("missing")));
        assert!(!proof.is_folder_trusted(&dir.join("missing")));
    }

    #[test]
    fn a_folder_is_not_trusted_without_a_key() {
        let (home, dir, _proof) = spool();
        assert!(!Proof::signature(home.path().join("other")).is_folder_trusted(&dir));
    }

    #[test]
    fn a_folder_that_git_tracks_is_not_trusted() {
        let (home, dir, proof) = spool();
        std::fs::write(dir.join("planted.log"), "x").unwrap();
        assert!(proof.is_folder_trusted(&dir));
        git(&home.path().join("workspace"), &["add", "-f", "."]);
        assert!(!proof.is_folder_trusted(&dir));
        assert!(matches!(proof.make_folder(&dir), Err(Error::StoreReadOnly { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_trusted() {
        let (home, dir, proof) = spool();
        let link = dir.with_file_name("link");
        std::os::unix::fs::symlink(&dir, &link).unwrap();
        assert!(!proof.is_folder_trusted(&link));
        let outside = home.path().join("workspace").join("outside");
        std::os::unix::fs::symlink(dir.parent().unwrap(), &outside).unwrap();
        assert!(!proof.is_folder_trusted(&outside.join("spool")));
    }

    #[test]
    fn a_record_is_read_from_its_own_file_alone_and_as_it_was_written() {
        let (home, dir, signature) = spool();
        let entry = entry(home.path(), "the port is 8080");
        for proof in [Proof::Checksum, signature] {
            let path = dir.join("a.log");
            let line = proof.line(&path, &entry, 7);
            assert_eq!(time_of(&line), 7);
            let line = line.trim_end();
            assert_eq!(proof.read_line(&path, line).as_ref(), Some(&entry));
            assert_eq!(proof.read_line(&path, &line.replace("8080", "9090")), None);
            assert_eq!(proof.read_line(&path, &line[..line.len() - 1]), None);
            assert_eq!(proof.read_line(&path, "no proof"), None);
            let is_read = proof.read_line(&dir.join("b.log"), line).is_some();
            assert_eq!(is_read, matches!(proof, Proof::Checksum));
        }
    }

    #[test]
    fn another_key_proves_nothing() {
        let (home, dir, proof) = spool();
        let other = Proof::signature(home.path().join("other"));
        other.make_folder(&dir).unwrap();
        let (path, entry) = (dir.join("a.log"), entry(home.path(), "the port is 8080"));
        assert_eq!(other.read_line(&path, proof.line(&path, &entry, 7).trim_end()), None);
        assert!(!other.is_file_name(&dir, &proof.file_name(&dir, "a")));
    }

    #[test]
    fn a_files_name_is_signed_for_its_folder() {
        let (_home, dir, proof) = spool();
        let name = proof.file_name(&dir, "a");
        assert!(proof.is_file_name(&dir, &name));
        let copy = dir.with_file_name("copy");
        std::fs::create_dir(&copy).unwrap();
        assert!(!proof.is_file_name(&copy, &name));
        let (stem, _) = name.rsplit_once('.').unwrap();
        for other in ["a.log", &format!("b{}", &name[1..]), stem, &format!("{}.log", &stem[..stem.len() - 1])] {
            assert!(!proof.is_file_name(&dir, other), "{other}");
        }
        assert_eq!(Proof::Checksum.file_name(&dir, "a"), "a.log");
        assert!(Proof::Checksum.is_file_name(&dir, "a.log") && !Proof::Checksum.is_file_name(&dir, "a"));
    }
}
