//! Builds what an agent is shown: the static part that opens a session, and the volatile part that accompanies a prompt.
//!
//! | file | content |
//! |---|---|
//! | `opening` | facts → the sections that open a session |
//! | `session_state` | events → the sections for the time after a compaction |
//! | `prompt` | prompt → answers, notices of changed code, news |
//! | `code_changes` | anchors → what became of the code of a fact |
//! | `conflicts`, `origins`, `topic` | which facts an audience is shown, with which mark, and when a prompt has a new topic |
//! | `contained` | a text → the same as one line that opens and ends nothing |
//! | `item`, `render` | items in sections within a budget of tokens → text |
//!
//! The static part stays the same, byte for byte, until a caller asks for a new one or the context is compacted. A prompt
//! gets the answer to it and what was learned since, each item once a session unless it changed; below the threshold
//! nothing is shown. A memory whose code has changed is marked, with the first changed lines if the workspace is trusted;
//! if it was shown before the change, a notice announces it once. After a compaction the agent gets a new static part with
//! the state of its session, and every item may be shown again.
//!
//! Everything is computed on demand from the memory and the files. What was shown is noted by the caller
//! ([`Memory::note_injection`]), as a hook does so only after its events.

mod code_changes;
mod conflicts;
mod contained;
mod item;
mod opening;
mod origins;
mod prompt;
mod render;
mod session_state;
mod topic;

use std::path::Path;

use codecairn_base::error::Result;

use self::code_changes::CodeChanges;
use self::item::{Item, Section, tokens, tokens_of};
use self::render::render;
use crate::anchor::Anchor;
use crate::event::Event;
use crate::fact::Fact;
use crate::injection::{NewInjection, ShownVersion, StableText};
use crate::memory::Memory;
use crate::query::FactFilter;
use crate::remote_vectors::QueryEmbedding;
use crate::words::{FactType, Role};

pub use conflicts::{Claim, Conflicts};
pub use contained::{contained, contained_line};
pub use origins::hosts_loading;
pub use render::Form;

/// The placement of what opens a session.
const STATIC: &str = "static";
/// The placement of what accompanies a prompt.
const VOLATILE: &str = "volatile";
/// The placement of what follows a compaction.
const COMPACTION: &str = "compaction";
/// The placement of what precedes the use of a file.
const ANCHORED: &str = "anchored";

/// At most so many facts of a type are read.
const MAX_FACTS_OF_TYPE: usize = 40;
/// The last events that the state of a session is read from.
const MAX_EVENTS: usize = 400;
/// Facts that are shown before a file is used, and their share of the budget.
const MAX_ANCHORED: usize = 3;
const ANCHORED_SHARE: usize = 4;
const ANCHORED_TOKENS: usize = 90;

/// The agents that a context is for.
#[derive(Debug, Clone, Default)]
pub struct Audience {
    /// Whether their user trusts the workspace: if not, what the repository states of itself is left out.
    pub trusts: bool,
    /// Their host: what it reads of the repository by itself is left out; empty if it is not known.
    pub host: String,
}

/// How many tokens a context may have.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// All parts together.
    pub total: usize,
    /// The part that opens a session.
    pub static_part: usize,
}

/// What a caller knows beyond the memory and the files.
pub trait CodeLookup {
    /// The files in which the code of an anchor may be that is not where it was, and whether these are all.
    fn elsewhere(&self, anchor: &Anchor) -> Result<(Vec<String>, bool)>;

    /// The vector of a prompt in a provider's space, if there is one.
    fn embed(&self, prompt: &str) -> Result<Option<QueryEmbedding>>;

    /// The user's time zone at a moment: what it adds to UTC, in milliseconds, and its name.
    fn zone(&self, _ms: i64) -> (i64, String) {
        (0, "UTC".to_owned())
    }
}

/// A caller that knows nothing: where code went is not known, and prompts have no vector of a provider.
#[derive(Debug, Clone, Copy)]
pub struct NoLookup;

impl CodeLookup for NoLookup {
    fn elsewhere(&self, _: &Anchor) -> Result<(Vec<String>, bool)> {
        Ok((Vec::new(), false))
    }

    fn embed(&self, _: &str) -> Result<Option<QueryEmbedding>> {
        Ok(None)
    }
}

/// What to put before an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Context {
    /// Which part it is.
    pub placement: &'static str,
    /// The text; empty if there is nothing to show.
    pub text: String,
    /// About how many tokens it has.
    pub tokens: usize,
    /// What it shows.
    pub items: Vec<ShownVersion>,
    /// Whether it is the same bytes as before.
    pub is_repeated: bool,
    /// What is to be noted when it is shown, in this order.
    #[serde(skip)]
    pub notes: Vec<NewInjection>,
}

/// Builds contexts for the agents of one project.
pub struct ContextBuilder<'a> {
    memory: &'a Memory,
    budget: Budget,
    form: Form,
    filter: FactFilter,
    changes: CodeChanges<'a>,
    lookup: &'a dyn CodeLookup,
}

impl<'a> ContextBuilder<'a> {
    /// A builder for an audience in the workspace at `root`.
    pub fn new(
        memory: &'a Memory,
        root: &'a Path,
        audience: &Audience,
        budget: Budget,
        form: Form,
        lookup: &'a dyn CodeLookup,
    ) -> Self {
        let filter = origins::shown_to(audience);
        let changes = CodeChanges::new(memory, root, lookup, audience.trusts);
        Self { memory, budget, form, filter, changes, lookup }
    }

    /// The part that opens a session: the bytes that it was given, unless `is_new` asks for others.
    pub fn static_part(&self, session: &str, is_new: bool) -> Result<Context> {
        let given = if is_new { None } else { self.given(session, STATIC)? };
        if let Some(StableText { body, items, .. }) = given {
            let tokens = tokens(&body);
            return Ok(Context { placement: STATIC, text: body, tokens, items, is_repeated: true, notes: Vec::new() });
        }
        let sections = self.durable(self.budget.static_part)?;
        self.context(session, STATIC, &sections, true)
    }

    /// The same at the start of a session; an agent that is resumed still has what it was given.
    pub fn opening(&self, session: &str, is_resumed: bool) -> Result<Context> {
        let context = self.static_part(session, false)?;
        let is_known = is_resumed && context.is_repeated;
        Ok(if is_known { Context { placement: STATIC, ..Context::default() } } else { context })
    }

    /// What an agent must know that has lost its context, with a new static part for it.
    pub fn compaction(&self, session: &str) -> Result<Context> {
        let mut events = self.memory.line_events(session, false, MAX_EVENTS)?;
        leave_own_prompts(&mut events, session);
        let tasks = self.listed(FactType::Task)?;
        let room = self.budget.total.saturating_sub(self.budget.static_part);
        let mut sections = session_state::sections(&events, &tasks, room);
        sections.extend(self.durable(self.budget.total.saturating_sub(tokens_of(&sections)))?);
        let mut context = self.context(session, COMPACTION, &sections, false)?;
        context.notes.extend(self.static_part(session, true)?.notes);
        Ok(context)
    }

    /// What to note for an event after which an agent has lost its context: the next prompt brings what it must know,
    /// unless the host asks for it before.
    pub fn context_lost(&self, session: &str) -> Result<NewInjection> {
        self.note(session, COMPACTION, String::new(), Vec::new(), true)
    }

    /// What a prompt of a session is accompanied by: what the agent must know if it has lost its context, what opens a
    /// session if it was not given that, or else the volatile part.
    pub fn prompt(&self, session: &str, prompt: &str) -> Result<Context> {
        let given = self.given(session, STATIC)?;
        let lost = self.given(session, COMPACTION)?;
        if lost.is_some_and(|lost| given.as_ref().is_none_or(|given| given.ts_ms <= lost.ts_ms)) {
            return self.compaction(session);
        }
        if given.is_some() {
            return self.volatile(session, prompt);
        }
        let mut opening = self.static_part(session, false)?;
        if opening.text.is_empty() {
            let volatile = self.volatile(session, prompt)?;
            opening.notes.extend(volatile.notes);
            return Ok(Context { notes: opening.notes, ..volatile });
        }
        Ok(opening)
    }

    /// What is remembered of a file that is about to be used.
    pub fn anchored(&self, session: &str, path: &str) -> Result<Context> {
        let mut facts = self.memory.facts_about(path, &self.filter)?;
        if facts.is_empty() {
            return Ok(Context { placement: ANCHORED, ..Context::default() });
        }
        let seen = self.memory.injected_items(session)?;
        facts.retain(|fact| !seen.has(&fact.id, fact.version));
        facts.truncate(MAX_ANCHORED);
        let items = facts.iter().map(|fact| self.fact_item(fact, ANCHORED_TOKENS)).collect::<Result<Vec<Item>>>()?;
        let items = item::within(&items, self.budget.total / ANCHORED_SHARE);
        let sections = [Section::new(ANCHORED, &format!("About {path}"), items)];
        self.context(session, ANCHORED, &sections, false)
    }

    /// The sections with items as a text, and the note of what it shows.
    fn context(&self, session: &str, placement: &'static str, sections: &[Section], is_kept: bool) -> Result<Context> {
        let mut sections: Vec<Section> = sections.iter().filter(|section| !section.items.is_empty()).cloned().collect();
        for item in sections.iter_mut().flat_map(|section| &mut section.items) {
            item.date = item::day(item.at_ms.saturating_add(self.lookup.zone(item.at_ms).0));
        }
        let (_, zone) = self.lookup.zone(self.memory.now_ms());
        let text = render(&sections, self.form, placement, &zone);
        let items: Vec<ShownVersion> =
            sections.iter().flat_map(|section| &section.items).flat_map(Item::versions).collect();
        let is_noted = !text.is_empty() || is_kept || placement == COMPACTION;
        let note = is_noted.then(|| self.note(session, placement, text.clone(), items.clone(), is_kept)).transpose()?;
        let tokens = if text.is_empty() { 0 } else { tokens(&text) };
        Ok(Context { placement, text, tokens, items, is_repeated: false, notes: note.into_iter().collect() })
    }

    fn note(
        &self,
        session: &str,
        placement: &str,
        body: String,
        items: Vec<ShownVersion>,
        is_kept: bool,
    ) -> Result<NewInjection> {
        let newest = self.memory.events(None, None, true, 1)?;
        Ok(NewInjection {
            session: session.to_owned(),
            placement: placement.to_owned(),
            form: self.form.name().to_owned(),
            tokens: if body.is_empty() { 0 } else { tokens(&body) as u64 },
            body,
            items,
            seq: newest.first().map_or(0, |event| event.seq),
            is_kept,
        })
    }

    /// The text of a placement that a session was given to keep.
    fn given(&self, session: &str, placement: &str) -> Result<Option<StableText>> {
        self.memory.kept_text(session, placement, self.form.name())
    }

    fn durable(&self, budget: usize) -> Result<Vec<Section>> {
        let pinned = FactFilter { types: opening::TYPES.to_vec(), is_pinned: true, ..self.filter.clone() };
        let mut facts = self.memory.list(&pinned, MAX_FACTS_OF_TYPE)?;
        for fact_type in opening::TYPES {
            let listed = self.listed(fact_type)?;
            facts.extend(listed.into_iter().filter(|fact| !fact.is_pinned));
        }
        opening::sections(facts, budget, &self.changes)
    }

    /// The newest facts of a type. Those of the repository's files are listed apart: a file for agents has hundreds of
    /// rules, which leave no room for others.
    fn listed(&self, fact_type: FactType) -> Result<Vec<Fact>> {
        let wanted = FactFilter { types: vec![fact_type], ..self.filter.clone() };
        let own = FactFilter { without_repository: true, ..wanted.clone() };
        let mut found = self.memory.list(&own, MAX_FACTS_OF_TYPE)?;
        if !wanted.without_repository {
            let newest = self.memory.list(&wanted, MAX_FACTS_OF_TYPE)?;
            let new: Vec<Fact> =
                newest.into_iter().filter(|fact| found.iter().all(|known| known.id != fact.id)).collect();
            found.extend(new);
        }
        Ok(found)
    }

    fn fact_item(&self, fact: &Fact, max_tokens: usize) -> Result<Item> {
        Ok(Item::of_fact(fact, max_tokens, "", self.changes.of(&fact.id)?.as_ref()))
    }
}

/// Leaves out the prompts of a session's subagents; a session without prompts continues another one.
fn leave_own_prompts(events: &mut Vec<Event>, session: &str) {
    let is_own = |event: &Event| event.role == Role::User && event.session == session;
    if events.iter().any(is_own) {
        events.retain(|event| event.role != Role::User || event.session == session);
    }
}
