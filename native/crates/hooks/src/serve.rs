//! Serves one call of a host: records what happened, and answers what to put before the agent.

use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use codecairn_base::clock::Clock;
use codecairn_base::{Error, Result};
use codecairn_memory::context::{Audience, Budget, CodeLookup, ContextBuilder, Form, NoLookup};
use codecairn_memory::{Anchor, Memory, MemoryOptions, NewEvent, NewInjection, QueryEmbedding, pseudonym};
use codecairn_walk::git::Repository;
use serde_json::{Value, json};
use sha1_smol::Sha1;

use super::environment::Environment;
use super::event::{HookEvent, Payload, REQUESTED, Record, Wants};
use super::hosts::{CommandEnd, Host};
use super::project_config::{self, ProjectConfig, Resolution};
use super::session_place::{self, SessionPlace};
use super::state::{State, name_of};
use super::workspace_path::relative;
use super::{asking, foreign_file, json as lenient, opt_out, routing};

/// The answer that every host takes for none.
pub const NEUTRAL: &str = "{}";

/// The same bytes of an event within this time are one delivered twice.
const CLAIM: Duration = Duration::from_secs(3);

/// Hosts put longer texts into a file and show its beginning: about 9,000 characters.
const MAX_CONTEXT_TOKENS: usize = 2_000;

/// One event of one agent.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The host's name.
    pub agent: &'a str,
    /// The host's name of the event.
    pub event: &'a str,
    /// What the host wrote.
    pub raw: &'a [u8],
    /// When it happened, in milliseconds since the epoch.
    pub happened_ms: i64,
    /// Whether the host has its answer already, so that the event is only recorded.
    pub is_late: bool,
}

/// Everything that a call needs from outside the core.
pub struct Services<'a> {
    /// The environment of the process.
    pub environment: &'a Environment,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Resolves a folder's project and settings.
    pub resolve: &'a dyn Fn(&Path) -> Result<Resolution>,
    /// The user's time zone at a moment in milliseconds since the epoch: milliseconds that it adds to UTC, and its name.
    pub zone: &'a (dyn Fn(i64) -> (i64, String) + Sync),
    /// Called once the event is recorded, so that no other process has to take it over.
    pub on_recorded: &'a dyn Fn(),
}

/// Work for a process in the background, to be started after the host has its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DueWork {
    /// The maintenance of a project.
    Maintenance(PathBuf),
    /// Reading sessions of a project with models, and sending events to backends, once they are quiet.
    Reading(PathBuf),
}

/// The outcome of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The answer for the host, in ASCII.
    pub text: String,
    /// What is to be started afterwards.
    pub due: Option<DueWork>,
}

/// Serves a call. An error is logged, and its host gets an empty answer.
pub fn serve(call: Call<'_>, services: &Services<'_>) -> Answer {
    let state = State::of(services.environment, Arc::clone(&services.clock));
    let Some(host) = Host::named(call.agent) else {
        state.log(&format!("unknown agent `{}`", call.agent));
        return Answer { text: NEUTRAL.to_owned(), due: None };
    };
    let mut server = Server { call, host, services, state: &state, due: None };
    let reply = server.reply().unwrap_or_else(|error| {
        state.log(&format!("{} {}: {}: {error}", call.agent, call.event, error.kind().name()));
        None
    });
    Answer { text: reply.map_or_else(|| NEUTRAL.to_owned(), |reply| lenient::ascii(&reply)), due: server.due }
}

struct Server<'a> {
    call: Call<'a>,
    host: &'static Host,
    services: &'a Services<'a>,
    state: &'a State,
    due: Option<DueWork>,
}

impl Server<'_> {
    /// The answer; `None` for an event without interest.
    fn reply(&mut self) -> Result<Option<Value>> {
        let document = lenient::parse(self.call.raw).map_err(|error| Error::InvalidArgument(error.to_string()))?;
        let Value::Object(payload) = document else { return Ok(None) };
        let Some(mut event) = self.host.translate(self.call.event, &payload, &|end: &CommandEnd<'_>| end.exit_code())
        else {
            return Ok(None);
        };
        let environment = self.services.environment;
        let folder = match event.source.folder.as_str() {
            "" => environment.working_directory.clone(),
            given => PathBuf::from(given),
        };
        let gone = if folder.is_dir() {
            None
        } else {
            session_place::find(self.state, self.call.agent, &event.source.session)
        };
        let project = match &gone {
            // Its session goes on where it was: in a folder of the project that is still there, or in none.
            Some(known) if !known.place.root.is_dir() => known.place.clone(),
            known => {
                let folder = known.as_ref().map_or(&folder, |known| &known.place.root);
                project_config::find(self.state, environment, folder, self.services.resolve)?
            }
        };
        let is_own = event.prompt.starts_with(REQUESTED);
        let is_on = !is_own && (project.captures || project.injects) && !self.is_opted_out(&event)?;
        let text = if is_on && !self.is_served_elsewhere(&payload, &project) && self.is_first() {
            event.path = relative(&event.path, &folder, &project.root);
            self.remember(event, &folder, &project, gone.filter(|_| !project.root.is_dir()))?
        } else {
            String::new()
        };
        Ok(Some(self.host.reply(self.call.event, &text)))
    }

    fn is_opted_out(&self, event: &HookEvent) -> Result<bool> {
        opt_out::is_off(self.state, event).map_err(|error| Error::io(self.state.folder(), error))
    }

    /// Whether this is the first delivery of these bytes.
    fn is_first(&self) -> bool {
        let Call { agent, event, raw, is_late, .. } = self.call;
        let digest = Sha1::from(raw).digest().to_string();
        is_late || self.state.claim(&[agent, event, &digest], CLAIM)
    }

    /// Whether Cursor plays Claude Code's hooks to us and has our own as well.
    fn is_served_elsewhere(&self, payload: &Payload, project: &ProjectConfig) -> bool {
        let is_cursor = self.host.name != "cursor" && payload.contains_key("cursor_version");
        let has_own = |folder: &Path| {
            let head = foreign_file::head(&folder.join(".cursor").join("hooks.json"));
            head.is_some_and(|head| memchr::memmem::find(&head, b"hook cursor").is_some())
        };
        is_cursor && [&self.services.environment.home, &project.root].into_iter().any(|folder| has_own(folder))
    }

    /// Looks up, then records: a prompt that is recorded already would be the best answer to itself.
    ///
    /// `gone` is the session's place if its root is gone: by the path alone nothing could tell which project it was.
    fn remember(
        &mut self,
        mut event: HookEvent,
        folder: &Path,
        project: &ProjectConfig,
        gone: Option<SessionPlace>,
    ) -> Result<String> {
        let mut options = MemoryOptions::from_json(project.memory.clone(), &project.root, &project.options)?;
        let is_gone = gone.is_some();
        if let Some(known) = gone {
            options.project = known.project;
        } else {
            let place = SessionPlace { place: project.clone(), project: options.project.clone() };
            let noted = session_place::note(self.state, self.call.agent, &event.source.session, &place);
            self.logged(noted.map(|()| Shown::default()));
        }
        // The memory is never closed: the last process to close a database moves its log into it, which takes three waits
        // for the disk instead of one. A recorded event is durable in the log; the maintenance of the memory moves it.
        let memory = ManuallyDrop::new(Memory::open(options, Arc::clone(&self.services.clock))?);
        event.source.session = pseudonym(event.source.session);
        event.source.parent = pseudonym(event.source.parent);
        let lookup = HookLookup { zone: self.services.zone };
        let builder = self.context_builder(&memory, project, &lookup);
        let wants = event.wants.filter(|_| project.injects && !self.call.is_late);
        let mut shown = Shown::default();
        if !event.loses_context {
            shown = self.look_up(&builder, &event, wants);
        }
        if project.captures {
            self.record(&memory, &event, folder, project)?;
        }
        self.due = due_work(&event, project).filter(|_| !is_gone);
        if event.loses_context && project.injects {
            shown = self.look_up(&builder, &event, wants);
        }
        // Now that their session is known.
        for note in &shown.notes {
            memory.note_injection(note)?;
        }
        self.accompany(shown.text, &event, project)
    }

    fn context_builder<'m>(
        &self,
        memory: &'m Memory,
        project: &'m ProjectConfig,
        lookup: &'m HookLookup<'m>,
    ) -> ContextBuilder<'m> {
        let total = project.total_tokens.min(MAX_CONTEXT_TOKENS);
        let budget = Budget { total, static_part: project.static_tokens.min(total) };
        let audience = Audience { trusts: project.trusts, host: self.host.name.to_owned() };
        ContextBuilder::new(memory, &project.root, &audience, budget, Form::Markdown, lookup)
    }

    /// The context for an event. An agent without context goes on, one without an answer does not: errors are logged.
    fn look_up(&self, builder: &ContextBuilder<'_>, event: &HookEvent, wants: Option<Wants>) -> Shown {
        let session = &event.source.session;
        let context = match wants {
            Some(Wants::Static) => builder.opening(session, event.is_resumed),
            Some(Wants::Volatile) => builder.prompt(session, &event.prompt),
            Some(Wants::Compaction) => builder.compaction(session),
            Some(Wants::Anchored) => builder.anchored(session, &event.path),
            None if event.loses_context => {
                return self.logged(builder.context_lost(session).map(|note| Shown::of(String::new(), vec![note])));
            }
            None => return Shown::default(),
        };
        self.logged(context.map(|context| Shown::of(context.text, context.notes)))
    }

    fn logged(&self, shown: Result<Shown>) -> Shown {
        shown.unwrap_or_else(|error| {
            let Call { agent, event, .. } = self.call;
            self.state.log(&format!("{agent} {event}: no context: {}: {error}", error.kind().name()));
            Shown::default()
        })
    }

    fn record(&self, memory: &Memory, event: &HookEvent, folder: &Path, project: &ProjectConfig) -> Result<()> {
        let root = Some(&project.root).filter(|root| root.is_dir());
        let head = root.and_then(|root| Repository::discover(root)).map(|repository| repository.branch_and_commit());
        let (branch, commit) = head.unwrap_or_default();
        // A process that takes the event over may record it as well; of equal keys one is stored.
        let digest = format!("{}:{}", Sha1::from(self.call.raw).digest(), self.call.happened_ms);
        for (number, record) in event.records.iter().enumerate() {
            let mut row = self.row(record, event, folder, project);
            let key = record.get("key").and_then(Value::as_str).map(str::to_owned);
            let key = name_of(&[&key.unwrap_or_else(|| format!("{digest}:{number}"))]);
            for (name, value) in [("branch", &branch), ("commit", &commit), ("key", &key)] {
                row.insert(name.to_owned(), Value::from(value.as_str()));
            }
            let new: NewEvent = serde_json::from_value(Value::Object(row))
                .map_err(|error| Error::Internal(format!("no event of the memory: {error}")))?;
            memory.record(new)?;
        }
        (self.services.on_recorded)();
        Ok(())
    }

    /// A record with what is the same for all of a call.
    fn row(&self, record: &Record, event: &HookEvent, folder: &Path, project: &ProjectConfig) -> Record {
        let source = &event.source;
        let parent = (!source.parent.is_empty()).then_some(&source.parent);
        let common = json!({
            "session": source.session,
            "parent_session": parent,
            "host": self.call.agent,
            "model": source.model,
            "ts_ms": self.call.happened_ms,
        });
        let Value::Object(mut row) = common else { return Record::new() };
        row.extend(record.clone());
        if let Some(path) = record.get("path").and_then(Value::as_str) {
            row.insert("path".to_owned(), Value::from(relative(path, folder, &project.root)));
        }
        row
    }

    /// The context, with the request at the end of a turn in its place, and the line on a tool after it.
    fn accompany(&self, context: String, event: &HookEvent, project: &ProjectConfig) -> Result<String> {
        let unwritable = |error| Error::io(self.state.folder(), error);
        let mut text = context;
        if project.asks_every > 0 && !self.call.is_late && event.source.parent.is_empty() {
            let request = asking::request(self.state, event, project.asks_every).map_err(unwritable)?;
            if text.is_empty() {
                text = request;
            }
        }
        if project.routes && !event.prompt.is_empty() && event.wants.is_some() && !self.call.is_late {
            let line = routing::hint(self.state, event).map_err(unwritable)?;
            let gap = if text.is_empty() || line.is_empty() { "" } else { "\n\n" };
            text = [&text, gap, line].concat();
        }
        Ok(text)
    }
}

/// A hook knows the time zone, and nothing of code and vectors.
struct HookLookup<'a> {
    zone: &'a (dyn Fn(i64) -> (i64, String) + Sync),
}

impl CodeLookup for HookLookup<'_> {
    fn elsewhere(&self, anchor: &Anchor) -> Result<(Vec<String>, bool)> {
        NoLookup.elsewhere(anchor)
    }

    fn embed(&self, prompt: &str) -> Result<Option<QueryEmbedding>> {
        NoLookup.embed(prompt)
    }

    fn zone(&self, ms: i64) -> (i64, String) {
        (self.zone)(ms)
    }
}

/// What is put before an agent, and what is noted of it.
#[derive(Default)]
struct Shown {
    text: String,
    notes: Vec<NewInjection>,
}

impl Shown {
    fn of(text: String, notes: Vec<NewInjection>) -> Self {
        Self { text, notes }
    }
}

fn due_work(event: &HookEvent, project: &ProjectConfig) -> Option<DueWork> {
    if !project.works {
        return None;
    }
    if event.is_opening || event.is_closing || event.loses_context {
        return Some(DueWork::Maintenance(project.root.clone()));
    }
    (event.is_turn_end && project.works_when_quiet).then(|| DueWork::Reading(project.root.clone()))
}

#[cfg(test)]
mod tests;
