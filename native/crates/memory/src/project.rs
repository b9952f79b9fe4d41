//! Identifies the project of a folder: worktrees, clones and moved copies of a repository are one project.
//!
//! A project has several identities. Those of a folder are looked up in order; the first that is known decides, and the
//! others become aliases of the same project.

use std::path::Path;

use rusqlite::params;
use serde::{Deserialize, Serialize};

use codecairn_base::database::Database;
use codecairn_base::error::Result;
use codecairn_walk::git::Repository;
use codecairn_walk::read_text;

/// The number of the user's own project, whose facts hold everywhere.
pub(super) const USER: i64 = 0;

/// git's configuration is read up to this size; that of a repository has some hundred bytes.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

/// The identity of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identity {
    /// By git's remote, else by the repository that worktrees share, else by the folder.
    Git,
    /// By the repository that worktrees share, else by the folder: clones are different projects.
    Repository,
    /// By the folder alone.
    Folder,
}

impl std::str::FromStr for Identity {
    type Err = String;

    fn from_str(name: &str) -> std::result::Result<Self, String> {
        match name {
            "git" => Ok(Self::Git),
            "repository" => Ok(Self::Repository),
            "folder" => Ok(Self::Folder),
            _ => Err(format!("unknown identity `{name}`: `git`, `repository` or `folder`")),
        }
    }
}

/// The identities and the name of a project, before it is looked up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectName {
    /// Identities by kind, the first that is known decides.
    pub identities: Vec<(String, String)>,
    /// Its display name.
    pub name: String,
    /// The folder.
    pub root: String,
}

impl ProjectName {
    /// The project of the folder `root`. A `custom` name comes before all else.
    pub fn of(root: &Path, identity: Identity, custom: Option<&str>) -> Self {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
        let folder = ("folder".to_owned(), format!("folder:{}", root.display()));
        let mut identities = Vec::new();
        if let Some(custom) = custom.filter(|custom| !custom.trim().is_empty()) {
            identities.push(("custom".to_owned(), format!("custom:{}", custom.trim())));
        }
        // A folder that only claims to belong to a repository must not get the memory of that one.
        let is_known = |repository: &Repository| identity != Identity::Folder && repository.is_mutual();
        let repository = Repository::at(&root).filter(is_known);
        match &repository {
            Some(repository) => {
                let remote = remote_url(&repository.common_dir).filter(|_| identity == Identity::Git);
                identities.extend(remote.map(|url| ("remote".to_owned(), format!("remote:{url}"))));
                let shared = repository.common_dir.display();
                identities.push(("repository".to_owned(), format!("repository:{shared}")));
            }
            None => identities.push(folder),
        }
        let main = repository.and_then(|repository| repository.main_worktree()).unwrap_or_else(|| root.clone());
        let from_folder =
            main.file_name().map_or_else(|| "root".to_owned(), |name| name.to_string_lossy().into_owned());
        let name = custom.map_or(from_folder, |custom| custom.trim().to_owned());
        Self { identities, name, root: root.display().to_string() }
    }
}

/// The project's number, made if it is new. Runs inside a transaction.
pub(super) fn resolve(database: &Database, project: &ProjectName, now_ms: i64) -> Result<i64> {
    if let Some(number) = find(database, project)? {
        for (_, identity) in &project.identities {
            let sql = "INSERT OR IGNORE INTO project_alias (alias, project) VALUES (?1, ?2)";
            database.run(sql, params![identity, number])?;
        }
        return Ok(number);
    }
    let Some((kind, identity)) = project.identities.first() else { return Ok(USER) };
    database.run(
        "INSERT INTO project (identity, kind, name, root, created_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![identity, kind, project.name, project.root, now_ms],
    )?;
    let number = database.last_row();
    for (_, identity) in &project.identities {
        database
            .run("INSERT OR IGNORE INTO project_alias (alias, project) VALUES (?1, ?2)", params![identity, number])?;
    }
    Ok(number)
}

/// The project's number if it is known.
pub(super) fn find(database: &Database, project: &ProjectName) -> Result<Option<i64>> {
    for (_, identity) in &project.identities {
        let sql = "SELECT project FROM project_alias WHERE alias = ?1";
        if let Some(number) = database.first(sql, [identity], |row| Ok(row.get(0)?))? {
            return Ok(Some(number));
        }
    }
    Ok(None)
}

/// The address of the remote `origin`, else of the first one, without scheme, user, password and `.git`.
fn remote_url(common_dir: &Path) -> Option<String> {
    let config = read_text(&common_dir.join("config"), MAX_CONFIG_BYTES).ok()?;
    let mut section: Option<String> = None;
    let mut found: Option<(bool, String)> = None;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line.strip_prefix("[remote \"").and_then(|rest| rest.strip_suffix("\"]")).map(str::to_owned);
        } else if let (Some(remote), Some((key, value))) = (&section, line.split_once('=')) {
            let is_origin = remote == "origin";
            if key.trim() == "url" && (found.is_none() || is_origin && found.as_ref().is_some_and(|known| !known.0)) {
                found = Some((is_origin, plain_url(value.trim())));
            }
        }
    }
    found.map(|found| found.1).filter(|url| !url.is_empty())
}

/// One spelling for all ways to write an address.
fn plain_url(url: &str) -> String {
    let without_scheme = url.split_once("://").map_or_else(|| url.replacen(':', "/", 1), |found| found.1.to_owned());
    let (first, rest) = without_scheme.split_once('/').unwrap_or((&without_scheme, ""));
    let host = first.rsplit('@').next().unwrap_or(first).to_ascii_lowercase();
    let host = host.split(':').next().unwrap_or_default();
    let path = rest.trim_matches('/').trim_end_matches(".git");
    format!("{host}/{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_spellings_of_an_address_are_one() {
        for url in [
            "https://example.com/owner/name.git",
            "https://bob:word@Example.com/owner/name",
            "git@example.com:owner/name.git",
            "ssh://git@example.com:22/owner/name.git/",
        ] {
            assert_eq!(plain_url(url), "example.com/owner/name", "{url}");
        }
    }

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
}
