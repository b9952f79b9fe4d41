//! Stores facts: their versions, and which facts end older ones.

use rusqlite::{Row, params};

use codecairn_base::database::Database;
use codecairn_base::error::Result;
use codecairn_base::hash::ContentHash;
use codecairn_model::embed::Embedder;

use super::fact::{CleanFact, Fact};
use super::log::{SEPARATOR, tags};
use super::reconcile::{self, Verdict};
use super::scene::Scene;
use super::text::{self, Document, Space};
use super::tombstone::{self, Hiding, Kind};
use super::words::{FactType, Origin, Scope, State};
use super::{anchor, project, provisional, session_digest, vector};

/// The member of a fact's metadata that names the facts it may contradict.
pub(super) const MAY_CONTRADICT: &str = "may_contradict";

/// The outcome of storing a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum KeepOutcome {
    /// It is new, and ended these.
    New { ended: Vec<String>, rivals: Vec<String> },
    /// The same statement exists already, under this id.
    Same { id: String, ended: Vec<String>, rivals: Vec<String> },
    /// It is the next version of this one.
    Version { id: String, ended: Vec<String> },
    /// It was forgotten, superseded or purged, and nobody may say it again but a person.
    Gone,
}

impl KeepOutcome {
    /// The facts that it ended.
    fn ended(&self) -> &[String] {
        match self {
            Self::New { ended, .. } | Self::Same { ended, .. } | Self::Version { ended, .. } => ended,
            Self::Gone => &[],
        }
    }
}

/// The project of a fact; facts of the user scope have a project of their own.
pub(super) fn home(scope: Scope, project: i64) -> i64 {
    if scope == Scope::User { project::USER } else { project }
}

/// Stores a fact, unless the same exists: as a new one, or as the next version of one that it extends. Facts that it
/// contradicts are ended. Runs inside a transaction.
pub(super) fn keep(
    database: &Database,
    scene: &Scene,
    clean: &CleanFact,
    session: Option<i64>,
    model: &dyn Embedder,
) -> Result<KeepOutcome> {
    // A version is written when the one before is retracted: no moment knows both, or neither.
    let mut fact = Fact { recorded_ms: scene.now_ms, ..clean.fact.clone() };
    let project = home(fact.scope, scene.project);
    inherit(database, &mut fact)?;
    if fact.maker == "add" && fact.origin == Origin::User {
        tombstone::lift_said(database, project, &fact.text, Kind::Purged, model)?;
    } else if fact.maker == "add" {
        if !tombstone::screen(database, project, &mut fact, Kind::Superseded)? {
            return Ok(KeepOutcome::Gone);
        }
        tombstone::lift_said(database, project, &fact.text, Kind::Revised, model)?;
    } else if !tombstone::screen(database, project, &mut fact, Kind::Revised)? {
        return Ok(KeepOutcome::Gone);
    }
    let kept = match exactly(database, project, &fact)? {
        Some(id) => repeat(database, scene, &fact, id, &clean.supersedes)?,
        None => keep_new(database, scene, &mut fact, clean, session, model)?,
    };
    let id = match &kept {
        KeepOutcome::New { .. } => &fact.id,
        KeepOutcome::Same { id, .. } | KeepOutcome::Version { id, .. } => id,
        KeepOutcome::Gone => return Ok(kept),
    };
    let mut older = clean.supersedes.clone();
    if fact.maker == "add" && fact.origin == Origin::User {
        older.extend(kept.ended().iter().cloned());
    }
    hide_superseded(database, scene, &fact, &older, model)?;
    anchor::renew(database, id, &clean.anchors)?;
    Ok(kept)
}

/// Hides the statements of facts that a person or an agent superseded, wherever they occur.
fn hide_superseded(database: &Database, scene: &Scene, by: &Fact, ids: &[String], model: &dyn Embedder) -> Result<()> {
    for id in ids {
        let said = versions(database, id)?;
        let is_ended = |older: &&Fact| older.state == State::Superseded && older.fact_type != FactType::Task;
        if let Some(older) = said.first().filter(is_ended) {
            let (home, kind) = (home(older.scope, scene.project), Kind::of_replacement(by.origin));
            let hiding = Hiding { home, item: &older.id, kind, said: &said, holds: &by.text };
            tombstone::hide(database, scene, &hiding, model)?;
        }
    }
    Ok(())
}

/// A fact that is held already ends what it is now said to supersede, and is newer than those that may contradict it.
fn repeat(database: &Database, scene: &Scene, fact: &Fact, id: String, supersedes: &[String]) -> Result<KeepOutcome> {
    let by = Fact { id: id.clone(), ..fact.clone() };
    if let Some(older) = versions(database, &id)?.first() {
        provisional::set_end(database, &id, provisional::joined(older, fact))?;
    }
    let mut ended = Vec::new();
    for (older, reason) in reconcile::superseded(database, &by, supersedes)?.ends {
        if reconcile::end(database, scene, &by, &older, reason)? {
            ended.push(older);
        }
    }
    let rivals = turn_contradictions(database, &by)?;
    Ok(KeepOutcome::Same { id, ended, rivals })
}

/// The live facts that named `by` as older and contradicted: it is the newer one now, and names them. Those of a person
/// stay the newer ones if an agent repeats what they replaced.
fn turn_contradictions(database: &Database, by: &Fact) -> Result<Vec<String>> {
    let sql = format!("{COLUMNS} WHERE instr(fact.meta, ?1) > 0 AND fact.state = 'live' AND fact.id <> ?1");
    let mut turned = Vec::new();
    for mut rival in database.all(&sql, [&by.id], read)? {
        let named = rivals_of(&rival);
        if named.contains(&by.id) && (by.origin == Origin::User || !reconcile::is_guarded(&rival, by)) {
            let others: Vec<String> = named.into_iter().filter(|each| *each != by.id).collect();
            set_rivals(&mut rival, &others);
            write_meta(database, &rival)?;
            turned.push(rival.id);
        }
    }
    if !turned.is_empty()
        && let Some(mut own) = versions(database, &by.id)?.into_iter().next()
    {
        let mut named = rivals_of(&own);
        named.extend(turned.iter().filter(|id| !named.contains(id)).cloned().collect::<Vec<_>>());
        set_rivals(&mut own, &named);
        write_meta(database, &own)?;
    }
    Ok(turned)
}

fn rivals_of(fact: &Fact) -> Vec<String> {
    fact.meta.get(MAY_CONTRADICT).map(|ids| ids.split(", ").map(str::to_owned).collect()).unwrap_or_default()
}

fn set_rivals(fact: &mut Fact, ids: &[String]) {
    if ids.is_empty() {
        fact.meta.remove(MAY_CONTRADICT);
    } else {
        fact.meta.insert(MAY_CONTRADICT.to_owned(), ids.join(", "));
    }
}

fn write_meta(database: &Database, fact: &Fact) -> Result<()> {
    let meta = serde_json::to_string(&fact.meta).unwrap_or_default();
    database
        .run("UPDATE fact SET meta = ?2 WHERE id = ?1 AND version = ?3", params![fact.id, meta, fact.version])
        .map(drop)
}

fn keep_new(
    database: &Database,
    scene: &Scene,
    fact: &mut Fact,
    clean: &CleanFact,
    session: Option<i64>,
    model: &dyn Embedder,
) -> Result<KeepOutcome> {
    let project = home(fact.scope, scene.project);
    let mut verdict = Verdict::default();
    let is_judged =
        !matches!(fact.fact_type, FactType::SessionSummary | FactType::FileActivity | FactType::Conversation);
    if fact.subject.is_empty() && is_judged {
        verdict = reconcile::judge(database, scene, fact, &clean.anchors, model)?;
        if let Some(id) = verdict.repeats {
            return repeat(database, scene, fact, id, &clean.supersedes);
        }
    }
    let said = reconcile::superseded(database, fact, &clean.supersedes)?;
    verdict.rivals.retain(|id| !said.ends.iter().any(|(ended, _)| ended == id));
    verdict.ends.extend(said.ends);
    verdict.disputes.extend(said.disputes);
    let mut ended = Vec::new();
    if let Some(older) = verdict.same.take() {
        // The event has an extractor's shorter text; explicit statements are stored word for word.
        if verdict.is_part && fact.maker != "add" {
            return Ok(KeepOutcome::Same { id: older.id, ended: Vec::new(), rivals: Vec::new() });
        }
        let next = next_version(&older, fact);
        retract(database, &older.id, State::Replaced, "", scene.now_ms)?;
        insert(database, project, &next, session, model)?;
        *fact = next;
    } else {
        if !verdict.disputes.is_empty() {
            fact.reason = format!("disagrees with what a person wrote or pinned: {}", verdict.disputes.join(", "));
        }
        if !verdict.disputes.is_empty() || !verdict.rivals.is_empty() {
            let rivals = [verdict.disputes.as_slice(), &verdict.rivals].concat();
            set_rivals(fact, &rivals);
        }
        insert(database, project, fact, session, model)?;
        ended.extend(supersede(database, scene, project, fact)?);
    }
    for (id, reason) in verdict.ends {
        if reconcile::end(database, scene, fact, &id, reason)? {
            ended.push(id);
        }
    }
    session_digest::condense(database, scene, fact, model)?;
    let id = fact.id.clone();
    if fact.version > 1 {
        return Ok(KeepOutcome::Version { id, ended });
    }
    let rivals = [verdict.disputes, verdict.rivals].concat();
    Ok(KeepOutcome::New { ended, rivals })
}

/// The live fact with exactly this text. A spooled fact may be drained twice if the process died in between.
fn exactly(database: &Database, project: i64, fact: &Fact) -> Result<Option<String>> {
    database.first(
        "SELECT id FROM fact WHERE id = ?1 OR text_hash = ?2 AND project = ?3 AND type = ?4 AND scope = ?5 \
         AND (scope <> 'branch' OR branch = ?6) AND state = 'live' AND is_private = ?7 ORDER BY id = ?1 DESC LIMIT 1",
        params![
            fact.id,
            ContentHash::of(fact.text.as_bytes()).as_bytes(),
            project,
            fact.fact_type.name(),
            fact.scope.name(),
            fact.branch,
            fact.is_private
        ],
        |row| Ok(row.get::<_, String>(0)?),
    )
}

/// A derived fact has the lowest trust of its sources, and is private if one of them is. Only explicit statements of a
/// user have the user's origin.
fn inherit(database: &Database, fact: &mut Fact) -> Result<()> {
    let is_own_word = fact.maker == "add" && fact.origin == Origin::User;
    for seq in &fact.sources {
        let sql = "SELECT origin, is_private FROM event WHERE seq = ?1";
        let source = database.first(sql, [seq], |row| Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?)))?;
        let Some((origin, is_private)) = source else { continue };
        fact.is_private |= is_private;
        if !is_own_word {
            fact.origin = fact.origin.min(origin.parse()?);
        }
    }
    Ok(())
}

/// The next version of an older fact that is repeated or extended.
fn next_version(older: &Fact, fact: &Fact) -> Fact {
    let join = |left: &[String], right: &[String]| {
        let new = right.iter().filter(|tag| !left.contains(tag));
        left.iter().chain(new).cloned().collect()
    };
    let new = fact.sources.iter().filter(|seq| !older.sources.contains(seq));
    Fact {
        id: older.id.clone(),
        version: older.version + 1,
        tags: join(&older.tags, &fact.tags),
        // A fact of external origin keeps it when an agent repeats it.
        origin: if fact.origin == Origin::User { fact.origin } else { fact.origin.min(older.origin) },
        confidence: older.confidence.max(fact.confidence),
        is_pinned: older.is_pinned || fact.is_pinned,
        valid_from_ms: older.valid_from_ms,
        expires_ms: provisional::joined(older, fact),
        sources: older.sources.iter().chain(new).copied().collect(),
        meta: older.meta.iter().chain(&fact.meta).map(|(key, value)| (key.clone(), value.clone())).collect(),
        reason: "said again in other words".to_owned(),
        ..fact.clone()
    }
}

/// Ends the live facts of the same subject and predicate, and returns their ids. Pinned facts stay, and so do a user's
/// statements that a derived fact would end.
pub(super) fn supersede(database: &Database, scene: &Scene, project: i64, fact: &Fact) -> Result<Vec<String>> {
    if fact.subject.is_empty() {
        return Ok(Vec::new());
    }
    let guard = if fact.origin == Origin::User { "" } else { " AND origin <> 'user'" };
    let sql = format!(
        "UPDATE fact SET state = 'superseded', invalid_at_ms = ?5, invalidated_ms = ?6, superseded_by = ?7 \
         WHERE project = ?1 AND subject = ?2 AND predicate = ?3 AND type = ?4 AND state = 'live' AND is_pinned = 0 \
         AND id <> ?7 AND valid_from_ms <= ?5 AND scope = ?8 AND branch = CASE scope WHEN 'branch' THEN ?9 ELSE branch END{guard} \
         RETURNING id"
    );
    let branch = fact.branch.as_str();
    let values = params![
        project,
        fact.subject,
        fact.predicate,
        fact.fact_type.name(),
        fact.valid_from_ms,
        scene.now_ms,
        fact.id,
        fact.scope.name(),
        branch
    ];
    database.all(&sql, values, |row| Ok(row.get(0)?))
}

/// A fact as its terms.
pub(super) fn document(fact: &Fact) -> Document {
    let words = fact.tags.join(" ");
    let kind = fact.fact_type.name();
    let fields = [(fact.title.as_str(), 1), (&fact.text, 1), (&fact.subject, 1), (&words, 1), (kind, 1)];
    Document::of(&fields, &fact.text, "")
}

/// Writes one version with its full text, vector and sources.
pub(super) fn insert(
    database: &Database,
    project: i64,
    fact: &Fact,
    session: Option<i64>,
    model: &dyn Embedder,
) -> Result<i64> {
    let hash = ContentHash::of(fact.text.as_bytes());
    let meta = serde_json::to_string(&fact.meta).unwrap_or_default();
    database.run(
        "INSERT INTO fact (id, version, project, scope, session, branch, commit_id, type, subject, predicate, title, \
         text, tags, text_hash, origin, maker, confidence, is_pinned, is_private, state, valid_from_ms, invalid_at_ms, \
         invalidated_ms, superseded_by, recorded_ms, retracted_ms, expires_ms, reason, meta) VALUES (?1, ?2, ?3, ?4, \
         ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, \
         ?27, ?28, ?29)",
        params![
            fact.id,
            fact.version,
            project,
            fact.scope.name(),
            session,
            fact.branch,
            fact.commit,
            fact.fact_type.name(),
            fact.subject,
            fact.predicate,
            fact.title,
            fact.text,
            fact.tags.join(SEPARATOR),
            hash.as_bytes(),
            fact.origin.name(),
            fact.maker,
            f64::from(fact.confidence),
            fact.is_pinned,
            fact.is_private,
            fact.state.name(),
            fact.valid_from_ms,
            fact.invalid_at_ms,
            fact.invalid_at_ms.map(|_| fact.recorded_ms),
            fact.superseded_by,
            fact.recorded_ms,
            fact.retracted_ms,
            fact.expires_ms,
            fact.reason,
            meta,
        ],
    )?;
    let number = database.last_row();
    for source in &fact.sources {
        let sql = "INSERT OR IGNORE INTO fact_source (fact, seq, note) VALUES (?1, ?2, '')";
        database.run(sql, [number, *source])?;
    }
    let vector = vector::of_document(model, &fact.text)?;
    vector::put(database, hash, model.id(), &vector)?;
    text::put(database, Space::facts(project), number, 0, &document(fact), &vector::sketch(&vector))?;
    Ok(number)
}

/// Puts other words in the place of those of a version, with their terms and vector. Runs inside a transaction.
pub(super) fn rewrite(database: &Database, project: i64, number: i64, fact: &Fact, model: &dyn Embedder) -> Result<()> {
    let old = "SELECT text_hash FROM fact WHERE number = ?1";
    let old = database.only(old, [number], |row| Ok(row.get::<_, Vec<u8>>(0)?))?;
    let hash = ContentHash::of(fact.text.as_bytes());
    let sql = "UPDATE fact SET text = ?2, title = ?3, text_hash = ?4 WHERE number = ?1";
    database.run(sql, params![number, fact.text, fact.title, hash.as_bytes()])?;
    let vector = vector::of_document(model, &fact.text)?;
    vector::put(database, hash, model.id(), &vector)?;
    vector::remove(database, &old)?;
    text::replace(database, Space::facts(project), number, 0, &document(fact), &vector::sketch(&vector))
}

pub(super) const COLUMNS: &str = "SELECT fact.number, fact.id, fact.version, project.name, fact.scope, fact.type, \
     fact.title, fact.text, fact.tags, fact.subject, fact.predicate, fact.origin, fact.maker, fact.confidence, \
     fact.is_pinned, fact.is_private, fact.state, fact.branch, fact.commit_id, fact.valid_from_ms, \
     fact.invalid_at_ms, fact.superseded_by, fact.recorded_ms, fact.retracted_ms, fact.expires_ms, fact.reason, \
     fact.meta, (SELECT group_concat(seq) FROM fact_source WHERE fact_source.fact = fact.number) \
     FROM fact JOIN project ON project.number = fact.project";

/// A fact from a row of [`COLUMNS`].
pub(super) fn read(row: &Row<'_>) -> Result<Fact> {
    let sources: Option<String> = row.get(27)?;
    Ok(Fact {
        id: row.get(1)?,
        version: row.get(2)?,
        project: row.get(3)?,
        scope: row.get::<_, String>(4)?.parse()?,
        fact_type: row.get::<_, String>(5)?.parse()?,
        title: row.get(6)?,
        text: row.get(7)?,
        tags: tags(&row.get::<_, String>(8)?),
        subject: row.get(9)?,
        predicate: row.get(10)?,
        origin: row.get::<_, String>(11)?.parse()?,
        maker: row.get(12)?,
        confidence: row.get::<_, f64>(13)? as f32,
        is_pinned: row.get(14)?,
        is_private: row.get(15)?,
        state: row.get::<_, String>(16)?.parse()?,
        branch: row.get(17)?,
        commit: row.get(18)?,
        valid_from_ms: row.get(19)?,
        invalid_at_ms: row.get(20)?,
        superseded_by: row.get(21)?,
        recorded_ms: row.get(22)?,
        retracted_ms: row.get(23)?,
        expires_ms: row.get(24)?,
        reason: row.get(25)?,
        meta: serde_json::from_str(&row.get::<_, String>(26)?).unwrap_or_default(),
        sources: sources.iter().flat_map(|list| list.split(',')).filter_map(|seq| seq.parse().ok()).collect(),
    })
}

/// All versions of the fact with this id, the newest first.
pub(super) fn versions(database: &Database, id: &str) -> Result<Vec<Fact>> {
    database.all(&format!("{COLUMNS} WHERE fact.id = ?1 ORDER BY fact.version DESC"), [id], read)
}

/// Retracts the current version of a fact; it stays readable for queries as of an earlier time.
pub(super) fn retract(database: &Database, id: &str, state: State, reason: &str, now_ms: i64) -> Result<usize> {
    database.run(
        "UPDATE fact SET state = ?2, retracted_ms = ?4, reason = CASE ?3 WHEN '' THEN reason ELSE ?3 END \
         WHERE id = ?1 AND retracted_ms IS NULL",
        params![id, state.name(), reason, now_ms],
    )
}
