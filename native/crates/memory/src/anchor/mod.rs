//! Anchors: the code that a fact or an event refers to, and whether it has changed since.
//!
//! An anchor is a symbol's path and qualified name with hashes of its body and signature. Its state is determined from
//! the files alone, never from an index, which may be out of date.

mod ledger;
mod symbols;

use serde::{Deserialize, Serialize};

pub(super) use ledger::{put, remove, renew, sharing};
pub use symbols::{anchors_in, look};

/// A symbol at the time of the fact or event that refers to it.
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
    /// Removed.
    Orphan,
}

/// The state of an anchor's symbol, and its current position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnchorStatus {
    /// Its state.
    pub state: AnchorState,
    /// The symbol as it is now; absent for an orphan.
    pub now: Option<Anchor>,
    /// Whether its signature is another one.
    pub is_signature_changed: bool,
}
