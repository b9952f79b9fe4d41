//! Exports and imports a project's memory as one JSON document.
//!
//! Imported records pass privacy like all others: the document may come from a tool without it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use codecairn_base::error::{Error, Result};
use codecairn_base::hash::ContentHash;

use super::anchor::{self, Anchor};
use super::event::{Event, NewEvent};
use super::fact::{self, Fact, NewFact};
use super::memory::Memory;
use super::query::FactFilter;
use super::scene::Scene;
use super::session::Session;
use super::tombstone::{self, Kind};
use super::words::State;
use super::{event, extract, facts, log, project, session};

/// Names the format.
const SCHEMA: &str = "codecairn-memory-v1";

/// Rows that one read takes at a time.
const IMPORT_BATCH: usize = 1 << 20;

#[derive(Serialize, Deserialize)]
struct Document {
    schema: String,
    #[serde(default)]
    project: String,
    #[serde(default)]
    sessions: Vec<Session>,
    #[serde(default)]
    facts: Vec<Fact>,
    #[serde(default)]
    events: Vec<Event>,
    /// The code that facts speak of, by their ids.
    #[serde(default)]
    anchors: BTreeMap<String, Vec<Anchor>>,
}

/// The outcome of an import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ImportReport {
    /// Events that were new.
    pub events: u64,
    /// Versions of facts that were new.
    pub facts: u64,
    /// Records that existed already or must not be stored.
    pub skipped: u64,
}

impl Memory {
    /// The project's memory as JSON: sessions, facts with all versions but forgotten ones, events in order.
    pub fn export(&self, with_private: bool) -> Result<String> {
        let filter = FactFilter { with_history: true, with_private, ..FactFilter::default() };
        let mut facts = self.list(&filter, IMPORT_BATCH)?;
        facts.reverse();
        let mut events = self.events(None, None, with_private, IMPORT_BATCH)?;
        events.reverse();
        let mut sessions = self.sessions(IMPORT_BATCH)?;
        sessions.reverse();
        let mut ids: Vec<String> = facts.iter().map(|fact| fact.id.clone()).collect();
        ids.sort();
        ids.dedup();
        let of_each = self.anchors(&ids)?;
        let anchors = ids.into_iter().zip(of_each).filter(|(_, anchors)| !anchors.is_empty()).collect();
        let project = self.options.project.name.clone();
        let document = Document { schema: SCHEMA.to_owned(), project, sessions, facts, events, anchors };
        serde_json::to_string(&document).map_err(|error| Error::Internal(error.to_string()))
    }

    /// Imports a document. Existing records stay as they are, so an import is idempotent.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if it is not such a document.
    pub fn import(&self, json: &str) -> Result<ImportReport> {
        let bad = |detail: String| Error::InvalidArgument(format!("this is no exported memory: {detail}"));
        let document: Document = serde_json::from_str(json).map_err(|error| bad(error.to_string()))?;
        if document.schema != SCHEMA {
            return Err(bad(format!("its schema is `{}`, not `{SCHEMA}`", document.schema)));
        }
        self.settle()?;
        let (now_ns, now_ms) = (self.now_ns(), self.now_ms());
        let imported = self.write(|database| {
            let project = project::resolve(database, &self.project(), now_ms)?;
            let scene = Scene { project, now_ms };
            let mut imported = ImportReport::default();
            for session in &document.sessions {
                let parent = session.parent.as_deref();
                session::enter(database, &scene, &session.id, parent, &session.host, &session.model)?;
            }
            // Facts first, so that extraction from the events finds them.
            for fact in document.facts {
                let home = facts::home(fact.scope, project);
                let old_id = fact.id.clone();
                let Some(mut fact) = self.cleaned(fact, now_ns) else {
                    imported.skipped += 1;
                    continue;
                };
                let known = "SELECT project FROM fact WHERE id = ?1 AND version = ?2";
                let home_of =
                    |fact: &Fact| database.first(known, (&fact.id, fact.version), |row| Ok(row.get::<_, i64>(0)?));
                let mut known_in = home_of(&fact)?;
                if known_in.is_some_and(|other| other != home) {
                    // Another project has it under this id: here it gets one of its own, the same each time.
                    let seed = ContentHash::of_parts(&[fact.id.as_bytes(), &home.to_le_bytes()]).to_string();
                    fact.id = format!("f{}", &seed[..10]);
                    known_in = home_of(&fact)?;
                }
                let least = if fact.state == State::Live { Kind::Superseded } else { Kind::Forgotten };
                if tombstone::has_fact(database, &old_id)?
                    || tombstone::has_fact(database, &fact.id)?
                    || !tombstone::screen(database, home, &mut fact, least)?
                {
                    imported.skipped += 1;
                    continue;
                }
                match known_in {
                    None => {
                        facts::insert(database, home, &fact, None, self.model.as_ref())?;
                        if let Some(anchors) = document.anchors.get(&old_id) {
                            anchor::put(database, &fact.id, &self.cleaned_anchors(anchors))?;
                        }
                        imported.facts += 1;
                    }
                    Some(_) => imported.skipped += 1,
                }
            }
            for old in document.events {
                let Some(clean) = event::prepare(as_new(old), &self.options, now_ms)? else {
                    imported.skipped += 1;
                    continue;
                };
                let number = session::enter(database, &scene, &clean.session, None, &clean.host, &clean.model)?;
                match log::insert(database, &scene, number, &clean, self.model.as_ref())? {
                    Some(seq) => {
                        if let Some(event) = log::get(database, seq)? {
                            extract::run(database, &scene, number, seq, &event, self.model.as_ref())?;
                        }
                        imported.events += 1;
                    }
                    None => imported.skipped += 1,
                }
            }
            Ok(imported)
        })?;
        self.tidy()?;
        Ok(imported)
    }

    /// An imported fact after privacy; `None` if nothing is left. Its sources are another log's numbers.
    fn cleaned(&self, fact: Fact, now_ns: i64) -> Option<Fact> {
        let mut new = NewFact::told(fact.text.clone(), fact.fact_type, fact.origin);
        new.title.clone_from(&fact.title);
        new.subject.clone_from(&fact.subject);
        new.predicate.clone_from(&fact.predicate);
        new.tags.clone_from(&fact.tags);
        new.meta.clone_from(&fact.meta);
        new.branch.clone_from(&fact.branch);
        new.commit.clone_from(&fact.commit);
        new.maker.clone_from(&fact.maker);
        let (reason, _) = super::privacy::cleaned(&fact.reason, self.options.unclosed);
        let clean = fact::prepare(new, &self.options, now_ns).ok()?.fact;
        Some(Fact {
            id: if is_id(&fact.id) { fact.id.clone() } else { clean.id },
            superseded_by: fact.superseded_by.clone().filter(|id| is_id(id)),
            branch: clean.branch,
            commit: clean.commit,
            maker: clean.maker,
            title: clean.title,
            text: clean.text,
            subject: clean.subject,
            predicate: clean.predicate,
            tags: clean.tags,
            meta: clean.meta,
            reason,
            sources: Vec::new(),
            ..fact
        })
    }
}

/// Whether an id has the form of ids, which are stored without privacy.
fn is_id(id: &str) -> bool {
    id.len() <= 64 && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

fn as_new(old: Event) -> NewEvent {
    NewEvent {
        session: old.session,
        key: Some(old.key),
        hook: old.hook,
        role: Some(old.role),
        category: Some(old.category),
        origin: Some(old.origin),
        title: old.title,
        body: old.body,
        tool: old.tool,
        command: old.command,
        path: old.path,
        exit_code: old.exit_code,
        tags: old.tags,
        privacy_tags: if old.is_private { vec!["private".to_owned()] } else { Vec::new() },
        ts_ms: Some(old.ts_ms),
        branch: old.branch,
        commit: old.commit,
        meta: old.meta,
        ..NewEvent::default()
    }
}
