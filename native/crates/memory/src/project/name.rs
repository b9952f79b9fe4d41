//! Reads from the disk by which a folder's project is recognised.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use codecairn_walk::git::Repository;

use super::remote::remote_url;

/// Submodules in submodules are followed up to here.
const MAX_PARENTS: usize = 8;

/// The kinds of identity of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identity {
    /// git's remote, else the repository that worktrees share, else the folder.
    Git,
    /// The repository that worktrees share, else the folder: clones are different projects.
    Repository,
    /// The folder alone.
    Folder,
}

impl std::str::FromStr for Identity {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "git" => Ok(Self::Git),
            "repository" => Ok(Self::Repository),
            "folder" => Ok(Self::Folder),
            _ => Err(format!("unknown identity `{name}`: `git`, `repository` or `folder`")),
        }
    }
}

/// The identities and the name of a project, before it is looked up.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProjectName {
    /// Identities by kind: `custom`, `remote`, and `repository` or `folder`.
    pub identities: Vec<(String, String)>,
    /// Its display name.
    pub name: String,
    /// The folder.
    pub root: String,
    /// The folder that worktrees share, with its mark; records of older versions have none.
    #[serde(default)]
    pub folder: Option<Folder>,
    /// The project around this one, if it is a submodule.
    #[serde(skip)]
    pub parent: Option<Box<Self>>,
    /// The files that it was read from, to be read again once they have changed.
    #[serde(skip)]
    source: Option<Source>,
}

/// Records are equal after they were spooled, whatever they were read from.
impl PartialEq for ProjectName {
    fn eq(&self, other: &Self) -> bool {
        let parts = |name: &Self| (name.identities.clone(), name.name.clone(), name.root.clone(), name.folder.clone());
        parts(self) == parts(other)
    }
}

impl Eq for ProjectName {}

/// The folder of a project: the main working tree, a repository without one, or a folder without git.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folder {
    /// Its path, without links.
    pub path: String,
    /// A mark that a later folder at the same path does not have, and that stays when the folder is moved.
    pub mark: Option<String>,
    /// The same of its git folder.
    pub repository: Option<String>,
}

/// The source of a [`ProjectName`].
#[derive(Debug, Clone, PartialEq, Eq)]
struct Source {
    root: PathBuf,
    identity: Identity,
    custom: Option<String>,
    stamp: Vec<Option<String>>,
    files: Vec<PathBuf>,
}

impl ProjectName {
    /// The project of the folder `root`. A `custom` name decides alone.
    pub fn of(root: &Path, identity: Identity, custom: Option<&str>) -> Self {
        Self::read(root, identity, custom, MAX_PARENTS)
    }

    fn read(root: &Path, identity: Identity, custom: Option<&str>, parents: usize) -> Self {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
        let given = custom.map(str::to_owned);
        let custom = custom.map(str::trim).filter(|custom| !custom.is_empty());
        let mut identities = Vec::new();
        if let Some(custom) = custom {
            identities.push(("custom".to_owned(), format!("custom:{custom}")));
        }
        // A folder that only claims to belong to a repository must not get the memory of that one.
        let is_known = |repository: &Repository| identity != Identity::Folder && repository.is_mutual();
        let repository = Repository::at(&root).filter(is_known);
        let folder = if let Some(repository) = &repository {
            let config = repository.common_dir.join("config");
            let remote = remote_url(&config, &home_of(repository)).filter(|_| identity == Identity::Git);
            identities.extend(remote.map(|url| ("remote".to_owned(), format!("remote:{url}"))));
            let shared = repository.common_dir.display();
            identities.push(("repository".to_owned(), format!("repository:{shared}")));
            let mark = mark_of(&repository.common_dir);
            Folder { repository: mark, ..Folder::at(&home_of(repository)) }
        } else {
            identities.push(("folder".to_owned(), format!("folder:{}", root.display())));
            Folder::at(&root)
        };
        let parent = repository
            .as_ref()
            .filter(|_| parents > 0)
            .and_then(around)
            .map(|top| Box::new(Self::read(&top, identity, None, parents - 1)));
        let mut files = vec![root.clone(), root.join(".git")];
        files.extend(repository.as_ref().map(|repository| repository.common_dir.join("config")));
        let stamp = stamp_of(&files);
        let main = repository.and_then(|repository| repository.main_worktree()).unwrap_or_else(|| root.clone());
        let from_folder =
            main.file_name().map_or_else(|| "root".to_owned(), |name| name.to_string_lossy().into_owned());
        let name = custom.map_or(from_folder, str::to_owned);
        let shown = root.display().to_string();
        let source = Some(Source { root, identity, custom: given, stamp, files });
        Self { identities, name, root: shown, folder: Some(folder), parent, source }
    }

    /// The same as the disk is now: a process may live longer than the address of a remote. A folder that is gone stays as
    /// it was.
    pub(crate) fn current(&self) -> Self {
        let Some(source) = &self.source else { return self.clone() };
        if stamp_of(&source.files) == source.stamp || !source.root.is_dir() {
            return self.clone();
        }
        Self::of(&source.root, source.identity, source.custom.as_deref())
    }

    /// The alias of the name that the settings give.
    pub(super) fn custom(&self) -> Option<&str> {
        self.alias("custom")
    }

    /// The alias of the remote.
    pub(super) fn remote(&self) -> Option<&str> {
        self.alias("remote")
    }

    fn alias(&self, wanted: &str) -> Option<&str> {
        self.identities.iter().find(|(kind, _)| kind == wanted).map(|(_, alias)| alias.as_str())
    }

    /// The path of its folder.
    pub(super) fn path(&self) -> Option<String> {
        let of_alias = || {
            let (_, alias) = self.identities.iter().find(|(kind, _)| kind == "repository" || kind == "folder")?;
            let (_, path) = alias.split_once(':')?;
            Some(path.strip_suffix(".git").map_or(path, |path| path.trim_end_matches(['/', '\\'])).to_owned())
        };
        self.folder.as_ref().map(|folder| folder.path.clone()).or_else(of_alias)
    }
}

impl Folder {
    fn at(path: &Path) -> Self {
        Self { path: path.display().to_string(), mark: mark_of(path), repository: None }
    }
}

/// The remote of the repository at a project's folder as it is on the disk now, and the mark of the folder; `None` if it
/// is gone.
pub(super) fn seen_at(path: &Path) -> Option<(Option<String>, Option<String>)> {
    let mark = mark_of(path);
    if !path.is_dir() {
        return None;
    }
    let dot_git = path.join(".git");
    let git_folder = if dot_git.is_dir() { dot_git } else { path.to_path_buf() };
    let is_repository = git_folder.join("HEAD").is_file();
    let remote = is_repository.then(|| remote_url(&git_folder.join("config"), path)).flatten();
    let remote = remote.map(|url| format!("remote:{url}"));
    Some((mark, remote))
}

/// The folder that all worktrees of a repository share: its main working tree, else the git folder itself.
fn home_of(repository: &Repository) -> PathBuf {
    let common = &repository.common_dir;
    let above = common.parent().filter(|_| common.file_name().is_some_and(|name| name == ".git"));
    above.unwrap_or(common).to_path_buf()
}

/// The top folder of the repository that a submodule belongs to: the one around it that keeps its git folder.
fn around(repository: &Repository) -> Option<PathBuf> {
    // Of other repositories nothing around them has to be looked for.
    repository.git_dir.components().find(|part| part.as_os_str() == "modules")?;
    let outer = Repository::discover(repository.top.parent()?)?;
    let keeps = |dir: &Path| repository.git_dir.starts_with(dir.join("modules"));
    (outer.is_mutual() && (keeps(&outer.git_dir) || keeps(&outer.common_dir))).then_some(outer.top)
}

/// The mark of a folder, which a later one at its path does not have, and which stays when it is moved within a file system: its number there
/// with its time of birth, as numbers are given again. `None` where no time of birth is known.
fn mark_of(path: &Path) -> Option<String> {
    let found = std::fs::metadata(path).ok()?;
    let born = found.created().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
    (born > 0).then(|| format!("{}:{born}", number_of(&found)))
}

#[cfg(unix)]
fn number_of(found: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(found)
}

#[cfg(not(unix))]
fn number_of(_: &Metadata) -> u64 {
    0
}

/// The visible state of files and folders; of folders, which they are.
fn stamp_of(files: &[PathBuf]) -> Vec<Option<String>> {
    let stamp = |path: &PathBuf| {
        let found = std::fs::metadata(path).ok()?;
        let own = number_of(&found);
        if found.is_dir() {
            return Some(own.to_string());
        }
        let modified = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Some(format!("{own}:{}:{}", found.len(), modified.map_or(0, |since| since.as_nanos())))
    };
    files.iter().map(stamp).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_claims_to_be_of_a_repository_is_its_own_project() {
        let dir = tempfile::tempdir().unwrap();
        let (own, planted) = (dir.path().join("own"), dir.path().join("planted"));
        std::fs::create_dir_all(own.join(".git/worktrees/x")).unwrap();
        std::fs::create_dir_all(&planted).unwrap();
        std::fs::write(own.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        std::fs::write(own.join(".git/config"), "[remote \"origin\"]\n\turl = https://example.com/a/b\n").unwrap();
        std::fs::write(own.join(".git/worktrees/x/HEAD"), "ref: refs/heads/x\n").unwrap();
        std::fs::write(own.join(".git/worktrees/x/commondir"), "../..\n").unwrap();
        assert_eq!(ProjectName::of(&own, Identity::Git, None).identities[0].1, "remote:example.com/a/b");
        for target in [own.join(".git"), own.join(".git/worktrees/x")] {
            std::fs::write(planted.join(".git"), format!("gitdir: {}\n", target.display())).unwrap();
            let project = ProjectName::of(&planted, Identity::Git, None);
            assert_eq!(project.identities.len(), 1);
            assert_eq!(project.identities[0].0, "folder");
            assert_eq!(project.folder.unwrap().repository, None);
        }
    }

    #[test]
    fn a_folder_without_git_is_its_own_project() {
        let dir = tempfile::tempdir().unwrap();
        let project = ProjectName::of(dir.path(), Identity::Git, None);
        assert_eq!(project.identities.len(), 1);
        assert_eq!(project.identities[0].0, "folder");
        let named = ProjectName::of(dir.path(), Identity::Git, Some("shop"));
        assert_eq!((named.identities[0].1.as_str(), named.name.as_str()), ("custom:shop", "shop"));
    }

    #[test]
    fn a_name_that_was_read_follows_the_address_of_the_remote() {
        let dir = tempfile::tempdir().unwrap();
        let config = dir.path().join(".git/config");
        std::fs::create_dir(dir.path().join(".git")).unwrap();
        std::fs::write(dir.path().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let address = |url: &str| format!("[remote \"origin\"]\n\tURL = \"{url}\"\n");
        std::fs::write(&config, address("https://example.com/a/starter")).unwrap();
        let read = ProjectName::of(dir.path(), Identity::Git, None);
        assert_eq!(read.current(), read);
        std::fs::write(&config, address("https://example.com/customer/shop")).unwrap();
        assert_eq!(read.current().remote(), Some("remote:example.com/customer/shop"));
        std::fs::remove_dir_all(dir.path()).unwrap();
        assert_eq!(read.current(), read, "a folder that is gone stays what it was");
    }
}
