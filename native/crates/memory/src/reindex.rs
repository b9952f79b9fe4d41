//! Rebuilds the full-text index from the events and facts, where another version built it.

use codecairn_base::database::Database;
use codecairn_base::error::Result;
use codecairn_base::hash::ContentHash;
use codecairn_model::embed::Embedder;

use super::facts;
use super::log;
use super::text::{self, Document, Space};
use super::vector;

/// A row to index.
struct IndexedRow {
    space: Space,
    number: i64,
    /// 0 for a fact.
    session: i64,
    document: Document,
    text: String,
}

/// Rebuilds the full-text index of all events and facts. Runs inside a transaction.
pub(super) fn reindex(database: &Database, model: &dyn Embedder) -> Result<()> {
    text::reset(database)?;
    let numbers = |sql| database.all(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)?)));
    for (seq, project, session) in numbers("SELECT seq, project, session FROM event ORDER BY seq")? {
        if let Some(event) = log::get(database, seq)? {
            let document = log::document(&event);
            let text = log::searchable(&event);
            put(database, model, &IndexedRow { space: Space::events(project), number: seq, session, document, text })?;
        }
    }
    for (number, project, session) in numbers("SELECT number, project, 0 FROM fact ORDER BY number")? {
        let sql = format!("{} WHERE fact.number = ?1", facts::COLUMNS);
        if let Some(fact) = database.first(&sql, [number], facts::read)? {
            let document = facts::document(&fact);
            put(
                database,
                model,
                &IndexedRow { space: Space::facts(project), number, session, document, text: fact.text },
            )?;
        }
    }
    Ok(())
}

fn put(database: &Database, model: &dyn Embedder, made: &IndexedRow) -> Result<()> {
    let kept = vector::get(database, ContentHash::of(made.text.as_bytes()).as_bytes(), model)?;
    let vector = kept.map_or_else(|| vector::of_document(model, &made.text), Ok)?;
    text::put(database, made.space, made.number, made.session, &made.document, &vector::sketch(&vector))
}
