//! What a call knows of the process that it runs in; the bindings supply it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The environment of a process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// Its variables.
    pub variables: BTreeMap<OsString, OsString>,
    /// The user's home folder.
    pub home: PathBuf,
    /// The working directory; empty if it was deleted.
    pub working_directory: PathBuf,
}

impl Environment {
    /// The folder of the hooks' state. The Python module `codecairn.paths.user` has the same rules for the data folder.
    pub(crate) fn hooks_folder(&self) -> PathBuf {
        if let Some(moved) = self.variable("CODECAIRN_HOME") {
            return self.expanded(Path::new(moved)).join("data").join("hooks");
        }
        let data = if cfg!(windows) {
            self.variable("LOCALAPPDATA").map_or_else(|| self.home.join("AppData").join("Local"), PathBuf::from)
        } else if cfg!(target_os = "macos") {
            self.home.join("Library").join("Application Support")
        } else {
            let given = self.variable("XDG_DATA_HOME").filter(|given| !given.to_string_lossy().trim().is_empty());
            given.map_or_else(|| self.home.join(".local").join("share"), PathBuf::from)
        };
        data.join("codecairn").join("hooks")
    }

    fn variable(&self, name: &str) -> Option<&OsString> {
        self.variables.get(&OsString::from(name)).filter(|value| !value.is_empty())
    }

    fn expanded(&self, path: &Path) -> PathBuf {
        path.strip_prefix("~").map_or_else(|_| path.to_path_buf(), |rest| self.home.join(rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        Environment { variables, home: PathBuf::from("/home/ann"), working_directory: PathBuf::new() }
    }

    #[test]
    fn a_moved_home_has_the_state() {
        let folder = |value| environment(&[("CODECAIRN_HOME", value)]).hooks_folder();
        assert_eq!(folder("/data/cairn"), Path::new("/data/cairn/data/hooks"));
        assert_eq!(folder("~/cairn"), Path::new("/home/ann/cairn/data/hooks"));
        assert_eq!(folder("~"), Path::new("/home/ann/data/hooks"));
        assert_eq!(folder("~cairn"), Path::new("~cairn/data/hooks"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn data_folder_is_that_of_the_desktop_standard() {
        let folder = |value| environment(&[("XDG_DATA_HOME", value), ("CODECAIRN_HOME", "")]).hooks_folder();
        assert_eq!(folder("/data"), Path::new("/data/codecairn/hooks"));
        assert_eq!(folder(" "), Path::new("/home/ann/.local/share/codecairn/hooks"));
    }
}
