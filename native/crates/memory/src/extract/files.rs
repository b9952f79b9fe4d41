//! Counts which files change together: an edit is paired with the [`NEIGHBOURS`] files that its session changed last.

use rusqlite::params;

use codecairn_base::error::Result;

use super::candidate::EventContext;
use crate::words::Category;

/// The number of files of a session that an edit is paired with.
const NEIGHBOURS: i64 = 8;

/// Notes that the file of an edit goes with the other files that this session changed lately.
pub(super) fn note(moment: &EventContext<'_>) -> Result<()> {
    let event = moment.event;
    if !matches!(event.category, Category::FileEdit | Category::FileWrite) || event.path.is_empty() {
        return Ok(());
    }
    let others = moment.database.all(
        "SELECT path FROM event WHERE session = ?1 AND seq < ?2 AND category IN ('file-edit', 'file-write') \
         AND path NOT IN ('', ?3) GROUP BY path ORDER BY max(seq) DESC LIMIT ?4",
        params![moment.session, moment.seq, event.path, NEIGHBOURS],
        |row| Ok(row.get::<_, String>(0)?),
    )?;
    for other in others {
        let (first, second) = if other < event.path { (&other, &event.path) } else { (&event.path, &other) };
        moment.database.run(
            "INSERT INTO file_pair (project, first, second, weight, last_ms) VALUES (?1, ?2, ?3, 1, ?4) \
             ON CONFLICT (project, first, second) DO UPDATE SET weight = weight + 1, last_ms = ?4",
            params![moment.scene.project, first, second, event.ts_ms],
        )?;
    }
    Ok(())
}
