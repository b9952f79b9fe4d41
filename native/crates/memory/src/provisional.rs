//! Facts that rules drew from talk are provisional: they end by themselves unless they are used or confirmed.
//!
//! One that is shown as it fits a prompt or a file, or said again, holds for another term. One that a person or an agent edits, or states
//! again in so many words, holds until it is ended. A model that reads a session replaces what rules found in it.

use std::collections::BTreeSet;

use rusqlite::params;

use codecairn_base::database::Database;
use codecairn_base::error::Result;

use super::fact::Fact;
use super::injection::ShownVersion;
use super::memory::Memory;
use super::scene::Scene;
use super::words::State;
use super::{facts, project, reconcile, remote_vectors};

/// How long a provisional fact holds without being used.
const TERM_MS: i64 = 90 * 86_400_000;

/// Why a fact is ended of which a model made nothing.
pub(super) const NOT_KEPT: &str = "a model read the session and did not keep it";

impl Memory {
    /// Ends what rules drew from events that a model has read since, and returns the ids.
    ///
    /// One that shares an event with a fact of the model, one of `by`, is superseded by it, any other one is forgotten.
    /// Pinned facts stay, and so do those that hold until they are ended. One lookup for each event.
    pub fn replace_provisional(&self, events: &[i64], by: &[String]) -> Result<Vec<String>> {
        self.settle()?;
        let now_ms = self.now_ms();
        let events: BTreeSet<i64> = events.iter().copied().collect();
        self.write(|database| {
            let project = project::resolve(database, &self.project(), now_ms)?;
            let scene = Scene { project, now_ms };
            let mut newer = Vec::new();
            for id in by {
                newer.extend(facts::versions(database, id)?.into_iter().next());
            }
            let mut ended = Vec::new();
            for seq in &events {
                for older in drawn_from(database, *seq)? {
                    let is_read = older.sources.iter().all(|seq| events.contains(seq));
                    if !is_read || by.contains(&older.id) {
                        continue;
                    }
                    let heir = newer.iter().find(|fact| fact.sources.iter().any(|seq| older.sources.contains(seq)));
                    if let Some(fact) = heir {
                        reconcile::end(database, &scene, fact, &older.id, "a model read the session")?;
                    } else {
                        facts::retract(database, &older.id, State::Forgotten, NOT_KEPT, now_ms)?;
                        remote_vectors::remove_of_fact(database, &older.id, self.model.id())?;
                    }
                    ended.push(older.id);
                }
            }
            Ok(ended)
        })
    }
}

/// The provisional facts that were drawn from an event.
fn drawn_from(database: &Database, seq: i64) -> Result<Vec<Fact>> {
    let sql = format!(
        "{} JOIN fact_source AS drawn ON drawn.fact = fact.number WHERE drawn.seq = ?1 AND fact.maker = 'rule' \
         AND fact.state = 'live' AND fact.is_pinned = 0 AND fact.expires_ms IS NOT NULL",
        facts::COLUMNS
    );
    database.all(&sql, [seq], facts::read)
}

/// When a fact ends that was drawn or used now.
pub(super) fn end_of_term(now_ms: i64) -> i64 {
    now_ms.saturating_add(TERM_MS)
}

/// When a fact ends that is stated again: the later of both times, never if one of the two has no end.
pub(super) fn joined(older: &Fact, newer: &Fact) -> Option<i64> {
    older.expires_ms.zip(newer.expires_ms).map(|(older, newer)| older.max(newer))
}

/// Gives the provisional ones of some facts, which are used now, another term.
pub(super) fn prolong(database: &Database, used: &[ShownVersion], now_ms: i64) -> Result<()> {
    let sql = "UPDATE fact SET expires_ms = ?2 WHERE id = ?1 AND maker = 'rule' AND state = 'live' AND expires_ms < ?2";
    for item in used {
        database.run(sql, params![item.id, end_of_term(now_ms)])?;
    }
    Ok(())
}

/// Stores the end of a fact that is stated again word for word.
pub(super) fn set_end(database: &Database, id: &str, end_ms: Option<i64>) -> Result<()> {
    database.run("UPDATE fact SET expires_ms = ?2 WHERE id = ?1 AND state = 'live'", params![id, end_ms]).map(drop)
}
