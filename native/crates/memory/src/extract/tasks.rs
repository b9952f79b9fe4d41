//! Extracts tasks from to-do lists of agents: each entry is a task, and its newest state is current.

use serde::Deserialize;

use super::candidate::Candidate;
use crate::event::Event;
use crate::words::{Category, FactType, Origin};

#[derive(Deserialize)]
struct TaskList {
    #[serde(alias = "plan", alias = "tasks")]
    todos: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(alias = "step", alias = "title", alias = "subject")]
    content: String,
    #[serde(default)]
    status: String,
}

/// The tasks in an event that reports a list of them.
pub(super) fn find(event: &Event) -> Vec<Candidate> {
    if event.category != Category::TaskUpdate {
        return Vec::new();
    }
    let list = [&event.command, &event.body].into_iter().find_map(|text| serde_json::from_str::<TaskList>(text).ok());
    let entries = list.map(|list| list.todos).unwrap_or_default();
    entries
        .into_iter()
        .filter(|entry| !entry.content.trim().is_empty())
        .map(|entry| {
            let state = match entry.status.as_str() {
                "completed" | "done" => "done",
                "in_progress" | "active" => "active",
                _ => "open",
            };
            let text = format!("[{state}] {}", entry.content.trim());
            let mut task = Candidate::new(FactType::Task, text, Origin::Agent, 0.9, "task");
            task.subject = entry.content.trim().to_lowercase();
            "state".clone_into(&mut task.predicate);
            task
        })
        .collect()
}
