//! Finds the project of a folder: which folders share one memory.
//!
//! | file | content |
//! |---|---|
//! | `name` | a folder on the disk → by which its project is recognised |
//! | `remote` | git's configuration → the address of the remote, in one spelling |
//! | `rules` | that and the database → the project, and why it is that one |
//! | `manage` | shows projects with their folders, merges and parts them |
//!
//! A folder keeps its project as long as it exists, also when it is moved or gets another remote. A folder that is new joins
//! the project of its remote, unless the repository that the remote was seen in has left it. Where a folder might be that of
//! a stranger it gets a new project, and the one it might have had is noted for a hint.

mod manage;
mod name;
mod remote;
mod rules;

pub use manage::{Adopted, ProjectFolder, ProjectReport, ProjectRow};
pub use name::{Identity, ProjectName};
pub use rules::Reason;
pub(super) use rules::{find, parents, resolve, resolve_waiting};

/// The number of the user's own project, whose facts hold everywhere.
pub(super) const USER: i64 = 0;
