//! Reads from manifests which dependencies are imported under another name than their own: `cash = { package = "money" }`.

use std::collections::HashMap;

use serde_json::Value;

use super::paths::{folder_of, joined};
use super::repository_layout::NamedFolder;

/// The package that a dependency means.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Meant {
    Name(String),
    Folder(String),
}

/// Dependencies by the folder of their manifest, below which their names hold, and by these names.
#[derive(Debug, Default)]
pub(super) struct RenamedDependencies(HashMap<String, HashMap<String, Meant>>);

impl RenamedDependencies {
    fn add(&mut self, folder: &str, renamed: impl IntoIterator<Item = (String, Meant)>) {
        let renamed: HashMap<_, _> = renamed.into_iter().collect();
        if !renamed.is_empty() {
            self.0.entry(folder.to_owned()).or_default().extend(renamed);
        }
    }

    /// Adds those of a `Cargo.toml`.
    pub(super) fn add_cargo(&mut self, text: &str, folder: &str) {
        self.add(folder, of_cargo(text));
    }

    /// Adds those of a `package.json`.
    pub(super) fn add_npm(&mut self, text: &str, folder: &str) {
        self.add(folder, of_npm(text, folder));
    }

    /// The package that an import in a file means by its first part or its first two, and the rest of it. The package is
    /// none if it is not in the repository; nothing is returned if the dependency has no other name there.
    pub(super) fn find<'a, 's>(
        &self,
        path: &str,
        source: &'s str,
        packages: &'a [NamedFolder],
    ) -> Option<(Option<&'a NamedFolder>, &'s str)> {
        if self.0.is_empty() {
            return None;
        }
        let mut ends: Vec<usize> = source.match_indices('/').map(|(at, _)| at).take(2).collect();
        ends.push(source.len());
        let mut folder = folder_of(path);
        loop {
            if let Some(renamed) = self.0.get(folder)
                && let Some((meant, rest)) =
                    ends.iter().rev().find_map(|end| Some((renamed.get(&source[..*end])?, &source[*end..])))
            {
                let package = packages.iter().find(|package| match meant {
                    Meant::Name(name) => package.name == *name,
                    Meant::Folder(folder) => package.folder == *folder,
                });
                return Some((package, rest));
            }
            if folder.is_empty() {
                return None;
            }
            folder = folder_of(folder);
        }
    }
}

/// Those of a `Cargo.toml` (<https://doc.rust-lang.org/cargo/reference/specifying-dependencies.html#renaming-dependencies-in-cargotoml>).
fn of_cargo(text: &str) -> Vec<(String, Meant)> {
    let underscored = |name: &str| name.trim_matches(['"', '\'']).replace('-', "_");
    let mut section = "";
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line.trim_matches(['[', ']']);
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let (key, value) = (key.trim(), value.trim());
        let is_list = |section: &str| section == "dependencies" || section.ends_with("-dependencies");
        let last = section.rsplit('.').next().unwrap_or(section);
        let (name, package) = if is_list(last) {
            let inside = value.strip_prefix('{').and_then(|rest| rest.split('}').next()).unwrap_or_default();
            let fields = inside.split(',').filter_map(|field| field.split_once('='));
            (key, fields.filter(|(field, _)| field.trim() == "package").map(|(_, package)| package.trim()).next())
        } else {
            let is_one = section
                .rsplit_once('.')
                .is_some_and(|(list, _)| is_list(list) || list.rsplit('.').next().is_some_and(is_list));
            (last, (is_one && key == "package").then_some(value))
        };
        if let Some(package) = package {
            found.push((underscored(name), Meant::Name(underscored(package))));
        }
    }
    found
}

/// Those of a `package.json`: `workspace:NAME@…` and `npm:NAME@…` name a package, `file:` and `link:` its folder.
fn of_npm(text: &str, folder: &str) -> Vec<(String, Meant)> {
    let Ok(manifest) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let lists = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
    let written = lists.iter().filter_map(|list| manifest.get(*list)?.as_object()).flatten();
    let meant = |version: &str| {
        let (protocol, rest) = version.split_once(':')?;
        match protocol {
            "file" | "link" | "portal" => Some(Meant::Folder(joined(folder, rest)?)),
            "npm" | "workspace" => {
                let name = rest.char_indices().skip(1).find(|(_, sign)| *sign == '@').map(|(at, _)| &rest[..at])?;
                Some(Meant::Name(name.to_owned()))
            }
            _ => None,
        }
    };
    written.filter_map(|(name, version)| Some((name.clone(), meant(version.as_str()?)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(name: &str) -> Meant {
        Meant::Name(name.to_owned())
    }

    fn all(found: &[(String, Meant)]) -> Vec<(&str, &Meant)> {
        found.iter().map(|(name, meant)| (name.as_str(), meant)).collect()
    }

    #[test]
    fn a_cargo_manifest_renames_in_each_list_of_dependencies() {
        let text = "[dependencies]\ncash = { path = \"m\", package = \"money-core\" }\nserde = \"1\"\n\
                    [target.'cfg(unix)'.dev-dependencies.my-log]\nversion = \"1\"\npackage = \"log\"\n\
                    [workspace.dependencies]\na-b = { package = \"c\" }\n[package]\npackage = \"no\"\n";
        assert_eq!(
            all(&of_cargo(text)),
            [("cash", &name("money_core")), ("my_log", &name("log")), ("a_b", &name("c"))]
        );
    }

    #[test]
    fn a_package_manifest_renames_by_name_and_by_folder() {
        let text = r#"{"dependencies": {"ui": "file:../kit", "log": "workspace:@acme/log@*", "own": "workspace:*", "x": "^1"},
            "devDependencies": {"old": "npm:new@1"}}"#;
        let found = of_npm(text, "app");
        assert_eq!(
            all(&found),
            [("log", &name("@acme/log")), ("ui", &Meant::Folder("kit".to_owned())), ("old", &name("new"))]
        );
        let mut renamed = RenamedDependencies::default();
        renamed.add_npm(text, "app");
        let rest = |path: &str, source: &'static str| renamed.find(path, source, &[]).map(|(_, rest)| rest);
        assert_eq!(rest("app/src/a.ts", "ui/button"), Some("/button"));
        assert_eq!(rest("app/a.ts", "ui"), Some(""));
        assert_eq!((rest("app/a.ts", "uikit"), rest("b.ts", "ui")), (None, None));
    }
}
