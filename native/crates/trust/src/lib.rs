//! Distinguishes what this user wrote in a workspace from what came with a repository.
//!
//! A key in the user's data folder signs what codecairn keeps inside a workspace: the folder of a store ([`Seal`]) and
//! each record that a sandboxed agent leaves for later ([`UserKey::tag`]). A repository can plant any file but no valid
//! signature; and what git tracks ([`tracked_below`]) came from a commit, whatever signature comes with it. Processes of
//! the same user can read the key, so they are trusted.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files, and damage them, by hand"))]

use std::fmt::Write as _;

mod key;
mod seal;
mod tracked;

pub use key::UserKey;
pub use seal::{SEAL_FILE, Seal};
pub use tracked::tracked_below;

/// Bytes in hexadecimal.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        write!(text, "{byte:02x}").expect("invariant: writing to a string works");
        text
    })
}
