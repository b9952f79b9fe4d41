//! Finding what was said and done: words, meaning, neighbours in the conversation, and how recent it is.
//!
//! Words and vectors are brought together by a weighted sum of what each says of its best: 0.7 and 0.3, which was
//! measured to be better for prose than fused ranks. An event also gets part of what its neighbours in the session
//! score: an answer shares few words with the question that follows it.

use std::collections::BTreeMap;

use rusqlite::params;

use super::event::Event;
use super::fact::Fact;
use super::memory::Memory;
use super::query::FactFilter;
use super::text::{Found, Search, Space, query_hashes, search};
use super::{facts, log, project, vector};
use crate::database::Database;
use crate::error::{Error, Result};
use crate::vector::QuantisedVector;

/// Candidates by words.
const POOL: usize = 100;
/// Candidates by meaning alone.
const ALIKE: usize = 40;
/// The best candidates whose neighbours are looked at.
const SMOOTHED: usize = 40;
/// Parts of a score.
const LEXICAL: f32 = 0.7;
const VECTOR: f32 = 0.3;
const NEIGHBOUR: f32 = 0.3;
const RECENCY: f32 = 0.05;
/// What a fact gains over an event that says the same: it was drawn from it.
const FACT: f32 = 0.05;
/// Below this, likeness alone is chance.
const LEAST_COSINE: f32 = 0.3;
/// A day weighs this much less than the one after it.
const DECAY_A_DAY: f32 = 0.1;

/// What is asked for; a list that is empty asks for everything.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecallOptions {
    /// How many at most.
    pub limit: usize,
    /// Whether facts are wanted.
    pub facts: bool,
    /// Whether events are wanted.
    pub events: bool,
    /// Which facts.
    pub filter: FactFilter,
    /// Only events of this session.
    pub session: Option<String>,
    /// Only what is not older, in milliseconds since the epoch.
    pub since_ms: Option<i64>,
    /// Only what is older.
    pub until_ms: Option<i64>,
}

/// Something remembered.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Recalled {
    /// `E12` or a fact's id.
    pub id: String,
    /// How well it answers; comparable within one answer.
    pub score: f32,
    /// BM25.
    pub lexical: f32,
    /// How alike the meanings are, from -1 to 1.
    pub cosine: f32,
    /// The fact, or else
    pub fact: Option<Fact>,
    /// the event.
    pub event: Option<Event>,
}

/// A candidate with what its score is made of.
struct Candidate {
    space: Space,
    doc: i64,
    ts_ms: i64,
    lexical: f32,
    cosine: f32,
    score: f32,
}

impl Memory {
    /// What answers a question, best first.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if nothing is asked.
    pub fn recall(&self, query: &str, options: &RecallOptions) -> Result<Vec<Recalled>> {
        let terms = query_hashes(query);
        if terms.is_empty() {
            return Err(Error::InvalidArgument("nothing is asked: give some words".to_owned()));
        }
        let question = vector::of_query(self.model.as_ref(), query)?;
        let sketch = if question.is_zero() { Vec::new() } else { vector::sketch(&question) };
        let now_ms = self.now_ms();
        let found = self.read(|database, project| {
            let spaces = spaces(database, project, options)?;
            let found = search(
                database,
                &self.heads,
                &spaces,
                &Search { terms: &terms, sketch: &sketch, limit: POOL, alike: ALIKE },
            )?;
            let found = smoothed(database, found)?;
            let mut pool = self.pool(database, project, &found, &question, options, now_ms)?;
            rank(&mut pool, now_ms);
            load(database, &pool, options.limit)
        })?;
        Ok(found.unwrap_or_default())
    }

    /// The candidates that may be shown, with the likeness of their meaning.
    fn pool(
        &self,
        database: &Database,
        project: i64,
        found: &[Found],
        question: &QuantisedVector,
        options: &RecallOptions,
        now_ms: i64,
    ) -> Result<Vec<Candidate>> {
        let fact_sql = format!(
            "SELECT text_hash, valid_from_ms FROM fact WHERE number = ?1 AND {}",
            options.filter.conditions(project, now_ms)
        );
        let private = if options.filter.with_private { "" } else { " AND is_private = 0" };
        let event_sql = format!("SELECT text_hash, ts_ms, session FROM event WHERE seq = ?1{private}");
        let session = match &options.session {
            Some(key) => Some(super::session::number_of(database, project, key)?.unwrap_or(-1)),
            None => None,
        };
        let mut pool = Vec::with_capacity(found.len());
        for Found { space, doc, lexical } in found {
            let sql = if space.is_facts() { &fact_sql } else { &event_sql };
            let row = database.first(sql, [doc], |row| {
                let is_elsewhere = match session {
                    Some(session) if !space.is_facts() => row.get::<_, i64>(2)? != session,
                    _ => false,
                };
                Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, i64>(1)?, is_elsewhere))
            })?;
            let Some((hash, ts_ms, false)) = row else { continue };
            let latest = options.until_ms.unwrap_or(i64::MAX).min(options.filter.as_of_ms.unwrap_or(i64::MAX));
            if ts_ms < options.since_ms.unwrap_or(i64::MIN) || ts_ms > latest {
                continue;
            }
            let vector = vector::get(database, &hash, self.model.as_ref())?;
            let cosine = vector.map_or(0.0, |vector| vector::cosine(question, &vector));
            if *lexical > 0.0 || cosine >= LEAST_COSINE {
                pool.push(Candidate { space: *space, doc: *doc, ts_ms, lexical: *lexical, cosine, score: 0.0 });
            }
        }
        Ok(pool)
    }
}

fn spaces(database: &Database, project: i64, options: &RecallOptions) -> Result<Vec<Space>> {
    let mut projects = vec![project::USER, project];
    if options.filter.all_projects {
        projects = database.all("SELECT number FROM project ORDER BY number", [], |row| Ok(row.get(0)?))?;
    }
    let facts = projects.iter().filter(|_| options.facts).map(|project| Space::facts(*project));
    let events = projects.iter().filter(|number| options.events && **number != project::USER);
    Ok(facts.chain(events.map(|project| Space::events(*project))).collect())
}

/// Gives events a part of their neighbours' scores, and takes neighbours in that had none of their own.
fn smoothed(database: &Database, mut found: Vec<Found>) -> Result<Vec<Found>> {
    let own: BTreeMap<(Space, i64), f32> = found.iter().map(|each| ((each.space, each.doc), each.lexical)).collect();
    let mut gains: BTreeMap<(Space, i64), f32> = BTreeMap::new();
    let events: Vec<Found> =
        found.iter().filter(|each| !each.space.is_facts() && each.lexical > 0.0).copied().collect();
    for Found { space, doc, lexical } in events.into_iter().take(SMOOTHED) {
        for (comparison, order) in [("<", "DESC"), (">", "ASC")] {
            let sql = format!(
                "SELECT seq FROM event WHERE session = (SELECT session FROM event WHERE seq = ?1) \
                 AND seq {comparison} ?1 ORDER BY seq {order} LIMIT 1"
            );
            if let Some(neighbour) = database.first(&sql, params![doc], |row| Ok(row.get::<_, i64>(0)?))? {
                *gains.entry((space, neighbour)).or_default() += NEIGHBOUR * lexical;
            }
        }
    }
    for each in &mut found {
        each.lexical += gains.get(&(each.space, each.doc)).copied().unwrap_or(0.0);
    }
    let strangers = gains.iter().filter(|(key, _)| !own.contains_key(key));
    found.extend(strangers.map(|((space, doc), lexical)| Found { space: *space, doc: *doc, lexical: *lexical }));
    Ok(found)
}

/// Puts the candidates in order: score, then the newer, then the higher number.
fn rank(pool: &mut [Candidate], now_ms: i64) {
    let best = pool.iter().map(|candidate| candidate.lexical).fold(0.0, f32::max);
    let (least, most) =
        pool.iter().fold((f32::MAX, f32::MIN), |(least, most), each| (least.min(each.cosine), most.max(each.cosine)));
    for candidate in pool.iter_mut() {
        let lexical = if best > 0.0 { candidate.lexical / best } else { 0.0 };
        let alike = if most > least { (candidate.cosine - least) / (most - least) } else { 0.0 };
        let days = (now_ms - candidate.ts_ms).max(0) as f32 / 86_400_000.0;
        let kind = if candidate.space.is_facts() { FACT } else { 0.0 };
        candidate.score = LEXICAL * lexical + VECTOR * alike + RECENCY * (-DECAY_A_DAY * days).exp() + kind;
    }
    pool.sort_by(|left, right| {
        right
            .score
            .total_cmp(&left.score)
            .then(right.ts_ms.cmp(&left.ts_ms))
            .then(right.space.cmp(&left.space))
            .then(right.doc.cmp(&left.doc))
    });
}

/// Reads the best in full, less events that say nothing more than a fact drawn from them.
fn load(database: &Database, pool: &[Candidate], limit: usize) -> Result<Vec<Recalled>> {
    let mut found: Vec<Recalled> = Vec::with_capacity(limit);
    for candidate in pool {
        if found.len() == limit {
            break;
        }
        let Candidate { doc, lexical, cosine, score, .. } = *candidate;
        if candidate.space.is_facts() {
            let sql = format!("{} WHERE fact.number = ?1", facts::COLUMNS);
            let fact = database.only(&sql, [doc], facts::read)?;
            found.retain(|other| !other.event.as_ref().is_some_and(|event| is_said_by(event, &fact)));
            found.push(Recalled { id: fact.id.clone(), score, lexical, cosine, fact: Some(fact), event: None });
        } else if let Some(event) = log::get(database, doc)? {
            let is_said = found.iter().filter_map(|other| other.fact.as_ref()).any(|fact| is_said_by(&event, fact));
            if !is_said {
                found.push(Recalled { id: event.id(), score, lexical, cosine, fact: None, event: Some(event) });
            }
        }
    }
    Ok(found)
}

/// Whether a fact was drawn from an event that holds hardly more.
fn is_said_by(event: &Event, fact: &Fact) -> bool {
    fact.sources.contains(&event.seq) && event.body.len() < fact.text.len() * 3 / 2 && event.body.contains(&fact.text)
}
