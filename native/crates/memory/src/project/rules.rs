//! Decides which project a folder belongs to. The page `docs/reference/projects.md` has these rules for users.

use std::path::Path;

use rusqlite::{Row, params};

use codecairn_base::database::Database;
use codecairn_base::error::Result;

use super::USER;
use super::name::{ProjectName, seen_at};

/// A row of the table of folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FolderRow {
    pub(super) path: String,
    pub(super) mark: Option<String>,
    repository: Option<String>,
    pub(super) remote: Option<String>,
    pub(super) project: i64,
    pub(super) former: Option<i64>,
}

const COLUMNS: &str = "SELECT path, mark, repository, remote, project, former FROM project_folder";

/// Why a folder has its project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The settings name it.
    Named,
    /// The folder was met before.
    Folder,
    /// The folder was met before, at another path.
    Moved,
    /// Its remote is that of the project.
    Remote,
    /// Neither the folder nor its remote was met before.
    New,
    /// Another folder was at its path.
    Replaced,
    /// The remote changed, and other folders of the project kept the old one.
    Left,
    /// The remote changed together with the git folder.
    OtherRepository,
    /// The remote is one that its project has left.
    FormerRemote,
    /// An older version met the folder with another remote.
    Unsure,
}

/// The decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decision {
    /// The project; `None` for a new one.
    pub(super) project: Option<i64>,
    /// Why.
    pub(super) reason: Reason,
    /// Another project that the folder had, or might have had.
    pub(super) former: Option<i64>,
    /// The folder as it was met before.
    row: Option<FolderRow>,
    /// Another folder that was at its path.
    replaced: Option<FolderRow>,
}

/// The project's number if it is known.
pub(crate) fn find(database: &Database, name: &ProjectName) -> Result<Option<i64>> {
    Ok(decide(database, name)?.project)
}

/// The numbers and names of the projects around a submodule that are known, the nearest first.
pub(crate) fn parents(database: &Database, name: &ProjectName, own: i64) -> Result<Vec<i64>> {
    let mut found = Vec::new();
    let mut next = name.parent.as_deref();
    while let Some(parent) = next {
        found.extend(find(database, parent)?.filter(|number| *number != own && *number != USER));
        next = parent.parent.as_deref();
    }
    found.dedup();
    Ok(found)
}

/// The project's number, made if it is new. Runs inside a transaction.
pub(crate) fn resolve(database: &Database, name: &ProjectName, now_ms: i64) -> Result<i64> {
    let decision = decide(database, name)?;
    let left = name.remote().filter(|_| decision.reason == Reason::FormerRemote);
    if let Some(remote) = left {
        release(database, remote, None)?;
    }
    let number = match decision.project {
        Some(number) => number,
        None if name.identities.is_empty() => return Ok(USER),
        None => create(database, name, now_ms)?,
    };
    note(database, name, number, &decision)?;
    Ok(number)
}

/// The same for a record that waited: it belongs to its folder, whatever remote that had when it was recorded.
pub(crate) fn resolve_waiting(database: &Database, name: &ProjectName, now_ms: i64) -> Result<i64> {
    if name.custom().is_none()
        && let Some(row) = same_folder(database, name)?
    {
        return Ok(row.project);
    }
    resolve(database, name, now_ms)
}

/// Decides by what is known; reads the disk only where a remote is new to a folder.
pub(super) fn decide(database: &Database, name: &ProjectName) -> Result<Decision> {
    let row = same_folder(database, name)?;
    let replaced = match (&row, name.path()) {
        (None, Some(path)) => at_path(database, &path)?,
        _ => None,
    };
    let home = row.as_ref().map(|row| row.project);
    let (project, reason) = match name.custom() {
        Some(custom) => named(database, custom, row.as_ref())?,
        None => by_folder_and_remote(database, name, row.as_ref())?,
    };
    let is_replaced = reason == Reason::New && replaced.is_some();
    let reason = if is_replaced { Reason::Replaced } else { reason };
    let of_remote = match name.remote().filter(|_| reason == Reason::FormerRemote) {
        Some(remote) => project_of(database, remote)?,
        None => None,
    };
    let before = [home, replaced.as_ref().map(|row| row.project), of_remote, row.as_ref().and_then(|row| row.former)];
    let former = before.into_iter().flatten().find(|before| project != Some(*before));
    Ok(Decision { project, reason, former, row, replaced })
}

/// A name of the settings decides alone. One that is new takes over the project that the folder has to itself.
fn named(database: &Database, custom: &str, row: Option<&FolderRow>) -> Result<(Option<i64>, Reason)> {
    if let Some(number) = project_of(database, custom)? {
        return Ok((Some(number), Reason::Named));
    }
    let Some(row) = row else { return Ok((None, Reason::New)) };
    let sql = "SELECT 1 FROM project_alias WHERE project = ?1 AND alias LIKE 'custom:%'";
    let has_name = database.first(sql, [row.project], |row| Ok(row.get::<_, i64>(0)?))?.is_some();
    let is_shared = folders_of(database, row.project)?.iter().any(|other| other.path != row.path && is_there(other));
    Ok(if has_name || is_shared { (None, Reason::Left) } else { (Some(row.project), Reason::Folder) })
}

fn by_folder_and_remote(
    database: &Database,
    name: &ProjectName,
    row: Option<&FolderRow>,
) -> Result<(Option<i64>, Reason)> {
    let own = |row: &FolderRow| {
        let is_moved = name.path().is_some_and(|path| path != row.path);
        (Some(row.project), if is_moved { Reason::Moved } else { Reason::Folder })
    };
    if let Some(row) = row
        && row.remote.as_deref() == name.remote()
    {
        return Ok(own(row));
    }
    let Some(remote) = name.remote() else {
        let Some(row) = row else { return Ok((None, Reason::New)) };
        return Ok(if is_shared(database, row)? { (None, Reason::Left) } else { own(row) });
    };
    if let Some(number) = project_of(database, remote)? {
        if let Some(row) = row.filter(|row| row.project == number) {
            return Ok(own(row));
        }
        if holds(database, number, remote, row)? {
            return Ok((Some(number), Reason::Remote));
        }
        if row.is_none() {
            return Ok((None, Reason::FormerRemote));
        }
    }
    let Some(row) = row else { return Ok((None, Reason::New)) };
    let is_other = |known: &Option<String>| {
        let now = name.folder.as_ref().and_then(|folder| folder.repository.as_ref());
        known.is_some() && known.as_ref() != now
    };
    if is_other(&row.repository) {
        return Ok((None, Reason::OtherRepository));
    }
    if row.mark.is_none() && row.remote.is_none() && has_remote(database, row.project)? {
        return Ok((None, Reason::Unsure));
    }
    Ok(if is_shared(database, row)? { (None, Reason::Left) } else { own(row) })
}

/// The folder as it was met before: by its mark, else by its path where either has no mark.
fn same_folder(database: &Database, name: &ProjectName) -> Result<Option<FolderRow>> {
    let mark = name.folder.as_ref().and_then(|folder| folder.mark.as_ref());
    let path = name.path().unwrap_or_default();
    if let Some(mark) = mark {
        // Of a folder that is seen under two paths, this one; the first of the others is as good as any.
        let sql = format!("{COLUMNS} WHERE mark = ?1 ORDER BY path <> ?2, path LIMIT 1");
        if let Some(found) = database.first(&sql, [mark, &path], read)? {
            return Ok(Some(found));
        }
    }
    Ok(at_path(database, &path)?.filter(|row| row.mark.is_none() || name.folder.is_none()))
}

fn at_path(database: &Database, path: &str) -> Result<Option<FolderRow>> {
    database.first(&format!("{COLUMNS} WHERE path = ?1"), [path], read)
}

/// All folders of a project, by path.
pub(super) fn folders_of(database: &Database, project: i64) -> Result<Vec<FolderRow>> {
    database.all(&format!("{COLUMNS} WHERE project = ?1 ORDER BY path"), [project], read)
}

fn read(row: &Row<'_>) -> Result<FolderRow> {
    Ok(FolderRow {
        path: row.get(0)?,
        mark: row.get(1)?,
        repository: row.get(2)?,
        remote: row.get(3)?,
        project: row.get(4)?,
        former: row.get(5)?,
    })
}

/// The project that has an alias.
pub(super) fn project_of(database: &Database, alias: &str) -> Result<Option<i64>> {
    database.first("SELECT project FROM project_alias WHERE alias = ?1", [alias], |row| Ok(row.get(0)?))
}

fn has_remote(database: &Database, project: i64) -> Result<bool> {
    Ok(remotes_of(database, project)? > 0)
}

fn remotes_of(database: &Database, project: i64) -> Result<i64> {
    let sql = "SELECT count(*) FROM project_alias WHERE project = ?1 AND alias LIKE 'remote:%'";
    database.only(sql, [project], |row| Ok(row.get(0)?))
}

/// Whether a project still has a remote: a folder of it does, or all that had it are gone. The folder that asks does not
/// count.
fn holds(database: &Database, project: i64, remote: &str, asking: Option<&FolderRow>) -> Result<bool> {
    let folders = folders_of(database, project)?;
    let is_other = |row: &&FolderRow| asking.is_none_or(|asking| asking.path != row.path);
    let with_it: Vec<&FolderRow> =
        folders.iter().filter(is_other).filter(|row| row.remote.as_deref() == Some(remote)).collect();
    if !with_it.is_empty() {
        let has_it = |row: &&FolderRow| has_now(row, remote);
        return Ok(with_it.iter().any(has_it) || !with_it.iter().any(|row| is_there(row)));
    }
    // Versions that did not note the folders of a remote kept those that a project had left, too.
    let is_of_older = |row: &&FolderRow| row.mark.is_none() && has_now(row, remote);
    Ok(remotes_of(database, project)? == 1 || folders.iter().filter(is_other).any(|row| is_of_older(&row)))
}

/// Whether other folders of the project still have the remote that a folder has left.
fn is_shared(database: &Database, row: &FolderRow) -> Result<bool> {
    let Some(remote) = &row.remote else { return Ok(false) };
    let folders = folders_of(database, row.project)?;
    Ok(folders.iter().any(|other| other.path != row.path && has_now(other, remote)))
}

/// Whether the folder of a row is still at its path.
pub(super) fn is_there(row: &FolderRow) -> bool {
    seen_at(Path::new(&row.path)).is_some_and(|(mark, _)| row.mark.is_none() || mark == row.mark)
}

fn has_now(row: &FolderRow, remote: &str) -> bool {
    is_there(row) && seen_at(Path::new(&row.path)).is_some_and(|(_, found)| found.as_deref() == Some(remote))
}

/// Makes a project. Its identity, by which backends know it elsewhere, is its first alias, with a number where a project
/// that has left this alias still has it.
fn create(database: &Database, name: &ProjectName, now_ms: i64) -> Result<i64> {
    let (kind, identity) = name.identities.first().cloned().unwrap_or_default();
    let identity = free_identity(database, &identity)?;
    database.run(
        "INSERT INTO project (identity, kind, name, root, created_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![identity, kind, name.name, name.root, now_ms],
    )?;
    Ok(database.last_row())
}

fn free_identity(database: &Database, wanted: &str) -> Result<String> {
    let mut identity = wanted.to_owned();
    let mut count = 1;
    let sql = "SELECT 1 FROM project WHERE identity = ?1";
    while database.first(sql, [&identity], |row| Ok(row.get::<_, i64>(0)?))?.is_some() {
        count += 1;
        identity = format!("{wanted}#{count}");
    }
    Ok(identity)
}

/// Notes the folder, its remote and its name, if anything of them is new.
fn note(database: &Database, name: &ProjectName, number: i64, decision: &Decision) -> Result<()> {
    if let Some(custom) = name.custom() {
        put_alias(database, custom, number)?;
    }
    // The remote of a folder that the settings name leads no other folder to its project.
    let remote = name.remote().filter(|_| name.custom().is_none());
    if let (Some(folder), Some(path)) = (&name.folder, name.path()) {
        let row = FolderRow {
            path,
            mark: folder.mark.clone(),
            repository: folder.repository.clone(),
            remote: remote.map(str::to_owned),
            project: number,
            former: decision.former,
        };
        if decision.row.as_ref() == Some(&row) {
            return Ok(());
        }
        put_folder(database, &row, decision)?;
    }
    remote.map_or(Ok(()), |remote| put_alias(database, remote, number))
}

fn put_alias(database: &Database, alias: &str, project: i64) -> Result<()> {
    let sql = "INSERT OR IGNORE INTO project_alias (alias, project) VALUES (?1, ?2)";
    database.run(sql, params![alias, project]).map(drop)
}

/// Replaces the row of a folder and of its path; a remote that it has left is released.
fn put_folder(database: &Database, row: &FolderRow, decision: &Decision) -> Result<()> {
    for old in decision.row.iter().chain(&decision.replaced) {
        database.run("DELETE FROM project_folder WHERE path = ?1", [&old.path])?;
    }
    database.run(
        "INSERT OR REPLACE INTO project_folder (path, mark, repository, remote, project, former) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![row.path, row.mark, row.repository, row.remote, row.project, row.former],
    )?;
    if let Some(old) = &decision.row
        && let Some(remote) = old.remote.as_deref().filter(|remote| row.remote.as_deref() != Some(remote))
    {
        release(database, remote, row.remote.as_deref().filter(|_| row.project == old.project))?;
    }
    Ok(())
}

/// Takes a remote from its project unless a folder of that still has it. Folders that are gone are forgotten with it: they
/// would lead a later clone there.
fn release(database: &Database, remote: &str, next: Option<&str>) -> Result<()> {
    let Some(project) = project_of(database, remote)? else { return Ok(()) };
    let folders = folders_of(database, project)?;
    let with_it: Vec<&FolderRow> = folders.iter().filter(|row| row.remote.as_deref() == Some(remote)).collect();
    if with_it.iter().any(|row| has_now(row, remote)) {
        return Ok(());
    }
    database.run("DELETE FROM project_alias WHERE alias = ?1", [remote])?;
    for row in with_it {
        if is_there(row) {
            database.run("UPDATE project_folder SET remote = NULL WHERE path = ?1", [&row.path])?;
        } else {
            database.run("DELETE FROM project_folder WHERE path = ?1", [&row.path])?;
        }
    }
    // Backends know a project by its identity, on every machine: it must not stay that of the others.
    let sql = "SELECT 1 FROM project WHERE number = ?1 AND identity = ?2";
    if database.first(sql, params![project, remote], |row| Ok(row.get::<_, i64>(0)?))?.is_some() {
        let identity = match next {
            Some(next) => free_identity(database, next)?,
            None => free_identity(database, &format!("{remote}#left"))?,
        };
        database.run("UPDATE project SET identity = ?2 WHERE number = ?1", params![project, identity])?;
    }
    Ok(())
}

/// Gives the folder a project of its own; the other folders and the remote stay with the one that it had.
pub(super) fn part(database: &Database, name: &ProjectName, now_ms: i64) -> Result<i64> {
    let row = same_folder(database, name)?;
    let path = name.path().unwrap_or_default();
    let mut own = name.clone();
    own.identities = vec![("folder".to_owned(), format!("folder:{path}"))];
    let number = create(database, &own, now_ms)?;
    let sql = "UPDATE project_folder SET project = ?2, former = ?3 WHERE path = ?1";
    database.run(sql, params![path, number, row.map(|row| row.project)])?;
    Ok(number)
}

/// Backends know a merged project by an alias that leads to it, if either project had one as its identity.
pub(super) fn keep_identity(database: &Database, from: i64, to: i64) -> Result<()> {
    let sql = "SELECT identity FROM project JOIN project_alias ON project_alias.alias = project.identity \
               WHERE project.number = ?1";
    let known = |number: i64| database.first(sql, [number], |row| Ok(row.get::<_, String>(0)?));
    if let (None, Some(identity)) = (known(to)?, known(from)?) {
        database
            .run("UPDATE project SET identity = ?2 WHERE number = ?1", params![from, format!("{identity}#merged")])?;
        database.run("UPDATE project SET identity = ?2 WHERE number = ?1", params![to, identity])?;
    }
    Ok(())
}
