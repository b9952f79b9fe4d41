//! Lists the folders that a watcher watches.

use super::rules::Rules;
use super::{path, stat};

/// `folder` and every folder below it that the rules let through, as paths in our form (empty for the root), in order.
/// Nothing if `folder` itself is left out or gone. Ignored folders are not even opened; links are not followed.
pub fn folders_below(rules: &Rules, folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        let is_left_out = !folder.is_empty() && rules.decide(&folder, true).is_some();
        if is_left_out {
            continue;
        }
        let place = if folder.is_empty() { rules.root().to_path_buf() } else { path::absolute(rules.root(), &folder) };
        let is_folder = folder.is_empty() || stat::kind_of(rules.root(), &folder).is_some_and(|kind| kind.is_dir());
        let Some(entries) = std::fs::read_dir(&place).ok().filter(|_| is_folder) else { continue };
        for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            if let Ok(below) = path::relative(rules.root(), &entry.path()) {
                waiting.push(below);
            }
        }
        found.push(folder);
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RuleOptions;

    #[test]
    fn ignored_folders_and_links_are_not_among_them() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        for folder in ["src/inner", "node_modules/a/b", ".git/objects", "kept"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        std::fs::write(root.join(".gitignore"), "node_modules/\n").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.join("src"), root.join("link")).unwrap();
        let rules = Rules::new(root, &RuleOptions::default()).unwrap();
        assert_eq!(folders_below(&rules, ""), ["", "kept", "src", "src/inner"]);
        assert_eq!(folders_below(&rules, "src"), ["src", "src/inner"]);
        assert!(folders_below(&rules, "node_modules/a").is_empty());
        assert!(folders_below(&rules, "link").is_empty());
        assert!(folders_below(&rules, "link/inner").is_empty());
        assert!(folders_below(&rules, "gone").is_empty());
    }
}
