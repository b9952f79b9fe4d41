//! Reconciles a new fact with the older ones: it is a duplicate, their next version, or a contradiction that ends them.
//!
//! Nothing is deleted: an older text stays as a version, and an ended fact refers to the one that ended it. Pinned
//! facts and those that a user wrote are changed only by the user: by `supersedes`, or by an update.

use rusqlite::params;

use codecairn_base::database::Database;
use codecairn_base::error::Result;
use codecairn_base::hash::ContentHash;
use codecairn_model::embed::Embedder;

use super::anchor::{self, Anchor};
use super::contradiction::{self, Comparer};
use super::fact::Fact;
use super::facts;
use super::scene::Scene;
use super::similarity::{Similarity, Statement, Thresholds};
use super::text::{self, EventFilter, Question, Search, SegmentCache, Space};
use super::vector;
use super::words::{FactType, Origin, Scope, State};

/// How many older facts are looked at.
const CANDIDATES: usize = 36;
/// How many are named that a fact may contradict.
const MAX_RIVALS: usize = 3;

/// The relation of a new fact to the older ones.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    /// The fact that it repeats, fully or in part.
    pub(super) same: Option<Fact>,
    /// Whether it repeats a part only.
    pub(super) is_part: bool,
    /// The fact that it repeats word for word, but for case and punctuation.
    pub(super) repeats: Option<String>,
    /// The facts that it ends, with the reason.
    pub(super) ends: Vec<(String, &'static str)>,
    /// Facts that it would end, had a person not written or pinned them.
    pub(super) disputes: Vec<String>,
    /// Facts that it may contradict.
    pub(super) rivals: Vec<String>,
}

/// An older fact to compare with.
struct OlderFact {
    fact: Fact,
    statement: Statement,
    cosine: f32,
}

/// Whether only a user may change the fact.
pub(super) fn is_guarded(older: &Fact, newer: &Fact) -> bool {
    older.is_pinned || older.origin == Origin::User && (older.maker == "add" || newer.origin != Origin::User)
}

/// Judges a fact that has no subject: one with a subject ends its predecessor by that.
pub(super) fn judge(
    database: &Database,
    scene: &Scene,
    fact: &Fact,
    anchors: &[Anchor],
    model: &dyn Embedder,
) -> Result<Verdict> {
    let mut verdict = Verdict::default();
    let project = facts::home(fact.scope, scene.project);
    if is_singleton(fact.fact_type) {
        for older in live_of(database, project, fact)? {
            verdict.end(&older, fact, "a newer one of its kind");
        }
        return Ok(verdict);
    }
    let (statement, thresholds) = (Statement::of(&fact.text), Thresholds::of(model.id()));
    let replaced = statement.replaced();
    let mut comparer = Comparer::of(&fact.text, model);
    let shared = anchor::sharing(database, anchors)?;
    for older in candidates(database, project, fact, &shared, model)? {
        let is_of_type = older.fact.fact_type == fact.fact_type;
        if is_of_type && statement.is_written_as(&older.statement) {
            return Ok(Verdict { repeats: Some(older.fact.id), ..Verdict::default() });
        }
        let likeness = if is_of_type {
            statement.to(&older.statement, fact.fact_type, older.cosine, &thresholds)
        } else {
            Similarity::Other
        };
        let is_rival = is_of_type
            && likeness != Similarity::NewValue
            && older.cosine >= contradiction::MIN_COSINE
            && comparer.likelihood(&older.fact.text, older.cosine) >= contradiction::MIN_LIKELIHOOD;
        match likeness {
            Similarity::Again | Similarity::Part if is_rival => verdict.rivals.push(older.fact.id),
            Similarity::Again | Similarity::Part if !is_guarded(&older.fact, fact) => {
                if verdict.same.is_none() {
                    verdict.is_part = likeness == Similarity::Part;
                    verdict.same = Some(older.fact);
                }
            }
            Similarity::Again | Similarity::Part => {}
            Similarity::NewValue => verdict.end(&older.fact, fact, "a newer value"),
            Similarity::Other => {
                let is_about_same = is_of_type
                    && older.cosine >= thresholds.related
                    && !fact.text.is_empty()
                    && shared.contains(&older.fact.id);
                if is_about_same {
                    verdict.end(&older.fact, fact, "newer words on the same code");
                } else if let Some((old, new)) = &replaced
                    && is_replaced(&statement, &older.statement, old, new)
                {
                    verdict.end(&older.fact, fact, "what it names was replaced");
                } else if is_rival {
                    verdict.rivals.push(older.fact.id);
                }
            }
        }
    }
    verdict.rivals.truncate(MAX_RIVALS);
    if let Some(same) = &verdict.same {
        verdict.ends.retain(|(id, _)| *id != same.id);
    }
    Ok(verdict)
}

impl Verdict {
    fn end(&mut self, older: &Fact, newer: &Fact, reason: &'static str) {
        if is_guarded(older, newer) {
            self.disputes.push(older.id.clone());
        } else {
            self.ends.push((older.id.clone(), reason));
        }
    }
}

/// What a person or an agent says that a fact ends, by id: what is guarded only a person can end.
pub(super) fn superseded(database: &Database, by: &Fact, ids: &[String]) -> Result<Verdict> {
    let mut verdict = Verdict::default();
    for id in ids {
        let Some(older) = facts::versions(database, id)?.into_iter().next().filter(|older| older.id != by.id) else {
            continue;
        };
        if by.origin == Origin::User || !is_guarded(&older, by) {
            verdict.ends.push((older.id, "said to be superseded"));
        } else {
            verdict.disputes.push(older.id);
        }
    }
    Ok(verdict)
}

/// Types of which one fact holds at a time.
fn is_singleton(fact_type: FactType) -> bool {
    matches!(fact_type, FactType::Progress | FactType::ActiveContext)
}

/// Whether an older statement has the replaced value and the same topic.
fn is_replaced(newer: &Statement, older: &Statement, old: &str, new: &str) -> bool {
    let (stems, shared) = older.shared(newer);
    older.names(old) && !older.names(new) && older.replaced().is_none() && (shared >= 2 || stems <= 4)
}

/// The live facts of the same type and scope that have no subject.
fn live_of(database: &Database, project: i64, fact: &Fact) -> Result<Vec<Fact>> {
    let sql = format!(
        "{} WHERE fact.project = ?1 AND fact.type = ?2 AND fact.scope = ?3 AND fact.state = 'live' \
         AND fact.subject = '' AND fact.id <> ?4 AND (?3 <> 'branch' OR fact.branch = ?5) ORDER BY fact.number",
        facts::COLUMNS
    );
    let values = params![project, fact.fact_type.name(), fact.scope.name(), fact.id, fact.branch];
    database.all(&sql, values, facts::read)
}

/// Older facts that may speak of the same: found by words, by meaning, and by the code they are anchored to.
fn candidates(
    database: &Database,
    project: i64,
    fact: &Fact,
    shared: &[String],
    model: &dyn Embedder,
) -> Result<Vec<OlderFact>> {
    let question = vector::of_document(model, &fact.text)?;
    let sketch = if question.is_zero() { Vec::new() } else { vector::sketch(&question) };
    let (words, only) = (Question::of(&fact.text), EventFilter::default());
    let search = Search { question: &words, sketch: &sketch, limit: CANDIDATES, only: &only };
    // Segments of this transaction may be rolled back and their numbers reused, so they are not cached.
    let found = text::search(database, &SegmentCache::default(), &[Space::facts(project)], &search)?;
    let live = "fact.state = 'live' AND fact.subject = '' AND fact.is_private = ?2";
    let mut all: Vec<Fact> = Vec::new();
    for each in found.found {
        let sql = format!("{} WHERE fact.number = ?1 AND {live}", facts::COLUMNS);
        all.extend(database.first(&sql, params![each.doc, fact.is_private], facts::read)?);
    }
    for id in shared.iter().take(CANDIDATES) {
        let sql = format!("{} WHERE fact.id = ?1 AND {live}", facts::COLUMNS);
        let known = all.iter().any(|other| other.id == *id);
        all.extend(database.first(&sql, params![id, fact.is_private], facts::read)?.filter(|_| !known));
    }
    let is_elsewhere = |older: &Fact| {
        older.id == fact.id
            || older.scope != fact.scope
            || fact.scope == Scope::Branch && older.branch != fact.branch
            || older.fact_type == FactType::SessionSummary
            || older.valid_from_ms > fact.valid_from_ms
    };
    let mut compared = Vec::new();
    for older in all.into_iter().filter(|older| !is_elsewhere(older)) {
        let hash = ContentHash::of(older.text.as_bytes());
        let known = vector::get(database, hash.as_bytes(), model)?;
        let cosine = known.map_or(0.0, |known| question.cosine(&known));
        compared.push(OlderFact { statement: Statement::of(&older.text), fact: older, cosine });
    }
    Ok(compared)
}

/// Some types have one valid fact at a time, apart from pinned ones and a user's. Ends the others where an update has
/// made `fact` one of these: without its pin, or of another type. Runs inside a transaction.
pub(super) fn end_rivals(database: &Database, scene: &Scene, project: i64, fact: &Fact) -> Result<()> {
    let is_free = !fact.is_pinned && fact.origin != Origin::User;
    if !is_free || !is_singleton(fact.fact_type) || !fact.subject.is_empty() {
        return Ok(());
    }
    // It may hold for longer than they do, but is the newer word.
    let now = Fact { valid_from_ms: scene.now_ms, ..fact.clone() };
    for older in live_of(database, project, fact)? {
        if !is_guarded(&older, fact) {
            end(database, scene, &now, &older.id, "a newer one of its kind")?;
        }
    }
    Ok(())
}

/// Ends facts. Runs inside a transaction.
pub(super) fn end(database: &Database, scene: &Scene, by: &Fact, id: &str, reason: &str) -> Result<bool> {
    let sql = "UPDATE fact SET state = ?2, invalid_at_ms = max(valid_from_ms, ?3), invalidated_ms = ?4, \
               superseded_by = ?5, reason = ?6 WHERE id = ?1 AND state = 'live'";
    let values = params![id, State::Superseded.name(), by.valid_from_ms, scene.now_ms, by.id, reason];
    Ok(database.run(sql, values)? > 0)
}
