//! The indexer, which makes a published index of a folder, and the view of one branch that readers share.
//!
//! [`indexer`] walks, parses, embeds, commits and publishes; [`view`] holds what all searches of a branch read;
//! [`transfer`] packs what of an index can be used in another store, and takes it in there.
//!
//! Invariants: the catalog is published last, so a failure before leaves the branch as it was; an incremental
//! update gives the same index as a full build.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files, and damage them, by hand"))]

pub mod indexer;
pub mod transfer;
pub mod view;
