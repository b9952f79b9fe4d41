//! The state of a session for the time after a compaction: from its events, newest first, and the open tasks.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::item::{Item, Section, distinct, within};
use crate::event::Event;
use crate::fact::Fact;
use crate::words::{Category, Role};

const ITEM_TOKENS: usize = 70;
const REQUEST_TOKENS: usize = 160;
/// A section may have so many tokens at least, however small its share is.
const MIN_SECTION: usize = 40;
const MAX_CHANGES: usize = 24;
const MAX_FILES: usize = 12;
const MAX_ERRORS: usize = 6;
const MAX_OTHERS: usize = 4;

/// Prompts that only approve or continue, so that the request before them is still current.
static ACKNOWLEDGEMENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^(?:(?:yes|yep|yeah|no|ok|okay|sure|go on|go ahead|continue|proceed|do it|please do|thanks?|thank you|great|good|fine|perfect|looks good|lgtm|approved?|next|done|stop|wait|好的?|可以|继续|是的?|对|行|没问题|谢谢|不用了?|嗯|同意|开始吧?|下一步)[\s,.!，。！]*)+$",
    )
    .expect("invariant: it is a regular expression")
});

/// A section: its share of the budget, and what it lists.
struct Plan {
    name: &'static str,
    title: &'static str,
    share: f32,
    list: fn(&[Event]) -> Vec<Item>,
}

static PLANS: [Plan; 8] = [
    Plan { name: "request", title: "Last Request", share: 0.25, list: last_request },
    Plan { name: "goal", title: "Goal", share: 0.2, list: goal },
    Plan { name: "tasks", title: "Open Tasks", share: 0.25, list: |_| Vec::new() },
    Plan { name: "errors", title: "Unresolved Errors", share: 0.2, list: errors },
    Plan { name: "changes", title: "Files Changed", share: 0.25, list: changes },
    Plan { name: "files", title: "Files Read", share: 0.12, list: files },
    Plan { name: "git", title: "Git", share: 0.1, list: git },
    Plan { name: "subagents", title: "Subagents", share: 0.1, list: subagents },
];

/// Whether a prompt only approves or continues.
fn is_acknowledgement(text: &str) -> bool {
    ACKNOWLEDGEMENT.is_match(text.trim())
}

/// What a session is at, in at most about `budget` tokens.
pub(super) fn sections(events: &[Event], tasks: &[Fact], budget: usize) -> Vec<Section> {
    let open = tasks.iter().filter(|task| !task.text.starts_with("[done]"));
    let tasks: Vec<Item> = open.map(|task| Item::of_fact(task, ITEM_TOKENS, "", None)).collect();
    let mut left = budget;
    let mut found = Vec::new();
    for plan in &PLANS {
        let items =
            if plan.name == "tasks" { tasks.clone() } else { distinct((plan.list)(events), &mut BTreeSet::new()) };
        let share = ((budget as f32 * plan.share) as usize).max(MIN_SECTION);
        let taken = within(&items, share.min(left));
        if !taken.is_empty() {
            left = left.saturating_sub(taken.iter().map(Item::tokens).sum());
            found.push(Section::new(plan.name, plan.title, taken));
        }
    }
    found
}

fn last_request(events: &[Event]) -> Vec<Item> {
    let is_request =
        |event: &&Event| event.role == Role::User && !event.body.trim().is_empty() && !is_acknowledgement(&event.body);
    events.iter().find(is_request).map(|event| Item::of_event(event, &event.body, REQUEST_TOKENS)).into_iter().collect()
}

/// The first request, which states the goal.
fn goal(events: &[Event]) -> Vec<Item> {
    let is_goal = |event: &&Event| event.category == Category::Intent && !event.body.trim().is_empty();
    let first = events.iter().rev().find(is_goal);
    first.map(|event| Item::of_event(event, &event.body, REQUEST_TOKENS)).into_iter().collect()
}

fn changes(events: &[Event]) -> Vec<Item> {
    paths(events, &[Category::FileEdit, Category::FileWrite], MAX_CHANGES)
}

fn files(events: &[Event]) -> Vec<Item> {
    paths(events, &[Category::FileRead], MAX_FILES)
}

fn paths(events: &[Event], categories: &[Category], limit: usize) -> Vec<Item> {
    let found = events.iter().filter(|event| categories.contains(&event.category) && !event.path.is_empty());
    found.take(limit).map(|event| Item::of_event(event, &event.path, ITEM_TOKENS)).collect()
}

/// What failed and has not passed since: by command, or by tool and file.
fn errors(events: &[Event]) -> Vec<Item> {
    let mut settled = BTreeSet::new();
    let mut open = Vec::new();
    for event in events.iter().filter(|event| event.role == Role::Tool) {
        let is_new = settled.insert((&event.tool, &event.command, &event.path));
        let has_failed = event.category == Category::Error || event.exit_code.is_some_and(|code| code != 0);
        if is_new && has_failed {
            let place = [&event.command, &event.path, &event.tool].into_iter().find(|text| !text.is_empty());
            let text = format!("{}: {}", place.map_or("", String::as_str), line_of_error(&event.body));
            open.push(Item::of_event(event, &text, ITEM_TOKENS));
        }
    }
    open.truncate(MAX_ERRORS);
    open
}

/// The last line that names an error, or else the first one.
fn line_of_error(text: &str) -> &str {
    let names_error = |line: &&str| {
        let line = line.to_lowercase();
        ["error", "fail", "exception", "panic"].iter().any(|word| line.contains(word))
    };
    let first = || text.lines().find(|line| !line.trim().is_empty());
    text.lines().rev().find(names_error).or_else(first).unwrap_or_default()
}

fn git(events: &[Event]) -> Vec<Item> {
    let found = events.iter().filter(|event| event.category == Category::GitActivity);
    found.take(MAX_OTHERS).map(|event| first_text(event, [&event.command, &event.title, &event.body])).collect()
}

fn subagents(events: &[Event]) -> Vec<Item> {
    let kinds = [Category::SubagentStart, Category::SubagentFinish];
    let found = events.iter().filter(|event| kinds.contains(&event.category));
    found.take(MAX_OTHERS).map(|event| first_text(event, [&event.title, &event.body, &event.command])).collect()
}

fn first_text(event: &Event, texts: [&String; 3]) -> Item {
    let text = texts.into_iter().find(|text| !text.is_empty());
    Item::of_event(event, text.map_or("", String::as_str), ITEM_TOKENS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approvals_are_no_requests() {
        for text in ["yes", "ok, go on", "LGTM!", "好的。继续", "Yes please do"] {
            assert!(is_acknowledgement(text), "{text}");
        }
        assert!(!is_acknowledgement("yes, but use Redis") && !is_acknowledgement(""));
    }

    #[test]
    fn an_error_is_the_last_line_that_names_one() {
        assert_eq!(line_of_error("\nrun\nE: Failed a\nE: FAILED b\ndone"), "E: FAILED b");
        assert_eq!(line_of_error("\n  \nexit 2\nmore"), "exit 2");
        assert_eq!(line_of_error(""), "");
    }
}
