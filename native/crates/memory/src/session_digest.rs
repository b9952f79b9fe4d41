//! Condenses old summaries of sessions: the newest are kept as they are, and the others become one fact, a line each.
//! The originals are ended, not deleted: the digest names them as its sources.

use rusqlite::params;

use codecairn_base::database::Database;
use codecairn_base::error::Result;
use codecairn_base::hash::ContentHash;
use codecairn_model::embed::Embedder;

use super::fact::{Fact, title_of};
use super::facts;
use super::reconcile;
use super::scene::Scene;
use super::words::FactType;

/// Summaries that are kept as they are, and how many more there may be before the older ones are condensed.
const KEPT: usize = 3;
const SLACK: usize = 3;
/// The subject of the digest.
pub(super) const SUBJECT: &str = "earlier sessions";
/// Bytes of a line, and of them all.
const LINE_BYTES: usize = 200;
const ALL_BYTES: usize = 4_000;

/// Condenses summaries beyond the limit. Runs inside the transaction that stored the newest.
pub(super) fn condense(database: &Database, scene: &Scene, newest: &Fact, model: &dyn Embedder) -> Result<()> {
    if newest.fact_type != FactType::SessionSummary || newest.subject == SUBJECT {
        return Ok(());
    }
    let project = facts::home(newest.scope, scene.project);
    let sql = format!(
        "{} WHERE fact.project = ?1 AND fact.type = ?2 AND fact.scope = ?3 AND fact.state = 'live' \
         AND fact.is_pinned = 0 AND fact.is_private = ?4 ORDER BY fact.valid_from_ms DESC, fact.number DESC",
        facts::COLUMNS
    );
    let values = params![project, FactType::SessionSummary.name(), newest.scope.name(), newest.is_private];
    let all = database.all(&sql, values, facts::read)?;
    let (earlier, mut summaries): (Vec<Fact>, Vec<Fact>) = all.into_iter().partition(|fact| fact.subject == SUBJECT);
    if summaries.len() <= KEPT + SLACK {
        return Ok(());
    }
    let old = summaries.split_off(KEPT);
    let mut lines: Vec<String> = old.iter().map(|fact| format!("- {}", line_of(fact))).collect();
    lines.extend(earlier.iter().flat_map(|fact| fact.text.lines().map(str::to_owned)));
    let mut text = String::new();
    for line in lines {
        if text.len() + line.len() >= ALL_BYTES {
            break;
        }
        text.push_str(&line);
        text.push('\n');
    }
    let text = text.trim_end().to_owned();
    let ids: Vec<&str> = old.iter().map(|fact| fact.id.as_str()).collect();
    let seed = ContentHash::of_parts(&[ids.join(" ").as_bytes(), text.as_bytes()]).to_string();
    let least_trusted = old.iter().chain(&earlier).map(|fact| fact.origin).min().unwrap_or(newest.origin);
    let condensed = Fact {
        id: format!("f{}", &seed[..10]),
        version: 1,
        title: title_of(&text),
        text,
        tags: vec!["condensed".to_owned()],
        subject: SUBJECT.to_owned(),
        predicate: "summary".to_owned(),
        origin: least_trusted,
        maker: "rule".to_owned(),
        sources: old.iter().chain(&earlier).flat_map(|fact| fact.sources.iter().copied()).collect(),
        valid_from_ms: old.first().map_or(newest.valid_from_ms, |fact| fact.valid_from_ms),
        recorded_ms: scene.now_ms,
        meta: [("condensed".to_owned(), ids.join(" "))].into(),
        ..newest.clone()
    };
    facts::insert(database, project, &condensed, None, model)?;
    for fact in old.iter().chain(&earlier) {
        reconcile::end(database, scene, &condensed, &fact.id, "condensed")?;
    }
    Ok(())
}

/// The first line of a summary with content.
pub(super) fn line_of(fact: &Fact) -> String {
    let line = fact.text.lines().map(|line| line.trim_start_matches(['#', '-', '*', ' '])).find(|line| line.len() > 12);
    let line = line.unwrap_or(&fact.title);
    line[..line.floor_char_boundary(LINE_BYTES)].to_owned()
}
