//! Applies tombstones to records that were stored without them: of an older version, and of a project that joins another.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::params;

use codecairn_base::database::Database;
use codecairn_base::error::Result;
use codecairn_model::embed::Embedder;

use super::derived::Removal;
use super::rows::{self, Kind, Maker, make_key};
use super::statement::{Hash, Matcher, Statement};
use super::{in_reach, is_digest, is_persons, of_fact, own_statements, prompts, take_out};
use crate::scene::Scene;
use crate::{facts, log};

/// The key in `meta` of whether facts that older versions forgot have tombstones.
const ADOPTED: &str = "tombstones_adopted";
/// The reasons by which older versions forgot a fact whose source had it no more, or that a model did not keep.
const WITHDRAWN: [&str; 4] =
    [crate::provisional::NOT_KEPT, "the team took it back", "deleted by its key", "the graph ended it"];
/// The same as a pattern, behind the name of a member.
const WITHDRAWN_IN_TEAM: &str = "% ended it in the team";

/// Hides the statements of the facts that were forgotten before there were tombstones, once. Runs inside a transaction.
pub(crate) fn adopt(database: &Database, now_ms: i64, model: &dyn Embedder) -> Result<()> {
    if database.number(ADOPTED)? > 0 {
        return Ok(());
    }
    database.set_number(ADOPTED, 1)?;
    let sql = "SELECT id, project, coalesce(retracted_ms, recorded_ms) FROM fact \
               WHERE state = 'forgotten' AND maker <> 'init' \
               AND reason NOT IN (SELECT value FROM json_each(?1)) AND reason NOT LIKE ?2 \
               AND NOT EXISTS (SELECT 1 FROM fact AS later WHERE later.id = fact.id AND later.version > fact.version)";
    let withdrawn = serde_json::to_string(&WITHDRAWN).unwrap_or_default();
    let forgotten = database.all(sql, params![withdrawn, WITHDRAWN_IN_TEAM], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
    })?;
    let key = make_key(database)?;
    let mut homes = BTreeSet::new();
    for (item, home, forgotten_ms) in &forgotten {
        let said = facts::versions(database, item)?;
        // The words of a digest are those of others.
        let said = said.iter().filter(|fact| !is_digest(fact.fact_type));
        let gone: Vec<Statement> = said.flat_map(|fact| of_fact(&key, fact)).collect();
        let maker = Maker { project: *home, item, kind: Kind::Forgotten, now_ms: *forgotten_ms };
        rows::put(database, maker, &gone)?;
        homes.insert(*home);
    }
    homes.into_iter().try_for_each(|home| apply(database, &Scene { project: home, now_ms }, model))
}

/// Applies the tombstones of a project to all of its records, after another one has joined it. Runs inside a transaction.
pub(crate) fn join(database: &Database, scene: &Scene, from: i64, model: &dyn Embedder) -> Result<()> {
    rows::move_to(database, from, scene.project)?;
    apply(database, scene, model)
}

/// Lifts a project's tombstones of statements that a person made since, and takes the others out of its records.
fn apply(database: &Database, scene: &Scene, model: &dyn Embedder) -> Result<()> {
    let (key, home) = (make_key(database)?, scene.project);
    let own = own_statements(database, home, "", &key)?;
    for kind in [Kind::Revised, Kind::Superseded, Kind::Forgotten, Kind::Purged] {
        let mut made_ms: BTreeMap<Hash, i64> = BTreeMap::new();
        let mut known: Vec<Statement> = Vec::new();
        for (statement, at_ms) in rows::of_kind(database, home, kind)? {
            made_ms.entry(statement.hash).and_modify(|last| *last = at_ms.max(*last)).or_insert(at_ms);
            known.push(statement);
        }
        let projects = in_reach(database, home)?;
        let mut holds: BTreeSet<Hash> = own.iter().copied().filter(|hash| made_ms.contains_key(hash)).collect();
        holds.extend(prompted(database, &projects, &Matcher::new(key.clone(), known.iter().cloned()), &made_ms)?);
        for hash in &holds {
            rows::remove_said(database, home, hash)?;
        }
        known.retain(|statement| !holds.contains(&statement.hash));
        // A purge removed the bytes of its own project alone; those of the other one are hidden.
        let kind = kind.min(Kind::Forgotten);
        let removal = Removal { projects: &projects, item: "", kind, now_ms: scene.now_ms };
        take_out(database, &removal, &Matcher::new(key.clone(), known.into_iter()), model)?;
    }
    Ok(())
}

/// The statements that a person's prompt made after they were taken out.
fn prompted(
    database: &Database,
    projects: &[i64],
    matcher: &Matcher,
    made_ms: &BTreeMap<Hash, i64>,
) -> Result<BTreeSet<Hash>> {
    let mut again = BTreeSet::new();
    if matcher.is_empty() {
        return Ok(again);
    }
    let sql = format!("{} WHERE event.project = ?1 AND event.role = 'user' AND event.origin = 'user'", *log::COLUMNS);
    for project in projects {
        database.each(&sql, [project], |row| {
            let event = log::read_stored(row)?;
            if is_persons(&event) {
                let found = matcher.find(&event.body).into_iter();
                let older = found.filter(|found| made_ms.get(&found.hash).is_some_and(|made| *made < event.ts_ms));
                again.extend(prompts::stated(&event.body, older));
            }
            Ok(())
        })?;
    }
    Ok(again)
}
