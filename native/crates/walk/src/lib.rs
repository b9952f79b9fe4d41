//! Finds the files of a folder that are worth indexing, and reads them to text.
//!
//! [`walk()`] lists files under the [`Rules`] without opening one, [`changes`](Changes) says which of them
//! moved since they were last looked at, [`read_source`] reads and decodes one. What is left out is left out
//! with a [`SkipReason`]; an entry that can't be read, vanishes or changes under our eyes is a [`Skip`], never an
//! error. The module follows no link, writes nothing, and runs no other program: [`git`] is read as files.
//!
//! Invariant: [`walk()`] and [`Rules::decide`] agree on every path, and equal trees give equal lists.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files, and damage them, by hand"))]

mod binary;
mod changes;
mod contained_files;
mod content;
mod decode;
mod entry;
mod folder;
mod folder_handle;
mod folders;
pub mod git;
mod git_index;
mod link;
mod name;
mod named_paths;
mod path;
mod read;
mod rules;
mod skip;
mod stat;
mod tree;

pub use changes::{Changes, KnownFile};
pub use contained_files::MAX_RULE_BYTES;
pub use contained_files::read_text;
pub use entry::{Walk, WalkedFile};
pub use folders::folders_below;
pub use named_paths::{topmost, walk_named};
pub use read::{MAX_FILE_BYTES, Source, SourceReader, read_source, source_of};
pub use rules::{RuleOptions, Rules, global_excludes_path};
pub use skip::{Skip, SkipReason};
pub use stat::{FileStat, StatEntry, is_trustworthy, stat_file};
pub use tree::{walk, walk_until};

#[cfg(test)]
mod agreement_tests;
#[cfg(test)]
mod rules_tests;
#[cfg(test)]
mod sandbox;
#[cfg(test)]
mod tree_tests;
