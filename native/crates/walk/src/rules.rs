//! Decides which entries belong to the index: one rule set for walking and for watching.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use codecairn_base::error::{Error, Result};

use super::contained_files::MAX_ALL_RULE_COST;
use super::folder::{FolderRules, RULE_FILES, RefusedRules, RuleReader, Verdict, read_rules};
use super::git::{Repository, is_git_folder};
use super::skip::{Skip, SkipReason};
use super::{name, path};

/// What the user wants indexed, in addition to the tree's ignore files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleOptions {
    /// Globs in gitignore's syntax; with any, only files that match one, or lie in a folder that does, are walked.
    pub include: Vec<String>,
    /// Globs in gitignore's syntax that leave entries out before any ignore file is asked; a negated one (`!dist/`)
    /// takes an entry in, whatever an ignore file or a list of secrets says.
    pub exclude: Vec<String>,
    /// A file of git's global excludes, asked last; see [`global_excludes_path`].
    pub global_excludes: Option<PathBuf>,
}

/// Where git keeps the user's global excludes: `core.excludesFile`, else `git/ignore` in the configuration folder.
/// The one place here that depends on the user's environment; nothing else calls it.
pub fn global_excludes_path() -> Option<PathBuf> {
    ignore::gitignore::gitconfig_excludes_path()
}

/// The rules of one workspace. Ignore files are read when a folder is first asked about and remembered until
/// [`refresh`](Self::refresh); every [`walk`](super::walk()) begins with one. Clones share what is remembered.
#[derive(Debug, Clone)]
pub struct Rules(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    root: PathBuf,
    include: Gitignore,
    exclude: Gitignore,
    global: Gitignore,
    folders: RwLock<HashMap<String, Folder>>,
    refused: Mutex<Vec<RefusedRules>>,
    room: AtomicU64,
}

/// The cached rules of a folder.
#[derive(Debug, Clone)]
enum Folder {
    Walked(Arc<FolderRules>),
    Skipped(Reason),
}

/// Why an entry is left out, as class and in words.
type Reason = (SkipReason, &'static str);

impl Rules {
    /// The rules for everything below `root`, a folder that exists.
    pub fn new(root: &Path, options: &RuleOptions) -> Result<Self> {
        let bad_root = |detail: String| Error::BadRoot { path: root.to_path_buf(), detail };
        let root = root.canonicalize().map_err(|error| bad_root(error.to_string().to_lowercase()))?;
        if !root.is_dir() {
            return Err(bad_root("it is not a folder".to_owned()));
        }
        let (folders, refused, room) = (RwLock::default(), Mutex::default(), AtomicU64::new(MAX_ALL_RULE_COST));
        let global = options.global_excludes.as_deref().and_then(|file| read_rules(&root, file, None, &room).ok());
        let global = global.unwrap_or_else(Gitignore::empty);
        let include = globs(&root, &options.include)?;
        let exclude = globs(&root, &options.exclude)?;
        Ok(Self(Arc::new(Inner { root, include, exclude, global, folders, refused, room })))
    }

    /// The workspace's root, without links.
    pub fn root(&self) -> &Path {
        &self.0.root
    }

    /// Whether the entry at `path` (relative to the root, with `/`) is left out, and why; for an entry below a
    /// folder that is left out, that folder's reason. A link is no folder, whatever it points to.
    pub fn decide(&self, path: &str, is_dir: bool) -> Option<SkipReason> {
        if path.is_empty() {
            return None;
        }
        if !path::stays_inside(path) {
            return Some(SkipReason::OutsideWorkspace);
        }
        self.explain(path, &path::absolute(&self.0.root, path), is_dir).map(|(reason, _)| reason)
    }

    /// Like [`decide`](Self::decide), with the reason in words, for an entry that is known to lie at `place`.
    pub(super) fn explain(&self, path: &str, place: &Path, is_dir: bool) -> Option<Reason> {
        if is_dir {
            return match self.folder(path) {
                Folder::Walked(_) => None,
                Folder::Skipped(reason) => Some(reason),
            };
        }
        match self.folder(path::parent(path)) {
            Folder::Walked(rules) => self.judge(&rules, path, place, false).err(),
            Folder::Skipped(reason) => Some(reason),
        }
    }

    /// Drops all cached rules, so that ignore files are read again. A watcher calls it when a
    /// [rule file](Self::is_rule_file) changes.
    pub fn refresh(&self) {
        self.0.folders.write().unwrap_or_else(PoisonError::into_inner).clear();
        self.0.refused.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.0.room.store(MAX_ALL_RULE_COST, Ordering::Relaxed);
    }

    /// The ignore files that are there and were not read, since the last [`refresh`](Self::refresh). Of one that lies
    /// above the root, the path is absolute.
    pub(super) fn refused(&self) -> Vec<Skip> {
        let refused = self.0.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let skip = |refused: &RefusedRules| {
            let path = path::relative(&self.0.root, &refused.file).unwrap_or_else(|lossy| lossy);
            Skip::new(path, refused.reason, format!("its ignore rules are not read: {}", refused.detail))
        };
        refused.iter().map(skip).collect()
    }

    /// The rules inside a folder; links of ignore files are followed below `top`.
    fn load(
        &self,
        folder: &Path,
        repository: Option<&Repository>,
        parent: Option<&Arc<FolderRules>>,
        top: &Path,
        is_ignored_by_git: bool,
    ) -> Arc<FolderRules> {
        let mut reader = RuleReader { top, room: &self.0.room, refused: Vec::new() };
        let rules = FolderRules::load(folder, repository, parent, is_ignored_by_git, &mut reader);
        if !reader.refused.is_empty() {
            let mut all = self.0.refused.lock().unwrap_or_else(PoisonError::into_inner);
            reader.refused.retain(|new| all.iter().all(|known| known.file != new.file));
            all.append(&mut reader.refused);
        }
        rules
    }

    /// Whether a change of the file at `path` may change what [`decide`](Self::decide) says about others.
    pub fn is_rule_file(path: &str) -> bool {
        let name = path::name(path);
        RULE_FILES.contains(&name) || name == ".git" || path.ends_with(".git/info/exclude")
    }

    /// The rules of a folder, read at most once.
    fn folder(&self, path: &str) -> Folder {
        let known = self.0.folders.read().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        known.unwrap_or_else(|| {
            let folder = self.read_folder(path);
            self.0.folders.write().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), folder.clone());
            folder
        })
    }

    fn read_folder(&self, path: &str) -> Folder {
        if path.is_empty() {
            let repository = Repository::at(&self.0.root);
            let above = if repository.is_some() { None } else { self.rules_above() };
            return Folder::Walked(self.load(&self.0.root, repository.as_ref(), above.as_ref(), &self.0.root, false));
        }
        let parent = match self.folder(path::parent(path)) {
            Folder::Walked(parent) => parent,
            skipped @ Folder::Skipped(_) => return skipped,
        };
        let place = path::absolute(&self.0.root, path);
        let is_ignored_by_git = match self.judge(&parent, path, &place, true) {
            Ok(verdict) => verdict == Verdict::OnlyTracked,
            Err(reason) => return Folder::Skipped(reason),
        };
        let repository = Repository::at(&place);
        if repository.as_ref().is_some_and(Repository::is_linked_worktree) {
            return Folder::Skipped((SkipReason::NestedWorktree, "a linked worktree with files of its own branch"));
        }
        if repository.is_none() && is_git_folder(&place) {
            return Folder::Skipped((SkipReason::Internal, "inside of a git repository"));
        }
        Folder::Walked(self.load(&place, repository.as_ref(), Some(&parent), &self.0.root, is_ignored_by_git))
    }

    /// The rules of the folders between the top of the repository and the root, if the root lies inside one and is
    /// not itself ignored there: a folder that is named is wanted, ignored or not.
    fn rules_above(&self) -> Option<Arc<FolderRules>> {
        let top = Repository::discover(&self.0.root)?.top;
        let mut above: Vec<&Path> =
            self.0.root.ancestors().skip(1).take_while(|folder| folder.starts_with(&top)).collect();
        above.reverse();
        let below = above.iter().skip(1).copied().chain([self.0.root.as_path()]);
        let mut rules = None;
        for (folder, next) in above.iter().zip(below) {
            let here = self.load(folder, Repository::at(folder).as_ref(), rules.as_ref(), &top, false);
            if matches!(here.judge(next, true, &self.0.global), Verdict::Ignored | Verdict::OnlyTracked) {
                return None;
            }
            rules = Some(here);
        }
        rules
    }

    /// The verdict on one entry of a folder with these rules, or why it is left out.
    fn judge(
        &self,
        rules: &FolderRules,
        path: &str,
        place: &Path,
        is_dir: bool,
    ) -> std::result::Result<Verdict, Reason> {
        let name = path::name(path);
        if let Some(reason) = internal(path, name) {
            return Err(reason);
        }
        let by_user = self.0.exclude.matched(place, is_dir);
        let verdict = match () {
            () if by_user.is_whitelist() => Verdict::Wanted,
            () if by_user.is_ignore() => Verdict::Ignored,
            () => rules.judge(place, is_dir, &self.0.global),
        };
        if verdict == Verdict::Ignored {
            return Err((SkipReason::Ignored, "an ignore rule"));
        }
        if is_dir {
            return Ok(verdict);
        }
        if !self.0.include.is_empty() && !self.0.include.matched_path_or_any_parents(place, false).is_ignore() {
            return Err((SkipReason::Ignored, "no include glob matches"));
        }
        match name::reason(name) {
            Some(reason) if verdict != Verdict::Wanted => Err(reason),
            _ => Ok(verdict),
        }
    }
}

/// Entries that are never content, regardless of rules.
fn internal(path: &str, name: &str) -> Option<Reason> {
    match name {
        ".codecairn" if path != name => Some((SkipReason::NestedStore, "the store of another workspace")),
        ".codecairn" | ".git" | ".hg" | ".svn" | ".jj" | ".bzr" => Some((SkipReason::Internal, "book-keeping")),
        _ => None,
    }
}

fn globs(root: &Path, globs: &[String]) -> Result<Gitignore> {
    let bad_glob = |glob: &str, error: ignore::Error| Error::InvalidArgument(format!("bad glob `{glob}`: {error}"));
    let mut builder = GitignoreBuilder::new(root);
    builder.allow_unclosed_class(false);
    for glob in globs {
        builder.add_line(None, glob).map_err(|error| bad_glob(glob, error))?;
    }
    builder.build().map_err(|error| bad_glob(&globs.join(" "), error))
}
