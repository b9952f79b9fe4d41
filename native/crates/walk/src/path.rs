//! Handles paths relative to the root: always with `/`, never leading out. It works on strings, so that each system's
//! customs are tested on every system.

use std::borrow::Cow;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

/// The path below `root` in our form, or an approximation of it when it is not valid Unicode.
pub(super) fn relative(root: &Path, path: &Path) -> Result<String, String> {
    // A listing's paths begin with the root to the byte; `Path::strip_prefix` would compare part by part.
    if let (Some(root), Some(path)) = (root.to_str(), path.to_str())
        && let Some(below) = path.strip_prefix(root).and_then(|rest| rest.strip_prefix(MAIN_SEPARATOR))
    {
        return Ok(with_slashes(below, MAIN_SEPARATOR).into_owned());
    }
    let below = path.strip_prefix(root).unwrap_or(path);
    match below.to_str() {
        Some(text) => Ok(with_slashes(text, MAIN_SEPARATOR).into_owned()),
        None => Err(with_slashes(&below.to_string_lossy(), MAIN_SEPARATOR).into_owned()),
    }
}

/// The place on disk of a path in our form.
pub(super) fn absolute(root: &Path, path: &str) -> PathBuf {
    root.join(&*with_separator(path, MAIN_SEPARATOR))
}

/// The folder that a path in our form lies in; empty for the root itself.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// The last part of a path in our form.
pub(super) fn name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Whether a path in our form stays below the root on a system whose folders are separated by `separator`.
pub(super) fn stays_inside(path: &str) -> bool {
    stays_inside_with(path, MAIN_SEPARATOR)
}

fn stays_inside_with(path: &str, separator: char) -> bool {
    let is_windows = separator == '\\';
    // On Windows a colon names a drive or an alternate stream of the file, and both slashes separate.
    let is_foreign = path.contains('\0') || (is_windows && path.contains([':', '\\']));
    !path.is_empty() && !is_foreign && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

fn with_slashes(path: &str, separator: char) -> Cow<'_, str> {
    // Elsewhere a backslash is a letter like any other.
    if separator == '\\' && path.contains('\\') { Cow::Owned(path.replace('\\', "/")) } else { Cow::Borrowed(path) }
}

fn with_separator(path: &str, separator: char) -> Cow<'_, str> {
    // A root in the verbatim form (`\\?\C:\…`), which `canonicalize` gives, takes no forward slashes.
    if separator == '\\' && path.contains('/') { Cow::Owned(path.replace('/', "\\")) } else { Cow::Borrowed(path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_separators_become_slashes_and_back() {
        assert_eq!(with_slashes(r"src\core\lib.rs", '\\'), "src/core/lib.rs");
        assert_eq!(with_separator("src/core/lib.rs", '\\'), r"src\core\lib.rs");
        assert_eq!(with_slashes(r"odd\name", '/'), r"odd\name");
        assert_eq!(with_separator("src/lib.rs", '/'), "src/lib.rs");
    }

    #[test]
    fn only_plain_paths_stay_inside() {
        for path in ["a", "a/b.rs", "a/..b/c..", "weiß/日本.py", "..."] {
            assert!(stays_inside_with(path, '/') && stays_inside_with(path, '\\'), "{path}");
        }
        for path in ["", "/etc/passwd", "..", "../a", "a/../../b", "a//b", "./a", "a/", "a\0b"] {
            assert!(!stays_inside_with(path, '/') && !stays_inside_with(path, '\\'), "{path}");
        }
        for path in ["C:/a", r"C:\a", r"\\server\share", r"a\..\..\b", "a.txt:stream", r"\a"] {
            assert!(!stays_inside_with(path, '\\'), "{path}");
        }
        assert!(stays_inside_with("a:b", '/') && stays_inside_with(r"a\b", '/'));
    }

    #[test]
    fn parts_are_taken_from_the_end() {
        assert_eq!((parent("a/b/c"), name("a/b/c")), ("a/b", "c"));
        assert_eq!((parent("c"), name("c")), ("", "c"));
        for root in ["/w", "/", "/w/"] {
            let root = Path::new(root);
            assert_eq!(relative(root, &root.join("a").join("b")), Ok("a/b".to_owned()));
        }
        assert_eq!(absolute(Path::new("/w"), "a"), Path::new("/w").join("a"));
    }
}
