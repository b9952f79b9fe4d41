//! Resolves the source of an import to files, by the rules of each family.

use std::cmp::Reverse;

use codecairn_index::view::FileIndex;

use super::branch::{Branch, Load};
use super::family::Family;
use super::paths::folder_of;
use super::paths::{is_below, joined, text_ends};
use super::repository_layout::NamedFolder;
use super::scoped_name::last;

/// The target of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Module {
    /// Files of the branch.
    Files(Vec<FileIndex>),
    /// A folder of modules without a file of its own.
    Folder(String),
    /// Not in the branch: the standard library, a dependency.
    External,
    /// Unknown.
    Unknown,
}

impl Module {
    fn of(files: Vec<FileIndex>) -> Option<Self> {
        (!files.is_empty()).then_some(Self::Files(files))
    }
}

/// The headers of the standard library of C (C11 7.1.2).
const STANDARD_HEADERS: [&str; 29] = [
    "assert.h",
    "complex.h",
    "ctype.h",
    "errno.h",
    "fenv.h",
    "float.h",
    "inttypes.h",
    "iso646.h",
    "limits.h",
    "locale.h",
    "math.h",
    "setjmp.h",
    "signal.h",
    "stdalign.h",
    "stdarg.h",
    "stdatomic.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "stdnoreturn.h",
    "string.h",
    "tgmath.h",
    "threads.h",
    "time.h",
    "uchar.h",
    "wchar.h",
    "wctype.h",
];

const PYTHON_ENDS: [&str; 4] = [".py", "/__init__.py", ".pyi", "/__init__.pyi"];

/// The order in which Python tries [`PYTHON_ENDS`]: a package comes before a file, and stubs come last.
const PYTHON_RANKS: [u8; 4] = [1, 0, 3, 2];

const SCRIPT_ENDS: [&str; 18] = [
    "",
    ".ts",
    ".tsx",
    ".mts",
    ".cts",
    ".js",
    ".jsx",
    ".mjs",
    ".cjs",
    ".d.ts",
    ".vue",
    ".svelte",
    ".astro",
    "/index.ts",
    "/index.tsx",
    "/index.js",
    "/index.mjs",
    "/index.d.ts",
];

const JVM_ENDS: [&str; 4] = [".java", ".kt", ".scala", ".groovy"];

impl<L: Load> Branch<'_, L> {
    /// Resolves `source`, as an import in the file `from` has it.
    pub(super) fn module(&self, from: FileIndex, source: &str) -> Module {
        if source.is_empty() {
            return Module::Unknown;
        }
        match self.family(from) {
            Family::Python => self.python_module(from, source),
            Family::Script => self.script_module(from, source),
            Family::Go => self.go_package(from, source),
            // Each name that a file takes from a module as a whole asks for it.
            Family::Rust => self.module_once(from, source, || self.rust_module(from, source)),
            Family::Jvm => self.jvm_package(source),
            Family::C => self.included(from, source),
            Family::Lua => {
                let path = source.replace('.', "/");
                self.first_ending(from, &path, &[".lua", "/init.lua", ".luau", ""]).unwrap_or(Module::External)
            }
            Family::Ruby | Family::Shell => {
                let folder = self.folder(from);
                let path =
                    source.rsplit_once(['$', '}']).map_or(source, |(_, rest)| rest).trim_start_matches(['/', '"']);
                let relative = joined(folder, path).and_then(|path| self.exact(&path, &["", ".rb", ".sh", ".bash"]));
                relative
                    .or_else(|| self.first_ending(from, path.trim_start_matches("./"), &["", ".rb", ".sh", ".bash"]))
                    .unwrap_or(Module::External)
            }
            _ => Module::Unknown,
        }
    }

    fn python_module(&self, from: FileIndex, source: &str) -> Module {
        let rest = source.trim_start_matches('.');
        let dots = source.len() - rest.len();
        let path = rest.replace('.', "/");
        if dots > 0 {
            let up = "../".repeat(dots - 1);
            let Some(base) = joined(self.folder(from), &format!("{up}{path}")) else { return Module::Unknown };
            let ends: &[&str] = if path.is_empty() { &PYTHON_ENDS[1..2] } else { &PYTHON_ENDS };
            return self.exact(&base, ends).unwrap_or_else(|| {
                if self.layout().has_folder(&base) { Module::Folder(base.clone()) } else { Module::Unknown }
            });
        }
        let home = self.path(from);
        let mut best = None;
        for (rank, end) in PYTHON_ENDS.iter().enumerate() {
            let tail = format!("{path}{end}");
            for file in self.layout().ending(self.view, &tail) {
                let root = self.path(file).strip_suffix(&tail).unwrap_or_default().trim_end_matches('/');
                // The content of a package is visible through the package only.
                if !root.is_empty() && self.view.find(&format!("{root}/__init__.py")).is_some() {
                    continue;
                }
                // A folder on the way to the file may be a root of modules, and those of other projects are further off.
                let is_around = is_below(home, root);
                let shared = home.split('/').zip(root.split('/')).take_while(|(a, b)| a == b).count();
                let (depth, is_source) = (root.matches('/').count(), root.is_empty() || root.ends_with("src"));
                let order = (
                    !is_around,
                    !is_source && !is_around,
                    Reverse(shared),
                    depth,
                    root.len(),
                    PYTHON_RANKS[rank],
                    file,
                );
                if best.is_none_or(|(least, _)| order < least) {
                    best = Some((order, file));
                }
            }
        }
        if let Some((_, file)) = best {
            return Module::Files(vec![file]);
        }
        if self.layout().has_folder(&path) { Module::Folder(path) } else { Module::External }
    }

    fn script_module(&self, from: FileIndex, source: &str) -> Module {
        let folder = self.folder(from);
        if source.starts_with('.') {
            let Some(path) = joined(folder, source) else { return Module::Unknown };
            let of_package = || {
                let package = self.layout().packages.iter().find(|package| package.folder == path)?;
                self.package_entry(package)
            };
            return self.script_file(&path).or_else(of_package).unwrap_or(Module::Unknown);
        }
        let path = self.path(from);
        for alias in self.layout().aliases.iter().filter(|alias| is_below(path, &alias.scope)) {
            let Some(rest) = source.strip_prefix(&alias.prefix) else { continue };
            if !alias.is_pattern && !rest.is_empty() {
                continue;
            }
            let found = alias.targets.iter().find_map(|target| self.script_file(&format!("{target}{rest}")));
            if let Some(found) = found {
                return found;
            }
        }
        let packages = &self.layout().packages;
        if let Some((Some(package), rest)) = self.layout().renamed_packages.find(path, source, packages) {
            return self.in_package(package, rest).unwrap_or(Module::Unknown);
        }
        for package in packages {
            if let Some(rest) =
                source.strip_prefix(&package.name).filter(|rest| rest.is_empty() || rest.starts_with('/'))
            {
                return self.in_package(package, rest).unwrap_or(Module::Unknown);
            }
        }
        // Set up by a bundler, mostly so.
        let rest = source.strip_prefix("@/").or_else(|| source.strip_prefix("~/"));
        let found = rest.and_then(|rest| self.first_ending(from, &format!("src/{rest}"), &SCRIPT_ENDS));
        found.unwrap_or(Module::External)
    }

    /// The file that is meant by the name of a package and the rest of an import, which begins with a `/` or is empty.
    fn in_package(&self, package: &NamedFolder, rest: &str) -> Option<Module> {
        let inside = |path: &str| joined(&package.folder, path).and_then(|path| self.script_file(&path));
        match rest.strip_prefix('/') {
            Some(rest) => {
                let exported = self.exported(package, rest);
                exported.or_else(|| inside(rest)).or_else(|| inside(&format!("src/{rest}")))
            }
            None => self.package_entry(package),
        }
    }

    /// The file that is meant by the name of a package, or by its folder.
    fn package_entry(&self, package: &NamedFolder) -> Option<Module> {
        let inside = |path: &str| joined(&package.folder, path).and_then(|path| self.script_file(&path));
        let named = || package.entry.as_deref().and_then(|entry| self.script_file(entry));
        self.exported(package, "")
            .or_else(named)
            .or_else(|| ["src/index", "index", "src/main", "lib/index", "src"].into_iter().find_map(inside))
            .or_else(|| self.named_entry(package))
    }

    /// What a package exports at a path, of several targets the first that is a file: others are built.
    fn exported(&self, package: &NamedFolder, path: &str) -> Option<Module> {
        let mut targets = package.exports.iter().flat_map(|export| export.targets_of(path));
        targets.find_map(|target| self.script_file(&target))
    }

    /// The source of an entry that is built under the package's name.
    fn named_entry(&self, package: &NamedFolder) -> Option<Module> {
        let name = last(&package.name);
        ["src", "lib", ""].into_iter().find_map(|folder| {
            let files = self.layout().in_folder(&joined(&package.folder, folder)?).iter();
            let is_named = |file: &&FileIndex| {
                let file_name = self.path(**file).rsplit('/').next().unwrap_or_default();
                let (stem, end) = file_name.split_once('.').unwrap_or((file_name, ""));
                stem.eq_ignore_ascii_case(name) && matches!(end, "js" | "mjs" | "ts" | "mts" | "jsx" | "tsx")
            };
            files.copied().find(|file| is_named(&file)).map(|file| Module::Files(vec![file]))
        })
    }

    fn script_file(&self, path: &str) -> Option<Module> {
        if let Some(found) = self.exact(path, &SCRIPT_ENDS) {
            return Some(found);
        }
        // A compiled source is imported by the name of its output.
        let (stem, ending) = path.rsplit_once('.')?;
        let sources: &[&str] = match ending {
            "js" => &[".ts", ".tsx", ".d.ts"],
            "jsx" => &[".tsx"],
            "mjs" => &[".mts"],
            "cjs" => &[".cts"],
            _ => return None,
        };
        self.exact(stem, sources)
    }

    fn go_package(&self, from: FileIndex, source: &str) -> Module {
        for module in &self.layout().go_modules {
            let Some(rest) = source.strip_prefix(&module.name) else { continue };
            if !rest.is_empty() && !rest.starts_with('/') {
                continue;
            }
            if !self.layout().sees_go_module(self.path(from), module) {
                break;
            }
            let folder = joined(&module.folder, rest).unwrap_or_default();
            return Module::of(self.go_files(&folder)).unwrap_or(Module::Unknown);
        }
        // A copy that is kept beside the module's own code.
        let home = self.layout().go_module_of(self.path(from));
        let vendored = home.and_then(|home| joined(&home.folder, &format!("vendor/{source}")));
        vendored.and_then(|folder| Module::of(self.go_files(&folder))).unwrap_or(Module::External)
    }

    /// The files of a package, without its tests.
    pub(super) fn go_files(&self, folder: &str) -> Vec<FileIndex> {
        let files = self.layout().in_folder(folder).iter().copied();
        files.filter(|&file| text_ends(self.path(file), ".go") && !self.path(file).ends_with("_test.go")).collect()
    }

    fn rust_module(&self, from: FileIndex, source: &str) -> Module {
        let mut parts: Vec<&str> = source.split("::").map(str::trim).collect();
        let path = self.path(from);
        let layout = self.layout();
        let home = layout.crate_of(path);
        let root_of = |named: &NamedFolder| {
            let entry = named.entry.as_deref().map(folder_of);
            entry.map(str::to_owned).or_else(|| joined(&named.folder, "src")).unwrap_or_default()
        };
        let is_root = home.is_some_and(|home| home.is_crate_root(path));
        let children = if is_root { folder_of(path).to_owned() } else { rust_children(path) };
        if is_root && matches!(parts.as_slice(), ["crate" | "self"]) {
            return Module::Files(vec![from]);
        }
        let mut folder = match parts.first().copied() {
            Some("crate") => {
                parts.remove(0);
                match home {
                    Some(_) if is_root => children,
                    Some(home) => {
                        let library = root_of(home);
                        match home.root_folder(path) {
                            Some(root) if root.len() > library.len() || !is_below(path, &library) => root.to_owned(),
                            _ => library,
                        }
                    }
                    None => return Module::Unknown,
                }
            }
            Some("self" | "super") => children,
            Some(first) => {
                let renamed = layout.renamed_crates.find(path, first, &layout.crates);
                let named =
                    renamed.map_or_else(|| layout.crates.iter().find(|named| named.name == first), |(named, _)| named);
                if let Some(named) = named {
                    parts.remove(0);
                    root_of(named)
                } else {
                    // A sibling or a child module, as older editions and `mod` have it.
                    let below = children;
                    let inner = joined(&below, first).unwrap_or_default();
                    let is_there = self.exact(&inner, &[".rs", "/mod.rs"]).is_some();
                    if !is_there {
                        return Module::External;
                    }
                    below
                }
            }
            None => return Module::Unknown,
        };
        while let Some(first) = parts.first() {
            match *first {
                "self" => {}
                "super" => {
                    // The file of a module is next to its folder.
                    folder = folder_of(&folder).to_owned();
                }
                _ => break,
            }
            parts.remove(0);
        }
        let whole = parts.join("/");
        let at = joined(&folder, &whole).unwrap_or_default();
        let mains = ["/lib.rs", "/main.rs", "/mod.rs"];
        let found = if whole.is_empty() { self.exact(&at, &mains) } else { None };
        found.or_else(|| self.exact(&at, &[".rs", "/mod.rs"])).unwrap_or(Module::Unknown)
    }

    fn jvm_package(&self, source: &str) -> Module {
        let path = source.replace('.', "/");
        for end in JVM_ENDS {
            let tail = format!("{path}{end}");
            let found: Vec<FileIndex> = self.layout().ending(self.view, &tail).collect();
            if let Some(found) = Module::of(found) {
                return found;
            }
        }
        let files = self.layout().in_folders_ending(&path);
        let files = files.filter(|&file| self.family(file) == Family::Jvm).collect();
        Module::of(files).unwrap_or(Module::External)
    }

    fn included(&self, from: FileIndex, source: &str) -> Module {
        if let Some(found) = joined(self.folder(from), source).and_then(|path| self.exact(&path, &[""])) {
            return found;
        }
        if STANDARD_HEADERS.contains(&source) {
            return Module::External;
        }
        let clean = source.trim_start_matches("./").trim_start_matches("../");
        self.first_ending(from, clean, &[""]).unwrap_or(Module::External)
    }

    /// The first file at `path` with one of these ends.
    fn exact(&self, path: &str, ends: &[&str]) -> Option<Module> {
        // At the root, the index of a folder has no folder before it.
        let file = |end: &&str| self.view.find(format!("{path}{end}").trim_start_matches('/'));
        let found = ends.iter().find_map(file)?;
        Some(Module::Files(vec![found]))
    }

    /// The nearest file whose path ends with `path` and the first of these ends that any has.
    fn first_ending(&self, from: FileIndex, path: &str, ends: &[&str]) -> Option<Module> {
        if path.is_empty() {
            return None;
        }
        ends.iter().find_map(|end| {
            let tail = format!("{path}{end}");
            let found = self.layout().ending(self.view, &tail).filter(|&file| file != from);
            self.nearest(from, found).map(|file| Module::Files(vec![file]))
        })
    }

    /// The file that shares the most folders with `from`; of equals the one with the shortest path.
    fn nearest(&self, from: FileIndex, files: impl Iterator<Item = FileIndex>) -> Option<FileIndex> {
        let home = self.path(from);
        let shared = |path: &str| home.split('/').zip(path.split('/')).take_while(|(a, b)| a == b).count();
        files.max_by_key(|&file| {
            let path = self.path(file);
            (shared(path), std::cmp::Reverse(path.len()), std::cmp::Reverse(file))
        })
    }

    /// The local name of an import without an alias.
    pub(super) fn local_name<'t>(&self, from: FileIndex, source: &'t str) -> &'t str {
        match self.family(from) {
            Family::Python => source.split('.').next().unwrap_or(source),
            Family::Go => {
                let name = last(source);
                let is_version =
                    name.len() > 1 && name.starts_with('v') && name[1..].bytes().all(|b| b.is_ascii_digit());
                if is_version && name.len() < source.len() {
                    last(&source[..source.len() - name.len() - 1])
                } else {
                    name
                }
            }
            Family::Script => "",
            _ => last(source),
        }
    }
}

/// Whether a path is that of a header with the name of one of the standard library of C.
pub(super) fn has_standard_name(path: &str) -> bool {
    STANDARD_HEADERS.contains(&path.rsplit('/').next().unwrap_or(path))
}

/// The folder in which the modules below a Rust file lie.
fn rust_children(path: &str) -> String {
    let folder = folder_of(path);
    let stem = path.rsplit('/').next().and_then(|name| name.strip_suffix(".rs")).unwrap_or_default();
    match stem {
        "mod" | "lib" | "main" | "build" => folder.to_owned(),
        _ if folder.is_empty() => stem.to_owned(),
        _ => format!("{folder}/{stem}"),
    }
}
