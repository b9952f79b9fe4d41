//! Splits, joins and compares paths of a branch, which have `/` between folders and are empty at the root.

/// The folder of a path; empty at the root.
pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether a path ends with `end`, with regard to case, as tools that read such files compare them.
pub(super) fn text_ends(path: &str, end: &str) -> bool {
    path.ends_with(end)
}

/// Whether a path is below a folder.
pub(super) fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// A path joined to a folder, without `.` and `..`; `None` if it leaves the root.
pub(super) fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_inside_of_the_root() {
        assert_eq!(joined("a/b", "../c/./d").as_deref(), Some("a/c/d"));
        assert_eq!(joined("", "./x").as_deref(), Some("x"));
        assert_eq!(joined("a", "../../x"), None);
    }
}
