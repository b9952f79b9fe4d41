//! The built-in embedding model, and vectors: exact search, one-bit sketches and HNSW.
//!
//! Invariant: a vector depends on the model's id and the text alone, and is the same bit for bit on every platform.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files, and damage them, by hand"))]

pub mod embed;
pub mod vector;
