//! From a folder to a published index, and the view of one branch that readers share.
//!
//! [`indexer`] walks, parses, embeds, commits and publishes; [`view`] holds what all searches of a branch read.
//!
//! Invariants: the catalog is published last, so a failure before leaves the branch as it was; an index that was brought
//! up to date equals one that was built from nothing.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files, and damage them, by hand"))]

pub mod indexer;
pub mod view;
