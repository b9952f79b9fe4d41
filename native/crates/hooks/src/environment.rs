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
    /// The folder of the hooks' state.
    pub(crate) fn hooks_folder(&self) -> PathBuf {
        self.data_folder().join("hooks")
    }

    /// The user's data folder. The Python module `codecairn.paths.user` has the same rules.
    pub fn data_folder(&self) -> PathBuf {
        if let Some(moved) = self.variable("CODECAIRN_HOME") {
            return self.expanded(Path::new(moved)).join("data");
        }
        let data = if cfg!(windows) {
            self.variable("LOCALAPPDATA").map_or_else(|| self.home.join("AppData").join("Local"), PathBuf::from)
        } else if cfg!(target_os = "macos") {
            self.home.join("Library").join("Application Support")
        } else {
            let given = self.variable("XDG_DATA_HOME").filter(|given| !given.to_string_lossy().trim().is_empty());
            given.map_or_else(|| self.home.join(".local").join("share"), PathBuf::from)
        };
        data.join("codecairn")
    }

    /// The variables on which the settings of a project depend, as `name=value`, sorted.
    pub(crate) fn settings(&self) -> Vec<String> {
        const NAMES: [&str; 6] = ["HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME", "XDG_DATA_HOME"];
        let rows = self.variables.iter().map(|(name, value)| (name.to_string_lossy(), value.to_string_lossy()));
        rows.filter(|(name, _)| name.starts_with("CODECAIRN_") || NAMES.contains(&name.as_ref()))
            .map(|(name, value)| format!("{name}={value}"))
            .collect()
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

    #[test]
    fn settings_are_our_variables_and_those_of_folders() {
        let given = [("PATH", "/bin"), ("HOME", "/home/ann"), ("CODECAIRN_HOOKS_INJECT", "false")];
        assert_eq!(environment(&given).settings(), ["CODECAIRN_HOOKS_INJECT=false", "HOME=/home/ann"]);
    }
}
