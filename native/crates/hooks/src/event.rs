//! Defines [`HookEvent`], one event of a host in one form for all hosts, and the records in it.

use serde::Serialize;
use serde_json::{Map, Value};

/// The JSON on standard input.
pub type Payload = Map<String, Value>;

/// An event as the memory takes it, without what is the same for all of a call.
pub type Record = Map<String, Value>;

/// How our own request to an agent begins, which some hosts report as a prompt of the user's.
pub const REQUESTED: &str = "[codecairn] Before you end this turn";

/// The placement of injected context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Wants {
    /// At the start of a session.
    Static,
    /// With a prompt.
    Volatile,
    /// After a compaction.
    Compaction,
    /// Before a file is used.
    Anchored,
}

/// Where an event comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Source {
    /// The host's id of the session, that of a subagent included.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// The session that started it, if another one did.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub parent: String,
    /// Where the agent works; empty for the current folder.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub folder: String,
    /// The model that the agent runs on.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub model: String,
}

/// One event of a host. Serialized, it has the members that differ from their defaults.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property that hosts combine freely")]
pub struct HookEvent {
    /// Where it comes from.
    #[serde(flatten)]
    pub source: Source,
    /// What is to be recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<Record>,
    /// What may be put before the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wants: Option<Wants>,
    /// The user's prompt.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub prompt: String,
    /// The file that is about to be used.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Whether a session begins.
    #[serde(skip_serializing_if = "is_false")]
    pub is_opening: bool,
    /// Whether a session ends.
    #[serde(skip_serializing_if = "is_false")]
    pub is_closing: bool,
    /// Whether a turn ends in which the agent may be asked for more.
    #[serde(skip_serializing_if = "is_false")]
    pub is_turn_end: bool,
    /// Whether the agent still has what it was shown at the session's start.
    #[serde(skip_serializing_if = "is_false")]
    pub is_resumed: bool,
    /// Whether the agent is about to forget what it was shown.
    #[serde(skip_serializing_if = "is_false")]
    pub loses_context: bool,
}

impl HookEvent {
    /// An event with some records; other fields have their defaults.
    pub fn of(source: Source, records: Vec<Record>) -> Self {
        Self { source, records, ..Self::default() }
    }
}

/// The first of these members that is a text with something in it.
pub(crate) fn text_of<'a>(payload: &'a Payload, names: &[&str]) -> &'a str {
    let mut texts = names.iter().filter_map(|name| payload.get(*name)?.as_str());
    texts.find(|text| !text.is_empty()).unwrap_or_default()
}

/// The same of a value that may be no object.
pub(crate) fn text_in<'a>(value: &'a Value, names: &[&str]) -> &'a str {
    value.as_object().map_or("", |members| text_of(members, names))
}

/// The text, or another one if it is empty.
pub(crate) fn or<'a>(text: &'a str, otherwise: &'a str) -> &'a str {
    if text.is_empty() { otherwise } else { text }
}

/// A record with these members.
pub(crate) fn record<const N: usize>(members: [(&str, &str); N]) -> Record {
    members.into_iter().map(|(name, value)| (name.to_owned(), Value::from(value))).collect()
}

/// The record of a message.
pub(crate) fn message(role: &str, body: &str, hook: &str) -> Record {
    record([("hook", hook), ("role", role), ("body", body)])
}

/// The record of what happened to the session.
pub(crate) fn notice(title: &str, hook: &str) -> Record {
    record([("hook", hook), ("role", "system"), ("title", title)])
}

/// The record with a key that is the same at every delivery, if the host gave it a number.
pub(crate) fn keyed(mut record: Record, session: &str, kind: &str, number: &str) -> Record {
    if !number.is_empty() {
        record.insert("key".to_owned(), Value::from(format!("{session}:{kind}:{number}")));
    }
    record
}

/// The records of a tool's use with keys by the host's number of it.
pub(crate) fn keyed_each(records: Vec<Record>, session: &str, number: &str) -> Vec<Record> {
    let number_of = |place: usize| if number.is_empty() { String::new() } else { format!("{number}.{place}") };
    let places = records.into_iter().enumerate();
    places.map(|(place, record)| keyed(record, session, "tool", &number_of(place))).collect()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_false(value: &bool) -> bool {
    !value
}
