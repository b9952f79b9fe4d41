//! Records injections: the items shown to an agent, so that none is shown twice in a session unless it changed, and
//! texts that must stay equal byte for byte until they are rebuilt.
//!
//! The content is decided elsewhere. A session that another one started has a context, and so a ledger, of its own; its
//! events belong to the whole line of sessions ([`Memory::line_events`]).

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use rusqlite::params;
use serde::{Deserialize, Serialize};

use codecairn_base::database::Database;
use codecairn_base::error::Result;
use codecairn_base::hash::ContentHash;

use super::event::Event;
use super::memory::{Durability, Memory};
use super::scene::Scene;
use super::{log, project, provisional, session};

/// An injection must not wait for writers; at worst an item is shown again.
const INJECTION_BUSY_TIMEOUT: Duration = Duration::from_millis(50);

/// A version of something that was shown. An event's version is 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ShownVersion {
    /// Its id.
    pub id: String,
    /// Which version of it.
    pub version: u32,
}

/// The items shown at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Injection {
    /// `static`, `volatile` or `compaction`.
    pub placement: String,
    /// The hash of the text, in hexadecimal digits.
    pub hash: String,
    /// Its items.
    pub items: Vec<ShownVersion>,
    /// About how many tokens it had.
    pub tokens: u64,
    /// The last event of the log when it was made.
    pub seq: i64,
    /// When, in milliseconds since the epoch.
    pub ts_ms: i64,
}

/// The shown items that an agent still has in its context.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct InjectedItems {
    /// The ids shown since its context was last compacted, ascending.
    pub ids: Vec<String>,
    /// The version of each id; an id occurs once per shown version.
    pub versions: Vec<u32>,
    /// The last event of the log at that compaction; 0 if there was none.
    pub lost_seq: i64,
}

/// A text that stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StableText {
    /// The text.
    pub body: String,
    /// Its items.
    pub items: Vec<ShownVersion>,
    /// The last event of the log when it was made.
    pub seq: i64,
    /// When, in milliseconds since the epoch.
    pub ts_ms: i64,
}

/// Something that is being shown.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewInjection {
    /// The host's id of the session.
    pub session: String,
    /// `static`, `volatile` or `compaction`.
    pub placement: String,
    /// `markdown`, `xml` or `json`.
    pub form: String,
    /// The text.
    pub body: String,
    /// Its items.
    pub items: Vec<ShownVersion>,
    /// About how many tokens it has.
    pub tokens: u64,
    /// The last event of the log when it was made.
    pub seq: i64,
    /// Whether the text is to stay as it is.
    pub is_kept: bool,
}

impl InjectedItems {
    /// Whether a version of something was shown.
    pub(super) fn has(&self, id: &str, version: u32) -> bool {
        self.ids.iter().zip(&self.versions).any(|(shown, of)| shown == id && *of == version)
    }
}

impl Memory {
    /// Records an injection. `false` if another process was writing; only the entry is lost then.
    pub fn note_injection(&self, new: &NewInjection) -> Result<bool> {
        let now_ms = self.now_ms();
        let name = self.project();
        // A session that goes on after a loss of power is shown something again, unless it is to be the same bytes.
        let durability = if new.is_kept { Durability::Full } else { Durability::Eventual };
        let done = self.try_write_as(durability, INJECTION_BUSY_TIMEOUT, |database| {
            let project = project::resolve(database, &name, now_ms)?;
            let scene = Scene { project, now_ms };
            let session = session::enter(database, &scene, &new.session, None, "", "")?;
            let items = serde_json::to_string(&new.items).unwrap_or_default();
            let hash = ContentHash::of(new.body.as_bytes());
            database.run(
                "INSERT INTO injection (session, turn, placement, body_hash, items, tokens, ts_ms) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![session, new.seq, new.placement, hash.as_bytes(), items, new.tokens as i64, now_ms],
            )?;
            if matches!(new.placement.as_str(), "volatile" | "anchored") {
                provisional::prolong(database, &new.items, now_ms)?;
            }
            if new.is_kept {
                database.run(
                    "INSERT OR REPLACE INTO snapshot (session, placement, form, body, items, seq, ts_ms) \
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                    params![session, new.placement, new.form, new.body, items, new.seq, now_ms],
                )?;
            }
            Ok(())
        })?;
        Ok(done.is_some())
    }

    /// The injections of a session, the oldest first.
    pub fn injections(&self, session: &str) -> Result<Vec<Injection>> {
        self.read(|database, project| {
            let Some(session) = session::number_of(database, project, session)? else { return Ok(Vec::new()) };
            let sql = "SELECT placement, body_hash, items, tokens, turn, ts_ms FROM injection WHERE session = ?1 \
                       ORDER BY number";
            database.all(sql, [session], |row| {
                let hash: Vec<u8> = row.get(1)?;
                Ok(Injection {
                    placement: row.get(0)?,
                    hash: hexadecimal(&hash),
                    items: serde_json::from_str(&row.get::<_, String>(2)?).unwrap_or_default(),
                    tokens: row.get::<_, i64>(3)? as u64,
                    seq: row.get(4)?,
                    ts_ms: row.get(5)?,
                })
            })
        })
        .map(Option::unwrap_or_default)
    }

    /// The shown items that an agent still has in its context.
    pub fn injected_items(&self, session: &str) -> Result<InjectedItems> {
        self.read(|database, project| {
            let Some(session) = session::number_of(database, project, session)? else {
                return Ok(InjectedItems::default());
            };
            let (mut items, mut lost_seq) = (BTreeSet::new(), 0);
            let sql = "SELECT placement = 'compaction', turn, items FROM injection WHERE session = ?1 ORDER BY number";
            database.each(sql, [session], |row| {
                if row.get(0)? {
                    items.clear();
                    lost_seq = row.get(1)?;
                }
                let shown: Vec<ShownVersion> =
                    serde_json::from_str(row.get_ref(2)?.as_str().unwrap_or_default()).unwrap_or_default();
                items.extend(shown.into_iter().map(|each| (each.id, each.version)));
                Ok(())
            })?;
            let (ids, versions) = items.into_iter().unzip();
            Ok(InjectedItems { ids, versions, lost_seq })
        })
        .map(Option::unwrap_or_default)
    }

    /// The text that a session was given to keep.
    pub fn kept_text(&self, session: &str, placement: &str, form: &str) -> Result<Option<StableText>> {
        let found = self.read(|database, project| {
            let Some(session) = session::number_of(database, project, session)? else { return Ok(None) };
            let sql = "SELECT body, items, seq, ts_ms FROM snapshot \
                       WHERE session = ?1 AND placement = ?2 AND form = ?3";
            database.first(sql, params![session, placement, form], |row| {
                Ok(StableText {
                    body: row.get(0)?,
                    items: serde_json::from_str(&row.get::<_, String>(1)?).unwrap_or_default(),
                    seq: row.get(2)?,
                    ts_ms: row.get(3)?,
                })
            })
        })?;
        Ok(found.flatten())
    }

    /// The events of a session, of those it started, and of those that led to it; the newest first.
    pub fn line_events(&self, session: &str, with_private: bool, limit: usize) -> Result<Vec<Event>> {
        self.read(|database, project| {
            let Some(number) = session::number_of(database, project, session)? else { return Ok(Vec::new()) };
            let private = if with_private { "" } else { " AND event.is_private = 0" };
            let line = "SELECT number FROM session WHERE root = (SELECT root FROM session WHERE number = ?1)";
            let sql = format!(
                "{} WHERE event.session IN ({line}){private} ORDER BY event.seq DESC LIMIT {limit}",
                *log::COLUMNS
            );
            database.all(&sql, [number], log::read)
        })
        .map(Option::unwrap_or_default)
    }

    /// Whether all of these events, of which there must be one, are of a session and after the event `after`.
    pub(super) fn are_of_session(&self, events: &[i64], session: &str, after: i64) -> Result<bool> {
        if events.is_empty() || events.iter().any(|seq| *seq <= after) {
            return Ok(false);
        }
        self.read(|database, project| {
            let Some(number) = session::number_of(database, project, session)? else { return Ok(false) };
            let list = events.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
            let sql = format!("SELECT count(*) FROM event WHERE seq IN ({list}) AND session = ?1");
            let own: i64 = database.only(&sql, [number], |row| Ok(row.get(0)?))?;
            Ok(own == events.iter().collect::<BTreeSet<_>>().len() as i64)
        })
        .map(Option::unwrap_or_default)
    }

    /// How alike the meanings of two texts are, from -1 to 1.
    pub fn likeness(&self, left: &str, right: &str) -> Result<f32> {
        let model = self.model.as_ref();
        let (left, right) = (super::vector::of_query(model, left)?, super::vector::of_query(model, right)?);
        Ok(left.cosine(&right))
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string can't fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Removes the texts that show removed items.
pub(super) fn remove_texts(database: &Database, item: &str) -> Result<()> {
    database.run("DELETE FROM snapshot WHERE instr(items, ?1) > 0", [format!("\"{item}\"")]).map(drop)
}
