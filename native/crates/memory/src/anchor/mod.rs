//! Anchors: the code that a fact or an event refers to, and whether it has changed since.
//!
//! An anchor is a symbol's path and qualified name with hashes of its body and signature, a whole file, or a line. Its
//! state is determined from the files alone, never from an index, which may be out of date. Which other files a missing
//! symbol may have moved to is the caller's knowledge, and so is whether it is gone.

mod difference;
mod files;
mod ledger;
mod symbols;

use std::path::Path;

use serde::{Deserialize, Serialize};

pub use files::{file_anchor, line_anchor};
pub(super) use ledger::{put, remove, renew, sharing};
pub use symbols::definitions_in;

use crate::memory::Memory;

/// The kind of an anchor that is a whole file; its name is empty.
pub(crate) const FILE: &str = "file";
/// The kind of an anchor that is a line outside of all symbols; its name is the number that the line had.
pub(crate) const LINE: &str = "line";

/// A symbol, file or line at the time of the fact or event that refers to it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anchor {
    /// The file, relative to the root with `/`.
    pub path: String,
    /// The qualified name: `Session.get`.
    pub name: String,
    /// The normalised kind.
    #[serde(default)]
    pub kind: String,
    /// Hash of its code without comments, documentation, layout and its own name.
    #[serde(default)]
    pub body_hash: String,
    /// Hash of its signature, the code before its body, normalised alike.
    #[serde(default)]
    pub signature_hash: String,
    /// Its text, for a diff.
    #[serde(default)]
    pub body: String,
}

/// The state of an anchor's symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnchorState {
    /// Unchanged.
    Fresh,
    /// It was rewritten since.
    Changed,
    /// Unchanged, but moved or renamed.
    Moved,
    /// Neither where it was nor in the other files.
    Orphan,
    /// Its file is there and can't be read.
    Unchecked,
}

/// A definition of a file as an anchor, with its lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Definition {
    /// The symbol.
    pub anchor: Anchor,
    /// Its first line, counted from 1.
    pub first_line: usize,
    /// Its last line.
    pub last_line: usize,
}

/// The state of an anchor's symbol, and its current position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnchorStatus {
    /// Where it was, as it is shown: `path::Symbol`, `path:line` or `path`.
    pub place: String,
    /// Its state.
    pub state: AnchorState,
    /// The symbol as it is now; absent for an orphan.
    pub now: Option<Anchor>,
    /// Whether its signature is another one.
    pub is_signature_changed: bool,
    /// The first changed lines of a changed symbol, marked `-` and `+`; none if its text is not known.
    pub diff: Vec<String>,
}

impl AnchorStatus {
    fn found(state: AnchorState, now: Anchor) -> Self {
        Self { place: String::new(), state, now: Some(now), is_signature_changed: false, diff: Vec::new() }
    }

    /// The status of what is not found.
    fn missing(root: &Path, anchor: &Anchor) -> Self {
        let is_known = files::is_readable_or_gone(root, &anchor.path);
        let state = if is_known { AnchorState::Orphan } else { AnchorState::Unchecked };
        Self { place: String::new(), state, now: None, is_signature_changed: false, diff: Vec::new() }
    }
}

/// Determines the state of an anchor. `elsewhere` are other files that it may have moved to.
fn state_of(root: &Path, anchor: &Anchor, elsewhere: &[String]) -> AnchorStatus {
    match anchor.kind.as_str() {
        FILE => files::look_at_file(root, anchor, elsewhere),
        LINE => files::look_at_line(root, anchor),
        _ => symbols::look_at_symbol(root, anchor, elsewhere),
    }
}

impl Memory {
    /// Determines the state of an anchor in the files below `root`, with a short diff of what changed. `elsewhere` are
    /// other files that it may have moved to.
    pub fn anchor_status(&self, root: &Path, anchor: &Anchor, elsewhere: &[String]) -> AnchorStatus {
        let mut status = state_of(root, anchor, elsewhere);
        status.place = match anchor.kind.as_str() {
            FILE => anchor.path.clone(),
            LINE => format!("{}:{}", anchor.path, anchor.name),
            _ => format!("{}::{}", anchor.path, anchor.name),
        };
        if let (AnchorState::Changed, Some(now), false) = (status.state, &status.now, anchor.body.is_empty()) {
            // The stored text went through privacy: without it, what it took out would be shown as added.
            let now = crate::privacy::cleaned(&now.body, self.options.unclosed).0;
            status.diff = difference::short_diff(&anchor.body, &now);
        }
        status
    }
}
