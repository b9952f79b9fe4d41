//! The memory of sessions and projects: an append-only log of events, and facts extracted from it.
//!
//! All writes take one path, [`Memory::record`] for events and [`Memory::add`] for facts: privacy → category →
//! compaction → one transaction with full text, vector, and extracted facts. An acknowledged record survives a loss of
//! power. An event never waits for another process, and a fact at most 200 ms: if the database is busy or can't be written,
//! the cleaned record is appended to a spool, and a later transaction drains it ([`spool`]).
//!
//! Events are immutable and facts are never overwritten: an update adds a version, a contradiction ends the older fact,
//! [`Memory::forget`] hides, and only [`Memory::purge`] deletes.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files, and damage them, by hand"))]

mod anchor;
mod answer_confidence;
mod answers;
mod background_drain;
mod classify;
mod contention;
pub mod context;
mod contradiction;
mod event;
mod extract;
mod fact;
mod facts;
mod forget;
mod injection;
mod lexicon;
mod log;
mod logistic;
mod memory;
mod names;
mod options;
mod outbox;
pub mod privacy;
mod project;
mod provisional;
mod purge;
mod query;
mod recall;
mod reconcile;
mod record;
mod reindex;
mod remote_vectors;
mod rescue;
mod salience;
mod scene;
mod session;
mod session_digest;
mod signals;
mod similarity;
mod spool;
mod spool_drain;
mod status;
mod text;
mod tombstone;
mod transfer;
mod vector;
mod words;

#[cfg(test)]
mod tests;

pub use anchor::{Anchor, AnchorState, AnchorStatus, Definition, definitions_in, file_anchor, line_anchor};
pub use answers::Answer;
pub use contradiction::contradiction_features;
pub use event::{Event, NewEvent};
pub use fact::{Fact, FactChange, NewFact};
pub use injection::{InjectedItems, Injection, NewInjection, ShownVersion, StableText};
pub use memory::Memory;
pub use names::pseudonym;
pub use options::{MemoryOptions, SignedSpool};
pub use outbox::{OutboxAnswer, OutboxChange, OutboxCommand, OutboxRow, OutboxState, OutboxStatus};
pub use project::{Adopted, Identity, ProjectFolder, ProjectName, ProjectReport, ProjectRow, Reason};
pub use purge::{Purged, Selection};
pub use query::{FactFilter, InjectionEntry, Timeline};
pub use recall::{RecallHit, RecallOptions};
pub use record::{AddOutcome, RecordOutcome};
pub use remote_vectors::{QueryEmbedding, RemoteVectorCounts};
pub use rescue::MemoryRescue;
pub use salience::DescribedSentence;
pub use session::Session;
pub use signals::Signals;
pub use status::MemoryStatus;
pub use transfer::ImportReport;
pub use words::{Category, FactType, Origin, Role, Scope, State};
