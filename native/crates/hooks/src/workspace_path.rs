//! Names a file as the memory does: relative to the workspace's root, with `/`.

use std::path::{Component, Path, PathBuf};

/// A file's name inside the workspace; its whole path if it lies elsewhere. `path` may be relative to `folder`.
pub(crate) fn relative(path: &str, folder: &Path, root: &Path) -> String {
    if path.is_empty() {
        return String::new();
    }
    let whole = normal(&folder.join(path));
    // Hosts name the folder as the user does, which may be a link.
    let inside = below(&whole, root).or_else(|| below(&resolved(&whole), root));
    inside.unwrap_or_else(|| whole.to_string_lossy().into_owned())
}

fn below(path: &Path, root: &Path) -> Option<String> {
    let inside = path.strip_prefix(root).ok()?.to_string_lossy().into_owned();
    let inside = if cfg!(windows) { inside.replace('\\', "/") } else { inside };
    (!inside.is_empty()).then_some(inside)
}

/// The path without `.`, `..` and repeated separators, by its text alone.
fn normal(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(found.components().next_back(), Some(Component::RootDir)) => {}
            Component::ParentDir if matches!(found.components().next_back(), Some(Component::Normal(_))) => {
                found.pop();
            }
            _ => found.push(component),
        }
    }
    found
}

/// The path with the links on it resolved, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let mut missing = PathBuf::new();
    for above in path.ancestors() {
        if let Ok(found) = above.canonicalize() {
            return if missing.as_os_str().is_empty() { found } else { found.join(missing) };
        }
        let Some(name) = above.file_name() else { break };
        missing = if missing.as_os_str().is_empty() { PathBuf::from(name) } else { Path::new(name).join(missing) };
    }
    path.to_path_buf()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn paths_below_the_root_are_relative_to_it() {
        let relative = |path: &str| relative(path, Path::new("/no/shop/src"), Path::new("/no/shop"));
        for (path, expected) in [
            ("", ""),
            ("a.py", "src/a.py"),
            ("./x/../a.py", "src/a.py"),
            ("../b//c.py", "b/c.py"),
            ("/no/shop/d", "d"),
            ("/no/shopping/d", "/no/shopping/d"),
            ("../../../../../e", "/e"),
            ("..", "/no/shop"),
        ] {
            assert_eq!(relative(path), expected, "{path}");
        }
    }

    #[test]
    fn a_link_to_the_root_leads_inside() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        let (root, link) = (base.join("root"), base.join("link"));
        std::fs::create_dir(&root).unwrap();
        std::os::unix::fs::symlink(&root, &link).unwrap();
        assert_eq!(relative("new/file.py", &link, &root), "new/file.py");
        assert_eq!(relative("file.py", &base, &root), base.join("file.py").to_string_lossy());
    }
}
