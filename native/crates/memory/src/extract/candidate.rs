//! Defines the input and the output that all extractors share.

use codecairn_base::database::Database;

use crate::event::Event;
use crate::scene::Scene;
use crate::words::{FactType, Origin, Scope};

/// The event to extract from, with its database and session.
pub(super) struct EventContext<'a> {
    pub(super) database: &'a Database,
    pub(super) scene: &'a Scene,
    pub(super) session: i64,
    pub(super) seq: i64,
    pub(super) event: &'a Event,
}

/// A fact that an extractor found.
pub(super) struct Candidate {
    pub(super) fact_type: FactType,
    pub(super) text: String,
    pub(super) subject: String,
    pub(super) predicate: String,
    pub(super) origin: Origin,
    pub(super) confidence: f32,
    pub(super) scope: Scope,
    pub(super) sources: Vec<i64>,
    pub(super) tag: &'static str,
}

impl Candidate {
    pub(super) fn new(fact_type: FactType, text: String, origin: Origin, confidence: f32, tag: &'static str) -> Self {
        // That it holds beyond the project only people can say.
        let scope = Scope::Project;
        let (subject, predicate, sources) = (String::new(), String::new(), Vec::new());
        Self { fact_type, text, subject, predicate, origin, confidence, scope, sources, tag }
    }
}
