//! The code graph: who uses what, and how sure that is.
//!
//! What a file says of itself is stored with its content: symbols, uses with their receivers, imports, bases, and what
//! tells the types of names. Where a use leads depends on the other files of the branch, so it is found when it is asked:
//! nothing has to be computed anew when a branch is switched or a file changes.
//!
//! A name is traced as its language would: scopes, the file, imports and re-exports, the package, members of the type of
//! what stands before it. What can't be traced so is looked for by name alone, which gives candidates and no facts.
//!
//! Where a SCIP index says what a name means, and still holds for the files, that is the answer.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files, and damage them, by hand"))]

pub mod scip;

mod branch;
mod edge;
mod edges;
mod evidence;
mod exports;
mod facts;
mod family;
mod globals;
mod layout;
mod members;
mod modules;
mod names;
mod overriding;
mod questions;
mod reach;
mod receiver;
mod resolver;
mod said;
mod standing;
mod structure;
mod touching;
mod types;
mod value;
mod whole;
mod words;

pub use branch::Kept;
pub use branch::SymbolId;
pub use edge::{Edge, EdgeKind, How, Resolution};
pub use evidence::Written;
pub use questions::Graph;
pub use questions::{Node, Occurrence, Role};
pub use reach::Direction;
