//! Explains where a symbolic link leads. Links are never followed.

use std::path::Path;

use super::path;
use super::skip::{Skip, SkipReason};

/// Why the link at `link` is left out. `root` is free of links itself.
pub(super) fn skip(root: &Path, link: &Path, relative: String) -> Skip {
    match link.canonicalize() {
        Ok(target) if target.starts_with(root) => {
            let target = path::relative(root, &target).unwrap_or_else(|lossy| lossy);
            let target = if target.is_empty() { "the root" } else { &target };
            Skip::new(relative, SkipReason::Symlink, format!("a link to {target}"))
        }
        Ok(target) => Skip::new(relative, SkipReason::OutsideWorkspace, format!("a link to {}", target.display())),
        Err(error) => Skip::new(relative, SkipReason::BrokenSymlink, error.to_string().to_lowercase()),
    }
}
