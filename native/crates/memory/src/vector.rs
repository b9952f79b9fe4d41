//! Stores the vectors of events and facts: one per distinct text and model, with a sketch of one bit per dimension.
//!
//! The built-in model is fast enough to run while recording.

use rusqlite::params;

use codecairn_base::database::Database;
use codecairn_base::error::Result;
use codecairn_base::hash::ContentHash;
use codecairn_model::embed::{Embedder, Scratch};
use codecairn_model::vector::{QuantisedVector, quantise};

/// Longer texts are embedded up to this length.
const MAX_EMBEDDED_BYTES: usize = 2_000;

/// The vector of a text to be found.
pub(super) fn of_document(model: &dyn Embedder, text: &str) -> Result<QuantisedVector> {
    quantise(&model.embed_document(&text[..text.floor_char_boundary(MAX_EMBEDDED_BYTES)], &mut Scratch::default()))
}

/// The vector of a question.
pub(super) fn of_query(model: &dyn Embedder, text: &str) -> Result<QuantisedVector> {
    quantise(&model.embed_query(text, &mut Scratch::default()))
}

/// The signs of a vector's values, eight in a byte.
pub(super) fn sketch(vector: &QuantisedVector) -> Vec<u8> {
    vector
        .values()
        .chunks(8)
        .map(|values| values.iter().enumerate().fold(0, |bits, (at, value)| bits | u8::from(*value > 0) << at))
        .collect()
}

/// In how many signs a sketch agrees with each of those in `rows`.
pub(super) fn agreements(sketch: &[u8], rows: &[u8]) -> Vec<u16> {
    codecairn_model::vector::agreements(sketch, rows)
}

/// Keeps a vector. Runs inside a transaction.
pub(super) fn put(database: &Database, text: ContentHash, model: &str, vector: &QuantisedVector) -> Result<()> {
    database
        .run(
            "INSERT OR IGNORE INTO vector (text_hash, model, data) VALUES (?1, ?2, ?3)",
            params![text.as_bytes(), model, vector.to_bytes()],
        )
        .map(drop)
}

/// The vector of a text, if this model has made one.
pub(super) fn get(database: &Database, text_hash: &[u8], model: &dyn Embedder) -> Result<Option<QuantisedVector>> {
    let sql = "SELECT data FROM vector WHERE text_hash = ?1 AND model = ?2";
    let found = database.first(sql, params![text_hash, model.id()], |row| Ok(row.get::<_, Vec<u8>>(0)?))?;
    found.map(|bytes| QuantisedVector::from_bytes(&bytes, model.dimensions())).transpose()
}

/// Removes the vectors of a text with the last record that has it. Runs inside a transaction.
pub(super) fn remove(database: &Database, text_hash: &[u8]) -> Result<()> {
    let sql = "DELETE FROM vector WHERE text_hash = ?1 AND NOT EXISTS (SELECT 1 FROM event WHERE text_hash = ?1) \
               AND NOT EXISTS (SELECT 1 FROM fact WHERE text_hash = ?1)";
    database.run(sql, [text_hash]).map(drop)
}
