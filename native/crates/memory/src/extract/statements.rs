//! Extracts what users and agents state: decisions, rules, preferences, facts, causes, things to do.

use rusqlite::params;

use codecairn_base::error::Result;
use codecairn_model::embed::Embedder;

use super::candidate::{Candidate, EventContext};
use crate::words::{FactType, Origin, Role};
use crate::{salience, tombstone};

/// The statements of a turn that are worth remembering.
pub(super) fn find(moment: &EventContext<'_>, model: &dyn Embedder) -> Result<Vec<Candidate>> {
    let event = moment.event;
    let origin = if event.role == Role::User { Origin::User } else { Origin::Agent };
    let before = said_before(moment)?;
    let found = salience::statements(&event.body, event.role, &before, model).into_iter();
    let found = found.filter(|statement| !tombstone::asks_to_forget(&statement.text));
    let candidate = |statement: salience::Statement| {
        let tag = tag(statement.fact_type);
        Candidate::new(statement.fact_type, statement.text, origin, statement.probability, tag)
    };
    Ok(found.map(candidate).collect())
}

/// What the other side said last in this session.
fn said_before(moment: &EventContext<'_>) -> Result<String> {
    let other = if moment.event.role == Role::User { Role::Assistant } else { Role::User };
    let found = moment.database.first(
        "SELECT body FROM event WHERE session = ?1 AND seq < ?2 AND role = ?3 AND is_private = 0 ORDER BY seq DESC LIMIT 1",
        params![moment.session, moment.seq, other.name()],
        |row| Ok(row.get::<_, String>(0)?),
    )?;
    Ok(found.unwrap_or_default())
}

fn tag(fact_type: FactType) -> &'static str {
    match fact_type {
        FactType::Discovery => "cause",
        FactType::Note => "remember",
        other => other.name(),
    }
}
