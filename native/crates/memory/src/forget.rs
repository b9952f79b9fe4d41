//! Changes stored facts: makes new versions, ends facts that another one contradicts, hides facts and restores them.

use codecairn_base::database::Database;
use codecairn_base::error::{Error, Result};

use super::fact::{Fact, FactChange, NewFact, title_of};
use super::memory::Memory;
use super::query::{Item, find_item};
use super::record::Scene;
use super::tombstone::{self, Hiding, Kind};
use super::words::{Origin, State};
use super::{fact, facts, injection, project, reconcile, remote_vectors};

impl Memory {
    /// Makes a new version of a fact; the older one stays in its history.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if there is no such fact, it no longer holds, or nothing is left of the new text.
    pub fn update(&self, id: &str, change: &FactChange) -> Result<Fact> {
        self.settle()?;
        let (now_ns, now_ms) = (self.now_ns(), self.now_ms());
        self.write(|database| {
            let current = current(database, id)?;
            if current.state != State::Live {
                let message =
                    format!("the fact `{}` is {}; only one that holds can be changed", current.id, current.state);
                return Err(Error::InvalidArgument(message));
            }
            let origin = change.origin.unwrap_or(Origin::User);
            if origin != Origin::User && (current.is_pinned || current.origin == Origin::User) {
                let message = format!("`{}` is pinned or a person's own; only a person changes it", current.id);
                return Err(Error::InvalidArgument(message));
            }
            let (project, session) = home_of(database, &current)?;
            let mut told = NewFact::told(
                change.text.clone().unwrap_or_else(|| current.text.clone()),
                change.fact_type.unwrap_or(current.fact_type),
                Origin::User,
            );
            told.title = change.title.clone().unwrap_or_default();
            told.tags = change.tags.clone().unwrap_or_else(|| current.tags.clone());
            told.meta.insert("reason".to_owned(), change.reason.clone());
            let mut cleaned = fact::prepare(told, &self.options, now_ns)?.fact;
            if origin != Origin::User && !tombstone::screen(database, project, &mut cleaned, Kind::Superseded)? {
                return Err(tombstone::refused());
            }
            let reason = cleaned.meta.remove("reason").unwrap_or_default();
            if change.title.is_none() {
                // A title that was taken from the text follows it.
                let was_taken = current.title == title_of(&current.text);
                cleaned.title = if was_taken { title_of(&cleaned.text) } else { current.title.clone() };
            }
            let next = Fact {
                version: current.version + 1,
                title: cleaned.title,
                text: cleaned.text,
                tags: cleaned.tags,
                fact_type: cleaned.fact_type,
                // A person's hand does not make theirs what came from outside.
                origin: current.origin.min(origin),
                is_pinned: change.is_pinned.unwrap_or(current.is_pinned),
                recorded_ms: now_ms,
                expires_ms: current.expires_ms.filter(|_| current.maker != "rule"),
                reason,
                ..current.clone()
            };
            facts::retract(database, &current.id, State::Replaced, "", now_ms)?;
            facts::insert(database, project, &next, session, self.model.as_ref())?;
            let scene = Scene { project, now_ms };
            reconcile::end_rivals(database, &scene, project, &next)?;
            if next.text != current.text {
                let model = self.model.as_ref();
                let strongest = if origin == Origin::User { Kind::Purged } else { Kind::Revised };
                tombstone::lift_said(database, project, &next.text, strongest, model)?;
                let (said, holds) = (facts::versions(database, &next.id)?, next.text.as_str());
                let said: Vec<Fact> = said.into_iter().filter(|version| version.version < next.version).collect();
                let kind = Kind::of_replacement(origin);
                let hiding = Hiding { home: project, item: &next.id, kind, said: &said, holds };
                tombstone::hide(database, &scene, &hiding, model)?;
            }
            Ok(next)
        })
    }

    /// Ends facts that the fact `by` contradicts, as a reader of both found; those that are pinned, or that a person
    /// wrote, only if `by` is a person's word. Returns those that were ended.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if there is no fact `by`.
    pub fn supersede(&self, by: &str, ids: &[String], reason: &str) -> Result<Vec<String>> {
        self.settle()?;
        let now_ms = self.now_ms();
        let (reason, _) = super::privacy::cleaned(reason, self.options.unclosed);
        self.write(|database| {
            let newer = current(database, by)?;
            let project = project::resolve(database, &self.project(), now_ms)?;
            let scene = Scene { project, now_ms };
            let mut ended = Vec::new();
            for id in ids {
                let older = current(database, id)?;
                let is_free = newer.origin == Origin::User || !reconcile::is_guarded(&older, &newer);
                if older.id != newer.id && is_free && reconcile::end(database, &scene, &newer, &older.id, &reason)? {
                    let (said, home) = (facts::versions(database, &older.id)?, facts::home(older.scope, project));
                    let (kind, holds) = (Kind::of_replacement(newer.origin), newer.text.as_str());
                    let hiding = Hiding { home, item: &older.id, kind, said: &said, holds };
                    tombstone::hide(database, &scene, &hiding, self.model.as_ref())?;
                    ended.push(older.id);
                }
            }
            Ok(ended)
        })
    }

    /// Hides what a fact states, wherever it stands, from everything but the history of the fact.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if there is no such fact.
    pub fn forget(&self, id: &str, reason: &str) -> Result<Fact> {
        self.hide_fact(id, reason, true)
    }

    /// Hides a fact whose source has it no more; others may state the same.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if there is no such fact.
    pub fn withdraw(&self, id: &str, reason: &str) -> Result<Fact> {
        self.hide_fact(id, reason, false)
    }

    fn hide_fact(&self, id: &str, reason: &str, is_statement: bool) -> Result<Fact> {
        self.settle()?;
        let now_ms = self.now_ms();
        let (reason, _) = super::privacy::cleaned(reason, self.options.unclosed);
        self.write(|database| {
            let current = current(database, id)?;
            facts::retract(database, &current.id, State::Forgotten, &reason, now_ms)?;
            remote_vectors::remove_of_fact(database, &current.id, self.model.id())?;
            injection::remove_texts(database, &current.id)?;
            if is_statement {
                let (said, home) = (facts::versions(database, &current.id)?, home_of(database, &current)?.0);
                let hiding = Hiding { home, item: &current.id, kind: Kind::Forgotten, said: &said, holds: "" };
                tombstone::hide(database, &Scene { project: home, now_ms }, &hiding, self.model.as_ref())?;
            }
            self::current(database, &current.id)
        })
    }

    /// Lets a forgotten fact hold again: its next version has the words of the last one.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if there is no such fact, or it was not forgotten.
    pub fn restore(&self, id: &str, reason: &str) -> Result<Fact> {
        self.settle()?;
        let now_ms = self.now_ms();
        let (reason, _) = super::privacy::cleaned(reason, self.options.unclosed);
        self.write(|database| {
            let current = current(database, id)?;
            if current.state != State::Forgotten {
                let message = format!("the fact `{}` is {}, not forgotten", current.id, current.state);
                return Err(Error::InvalidArgument(message));
            }
            let (project, session) = home_of(database, &current)?;
            let next = Fact {
                version: current.version + 1,
                state: State::Live,
                recorded_ms: now_ms,
                retracted_ms: None,
                reason,
                ..current
            };
            let scene = Scene { project, now_ms };
            facts::insert(database, project, &next, session, self.model.as_ref())?;
            tombstone::lift_item(database, &next.id, self.model.as_ref())?;
            tombstone::lift_said(database, project, &next.text, Kind::Purged, self.model.as_ref())?;
            // The versions that this one replaced stay out of sight.
            let (said, holds) = (facts::versions(database, &next.id)?, next.text.as_str());
            let said: Vec<Fact> = said.into_iter().filter(|version| version.version < next.version).collect();
            let hiding = Hiding { home: project, item: &next.id, kind: Kind::Superseded, said: &said, holds };
            tombstone::hide(database, &scene, &hiding, self.model.as_ref())?;
            // It may hold for longer than the value that took its place, but is the newer word.
            let now = Fact { valid_from_ms: now_ms, ..next.clone() };
            facts::supersede(database, &scene, project, &now)?;
            reconcile::end_rivals(database, &scene, project, &next)?;
            Ok(next)
        })
    }
}

/// The project and the session of a version.
fn home_of(database: &Database, fact: &Fact) -> Result<(i64, Option<i64>)> {
    let sql = "SELECT project, session FROM fact WHERE id = ?1 AND version = ?2";
    database.only(sql, (&fact.id, fact.version), |row| Ok((row.get(0)?, row.get(1)?)))
}

/// The newest version of a fact.
fn current(database: &Database, id: &str) -> Result<Fact> {
    let found = match find_item(database, id)? {
        Some(Item::Fact(id)) => facts::versions(database, &id)?.into_iter().next(),
        Some(Item::Event(_)) => {
            return Err(Error::InvalidArgument(format!("`{id}` is an event; the log is never changed, only purged")));
        }
        None => None,
    };
    found.ok_or_else(|| Error::InvalidArgument(format!("there is no fact `{id}`")))
}
