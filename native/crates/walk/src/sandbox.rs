//! Fills a folder from a list of files, for tests.

use std::fs;
use std::path::{Path, PathBuf};

use codecairn_base::cancel::CancelToken;

use super::rules::{RuleOptions, Rules};
use super::skip::SkipReason;
use super::{Walk, path, walk};

/// A temporary folder; it goes away with the value.
pub(super) struct Sandbox {
    _folder: tempfile::TempDir,
    root: PathBuf,
}

impl Sandbox {
    /// With these files, given as path and content; a path that ends in `/` is an empty folder.
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let sandbox = Self { _folder: folder, root };
        for (path, content) in files {
            sandbox.write(path, content);
        }
        sandbox
    }

    /// Adds or replaces a file.
    pub(super) fn write(&self, path: &str, content: &str) {
        let place = self.at(path);
        if path.ends_with('/') {
            fs::create_dir_all(place).unwrap();
            return;
        }
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, content).unwrap();
    }

    /// Where a path is on disk.
    pub(super) fn at(&self, path: &str) -> PathBuf {
        path::absolute(&self.root, path.trim_end_matches('/'))
    }

    /// The folder itself.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Rules without globs of the user's.
    pub(super) fn rules(&self) -> Rules {
        self.rules_with(&[], &[])
    }

    /// Rules with include and exclude globs.
    pub(super) fn rules_with(&self, include: &[&str], exclude: &[&str]) -> Rules {
        let owned = |globs: &[&str]| globs.iter().map(ToString::to_string).collect();
        let options = RuleOptions { include: owned(include), exclude: owned(exclude), global_excludes: None };
        Rules::new(&self.root, &options).unwrap()
    }

    /// What a walk under plain rules finds.
    pub(super) fn walk(&self) -> Walk {
        walk(&self.root, &self.rules(), &CancelToken::default()).unwrap()
    }
}

impl Walk {
    /// The paths of the files.
    pub(super) fn paths(&self) -> Vec<&str> {
        self.files.iter().map(|file| file.path.as_str()).collect()
    }

    /// What was skipped and why.
    pub(super) fn skips(&self) -> Vec<(&str, SkipReason)> {
        self.skipped.iter().map(|skip| (skip.path.as_str(), skip.reason)).collect()
    }
}
