//! Indexes the files of a branch by folder and name, with the module names that manifests give to folders.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use codecairn_base::id::BlobId;
use codecairn_index::view::{FileIndex, View};

use super::paths::{folder_of, is_below, joined, text_ends};
use super::renamed_dependencies::RenamedDependencies;

/// A folder under the name that imports know it by.
#[derive(Debug, Clone)]
pub(super) struct NamedFolder {
    pub(super) name: String,
    pub(super) folder: String,
    /// The entry file, if the manifest names it.
    pub(super) entry: Option<String>,
    /// What a `package.json` exports.
    pub(super) exports: Vec<Export>,
    /// The root files of further crates that a `Cargo.toml` names.
    pub(super) roots: Vec<String>,
    /// The keys of [`DISCOVERED`] that a `Cargo.toml` turns off.
    undiscovered: Vec<&'static str>,
    /// The folders of the modules of the repository that a `go.mod` uses in the place of published ones.
    replacements: Vec<String>,
}

/// A path of a package that others import, and what it may lead to
/// (<https://nodejs.org/api/packages.html#subpath-exports>). Either may have a `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Export {
    /// Empty for the package itself.
    path: String,
    /// Its targets under all conditions.
    targets: Vec<String>,
}

impl Export {
    /// What a path of the package may lead to; nothing if it is another one.
    pub(super) fn targets_of<'a>(&'a self, path: &'a str) -> impl Iterator<Item = String> + 'a {
        let matched = match self.path.split_once('*') {
            Some((before, after)) => path.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)),
            None => (self.path == path).then_some(""),
        };
        matched.into_iter().flat_map(|part| self.targets.iter().map(move |target| target.replacen('*', part, 1)))
    }
}

/// Where Cargo takes each file for the root of a crate, by the key that turns this off: `autotests = false`.
const DISCOVERED: [(&str, &str); 4] =
    [("autobins", "src/bin/"), ("autotests", "tests/"), ("autoexamples", "examples/"), ("autobenches", "benches/")];

/// The maximum depth of conditions within conditions.
const MAX_CONDITIONS: usize = 8;

/// A path mapping of `tsconfig.json`: the targets of imports with a prefix.
#[derive(Debug, Clone)]
pub(super) struct Alias {
    /// The folder in which it holds.
    pub(super) scope: String,
    /// Up to a `*`.
    pub(super) prefix: String,
    pub(super) is_pattern: bool,
    /// Its target, up to a `*`.
    pub(super) targets: Vec<String>,
}

/// Where files lie.
#[derive(Debug, Default)]
pub(super) struct Layout {
    folders: BTreeMap<String, Vec<FileIndex>>,
    /// Folders by the last component of their path.
    folder_names: HashMap<String, Vec<String>>,
    /// Files by their name without folder.
    names: HashMap<String, Vec<FileIndex>>,
    /// npm packages of the repository.
    pub(super) packages: Vec<NamedFolder>,
    pub(super) go_modules: Vec<NamedFolder>,
    /// The folders of the modules that each `go.work` uses together.
    go_workspaces: Vec<Vec<String>>,
    pub(super) crates: Vec<NamedFolder>,
    pub(super) aliases: Vec<Alias>,
    /// Dependencies that are imported under another name than their own.
    pub(super) renamed_crates: RenamedDependencies,
    pub(super) renamed_packages: RenamedDependencies,
}

impl Layout {
    /// The layout of a branch; `text` reads the manifests.
    pub(super) fn new(view: &View, text: impl Fn(BlobId) -> Option<String>) -> Self {
        let mut layout = Self::default();
        for (number, file) in view.files().enumerate() {
            let index = FileIndex(number as u32);
            let folder = folder_of(file.path);
            let name = file.path.rsplit('/').next().unwrap_or(file.path);
            layout.folders.entry(folder.to_owned()).or_default().push(index);
            layout.names.entry(name.to_owned()).or_default().push(index);
            let is_tsconfig = (name.starts_with("tsconfig") || name == "jsconfig.json") && text_ends(name, ".json");
            if is_tsconfig || matches!(name, "package.json" | "go.mod" | "go.work" | "Cargo.toml") {
                let Some(text) = text(file.blob) else { continue };
                match name {
                    "package.json" => {
                        layout.packages.extend(package(&text, folder));
                        layout.renamed_packages.add_npm(&text, folder);
                    }
                    "go.mod" => layout.go_modules.extend(go_module(&text, folder)),
                    "go.work" => layout.go_workspaces.push(go_workspace(&text, folder)),
                    "Cargo.toml" => {
                        layout.crates.extend(cargo_package(&text, folder));
                        layout.renamed_crates.add_cargo(&text, folder);
                    }
                    _ => layout.aliases.extend(aliases(&text, folder)),
                }
            }
        }
        for folder in layout.folders.keys() {
            let name = folder.rsplit('/').next().unwrap_or(folder);
            layout.folder_names.entry(name.to_owned()).or_default().push(folder.clone());
        }
        // The longest name that fits is meant.
        for list in [&mut layout.packages, &mut layout.go_modules, &mut layout.crates] {
            list.sort_by(|a, b| b.name.len().cmp(&a.name.len()).then_with(|| a.folder.cmp(&b.folder)));
        }
        layout.aliases.sort_by(|a, b| {
            b.scope.len().cmp(&a.scope.len()).then(b.prefix.len().cmp(&a.prefix.len())).then(a.prefix.cmp(&b.prefix))
        });
        layout
    }

    /// The files right in a folder, by path.
    pub(super) fn in_folder(&self, folder: &str) -> &[FileIndex] {
        self.folders.get(folder).map_or(&[], Vec::as_slice)
    }

    /// The files right in the folders whose path is this, or ends so after a `/`, folder by folder.
    pub(super) fn in_folders_ending<'a>(&'a self, end: &'a str) -> impl Iterator<Item = FileIndex> + 'a {
        let name = end.rsplit('/').next().unwrap_or(end);
        let folders = self.folder_names.get(name).into_iter().flatten().filter(move |folder| {
            let rest = folder.strip_suffix(end);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        });
        folders.flat_map(|folder| self.in_folder(folder)).copied()
    }

    /// Whether any file lies in this folder itself.
    pub(super) fn has_folder(&self, folder: &str) -> bool {
        self.folders.contains_key(folder)
    }

    /// The files whose path is this, or ends so after a `/`.
    pub(super) fn ending<'a>(&'a self, view: &'a View, end: &'a str) -> impl Iterator<Item = FileIndex> + 'a {
        let name = end.rsplit('/').next().unwrap_or(end);
        self.names.get(name).into_iter().flatten().copied().filter(move |&file| {
            let rest = view.file(file).path.strip_suffix(end);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        })
    }

    /// Whether the files of a path import a Go module from the repository: their own one, one that theirs replaces by a
    /// folder, and one in a workspace with theirs. Others come from where they are published.
    pub(super) fn sees_go_module(&self, path: &str, module: &NamedFolder) -> bool {
        let Some(home) = self.go_module_of(path) else { return true };
        let are_together = |folders: &Vec<String>| folders.contains(&home.folder) && folders.contains(&module.folder);
        home.folder == module.folder
            || home.replacements.contains(&module.folder)
            || self.go_workspaces.iter().any(are_together)
    }

    /// The innermost Go module around a path.
    pub(super) fn go_module_of(&self, path: &str) -> Option<&NamedFolder> {
        let around = self.go_modules.iter().filter(|named| is_below(path, &named.folder));
        around.max_by_key(|named| named.folder.len())
    }

    /// The innermost crate around a path.
    pub(super) fn crate_of(&self, path: &str) -> Option<&NamedFolder> {
        let around = self.crates.iter().filter(|named| is_below(path, &named.folder));
        around.max_by_key(|named| named.folder.len())
    }
}

impl NamedFolder {
    /// Whether a file is the root of a crate, by the manifest or by Cargo's conventions.
    pub(super) fn is_crate_root(&self, path: &str) -> bool {
        if self.roots.iter().any(|root| root == path) || self.entry.as_deref() == Some(path) {
            return true;
        }
        let inner = path.strip_prefix(&self.folder).unwrap_or(path).trim_start_matches('/');
        if matches!(inner, "src/lib.rs" | "src/main.rs" | "build.rs") {
            return true;
        }
        let kinds = DISCOVERED.iter().filter(|(key, _)| !self.undiscovered.contains(key));
        let below = kinds.map(|(_, folder)| *folder).find_map(|folder| inner.strip_prefix(folder));
        below
            .is_some_and(|below| !below.contains('/') || below.ends_with("/main.rs") && below.matches('/').count() == 1)
    }

    /// The folder of the innermost crate that a manifest's root file puts around a path; none if that is the library.
    pub(super) fn root_folder(&self, path: &str) -> Option<&str> {
        let folders = self.roots.iter().map(|root| folder_of(root));
        folders.filter(|folder| !folder.is_empty() && is_below(path, folder)).max_by_key(|folder| folder.len())
    }
}

fn package(text: &str, folder: &str) -> Option<NamedFolder> {
    let manifest: Value = serde_json::from_str(text).ok()?;
    let name = manifest.get("name")?.as_str()?.to_owned();
    let entry = ["source", "module", "main", "types"].iter().find_map(|key| manifest.get(*key)?.as_str());
    Some(NamedFolder {
        name,
        folder: folder.to_owned(),
        entry: entry.and_then(|entry| joined(folder, entry)),
        exports: manifest.get("exports").map_or_else(Vec::new, |written| exports(written, folder)),
        roots: Vec::new(),
        undiscovered: Vec::new(),
        replacements: Vec::new(),
    })
}

fn exports(written: &Value, folder: &str) -> Vec<Export> {
    let export = |path: &str, written: &Value| {
        let mut targets = Vec::new();
        add_targets(written, MAX_CONDITIONS, &mut targets);
        let targets = targets.into_iter().filter_map(|target| joined(folder, target)).collect();
        Export { path: path.trim_start_matches(['.', '/']).to_owned(), targets }
    };
    match written.as_object() {
        Some(paths) if paths.keys().any(|key| key.starts_with('.')) => {
            paths.iter().map(|(path, written)| export(path, written)).collect()
        }
        _ => vec![export("", written)],
    }
}

/// Adds the targets of all conditions: which ones hold depends on who imports. What always holds comes after the others, and
/// declarations last.
fn add_targets<'v>(written: &'v Value, depth: usize, targets: &mut Vec<&'v str>) {
    let rank = |condition: &str| (condition == "types", condition == "default");
    match written {
        Value::String(target) => targets.push(target),
        Value::Array(choices) if depth > 0 => choices.iter().for_each(|choice| add_targets(choice, depth - 1, targets)),
        Value::Object(conditions) if depth > 0 => {
            let mut conditions: Vec<_> = conditions.iter().collect();
            conditions.sort_by_key(|(condition, _)| rank(condition));
            for (_, choice) in conditions {
                add_targets(choice, depth - 1, targets);
            }
        }
        _ => {}
    }
}

fn go_module(text: &str, folder: &str) -> Option<NamedFolder> {
    let name = text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
    let replacements = go_paths(text, "replace").into_iter().filter_map(|path| joined(folder, path));
    Some(NamedFolder {
        name: unquoted(name).to_owned(),
        folder: folder.to_owned(),
        entry: None,
        exports: Vec::new(),
        roots: Vec::new(),
        undiscovered: Vec::new(),
        replacements: replacements.collect(),
    })
}

fn go_workspace(text: &str, folder: &str) -> Vec<String> {
    go_paths(text, "use").into_iter().filter_map(|path| joined(folder, path)).collect()
}

/// The folders that a directive of `go.mod` or `go.work` names, alone or in a block: `use ./a`, `replace example.com/a => ../a`.
fn go_paths<'t>(text: &'t str, directive: &str) -> Vec<&'t str> {
    let (mut found, mut is_inside) = (Vec::new(), false);
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let rest = match line.strip_prefix(directive) {
            Some(rest) if rest.trim() == "(" => {
                is_inside = true;
                continue;
            }
            Some(rest) if rest.starts_with([' ', '\t']) => rest,
            _ if line == ")" => {
                is_inside = false;
                continue;
            }
            _ if is_inside => line,
            _ => continue,
        };
        let path = unquoted(rest.rsplit("=>").next().unwrap_or(rest));
        if path.starts_with('.') {
            found.push(path);
        }
    }
    found
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '`'])
}

/// Name and library of a `Cargo.toml`, read line by line: few keys matter.
fn cargo_package(text: &str, folder: &str) -> Option<NamedFolder> {
    let (mut section, mut name, mut library, mut path) = (String::new(), None, None, None);
    let (mut roots, mut undiscovered) = (Vec::new(), Vec::new());
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            line.trim_matches(['[', ']']).clone_into(&mut section);
        } else if let Some((key, value)) = line.split_once('=') {
            let value = value.trim().trim_matches('"').to_owned();
            match (section.as_str(), key.trim()) {
                ("package", "name") => name = Some(value),
                ("package", key) if value == "false" => {
                    undiscovered.extend(DISCOVERED.iter().map(|(name, _)| *name).filter(|name| *name == key));
                }
                ("lib", "name") => library = Some(value),
                ("lib", "path") => path = Some(value),
                ("bin" | "test" | "bench" | "example", "path") => roots.extend(joined(folder, &value)),
                _ => {}
            }
        }
    }
    let name = library.or(name)?.replace('-', "_");
    let entry = path.and_then(|path| joined(folder, &path));
    let (exports, replacements) = (Vec::new(), Vec::new());
    Some(NamedFolder { name, folder: folder.to_owned(), entry, exports, roots, undiscovered, replacements })
}

fn aliases(text: &str, folder: &str) -> Vec<Alias> {
    let Ok(config) = serde_json::from_str::<Value>(&without_comments(text)) else { return Vec::new() };
    let options = &config["compilerOptions"];
    let base = options["baseUrl"].as_str();
    let base_folder = joined(folder, base.unwrap_or(".")).unwrap_or_default();
    let mut found = Vec::new();
    for (pattern, targets) in options["paths"].as_object().into_iter().flatten() {
        let prefix = pattern.split('*').next().unwrap_or_default();
        let lead = |target: &Value| {
            let target = target.as_str()?.split('*').next().unwrap_or_default();
            let tail = if target.ends_with('/') { "/" } else { "" };
            joined(&base_folder, target).map(|path| path + tail)
        };
        found.push(Alias {
            scope: folder.to_owned(),
            prefix: prefix.to_owned(),
            is_pattern: pattern.contains('*'),
            targets: targets.as_array().into_iter().flatten().filter_map(lead).collect(),
        });
    }
    if base.is_some() {
        let targets = vec![if base_folder.is_empty() { String::new() } else { format!("{base_folder}/") }];
        found.push(Alias { scope: folder.to_owned(), prefix: String::new(), is_pattern: true, targets });
    }
    found
}

/// JSON as editors write it, without comments and without commas before a closing bracket.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let mut taken = first.len_utf8();
        if first == '"' {
            let mut escaped = false;
            let end = rest.char_indices().skip(1).find(|(_, char)| {
                let ends = *char == '"' && !escaped;
                escaped = *char == '\\' && !escaped;
                ends
            });
            taken = end.map_or(rest.len(), |(at, _)| at + 1);
            out.push_str(&rest[..taken]);
        } else if rest.starts_with("//") {
            taken = rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            taken = rest.find("*/").map_or(rest.len(), |at| at + 2);
        } else {
            if matches!(first, ']' | '}') {
                out.truncate(out.trim_end().trim_end_matches(',').len());
            }
            out.push(first);
        }
        rest = &rest[taken..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_name_folders() {
        let found = package(r#"{"name": "@a/b", "main": "./src/index.ts"}"#, "packages/b").unwrap();
        assert_eq!((found.name.as_str(), found.entry.as_deref()), ("@a/b", Some("packages/b/src/index.ts")));
        let text = r#"{"name": "b", "exports": {".": {"types": "./t.d.ts", "dev": {"import": "./dev/i.js"}, "default": "./i.js"},
            "./part/*": ["./src/*.js", "./*/index.js"], "./no": null}}"#;
        let found = package(text, "p").unwrap();
        let targets = |path: &str| found.exports.iter().flat_map(|export| export.targets_of(path)).collect::<Vec<_>>();
        assert_eq!(targets(""), ["p/dev/i.js", "p/i.js", "p/t.d.ts"]);
        assert_eq!(targets("part/a/b"), ["p/src/a/b.js", "p/a/b/index.js"]);
        assert!(targets("part").is_empty() && targets("no").is_empty());
        let found = package(r#"{"name": "b", "exports": "./index.js"}"#, "").unwrap();
        assert_eq!(found.exports[0].targets_of("").collect::<Vec<_>>(), ["index.js"]);
        assert_eq!(go_module("// x\nmodule example.com/a/v2\n", "").unwrap().name, "example.com/a/v2");
        let text =
            "module m\nreplace a/b v1 => ../../b // local\nreplace (\n\tc => ./c\n\td => e v1\n)\nrequire ./no v1\n";
        assert_eq!(go_module(text, "x/y").unwrap().replacements, ["b", "x/y/c"]);
        assert_eq!(go_workspace("go 1.22\nuse .\nuse (\n\t./a\n\t\"./b\"\n)\n", ""), ["", "a", "b"]);
        let found = cargo_package("[package]\nname = \"my-crate\"\n[dependencies]\nname = \"1\"\n", "x").unwrap();
        assert_eq!(found.name, "my_crate");
    }

    #[test]
    fn aliases_are_read_past_comments() {
        let text = "{ // why\n \"compilerOptions\": {\"baseUrl\": \".\", \"paths\": {\"@/*\": [\"./src/*\"],},},}";
        let found = aliases(text, "web");
        assert_eq!((found[0].prefix.as_str(), found[0].targets.as_slice()), ("@/", ["web/src/".to_owned()].as_slice()));
        assert_eq!(found[1].targets, ["web/"]);
    }
}
