//! The engine of codecairn: bytes in, ranked code out.
//!
//! It parses source to chunks, embeds and analyses them, keeps them in `SQLite` and in mapped
//! segments, and answers queries. It never touches Python, the network or the environment, and time
//! comes in as a [`Clock`](clock::Clock).
//!
//! Data flows downward through this list: `indexer` fills `store` and the derived segments from what
//! `walk`, `chunk`, `embed` and `lexical` produce; `retrieval` reads them through a `view` of one
//! branch.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files, and damage them, by hand"))]

pub mod bitmap;
pub mod cancel;
pub mod clock;
pub mod error;
pub mod failpoint;
pub mod graph;
pub mod hash;
pub mod id;
pub mod kind;
pub mod packed;
pub mod span;

mod database;
mod gallop;
mod parallel;
mod private_files;

pub mod language;
pub mod syntax;

pub mod chunk;
pub mod embed;
pub mod lexical;
pub mod scip;
pub mod vector;

pub mod store;
pub mod walk;

pub mod trust;

pub mod memory;

pub mod engine;
pub mod indexer;
pub mod retrieval;
pub mod view;

pub use error::{Error, ErrorKind, Result};
