//! The project of a folder and its settings for hooks: resolved once, then cached and validated by `stat`.
//!
//! A cached entry is valid as long as its sources are unchanged: the project markers in the folder and above it, the files of
//! settings, and the environment. A few `stat` calls check that.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use codecairn_base::{Error, Result};
use serde::{Deserialize, Serialize};

use super::environment::Environment;
use super::state::{State, name_of};

/// The form of an entry; entries of other forms are never found.
const FORM: &str = "6";

const SUB: &str = "places";
const MARKERS: [&str; 2] = [".codecairn", ".git"];

/// A folder's project, and what the settings say about hooks there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct ProjectConfig {
    /// The workspace's root.
    pub root: PathBuf,
    /// The memory's file.
    pub memory: PathBuf,
    /// How the memory is opened, as JSON.
    pub options: String,
    /// Prompts after which an agent is asked for what is worth remembering; 0 for never.
    pub asks_every: u64,
    /// Whether events are recorded.
    pub captures: bool,
    /// Whether something is done once sessions are quiet: models read them, or backends get their events.
    pub works_when_quiet: bool,
    /// Whether background processes may be started.
    pub works: bool,
    /// Whether anything is put before the agent.
    pub injects: bool,
    /// Whether the user trusts the workspace, so that what its repository says is put before the agent.
    pub trusts: bool,
    /// Whether a prompt is accompanied by a line on the tool that serves it best.
    pub routes: bool,
    /// How many tokens a context may have in all.
    pub total_tokens: usize,
    /// How many of them the part that opens a session may have.
    pub static_tokens: usize,
}

/// The result of resolving a folder.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resolution {
    /// The project and its settings.
    pub place: ProjectConfig,
    /// The files and folders that they depend on.
    pub files: Vec<PathBuf>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    signature: String,
    place: ProjectConfig,
    files: Vec<PathBuf>,
}

/// The project of a folder and its settings; `resolve` finds them out where no valid entry is cached.
pub(crate) fn find(
    state: &State,
    environment: &Environment,
    folder: &Path,
    resolve: &dyn Fn(&Path) -> Result<Resolution>,
) -> Result<ProjectConfig> {
    let settings = environment.settings();
    let shown = folder.to_string_lossy();
    let parts: Vec<&str> = [FORM, &shown].into_iter().chain(settings.iter().map(String::as_str)).collect();
    let name = name_of(&parts);
    let cached = state.read(SUB, &name).and_then(|text| serde_json::from_str::<Entry>(&text).ok());
    if let Some(entry) = cached.filter(|entry| entry.signature == signature(folder, &entry.files)) {
        return Ok(entry.place);
    }
    let Resolution { place, files } = resolve(folder)?;
    let entry = Entry { signature: signature(folder, &files), place, files };
    let text = serde_json::to_string(&entry).map_err(|error| Error::Internal(error.to_string()))?;
    state.write(SUB, &name, &text).map_err(|error| Error::io(state.folder().join(SUB), error))?;
    Ok(entry.place)
}

/// The visible state of everything that an entry depends on.
fn signature(folder: &Path, files: &[PathBuf]) -> String {
    let markers = folder.ancestors().flat_map(|above| MARKERS.map(|marker| kind(&above.join(marker)).to_owned()));
    let own = std::iter::once(std::fs::metadata(folder).map_or_else(|_| "-".to_owned(), |found| identity(&found)));
    let sources =
        files.iter().map(|file| std::fs::metadata(file).map_or_else(|_| "-".to_owned(), |found| version(&found)));
    markers.chain(own).chain(sources).collect::<Vec<String>>().join(" ")
}

fn kind(path: &Path) -> &'static str {
    std::fs::metadata(path).map_or("-", |found| if found.is_dir() { "d" } else { "f" })
}

/// What tells a folder from another one of the same name.
fn identity(found: &Metadata) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        found.ino().to_string()
    }
    #[cfg(not(unix))]
    nanoseconds(found.created())
}

fn version(found: &Metadata) -> String {
    format!("{}:{}", nanoseconds(found.modified()), found.len())
}

fn nanoseconds(time: std::io::Result<std::time::SystemTime>) -> String {
    let since = time.ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or_else(|| "-".to_owned(), |since| since.as_nanos().to_string())
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;
    use std::sync::Arc;

    use codecairn_base::clock::FixedClock;

    use super::*;

    /// A project with all that is on by default.
    pub(crate) fn project(root: &Path, memory: &Path) -> ProjectConfig {
        let options = serde_json::json!({
            "spool": null, "key": memory.with_file_name("key"), "identity": "folder", "project": null,
            "unclosed": "redact", "compact_bytes": 4_000,
        });
        ProjectConfig {
            root: root.to_path_buf(),
            memory: memory.to_path_buf(),
            options: options.to_string(),
            asks_every: 0,
            captures: true,
            works_when_quiet: false,
            works: true,
            injects: true,
            trusts: false,
            routes: true,
            total_tokens: 1_000,
            static_tokens: 500,
        }
    }

    #[test]
    fn an_entry_is_valid_until_what_it_depends_on_changes() {
        let base = tempfile::tempdir().unwrap();
        let (home, folder, settings) = (base.path().join("home"), base.path().join("a"), base.path().join("s.toml"));
        std::fs::create_dir(&folder).unwrap();
        let variables = [("CODECAIRN_HOME".into(), home.into_os_string())].into();
        let mut environment = Environment { variables, ..Environment::default() };
        let state = State::of(&environment, Arc::new(FixedClock(0)));
        let resolved = Cell::new(0);
        let resolve = |folder: &Path| {
            resolved.set(resolved.get() + 1);
            Ok(Resolution { place: project(folder, &folder.join("memory.db")), files: vec![settings.clone()] })
        };
        let resolutions = |environment: &Environment| {
            let before = resolved.get();
            assert_eq!(find(&state, environment, &folder, &resolve).unwrap().root, folder);
            resolved.get() - before
        };
        assert_eq!((resolutions(&environment), resolutions(&environment)), (1, 0));
        std::fs::write(&settings, "a = 1").unwrap();
        assert_eq!((resolutions(&environment), resolutions(&environment)), (1, 0));
        std::fs::create_dir(folder.join(".git")).unwrap();
        assert_eq!((resolutions(&environment), resolutions(&environment)), (1, 0));
        environment.variables.insert("CODECAIRN_HOOKS_INJECT".into(), "false".into());
        assert_eq!((resolutions(&environment), resolutions(&environment)), (1, 0));
        for entry in std::fs::read_dir(state.folder().join(SUB)).unwrap() {
            std::fs::write(entry.unwrap().path(), "{").unwrap();
        }
        assert_eq!((resolutions(&environment), resolutions(&environment)), (1, 0));
    }

    #[test]
    fn a_folder_that_can_not_be_resolved_is_an_error_and_not_cached() {
        let base = tempfile::tempdir().unwrap();
        let variables = [("CODECAIRN_HOME".into(), base.path().into())].into();
        let environment = Environment { variables, ..Environment::default() };
        let state = State::of(&environment, Arc::new(FixedClock(0)));
        let resolve = |_: &Path| Err(Error::InvalidArgument("no such folder".to_owned()));
        assert!(find(&state, &environment, base.path(), &resolve).is_err());
        assert!(!state.folder().join(SUB).exists());
    }
}
