//! Anchors: what code a fact or an event speaks of, and whether that code is still what it was.
//!
//! An anchor is a symbol's path and qualified name with hashes of its body and signature. Looking at the files tells
//! what became of it; nothing here trusts an index, which may lag behind.

mod ledger;
mod symbols;

use serde::{Deserialize, Serialize};

pub(super) use ledger::{put, remove, sharing};
pub use symbols::{anchors_in, look};

/// A symbol as it was when something was said of it.
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
    /// Hash of its text, less blanks and its own name.
    #[serde(default)]
    pub body_hash: String,
    /// Hash of what stands before its body.
    #[serde(default)]
    pub signature_hash: String,
    /// Its text, so that what changed can be shown.
    #[serde(default)]
    pub body: String,
}

/// What became of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnchorState {
    /// It is what it was.
    Fresh,
    /// It was rewritten since.
    Changed,
    /// It is what it was, in another place or under another name.
    Moved,
    /// It is gone.
    Orphan,
}

/// What became of an anchor's symbol, and where it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnchorStatus {
    /// What became of it.
    pub state: AnchorState,
    /// The symbol as it is now; absent for an orphan.
    pub now: Option<Anchor>,
    /// Whether its signature is another one.
    pub is_signature_changed: bool,
}
