//! Reads a repository from its files, without running git: where it is, what is checked out.
//!
//! Reads `.git` (a folder, or a file that points to one), `HEAD`, loose and packed refs. It looks at no
//! configuration and no environment, and takes no lock; a repository caught in the middle of an operation reads as it
//! was before or after. Repositories that keep refs in git's newer `reftable` format read as [`Head::None`].

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::contained_files::{open_regular, read_text};

/// Symbolic refs may point to each other; git stops at this depth too.
const MAX_REF_DEPTH: usize = 5;

/// `.git` files, `commondir`, `HEAD` and loose refs are read up to this size; a path or the name of a ref is shorter by
/// far.
const MAX_POINTER_BYTES: u64 = 64 * 1024;

/// `packed-refs` is read up to here, line by line: a million refs take about 70 MB.
const MAX_PACKED_BYTES: u64 = 256 * 1024 * 1024;

/// One working tree and the repository behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The top folder of the working tree.
    pub top: PathBuf,
    /// The folder of this working tree alone: `HEAD`, the index.
    pub git_dir: PathBuf,
    /// What all working trees of the repository share: refs, objects, `info/exclude`. Equals `git_dir` unless this
    /// is a linked worktree.
    pub common_dir: PathBuf,
}

/// The checked-out commit or branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// A branch, by its name without `refs/heads/`; it need not have a commit yet.
    Branch(String),
    /// A commit, in hexadecimal, without a branch.
    Detached(String),
    /// No repository, or one that can't be read.
    None,
}

impl Repository {
    /// The repository whose working tree has its top at `folder`.
    pub fn at(folder: &Path) -> Option<Self> {
        let git_dir = own_git_dir(folder)?;
        let common_dir = match read_text(&git_dir.join("commondir"), MAX_POINTER_BYTES) {
            Ok(path) => clean(&git_dir.join(path.trim())),
            Err(_) => git_dir.clone(),
        };
        Some(Self { top: folder.to_path_buf(), git_dir, common_dir })
    }

    /// The repository that `folder` lies in: the nearest one upwards.
    pub fn discover(folder: &Path) -> Option<Self> {
        folder.ancestors().find_map(Self::at)
    }

    /// Whether the working tree was made by `git worktree add`.
    pub fn is_linked_worktree(&self) -> bool {
        // The folder it points to may be gone; then its place still tells.
        let is_below_worktrees =
            || self.git_dir.parent().and_then(Path::file_name).is_some_and(|name| name == "worktrees");
        self.git_dir != self.common_dir || (!self.git_dir.exists() && is_below_worktrees())
    }

    /// Whether the repository knows this working tree: it lies in it, or names it. A `.git` that merely points to
    /// another repository is a claim of the folder, which may have come from anywhere.
    pub fn is_mutual(&self) -> bool {
        let dot_git = self.top.join(".git");
        let leads_here = |path: &str, place: &Path| clean(&self.git_dir.join(path.trim())) == clean(place);
        if self.git_dir != self.common_dir {
            // `git worktree add` writes a pointer in each direction.
            let is_listed = self.git_dir.parent() == Some(&self.common_dir.join("worktrees"));
            return is_listed
                && read_ref_file(&self.git_dir.join("gitdir")).is_some_and(|path| leads_here(&path, &dot_git));
        }
        if fs::symlink_metadata(&dot_git).is_ok_and(|found| found.is_dir()) {
            return true;
        }
        // A submodule's configuration names its working tree.
        let config = read_text(&self.git_dir.join("config"), MAX_POINTER_BYTES).unwrap_or_default();
        let mut settings = config.lines().filter_map(|line| line.split_once('='));
        settings.any(|(key, path)| key.trim() == "worktree" && leads_here(path, &self.top))
    }

    /// The top of the main working tree, if the repository has one: a bare one has none, nor has a folder that only
    /// claims to be a linked worktree.
    pub fn main_worktree(&self) -> Option<PathBuf> {
        if !self.is_linked_worktree() {
            return Some(self.top.clone());
        }
        if !self.is_mutual() {
            return None;
        }
        (self.common_dir.file_name()? == ".git").then(|| self.common_dir.parent().map(Path::to_path_buf))?
    }

    /// The checked-out commit or branch.
    pub fn head(&self) -> Head {
        let Some(content) = read_ref_file(&self.git_dir.join("HEAD")) else {
            return Head::None;
        };
        match content.strip_prefix("ref:").map(str::trim) {
            // What `HEAD` says when the refs are kept elsewhere, as a `reftable`.
            Some("refs/heads/.invalid") => Head::None,
            Some(name) => Head::Branch(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()),
            None if is_object_id(&content) => Head::Detached(content),
            None => Head::None,
        }
    }

    /// The commit that is checked out, in hexadecimal; none on a branch without one.
    pub(crate) fn head_commit(&self) -> Option<String> {
        let mut content = read_ref_file(&self.git_dir.join("HEAD"))?;
        for _ in 0..MAX_REF_DEPTH {
            let Some(name) = content.strip_prefix("ref:").map(str::trim) else {
                return is_object_id(&content).then_some(content);
            };
            content = self.read_ref(name)?;
        }
        None
    }

    /// The branch, or `@` and the commit without one, and the commit; empty where there is none.
    pub fn branch_and_commit(&self) -> (String, String) {
        let commit = self.head_commit().unwrap_or_default();
        let branch = match self.head() {
            Head::Branch(name) => name,
            Head::Detached(commit) => format!("@{commit}"),
            Head::None => String::new(),
        };
        (branch, commit)
    }

    /// Whether there is a branch of this name, with a commit.
    pub fn has_branch(&self, name: &str) -> bool {
        self.read_ref(&format!("refs/heads/{name}")).is_some()
    }

    /// The target of a ref: a loose one of this working tree or of all, else a packed one.
    fn read_ref(&self, name: &str) -> Option<String> {
        let is_plain = name.starts_with("refs/") && !name.split('/').any(|part| matches!(part, "" | "." | ".."));
        if !is_plain {
            return None;
        }
        read_ref_file(&self.git_dir.join(name))
            .or_else(|| read_ref_file(&self.common_dir.join(name)))
            .or_else(|| packed_ref(open_regular(&self.common_dir.join("packed-refs")).ok()?, name))
    }
}

/// Whether git keeps a repository in this folder: a bare one, or one that a file `.git` elsewhere names. Git looks for the
/// same three entries.
pub(super) fn is_git_folder(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

/// The checked-out commit or branch of the repository around `root`.
pub fn head(root: &Path) -> Head {
    Repository::discover(root).map_or(Head::None, |repository| repository.head())
}

/// `.git` as a folder, or what the file `.git` points to.
fn own_git_dir(folder: &Path) -> Option<PathBuf> {
    let dot_git = folder.join(".git");
    let metadata = fs::metadata(&dot_git).ok()?;
    if metadata.is_dir() {
        return dot_git.join("HEAD").is_file().then_some(dot_git);
    }
    let content = read_text(&dot_git, MAX_POINTER_BYTES).ok()?;
    let target = content.strip_prefix("gitdir:")?.trim();
    (!target.is_empty()).then(|| clean(&folder.join(target)))
}

/// Without `.` and `..`, so that paths can be compared; links are resolved where the path exists.
fn clean(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

fn read_ref_file(path: &Path) -> Option<String> {
    let content = read_text(path, MAX_POINTER_BYTES).ok()?;
    let line = content.lines().next().unwrap_or_default().trim();
    (!line.is_empty()).then(|| line.to_owned())
}

/// The commit of a ref in a `packed-refs` file: lines of object and name, peeled tags (`^`) and a header (`#`) between.
fn packed_ref(packed: impl Read, name: &str) -> Option<String> {
    let lines = BufReader::new(packed.take(MAX_PACKED_BYTES)).split(b'\n').map_while(Result::ok);
    lines.filter(|line| !line.starts_with(b"#") && !line.starts_with(b"^")).find_map(|line| {
        let line = String::from_utf8_lossy(&line);
        let (object, found) = line.split_once(' ')?;
        (found.trim_end() == name && is_object_id(object)).then(|| object.to_owned())
    })
}

/// Whether this is an object's name in full: SHA-1 or SHA-256.
fn is_object_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

    fn write(root: &Path, path: &str, content: &str) {
        let place = root.join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, content).unwrap();
    }

    /// A folder with these files, free of links.
    fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (path, content) in files {
            write(&root, path, content);
        }
        (folder, root)
    }

    #[test]
    fn a_branch_is_read_from_head_and_its_commit_from_loose_or_packed_refs() {
        let (_folder, root) = tree(&[(".git/HEAD", "ref: refs/heads/feature/x\n"), ("src/a", "")]);
        assert_eq!(head(&root.join("src")), Head::Branch("feature/x".to_owned()));
        let repository = Repository::discover(&root).unwrap();
        assert_eq!(repository.head_commit(), None, "the branch has no commit yet");
        let other = COMMIT.replace('0', "f");
        write(
            &root,
            ".git/packed-refs",
            &format!(
                "# pack-refs with: peeled\n{other} refs/heads/feature/xy\n^{other}\n{COMMIT} refs/heads/feature/x\n"
            ),
        );
        assert_eq!(repository.head_commit().as_deref(), Some(COMMIT));
        write(&root, ".git/refs/heads/feature/x", &format!("{other}\n"));
        assert_eq!(repository.head_commit(), Some(other), "a loose ref is newer than a packed one");
    }

    #[test]
    fn a_commit_without_branch_is_detached() {
        let (_folder, root) = tree(&[(".git/HEAD", &format!("{COMMIT}\n"))]);
        assert_eq!(head(&root), Head::Detached(COMMIT.to_owned()));
        assert_eq!(Repository::at(&root).unwrap().head_commit().as_deref(), Some(COMMIT));
    }

    #[test]
    fn a_linked_worktree_has_its_own_head_and_shared_refs() {
        let (_folder, root) = tree(&[
            ("main/.git/HEAD", "ref: refs/heads/main\n"),
            ("main/.git/refs/heads/side", COMMIT),
            ("main/.git/worktrees/side/HEAD", "ref: refs/heads/side\n"),
            ("main/.git/worktrees/side/commondir", "../..\n"),
        ]);
        write(&root, "side/.git", &format!("gitdir: {}\n", root.join("main/.git/worktrees/side").display()));
        let claimed = Repository::at(&root.join("side")).unwrap();
        assert_eq!((claimed.is_mutual(), claimed.main_worktree()), (false, None), "nothing leads back");
        write(&root, "main/.git/worktrees/side/gitdir", &format!("{}\n", root.join("side/.git").display()));
        let side = Repository::at(&root.join("side")).unwrap();
        assert!(side.is_mutual());
        assert!(side.is_linked_worktree());
        assert_eq!(side.common_dir, root.join("main/.git"));
        assert_eq!(side.main_worktree(), Some(root.join("main")));
        assert_eq!(side.head(), Head::Branch("side".to_owned()));
        assert_eq!(side.head_commit().as_deref(), Some(COMMIT));
        assert!(!Repository::at(&root.join("main")).unwrap().is_linked_worktree());
    }

    #[test]
    fn a_worktree_whose_repository_is_gone_is_still_one() {
        let (_folder, root) = tree(&[("side/.git", "gitdir: /nowhere/.git/worktrees/side\n")]);
        let side = Repository::at(&root.join("side")).unwrap();
        assert!(side.is_linked_worktree());
        assert_eq!(side.head(), Head::None);
    }

    #[test]
    fn a_submodule_is_no_linked_worktree() {
        let (_folder, root) = tree(&[(".git/modules/sub/HEAD", COMMIT), ("sub/.git", "gitdir: ../.git/modules/sub\n")]);
        let sub = Repository::at(&root.join("sub")).unwrap();
        assert!(!sub.is_linked_worktree());
        assert!(!sub.is_mutual());
        write(&root, ".git/modules/sub/config", "[core]\n\tworktree = ../../../sub\n");
        assert!(sub.is_mutual());
        assert_eq!(sub.git_dir, root.join(".git/modules/sub"));
        assert_eq!(sub.head(), Head::Detached(COMMIT.to_owned()));
    }

    #[test]
    fn what_makes_no_sense_reads_as_nothing() {
        for content in ["", "garbage", "ref: refs/heads/.invalid", "0123"] {
            let (_folder, root) = tree(&[(".git/HEAD", content)]);
            assert_eq!(head(&root), Head::None, "{content}");
            assert_eq!(Repository::at(&root).unwrap().head_commit(), None);
        }
        let (_folder, root) = tree(&[(".git/HEAD", "ref: refs/../../secret"), ("secret", COMMIT)]);
        assert_eq!(Repository::at(&root).unwrap().head_commit(), None);
        let (_folder, root) = tree(&[(".git/HEAD", "ref: refs/heads/a"), (".git/refs/heads/a", "ref: refs/heads/a")]);
        assert_eq!(Repository::at(&root).unwrap().head_commit(), None, "a ref that points to itself");
        let (_folder, root) = tree(&[(".git/config", "")]);
        assert_eq!(Repository::at(&root), None, "a folder without HEAD");
        let (_folder, root) = tree(&[(".git", "no pointer")]);
        assert_eq!(Repository::at(&root), None);
    }
}
