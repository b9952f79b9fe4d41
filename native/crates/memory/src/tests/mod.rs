//! What the memory promises.

mod answers;
mod context;
mod facts;
mod forgetting;
mod invariants;
mod log;
mod outbox;
mod privacy;
mod provisional;
mod recall;
mod reconcile;
mod remote_vectors;
mod removal;
mod text_index;
mod waiting;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use codecairn_base::clock::TickingClock;

use super::privacy::Unclosed;
use super::*;

/// A memory in a folder of its own, in which a second passes with every look at the clock.
struct Home {
    dir: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("data/memory.db")
    }

    fn spool(&self) -> PathBuf {
        self.dir.path().join("workspace/spool")
    }

    fn open(&self) -> Memory {
        self.open_as("shop")
    }

    fn open_as(&self, project: &str) -> Memory {
        let clock: Arc<dyn codecairn_base::clock::Clock> = Arc::new(TickingClock::default());
        Memory::open(self.options(project), clock).unwrap()
    }

    fn open_with(&self, clock: &Arc<dyn codecairn_base::clock::Clock>) -> Memory {
        Memory::open(self.options("shop"), Arc::clone(clock)).unwrap()
    }

    fn options(&self, project: &str) -> MemoryOptions {
        MemoryOptions {
            path: self.path(),
            spool: Some(SignedSpool { dir: self.spool(), key: self.dir.path().join("data/key") }),
            project: ProjectName::of(&self.dir.path().join(project), Identity::Git, Some(project)),
            unclosed: Unclosed::Redact,
            compact_bytes: 4000,
        }
    }

    /// Every byte of every file.
    fn bytes(&self) -> Vec<u8> {
        fn collect(dir: &Path, bytes: &mut Vec<u8>) {
            for entry in std::fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    collect(&path, bytes);
                } else {
                    bytes.extend(std::fs::read(&path).unwrap());
                }
            }
        }
        let mut bytes = Vec::new();
        collect(self.dir.path(), &mut bytes);
        bytes
    }

    fn holds(&self, text: &str) -> bool {
        let bytes = self.bytes();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    }
}

fn prompt(session: &str, text: &str) -> NewEvent {
    NewEvent {
        session: session.into(),
        hook: "UserPromptSubmit".into(),
        role: Some(Role::User),
        body: text.into(),
        ..NewEvent::default()
    }
}

fn answer(session: &str, text: &str) -> NewEvent {
    NewEvent { hook: "Stop".into(), role: Some(Role::Assistant), ..prompt(session, text) }
}

fn command(session: &str, line: &str, output: &str, exit_code: i32) -> NewEvent {
    NewEvent {
        hook: "PostToolUse".into(),
        role: None,
        tool: "Bash".into(),
        command: line.into(),
        exit_code: Some(exit_code),
        ..prompt(session, output)
    }
}

fn edit(session: &str, path: &str) -> NewEvent {
    NewEvent {
        hook: "PostToolUse".into(),
        role: None,
        tool: "Edit".into(),
        path: path.into(),
        ..prompt(session, "changed")
    }
}

fn told(text: &str, fact_type: FactType) -> NewFact {
    NewFact::told(text, fact_type, Origin::User)
}

fn everything(limit: usize) -> RecallOptions {
    RecallOptions {
        limit,
        facts: true,
        events: true,
        filter: FactFilter::default(),
        session: None,
        since_ms: None,
        until_ms: None,
        least_evidence: 0.0,
        is_overview: false,
        prefers_new: false,
        around_ms: None,
        embedding: None,
    }
}

fn texts(found: &[RecallHit]) -> Vec<&str> {
    found
        .iter()
        .map(|each| each.fact.as_ref().map_or_else(|| each.event.as_ref().unwrap().body.as_str(), |fact| &fact.text))
        .collect()
}

impl Home {
    /// The folder, to be kept as long as the memory in it.
    fn open_kept(self) -> (Self, Memory) {
        let memory = self.open();
        (self, memory)
    }
}
