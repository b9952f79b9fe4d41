//! SQLite's full-text index: Porter stems over Unicode words, contentless, ranked by its own BM25.

use std::path::Path;

use rusqlite::Connection;

use super::{Engine, plain_words};
use crate::corpus::Chunk;

/// An open database.
pub struct Fts5 {
    connection: Connection,
}

impl Fts5 {
    pub fn build(folder: &Path, files: &[Vec<Chunk>]) -> Self {
        let connection = Connection::open(folder.join("fts5.db")).expect("a new database");
        connection.pragma_update(None, "journal_mode", "OFF").expect("a pragma");
        connection
            .execute_batch(
                "CREATE VIRTUAL TABLE chunk USING fts5(body, names, comments, content='', \
                 tokenize='porter unicode61'); BEGIN",
            )
            .expect("a table");
        let mut insert = connection
            .prepare("INSERT INTO chunk (rowid, body, names, comments) VALUES (?1, ?2, ?3, ?4)")
            .expect("a statement");
        for (row, chunk) in files.iter().flatten().enumerate() {
            let values = (row as i64 + 1, &chunk.text, chunk.names.join(" "), chunk.comment_text());
            insert.execute(values).expect("a row");
        }
        drop(insert);
        connection.execute_batch("COMMIT; INSERT INTO chunk (chunk) VALUES ('optimize'); VACUUM").expect("a commit");
        Self { connection }
    }
}

impl Engine for Fts5 {
    fn search(&self, query: &str, limit: usize) -> Vec<u32> {
        let words: Vec<String> = plain_words(query).into_iter().map(|word| format!("\"{word}\"")).collect();
        let mut select = self
            .connection
            .prepare_cached("SELECT rowid FROM chunk WHERE chunk MATCH ?1 ORDER BY rank LIMIT ?2")
            .expect("a statement");
        let rows = select.query_map((words.join(" OR "), limit as i64), |row| row.get::<_, i64>(0)).expect("a query");
        rows.map(|row| row.expect("a row") as u32 - 1).collect()
    }
}
