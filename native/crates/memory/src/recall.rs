//! Recall: ranks events and facts by terms, vectors, neighbouring events and recency.
//!
//! A full-text search makes the candidate pool with all signals but the exact cosine. The candidates are then read and
//! ranked by a weighted sum of their signals, with fitted weights ([`super::signals::WEIGHTS`]); ties go to the newest.
//! Besides the score, which compares candidates, each hit has an evidence, which is absolute
//! ([`super::answer_confidence`]).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use rusqlite::ToSql;

use codecairn_base::database::Database;
use codecairn_base::error::{Error, Result};
use codecairn_model::embed::Embedder;
use codecairn_model::vector::QuantisedVector;

use super::answer_confidence::QueryCoverage;
use super::event::Event;
use super::fact::Fact;
use super::memory::Memory;
use super::query::FactFilter;
use super::remote_vectors::{QueryEmbedding, RemoteLikeness, paraphrase};
use super::signals::{Signals, WEIGHTS};
use super::text::{EventFilter, FACT_SURROUNDINGS, Question, Search, SearchHit, Space, search};
use super::words::{FactType, Role};
use super::{answer_confidence, facts, log, project, vector};

/// Candidates of the first pool; if filters leave too few of them, the pool grows.
const POOL: usize = 100;
/// The factor by which the pool grows.
const GROWTH: usize = 8;
/// A lower cosine is chance, unless terms match too.
const MIN_COSINE: f32 = 0.3;
/// The decay of recency per day.
const DECAY_A_DAY: f32 = 0.1;
/// The penalty of a hit, in points of the score, for each better one of its session in an overview.
const CROWDED: f32 = 0.8;
/// The penalty of a session's summary, in points of the score: it has the terms of many answers without being one.
/// Fitted on half of a public benchmark (`benches/memory/devmembench.py`).
const DIGEST: f32 = 3.5;
/// The weight of a session's mean cosine, chosen on half of two public benchmarks.
const SESSION_MEANING: f32 = 3.5;
/// The number of nearest events of a session that the mean is taken over, chosen on the same.
const ALIKE: usize = 3;
/// The bonus of the newest candidate over the oldest, for queries about the current state.
const NEWEST: f32 = 0.5;

/// A recall request; an empty list matches everything.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct RecallOptions {
    /// The maximum number of hits.
    pub limit: usize,
    /// Whether to return facts.
    pub facts: bool,
    /// Whether to return events.
    pub events: bool,
    /// The filter of facts.
    pub filter: FactFilter,
    /// Only events of this session.
    pub session: Option<String>,
    /// Only records since this time, in milliseconds since the epoch.
    pub since_ms: Option<i64>,
    /// Only records at or before this time.
    pub until_ms: Option<i64>,
    /// The minimum evidence, from 0 to 1.
    pub least_evidence: f32,
    /// Whether hits should come from many sessions.
    #[serde(default)]
    pub is_overview: bool,
    /// Whether newer records rank higher.
    #[serde(default)]
    pub prefers_new: bool,
    /// A period named by the query, from and to: records of it rank higher.
    pub around_ms: Option<(i64, i64)>,
    /// The query's vector in a provider's space: the vectors stored there take the place of the built-in model's.
    #[serde(default)]
    pub embedding: Option<QueryEmbedding>,
}

/// A hit of a recall.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct RecallHit {
    /// `E12` or a fact's id.
    pub id: String,
    /// Its score, comparable within one recall.
    pub score: f32,
    /// BM25.
    pub lexical: f32,
    /// The cosine of the vectors, from -1 to 1.
    pub cosine: f32,
    /// The probability that it answers, from 0 to 1; comparable between queries.
    pub evidence: f32,
    /// The share of the query's terms, weighted by IDF, that occur in the memory at all.
    pub known: f32,
    /// The share of the query's names that occur at all.
    pub named: f32,
    /// The share of the query's terms in the hit or its neighbours.
    pub covered: f32,
    /// The signals that its score is the weighted sum of.
    pub signals: Signals,
    /// The fact, if it is one.
    pub fact: Option<Fact>,
    /// The event, if it is one.
    pub event: Option<Event>,
}

impl RecallHit {
    /// Whether it is nothing but the query itself: where the same was asked before.
    pub(crate) fn repeats(&self, query: &str) -> bool {
        self.event.as_ref().is_some_and(|event| is_echo(event, query))
    }
}

fn is_echo(event: &Event, query: &str) -> bool {
    event.body.trim().to_lowercase() == query.trim().to_lowercase()
}

/// A candidate of the pool.
struct Candidate {
    found: SearchHit,
    ts_ms: i64,
    session: i64,
    known: QueryCoverage,
    is_remote: bool,
    score: f32,
}

/// A query.
struct Asked<'a> {
    query: &'a str,
    limit: usize,
    question: Question,
    vector: QuantisedVector,
    /// The sketch of the vector; empty if the query means nothing.
    sketch: Vec<u8>,
}

/// What is recalled together, with everything that is computed before candidates are read.
struct RecallContext<'a> {
    options: &'a RecallOptions,
    remote: Option<&'a RemoteLikeness>,
    now_ms: i64,
    spaces: Vec<Space>,
    only: EventFilter,
    /// The records of the named period, which are always in the pool.
    around: Option<EventFilter>,
    fact_sql: String,
    event_sql: String,
    /// The rows of candidates: sentences of one prompt share many.
    rows: RefCell<BTreeMap<(Space, i64), Option<CandidateRow>>>,
}

/// What is stored of a candidate.
struct CandidateRow {
    ts_ms: i64,
    session: i64,
    is_digest: bool,
    vector: Option<QuantisedVector>,
    /// The likeness by a provider's vectors.
    remote: Option<f32>,
}

impl Memory {
    /// The hits of a query, best first; where it was asked before is no hit, nor that a session started.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for an empty query.
    pub fn recall(&self, query: &str, options: &RecallOptions) -> Result<Vec<RecallHit>> {
        Ok(self.hits(&[(query, options.limit)], options, false)?.pop().unwrap_or_default())
    }

    /// The hits of several queries, each with its limit, and with where it was asked before.
    pub(crate) fn recall_each(
        &self,
        queries: &[(&str, usize)],
        options: &RecallOptions,
    ) -> Result<Vec<Vec<RecallHit>>> {
        self.hits(queries, options, true)
    }

    fn hits(
        &self,
        queries: &[(&str, usize)],
        options: &RecallOptions,
        with_echoes: bool,
    ) -> Result<Vec<Vec<RecallHit>>> {
        let asked: Vec<Asked<'_>> = queries
            .iter()
            .map(|(query, limit)| Asked::of(self.model.as_ref(), query, *limit))
            .collect::<Result<_>>()?;
        let now_ms = self.now_ms();
        let found = self.read(|database, project| {
            let filter = options.filter.among(database, &self.project(), project)?;
            let options = &RecallOptions { filter, ..options.clone() };
            let context = RecallContext::new(database, project, options, now_ms)?;
            let hits = |asked: &Asked<'_>| {
                let pool = self.pool(database, asked, &context)?;
                let mut found = load(database, &pool, asked.limit, Some(asked.query).filter(|_| !with_echoes))?;
                for hit in &mut found {
                    if let Some(fact) = &mut hit.fact {
                        options.filter.label(database, "fact", &hit.id, &mut fact.meta)?;
                    }
                    if let Some(event) = &mut hit.event {
                        options.filter.label(database, "event", &hit.id, &mut event.meta)?;
                    }
                }
                Ok(found)
            };
            asked.iter().map(hits).collect::<Result<Vec<_>>>()
        })?;
        Ok(found.unwrap_or_default())
    }

    /// The candidates of a query, the best first.
    fn pool(&self, database: &Database, asked: &Asked<'_>, context: &RecallContext<'_>) -> Result<Vec<Candidate>> {
        let RecallContext { options, spaces, only, around, .. } = context;
        let mut limit = POOL.max(asked.limit);
        loop {
            let wanted = Search { question: &asked.question, sketch: &asked.sketch, limit, only };
            let mut found = search(database, &self.segment_cache, spaces, &wanted)?;
            if let Some(around) = around {
                let wanted = Search { only: around, ..wanted };
                let more = search(database, &self.segment_cache, spaces, &wanted)?.found;
                let is_new = |each: &SearchHit| !found.found.iter().any(|other| other.is_same(each));
                let new: Vec<SearchHit> = more.into_iter().filter(is_new).collect();
                found.found.extend(new);
            }
            if let Some(remote) = context.remote {
                remote.add_nearest(database, spaces, only, &mut found.found)?;
            }
            let known = QueryCoverage { words: found.known, names: found.named };
            let mut pool = self.candidates_of(database, &found.found, known, asked, context)?;
            // Conditions may have left too few.
            if pool.len() >= asked.limit || !found.is_full {
                favour_sessions(&mut pool);
                if options.prefers_new {
                    favour_new(&mut pool);
                }
                rank(&mut pool);
                if options.is_overview {
                    spread(&mut pool);
                }
                return Ok(pool);
            }
            limit *= GROWTH;
        }
    }

    /// The candidates that may be shown, with the exact likeness of their meaning.
    fn candidates_of(
        &self,
        database: &Database,
        found: &[SearchHit],
        known: QueryCoverage,
        asked: &Asked<'_>,
        context: &RecallContext<'_>,
    ) -> Result<Vec<Candidate>> {
        let options = context.options;
        let latest = options.until_ms.unwrap_or(i64::MAX).min(options.filter.as_of_ms.unwrap_or(i64::MAX));
        let (model, dimensions) = (self.model.id(), self.model.dimensions());
        let mut pool = Vec::with_capacity(found.len());
        let mut rows = context.rows.borrow_mut();
        for each in found {
            let row = match rows.entry((each.space, each.doc)) {
                Entry::Occupied(row) => row.into_mut(),
                Entry::Vacant(place) => place.insert(context.row(database, each, model, dimensions)?),
            };
            let Some(CandidateRow { ts_ms, session, is_digest, vector, remote }) = row else { continue };
            let (ts_ms, is_remote) = (*ts_ms, remote.is_some());
            if ts_ms < options.since_ms.unwrap_or(i64::MIN) || ts_ms > latest {
                continue;
            }
            let mut found = *each;
            let builtin = || vector.as_ref().map_or(0.0, |vector| asked.vector.cosine(vector));
            found.signals.meaning = remote.unwrap_or_else(builtin);
            let days = (context.now_ms - ts_ms).max(0) as f32 / 86_400_000.0;
            found.signals.recent = (-DECAY_A_DAY * days).exp();
            if options.around_ms.is_some_and(|(since, until)| (since..=until).contains(&ts_ms)) {
                found.signals.time += 1.0;
            }
            let has_words = found.covered > 0.0 || found.lexical > 0.0;
            if !has_words && found.signals.meaning < MIN_COSINE
                || answer_confidence::evidence(known, found.covered, &found.signals, is_remote) < options.least_evidence
            {
                continue;
            }
            let mut score = found.signals.score() + if is_remote { paraphrase(found.signals.meaning) } else { 0.0 };
            if options.is_overview {
                // In an overview a passing mention counts as much as a long text.
                score -= WEIGHTS.length * found.signals.length;
            }
            if *is_digest {
                score -= DIGEST;
            }
            pool.push(Candidate { found, ts_ms, session: *session, known, is_remote, score });
        }
        Ok(pool)
    }
}

impl<'a> Asked<'a> {
    /// # Errors
    /// [`Error::InvalidArgument`] for an empty query.
    fn of(model: &dyn Embedder, query: &'a str, limit: usize) -> Result<Self> {
        let question = Question::of(query);
        if question.is_empty() {
            return Err(Error::InvalidArgument("nothing is asked: give some words".to_owned()));
        }
        let vector = vector::of_query(model, query)?;
        let sketch = if vector.is_zero() { Vec::new() } else { vector::sketch(&vector) };
        Ok(Self { query, limit, question, vector, sketch })
    }
}

impl<'a> RecallContext<'a> {
    fn new(database: &Database, project: i64, options: &'a RecallOptions, now_ms: i64) -> Result<Self> {
        let only = |since, until| only_of(database, project, options, since, until);
        let fact_sql = format!(
            "SELECT fact.valid_from_ms, fact.session, fact.type = '{}', vector.data, fact.text_hash FROM fact \
             LEFT JOIN vector ON vector.text_hash = fact.text_hash AND vector.model = ?2 \
             WHERE fact.number = ?1 AND {}",
            FactType::SessionSummary.name(),
            options.filter.conditions(project, "?3")
        );
        let private = if options.filter.with_private { "" } else { " AND event.is_private = 0" };
        let event_sql = format!(
            "SELECT event.ts_ms, event.session, 0, vector.data, event.text_hash FROM event \
             LEFT JOIN vector ON vector.text_hash = event.text_hash AND vector.model = ?2 \
             WHERE event.seq = ?1{private} \
             AND (event.title <> '' OR event.path <> '' OR event.command <> '' OR event.body <> '')"
        );
        Ok(Self {
            options,
            remote: options.embedding.as_ref().map(|query| query.likeness(database)).transpose()?.flatten(),
            now_ms,
            spaces: spaces(database, project, options)?,
            only: only(options.since_ms, options.until_ms)?,
            around: options.around_ms.map(|(since, until)| only(Some(since), Some(until))).transpose()?,
            fact_sql,
            event_sql,
            rows: RefCell::default(),
        })
    }

    /// The row of a candidate; `None` if conditions exclude it.
    fn row(
        &self,
        database: &Database,
        hit: &SearchHit,
        model: &str,
        dimensions: usize,
    ) -> Result<Option<CandidateRow>> {
        let is_fact = hit.space.is_facts();
        let sql = if is_fact { &self.fact_sql } else { &self.event_sql };
        let now = self.options.filter.now(self.now_ms).filter(|_| is_fact);
        let mut values: Vec<&dyn ToSql> = vec![&hit.doc, &model];
        values.extend(now.iter().map(|now| now as &dyn ToSql));
        database.first(sql, values.as_slice(), |row| {
            let vector = row.get_ref(3)?.as_blob_or_null().unwrap_or_default();
            Ok(CandidateRow {
                ts_ms: row.get(0)?,
                session: row.get::<_, Option<i64>>(1)?.unwrap_or(0),
                is_digest: row.get(2)?,
                vector: vector.map(|bytes| QuantisedVector::from_bytes(bytes, dimensions)).transpose()?,
                remote: match self.remote {
                    Some(remote) => remote.of(row.get_ref(4)?.as_blob().unwrap_or_default()),
                    None => None,
                },
            })
        })
    }
}

/// The filter of events by the requested session and time.
fn only_of(
    database: &Database,
    project: i64,
    options: &RecallOptions,
    since_ms: Option<i64>,
    until_ms: Option<i64>,
) -> Result<EventFilter> {
    let session = match &options.session {
        Some(key) => Some(super::session::number_of(database, project, key)?.unwrap_or(-1)),
        None => None,
    };
    let is_timeless = since_ms.is_none() && until_ms.is_none();
    if is_timeless || options.filter.all_projects || !options.events {
        return Ok(EventFilter { session, events: None });
    }
    let sql = "SELECT seq FROM event WHERE project = ?1 AND ts_ms >= ?2 AND ts_ms <= ?3";
    let (since, until) = (since_ms.unwrap_or(i64::MIN), until_ms.unwrap_or(i64::MAX));
    let mut events: Vec<i64> = Vec::new();
    for project in options.filter.parents.iter().copied().chain([project]) {
        events.extend(database.all(sql, [project, since, until], |row| Ok(row.get::<_, i64>(0)?))?);
    }
    Ok(EventFilter { session, events: Some(events.into_iter().collect()) })
}

fn spaces(database: &Database, project: i64, options: &RecallOptions) -> Result<Vec<Space>> {
    let mut projects = vec![project::USER, project];
    projects.extend(&options.filter.parents);
    if options.filter.all_projects {
        projects = database.all("SELECT number FROM project ORDER BY number", [], |row| Ok(row.get(0)?))?;
    }
    let facts = projects.iter().filter(|_| options.facts).map(|project| Space::facts(*project));
    let events = projects.iter().filter(|number| options.events && **number != project::USER);
    Ok(facts.chain(events.map(|project| Space::events(*project))).collect())
}

/// Puts the candidates in order: score, then the newer, then the higher number.
fn rank(pool: &mut [Candidate]) {
    pool.sort_by(|left, right| {
        right
            .score
            .total_cmp(&left.score)
            .then(right.ts_ms.cmp(&left.ts_ms))
            .then(right.found.space.cmp(&left.found.space))
            .then(right.found.doc.cmp(&left.found.doc))
    });
}

/// Raises candidates by the mean cosine of the nearest events of their session: a topic that several sessions share is
/// matched better by whole sessions than by single events. A fact counts at least with half its own cosine.
fn favour_sessions(pool: &mut [Candidate]) {
    let mut alike: BTreeMap<i64, Vec<f32>> = BTreeMap::new();
    for candidate in pool.iter().filter(|candidate| candidate.session > 0 && !candidate.found.space.is_facts()) {
        alike.entry(candidate.session).or_default().push(candidate.found.signals.meaning);
    }
    let mean = |mut meanings: Vec<f32>| {
        meanings.sort_by(|left, right| right.total_cmp(left));
        meanings.iter().take(ALIKE).sum::<f32>() / ALIKE as f32
    };
    let alike: BTreeMap<i64, f32> = alike.into_iter().map(|(session, meanings)| (session, mean(meanings))).collect();
    for candidate in pool {
        let mut meaning = alike.get(&candidate.session).copied().unwrap_or(0.0);
        if candidate.found.space.is_facts() {
            meaning = meaning.max(FACT_SURROUNDINGS * candidate.found.signals.meaning);
        }
        candidate.score += SESSION_MEANING * meaning;
    }
}

fn favour_new(pool: &mut [Candidate]) {
    let times = || pool.iter().map(|candidate| candidate.ts_ms);
    let (Some(oldest), Some(newest)) = (times().min(), times().max()) else { return };
    let span = (newest - oldest).max(1) as f32;
    for candidate in pool {
        candidate.score += NEWEST * (candidate.ts_ms - oldest) as f32 / span;
    }
}

/// Lowers each further hit of a session, so that an overview has hits of many sessions.
fn spread(pool: &mut [Candidate]) {
    let mut better_hits: BTreeMap<i64, f32> = BTreeMap::new();
    for candidate in pool.iter_mut().filter(|candidate| candidate.session > 0) {
        let better = better_hits.entry(candidate.session).or_default();
        candidate.score -= CROWDED * *better;
        *better += 1.0;
    }
    rank(pool);
}

/// Reads the best in full, without events that repeat a fact extracted from them, starts of sessions, and `echoes_of`.
fn load(database: &Database, pool: &[Candidate], limit: usize, echoes_of: Option<&str>) -> Result<Vec<RecallHit>> {
    let is_passed_over = |event: &Event| {
        event.role == Role::System || event.is_blank() || echoes_of.is_some_and(|query| is_echo(event, query))
    };
    let mut found: Vec<RecallHit> = Vec::with_capacity(limit);
    for candidate in pool {
        if found.len() == limit {
            break;
        }
        let Candidate {
            found: SearchHit { space, doc, lexical, covered, signals, .. }, known, is_remote, score, ..
        } = *candidate;
        let evidence = answer_confidence::evidence(known, covered, &signals, is_remote);
        let recalled = |id: String, fact: Option<Fact>, event: Option<Event>| RecallHit {
            id,
            score,
            lexical,
            cosine: signals.meaning,
            evidence,
            known: known.words,
            named: known.names,
            covered,
            signals,
            fact,
            event,
        };
        if space.is_facts() {
            let sql = format!("{} WHERE fact.number = ?1", facts::COLUMNS);
            let fact = database.only(&sql, [doc], facts::read)?;
            found.retain(|other| !other.event.as_ref().is_some_and(|event| is_said_by(event, &fact)));
            found.push(recalled(fact.id.clone(), Some(fact), None));
        } else if let Some(event) = log::get(database, doc)?.filter(|event| !is_passed_over(event)) {
            let is_said = found.iter().filter_map(|other| other.fact.as_ref()).any(|fact| is_said_by(&event, fact));
            if !is_said {
                found.push(recalled(event.id(), None, Some(event)));
            }
        }
    }
    Ok(found)
}

/// Whether a fact was drawn from an event that holds hardly more.
fn is_said_by(event: &Event, fact: &Fact) -> bool {
    fact.sources.contains(&event.seq) && event.body.len() < fact.text.len() * 3 / 2 && event.body.contains(&fact.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(space: Space, session: i64, meaning: f32) -> Candidate {
        let signals = Signals { meaning, ..Signals::default() };
        let found = SearchHit { space, doc: 1, session: 0, lexical: 0.0, covered: 0.0, signals };
        Candidate { found, ts_ms: 0, session, known: QueryCoverage::default(), is_remote: false, score: 0.0 }
    }

    #[test]
    fn a_session_that_is_alike_throughout_comes_before_one_that_is_so_once() {
        let (events, facts) = (Space::events(1), Space::facts(1));
        let mut pool = vec![candidate(events, 1, 0.6), candidate(events, 1, 0.5), candidate(events, 1, 0.4)];
        pool.extend([candidate(events, 2, 0.6), candidate(facts, 1, 0.1), candidate(facts, 0, 0.6)]);
        favour_sessions(&mut pool);
        let gains: Vec<f32> = pool.iter().map(|candidate| candidate.score / SESSION_MEANING).collect();
        for (gain, expected) in gains.iter().zip([0.5, 0.5, 0.5, 0.2, 0.5, 0.3]) {
            assert!((gain - expected).abs() < 1e-6, "{gains:?}");
        }
    }
}
