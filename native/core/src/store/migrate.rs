//! The code index's format.

use crate::database::{Database, Schema};
use crate::error::Result;

pub(super) use crate::database::Format;

/// Marked by "ccix".
const SCHEMA: Schema = Schema {
    application_id: 0x6363_6978,
    what: "a code index",
    scripts: &[
        include_str!("../../migrations/index/0001_initial.sql"),
        include_str!("../../migrations/index/0002_outside_vectors.sql"),
    ],
};

/// The newest format known here.
pub const FORMAT: u32 = SCHEMA.newest();

/// Reads the format, refusing newer ones and files that are not a code index.
pub(super) fn format_of(database: &Database) -> Result<Format> {
    SCHEMA.format_of(database)
}

/// Brings the database to the newest format. `now_ns` is the time, in nanoseconds since the epoch.
pub(super) fn migrate(database: &Database, now_ns: i64) -> Result<()> {
    SCHEMA.migrate(database, now_ns, |_| Ok(()))
}
