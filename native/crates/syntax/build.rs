//! Lists the query files so that the crate can embed them: a new folder below `queries/` needs no further line of code.

#![allow(clippy::disallowed_methods, reason = "files of a developer, at paths of their choice")]

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

fn main() {
    let root = folder_of("CARGO_MANIFEST_DIR").join("queries");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut folders: Vec<PathBuf> = fs::read_dir(&root)
        .unwrap_or_else(|error| panic!("reading {}: {error}", root.display()))
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    let mut table = String::from("&[\n");
    for folder in folders {
        let id = folder.file_name().expect("a folder inside another has a name").to_string_lossy().into_owned();
        let file = |name: &str| folder.join(name).to_string_lossy().into_owned();
        // Most grammars tell nothing of types.
        let part = |name: &str| {
            if folder.join(name).is_file() { format!("include_str!({:?})", file(name)) } else { String::from("\"\"") }
        };
        let (chunks, tags, types) = (part("chunks.scm"), part("tags.scm"), part("types.scm"));
        writeln!(table, "    QueryFile {{ grammar: {id:?}, chunks: {chunks}, tags: {tags}, types: {types} }},")
            .expect("invariant: writing to a string succeeds");
    }
    table.push_str("]\n");
    let out = folder_of("OUT_DIR").join("queries.rs");
    fs::write(&out, table).unwrap_or_else(|error| panic!("writing {}: {error}", out.display()));
}

#[expect(clippy::disallowed_methods, reason = "a build script learns its folders from the environment only")]
fn folder_of(variable: &str) -> PathBuf {
    PathBuf::from(std::env::var_os(variable).unwrap_or_else(|| panic!("cargo sets {variable}")))
}
