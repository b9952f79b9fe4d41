//! Marks statements whose origin an agent must know, and withholds those that it must not be shown unasked.
//!
//! A statement from a repository's files, or from its committed memory, was written by the author of the file, who may
//! be a stranger. It is shown only where the user trusts the workspace, always with its source, and never at a host that
//! loads the file itself.

use std::collections::BTreeMap;

use super::Audience;
use crate::query::{FactFilter, PARENT};
use crate::words::Origin;

/// The name, in a fact's `meta`, of the file that it was drawn from.
const FILE: &str = "file";
/// The name, in a fact's `meta`, of the record of the team's memory that it came in with.
const TEAM: &str = "team";

/// The instruction files that a host reads by itself, as each host documents; a final `*` stands for all files of a
/// folder.
const LOADED_BY_HOST: [(&str, &[&str]); 6] = [
    // AGENTS.md since 2.1.277
    ("claude", &["CLAUDE.md", "AGENTS.md", ".claude/CLAUDE.md", ".claude/rules/*"]),
    ("codex", &["AGENTS.md"]),
    // The first of them that exists.
    ("opencode", &["AGENTS.md", "CLAUDE.md"]),
    ("gemini", &["GEMINI.md"]),
    ("cursor", &["AGENTS.md", "CLAUDE.md", ".cursorrules", ".cursor/rules/*"]),
    // The first of them that exists.
    ("hermes", &["AGENTS.md", "CLAUDE.md"]),
];

/// The marks of a statement whose origin must be known, or that is of the project around a submodule; empty for any other.
pub(super) fn mark_of(origin: Origin, maker: &str, meta: &BTreeMap<String, String>) -> String {
    let of_origin = origin_mark(origin, maker, meta);
    let Some(parent) = meta.get(PARENT) else { return of_origin };
    let gap = if of_origin.is_empty() { "" } else { ", " };
    format!("{of_origin}{gap}of the parent project {parent}")
}

fn origin_mark(origin: Origin, maker: &str, meta: &BTreeMap<String, String>) -> String {
    if origin == Origin::External {
        return "quoted from outside".to_owned();
    }
    // Memories of the version before know no such origin: there it shows by how the fact was made.
    let is_of_repository =
        origin == Origin::Repository || (origin != Origin::User && (maker == "init" || meta.contains_key(TEAM)));
    match meta.get(FILE).filter(|file| !file.is_empty()) {
        _ if !is_of_repository => String::new(),
        Some(file) => format!("from this repository's {file}"),
        None if meta.contains_key(TEAM) => "from this repository's shared memory".to_owned(),
        None => "from this repository's files".to_owned(),
    }
}

/// The filter of the facts that may be shown to an agent.
pub(super) fn shown_to(audience: &Audience) -> FactFilter {
    let files = LOADED_BY_HOST.iter().find(|(host, _)| *host == audience.host).map_or(&[][..], |(_, files)| files);
    FactFilter {
        without_repository: !audience.trusts,
        with_parents: true,
        without_files: files.iter().map(|file| (*file).to_owned()).collect(),
        ..FactFilter::default()
    }
}

/// The hosts that read a file of the repository by themselves.
pub fn hosts_loading(file: &str) -> Vec<&'static str> {
    let is_loaded = |name: &&str| name.strip_suffix('*').map_or(file == *name, |folder| file.starts_with(folder));
    LOADED_BY_HOST.iter().filter(|(_, files)| files.iter().any(is_loaded)).map(|(host, _)| *host).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_named_as_the_source_unless_a_person_made_the_statement_theirs() {
        let meta = |name: &str, value: &str| BTreeMap::from([(name.to_owned(), value.to_owned())]);
        let none = BTreeMap::new();
        for (origin, maker, meta, mark) in [
            (Origin::External, "add", &none, "quoted from outside"),
            (Origin::Repository, "init", &meta(FILE, "AGENTS.md"), "from this repository's AGENTS.md"),
            (Origin::Agent, "init", &none, "from this repository's files"),
            (Origin::Agent, "import", &meta(TEAM, "7"), "from this repository's shared memory"),
            (Origin::User, "init", &meta(FILE, "AGENTS.md"), ""),
            (Origin::Agent, "model", &none, ""),
        ] {
            assert_eq!(mark_of(origin, maker, meta), mark);
        }
    }

    #[test]
    fn hosts_load_their_files_and_folders() {
        assert_eq!(hosts_loading("GEMINI.md"), ["gemini"]);
        assert_eq!(hosts_loading(".cursor/rules/a.mdc"), ["cursor"]);
        assert_eq!(hosts_loading("docs/AGENTS.md"), [""; 0]);
    }
}
