//! Stores the event log: one immutable row per event.

use std::sync::LazyLock;

use rusqlite::{Row, params};

use codecairn_base::database::Database;
use codecairn_base::error::Result;
use codecairn_base::hash::ContentHash;
use codecairn_model::embed::Embedder;

use super::event::{CleanEvent, Event};
use super::scene::Scene;
use super::text::{self, Document, Space};
use super::tombstone::{self, Tombstones};
use super::vector;

/// The separator of tags in their column.
pub(super) const SEPARATOR: &str = "\n";

/// The text of an event that is indexed and embedded.
pub(super) fn searchable(event: &Event) -> String {
    [event.title.as_str(), &event.command, &event.body]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// An event as its terms.
pub(super) fn document(event: &Event) -> Document {
    let tags = event.tags.join(" ");
    let fields = [
        (event.title.as_str(), 2),
        (&event.body, 1),
        (&event.command, 1),
        (&event.path, 1),
        (&event.tool, 1),
        (&tags, 1),
    ];
    let speaker = event.meta.get("speaker").map_or("", String::as_str);
    Document::of(&fields, &event.body, speaker)
}

/// Writes an event with its full text and vector; `None` if it is there already. Runs inside a transaction.
pub(super) fn insert(
    database: &Database,
    scene: &Scene,
    session: i64,
    clean: &CleanEvent,
    model: &dyn Embedder,
) -> Result<Option<i64>> {
    if tombstone::has_event(database, &clean.event.key)? {
        return Ok(None);
    }
    let tombstones = Tombstones::load(database, scene.project)?;
    let cut = tombstones.as_ref().map(|tombstones| {
        let mut event = clean.event.clone();
        tombstone::cut_purged(&mut event, tombstones);
        event
    });
    let event = cut.as_ref().unwrap_or(&clean.event);
    let text = searchable(event);
    let hash = ContentHash::of(text.as_bytes());
    let meta = serde_json::to_string(&event.meta).unwrap_or_default();
    let inserted = database.run(
        "INSERT INTO event (key, project, session, ts_ms, recorded_ms, hook, category, priority, role, title, body, \
         tool, command, path, exit_code, tags, branch, commit_id, is_private, origin, raw_bytes, redactions, \
         resolved_seq, text_hash, meta) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, \
         ?16, ?17, ?18, ?19, ?20, ?21, ?22, NULL, ?23, ?24) ON CONFLICT (key) DO NOTHING",
        params![
            format!("{}/{}", scene.project, event.key),
            scene.project,
            session,
            event.ts_ms,
            scene.now_ms,
            event.hook,
            event.category.name(),
            event.priority,
            event.role.name(),
            event.title,
            event.body,
            event.tool,
            event.command,
            event.path,
            event.exit_code,
            event.tags.join(SEPARATOR),
            event.branch,
            event.commit,
            event.is_private,
            event.origin.name(),
            event.raw_bytes as i64,
            event.redactions,
            hash.as_bytes(),
            meta,
        ],
    )?;
    if inserted == 0 {
        return Ok(None);
    }
    let seq = database.last_row();
    if let Some(tombstones) = &tombstones
        && tombstone::mark(database, seq, event, tombstones)?
        && let Some(shown) = get(database, seq)?
    {
        index(database, Space::events(scene.project), session, &shown, model)?;
        return Ok(Some(seq));
    }
    let vector = vector::of_document(model, &text)?;
    vector::put(database, hash, model.id(), &vector)?;
    text::put(database, Space::events(scene.project), seq, session, &document(event), &vector::sketch(&vector))?;
    Ok(Some(seq))
}

pub(super) static COLUMNS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT event.seq, event.key, project.name, session.key, event.ts_ms, event.hook, event.category, \
         event.priority, event.role, event.title, event.body, event.tool, event.command, event.path, event.exit_code, \
         event.tags, event.branch, event.commit_id, event.is_private, event.origin, event.raw_bytes, \
         event.redactions, event.meta, {} FROM event JOIN session ON session.number = event.session \
         JOIN project ON project.number = event.project",
        tombstone::COLUMN
    )
});

/// An event as it is shown, from a row of [`COLUMNS`].
pub(super) fn read(row: &Row<'_>) -> Result<Event> {
    let mut event = read_stored(row)?;
    tombstone::apply(&mut event, row.get_ref(23)?.as_str_or_null().unwrap_or_default());
    Ok(event)
}

/// An event with its hidden stretches, from a row of [`COLUMNS`].
pub(super) fn read_stored(row: &Row<'_>) -> Result<Event> {
    let key: String = row.get(1)?;
    Ok(Event {
        seq: row.get(0)?,
        key: key.split_once('/').map_or(key.clone(), |found| found.1.to_owned()),
        project: row.get(2)?,
        session: row.get(3)?,
        ts_ms: row.get(4)?,
        hook: row.get(5)?,
        category: row.get::<_, String>(6)?.parse()?,
        priority: row.get(7)?,
        role: row.get::<_, String>(8)?.parse()?,
        title: row.get(9)?,
        body: row.get(10)?,
        tool: row.get(11)?,
        command: row.get(12)?,
        path: row.get(13)?,
        exit_code: row.get(14)?,
        tags: tags(&row.get::<_, String>(15)?),
        branch: row.get(16)?,
        commit: row.get(17)?,
        is_private: row.get(18)?,
        origin: row.get::<_, String>(19)?.parse()?,
        raw_bytes: row.get::<_, i64>(20)? as u64,
        redactions: row.get(21)?,
        meta: serde_json::from_str(&row.get::<_, String>(22)?).unwrap_or_default(),
    })
}

pub(super) fn tags(column: &str) -> Vec<String> {
    column.split(SEPARATOR).filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
}

/// The event of this number with its hidden stretches.
pub(super) fn stored(database: &Database, seq: i64) -> Result<Option<Event>> {
    database.first(&format!("{} WHERE event.seq = ?1", *COLUMNS), [seq], read_stored)
}

/// Puts other texts in the place of those of a stored event. Runs inside a transaction.
pub(super) fn rewrite(database: &Database, seq: i64, event: &Event) -> Result<()> {
    let sql = "UPDATE event SET title = ?2, body = ?3, command = ?4, tags = ?5, meta = ?6 WHERE seq = ?1";
    let meta = serde_json::to_string(&event.meta).unwrap_or_default();
    let values = params![seq, event.title, event.body, event.command, event.tags.join(SEPARATOR), meta];
    database.run(sql, values).map(drop)
}

/// Writes the terms and the vector of a stored event again, as it is shown. Runs inside a transaction.
pub(super) fn index_again(database: &Database, event: &Event, model: &dyn Embedder) -> Result<()> {
    let sql = "SELECT project, session, text_hash FROM event WHERE seq = ?1";
    let (project, session, old) = database
        .only(sql, [event.seq], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, Vec<u8>>(2)?)))?;
    index(database, Space::events(project), session, event, model)?;
    vector::remove(database, &old)
}

/// Writes the terms and the vector of a stored event as it is shown, and the hash of that.
fn index(database: &Database, space: Space, session: i64, event: &Event, model: &dyn Embedder) -> Result<()> {
    let text = searchable(event);
    let hash = ContentHash::of(text.as_bytes());
    database.run("UPDATE event SET text_hash = ?2 WHERE seq = ?1", params![event.seq, hash.as_bytes()])?;
    let vector = vector::of_document(model, &text)?;
    vector::put(database, hash, model.id(), &vector)?;
    text::replace(database, space, event.seq, session, &document(event), &vector::sketch(&vector))
}

/// The event of this number, as it is shown.
pub(super) fn get(database: &Database, seq: i64) -> Result<Option<Event>> {
    database.first(&format!("{} WHERE event.seq = ?1", *COLUMNS), [seq], read)
}
