//! Extracts facts from events by rules, without a model: explicit statements and observed outcomes only.
//!
//! Precision comes before recall: a missed statement can be repeated, a wrong one misleads every later session.
//! Extraction runs inside the transaction that stores the event, and reads only the last events of the session.

mod candidate;
mod files;
mod runs;
pub(super) mod sentences;
mod statements;
mod tasks;

use codecairn_base::database::Database;
use codecairn_base::error::Result;
use codecairn_base::hash::ContentHash;
use codecairn_model::embed::Embedder;

use super::event::Event;
use super::fact::{CleanFact, Fact, NewFact, title_of};
use super::facts::{self, KeepOutcome};
use super::provisional;
use super::scene::Scene;
use super::words::{Origin, Role, State};

use candidate::{Candidate, EventContext};

/// Extracts facts from an event and stores them; returns the ids of the new ones.
pub(super) fn run(
    database: &Database,
    scene: &Scene,
    session: i64,
    seq: i64,
    event: &Event,
    model: &dyn Embedder,
) -> Result<Vec<String>> {
    let moment = EventContext { database, scene, session, seq, event };
    let mut candidates = Vec::new();
    // Content from outside is quoted, never believed.
    if event.origin != Origin::External {
        match event.role {
            Role::User | Role::Assistant => candidates.extend(statements::find(&moment, model)?),
            Role::Tool => {
                candidates.extend(tasks::find(event));
                candidates.extend(runs::find(&moment)?);
                files::note(&moment)?;
            }
            Role::System => {}
        }
    }
    let mut ids = Vec::new();
    for candidate in candidates {
        let clean = complete(&moment, candidate);
        match facts::keep(database, scene, &clean, Some(session), model)? {
            KeepOutcome::New { .. } => ids.push(clean.fact.id),
            KeepOutcome::Version { id, .. } => ids.push(id),
            KeepOutcome::Same { .. } | KeepOutcome::Gone => {}
        }
    }
    Ok(ids)
}

/// Completes a candidate to a fact. Its text is clean, as it comes from a clean event.
fn complete(moment: &EventContext<'_>, candidate: Candidate) -> CleanFact {
    let event = moment.event;
    let new = NewFact::told(candidate.text, candidate.fact_type, candidate.origin);
    let mut sources = candidate.sources;
    sources.push(moment.seq);
    // Drawn from the same event again, it gets the same id.
    let seed =
        ContentHash::of_parts(&[event.key.as_bytes(), event.session.as_bytes(), new.text.as_bytes()]).to_string();
    let fact = Fact {
        id: format!("f{}", &seed[..10]),
        version: 1,
        project: String::new(),
        scope: candidate.scope,
        fact_type: new.fact_type,
        title: title_of(&new.text),
        text: new.text,
        tags: vec![candidate.tag.to_owned()],
        subject: candidate.subject,
        predicate: candidate.predicate,
        origin: candidate.origin,
        maker: "rule".to_owned(),
        confidence: candidate.confidence,
        is_pinned: false,
        is_private: event.is_private,
        state: State::Live,
        branch: event.branch.clone(),
        commit: event.commit.clone(),
        valid_from_ms: event.ts_ms,
        invalid_at_ms: None,
        superseded_by: None,
        recorded_ms: moment.scene.now_ms,
        retracted_ms: None,
        expires_ms: Some(provisional::end_of_term(moment.scene.now_ms)),
        reason: String::new(),
        sources,
        meta: new.meta,
    };
    CleanFact { fact, session: None, anchors: Vec::new(), supersedes: Vec::new(), removals: None }
}
