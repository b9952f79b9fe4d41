//! Defines the format of the code index and its migrations.

use codecairn_base::database::{Database, Schema};
use codecairn_base::error::Result;

pub(super) use codecairn_base::database::Format;

/// Marked by "ccix".
const SCHEMA: Schema = Schema {
    application_id: 0x6363_6978,
    what: "a code index",
    scripts: &[
        include_str!("../migrations/0001_initial.sql"),
        include_str!("../migrations/0002_outside_vectors.sql"),
        include_str!("../migrations/0003_derived_vectors.sql"),
        include_str!("../migrations/0004_change_times_and_checksums.sql"),
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

#[cfg(test)]
mod tests {
    use rusqlite::OpenFlags;

    use super::*;
    use crate::vector_blocks;
    use codecairn_base::id::{EmbedderId, TextId};
    use codecairn_model::embed::{FEATURE_HASH, STATIC, builtin};

    #[test]
    fn vectors_that_are_derived_go_and_those_made_outside_stay() {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::connect(&dir.path().join("index.db"), None, OpenFlags::default()).unwrap();
        let before = Schema { scripts: &SCHEMA.scripts[..2], ..SCHEMA };
        before.migrate(&database, 0, |_| Ok(())).unwrap();
        let names = [FEATURE_HASH, STATIC].map(|name| builtin(name).unwrap().id().to_owned());
        let names = [&names[0], "test/model@4", &names[1]];
        for (name, id) in names.iter().zip(1u32..) {
            let sql = "INSERT INTO embedder (id, name, dimensions, vector_bytes) VALUES (?1, ?2, 4, 4)";
            database.run(sql, (id, name)).unwrap();
            for text in [0, 1000] {
                let (row, _) = vector_blocks::address(EmbedderId(id), TextId(text));
                let sql = "INSERT INTO vector_block (id, present, pending, data) VALUES (?1, 1, 2, X'01020304')";
                database.run(sql, [row]).unwrap();
            }
        }
        migrate(&database, 0).unwrap();
        let rows = database.all("SELECT id >> 32 FROM vector_block", [], |row| Ok(row.get::<_, u32>(0)?)).unwrap();
        assert_eq!(rows, [2, 2]);
        assert_eq!(format_of(&database).unwrap(), Format::Known(FORMAT));
    }
}
