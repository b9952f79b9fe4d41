//! The base of all crates: ids, hashes, errors, bitmaps, the `SQLite` connection, and files that are mapped or
//! published atomically.
//!
//! Invariants: no error leaves without the path that it is about; a file is opened without following a link; a
//! published file is whole, whatever happens to the process that writes it.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files, and damage them, by hand"))]

pub mod atomic_file;
pub mod bitmap;
pub mod cancel;
pub mod clock;
pub mod crash_log;
#[cfg(unix)]
mod crash_signals;
pub mod database;
mod disk_room;
pub mod error;
pub mod failpoint;
pub mod gallop;
pub mod hash;
pub mod id;
pub mod leb128;
pub mod mapped_file;
pub mod mount;
pub mod parallel;
pub mod private_files;
pub mod span;

pub use error::{Error, ErrorKind, Result};
