//! Reads from manifests which dependencies are imported under another name than their own: `cash = { package = "money" }`.

use serde_json::Value;

use super::paths::{is_below, joined};
use super::repository_layout::NamedFolder;

/// A dependency under the name that the files below a folder import it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RenamedDependency {
    /// The folder of the manifest.
    scope: String,
    name: String,
    meant: Meant,
}

/// The package that is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Meant {
    Name(String),
    Folder(String),
}

impl RenamedDependency {
    /// The package among those of the repository; none if it comes from elsewhere.
    pub(super) fn among<'a>(&self, packages: &'a [NamedFolder]) -> Option<&'a NamedFolder> {
        packages.iter().find(|package| match &self.meant {
            Meant::Name(name) => package.name == *name,
            Meant::Folder(folder) => package.folder == *folder,
        })
    }

    /// The rest of an import behind the name: empty, or beginning with a `/`.
    pub(super) fn rest_of<'s>(&self, source: &'s str) -> Option<&'s str> {
        source.strip_prefix(self.name.as_str()).filter(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// The innermost one around a path that an import may begin with.
pub(super) fn find<'a>(all: &'a [RenamedDependency], path: &str, source: &str) -> Option<&'a RenamedDependency> {
    let fitting = all.iter().filter(|each| is_below(path, &each.scope) && each.rest_of(source).is_some());
    fitting.max_by_key(|each| (each.scope.len(), each.name.len()))
}

/// Those of a `Cargo.toml` (<https://doc.rust-lang.org/cargo/reference/specifying-dependencies.html#renaming-dependencies-in-cargotoml>).
pub(super) fn of_cargo(text: &str, folder: &str) -> Vec<RenamedDependency> {
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
            let (name, package) = (underscored(name), underscored(package));
            found.push(RenamedDependency { scope: folder.to_owned(), name, meant: Meant::Name(package) });
        }
    }
    found
}

/// Those of a `package.json`: `workspace:NAME@…` and `npm:NAME@…` name a package, `file:` and `link:` its folder.
pub(super) fn of_npm(text: &str, folder: &str) -> Vec<RenamedDependency> {
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
    let renamed = written.filter_map(|(name, version)| {
        let meant = meant(version.as_str()?)?;
        Some(RenamedDependency { scope: folder.to_owned(), name: name.clone(), meant })
    });
    renamed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(found: &[RenamedDependency]) -> Vec<(&str, &Meant)> {
        found.iter().map(|each| (each.name.as_str(), &each.meant)).collect()
    }

    #[test]
    fn a_cargo_manifest_renames_in_each_list_of_dependencies() {
        let text = "[dependencies]\ncash = { path = \"m\", package = \"money-core\" }\nserde = \"1\"\n\
                    [target.'cfg(unix)'.dev-dependencies.my-log]\nversion = \"1\"\npackage = \"log\"\n\
                    [workspace.dependencies]\na-b = { package = \"c\" }\n[package]\npackage = \"no\"\n";
        let name = |name: &str| Meant::Name(name.to_owned());
        assert_eq!(
            all(&of_cargo(text, "")),
            [("cash", &name("money_core")), ("my_log", &name("log")), ("a_b", &name("c"))]
        );
    }

    #[test]
    fn a_package_manifest_renames_by_name_and_by_folder() {
        let text = r#"{"dependencies": {"ui": "file:../kit", "log": "workspace:@acme/log@*", "own": "workspace:*", "x": "^1"},
            "devDependencies": {"old": "npm:new@1"}}"#;
        let name = |name: &str| Meant::Name(name.to_owned());
        let found = of_npm(text, "app");
        assert_eq!(
            all(&found),
            [("log", &name("@acme/log")), ("ui", &Meant::Folder("kit".to_owned())), ("old", &name("new"))]
        );
        assert_eq!(find(&found, "app/a.ts", "ui/button").and_then(|each| each.rest_of("ui/button")), Some("/button"));
        assert!(find(&found, "app/a.ts", "uikit").is_none() && find(&found, "b.ts", "ui").is_none());
    }
}
