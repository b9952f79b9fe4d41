//! Defines a pending record, one line of a spool.

use serde::{Deserialize, Serialize};

use crate::event::CleanEvent;
use crate::fact::CleanFact;
use crate::project::ProjectName;

/// A record that privacy has cleaned and no database has yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum SpoolRecord {
    Event(CleanEvent),
    Fact(CleanFact),
}

/// A record with the project it belongs to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) project: ProjectName,
    pub(crate) waiting: SpoolRecord,
}
