//! Selects what accompanies a prompt: what answers it, notices of changed code, and what was learned since the session
//! began.

use std::collections::{BTreeMap, BTreeSet};

use codecairn_base::error::Result;

use super::item::{Item, NOTICE, Section, distinct, tokens, tokens_of, within};
use super::{Context, ContextBuilder, MAX_FACTS_OF_TYPE, STATIC, VOLATILE, opening};
use crate::answers::Answer;
use crate::injection::{InjectedItems, ShownVersion, StableText};
use crate::query::FactFilter;
use crate::recall::RecallOptions;
use crate::words::State;

/// What is less likely to answer a prompt is not shown; chosen by `benches.memory.answers`.
const MIN_LIKELIHOOD: f32 = 0.4;
/// The same for a prompt that continues the session's topic, of which its agent knows more already.
const SAME_TOPIC_LIKELIHOOD: f32 = 0.6;
/// A prompt of one word with fewer characters asks nothing.
const MIN_CHARACTERS: usize = 8;
/// The characters of a prompt that are read.
const MAX_CHARACTERS: usize = 4_000;
/// Answers that are looked at, and that are shown.
const MAX_LOOKS: usize = 16;
const MAX_ANSWERS: usize = 4;
const MAX_NOTICES: usize = 4;
const MAX_NEWS: usize = 6;
const ANSWER_TOKENS: usize = 220;
const NOTICE_TOKENS: usize = 60;
const NEWS_TOKENS: usize = 90;

impl ContextBuilder<'_> {
    /// What answers a prompt, and what was learned since the session began: what the agent has not seen.
    pub fn volatile(&self, session: &str, prompt: &str) -> Result<Context> {
        let ledger = self.memory.injected_items(session)?;
        let given = self.given(session, STATIC)?;
        let mut room = self.budget.total.saturating_sub(given.as_ref().map_or(0, |given| tokens(&given.body)));
        let mut sections = Vec::new();
        let mut seen = Seen::of(&ledger);
        let likely = if asks(prompt) { self.answering(session, prompt)? } else { Vec::new() };
        let answers = within(&self.answers(session, &likely, &seen, ledger.lost_seq)?, room);
        sections.push(Section::new("relevant", "Relevant to Current Task", answers));
        room = room.saturating_sub(cost(&sections));
        // What answers is announced with its answer, unless that was shown before the change.
        let notices = within(&self.notices(&likely, given.as_ref(), &seen)?, room);
        sections[0].items.iter().flat_map(Item::versions).for_each(|version| seen.add(version));
        let changed = Section::new("changed", "Changed Since Noted", notices);
        room = room.saturating_sub(cost(std::slice::from_ref(&changed)));
        sections.push(changed);
        if let Some(given) = &given {
            let news = within(&self.news(session, given.ts_ms, &seen, ledger.lost_seq)?, room);
            sections.push(Section::new("updates", "Updates Since Start", news));
        }
        self.context(session, VOLATILE, &sections, false)
    }

    /// What is likely enough to answer the prompt, the likeliest first.
    fn answering(&self, session: &str, prompt: &str) -> Result<Vec<Answer>> {
        let end = prompt.char_indices().nth(MAX_CHARACTERS).map_or(prompt.len(), |(at, _)| at);
        let prompt = &prompt[..end];
        let is_new = self.memory.has_drifted(session, prompt, None)?;
        let options = RecallOptions {
            limit: MAX_LOOKS,
            facts: true,
            events: true,
            filter: self.filter.clone(),
            session: None,
            since_ms: None,
            until_ms: None,
            least_evidence: if is_new { MIN_LIKELIHOOD } else { SAME_TOPIC_LIKELIHOOD },
            is_overview: false,
            prefers_new: false,
            around_ms: None,
            embedding: self.lookup.embed(prompt)?,
        };
        self.memory.answers(prompt, &options)
    }

    /// The answers that the agent can't know: neither shown before nor from its own session.
    fn answers(&self, session: &str, likely: &[Answer], seen: &Seen, lost_seq: i64) -> Result<Vec<Item>> {
        let mut met = BTreeSet::new();
        let mut found = Vec::new();
        for answer in likely {
            let hit = &answer.hit;
            let (version, sources) = match (&hit.fact, &hit.event) {
                (Some(fact), _) => (fact.version, fact.sources.clone()),
                (None, event) => (1, event.iter().map(|event| event.seq).collect()),
            };
            if seen.has(&hit.id, version) || self.memory.are_of_session(&sources, session, lost_seq)? {
                continue;
            }
            let item = match (&hit.fact, &hit.event) {
                (Some(fact), _) => self.fact_item(fact, ANSWER_TOKENS)?,
                (None, Some(event)) => Item::of_answer(event, &answer.sentence, ANSWER_TOKENS),
                (None, None) => continue,
            };
            found.extend(distinct(vec![Item { likelihood: percent(answer), ..item }], &mut met));
            if found.len() == MAX_ANSWERS {
                break;
            }
        }
        Ok(found)
    }

    /// A notice for each shown fact whose code changed since, once; those that answer come first, the likeliest before.
    fn notices(&self, likely: &[Answer], given: Option<&StableText>, seen: &Seen) -> Result<Vec<Item>> {
        let answering: BTreeMap<&str, u32> = likely
            .iter()
            .filter(|answer| answer.hit.fact.is_some())
            .map(|answer| (&*answer.hit.id, percent(answer)))
            .collect();
        let answers = likely.iter().map(|answer| answer.hit.id.as_str()).filter(|id| answering.contains_key(id));
        let opened = given.iter().flat_map(|given| &given.items).map(|item| item.id.as_str());
        let mut met = BTreeSet::new();
        let mut found = Vec::new();
        for id in answers.chain(opened).filter(|id| met.insert(*id)) {
            if !seen.knows(id) || seen.has(id, NOTICE) || found.len() == MAX_NOTICES {
                continue;
            }
            // What opened the session was looked at then.
            let change = match given {
                Some(given) if given.items.iter().any(|item| item.id == id) => self.changes.since(id, given.ts_ms)?,
                _ => self.changes.of(id)?,
            };
            let Some(change) = change.filter(|change| change.is_certain) else { continue };
            let Some(fact) = self.memory.current_fact(id)?.filter(|fact| fact.state == State::Live) else { continue };
            let item = Item::of_fact(&fact, NOTICE_TOKENS, "", Some(&change));
            let likelihood = answering.get(id).copied().unwrap_or_default();
            found.push(Item { version: NOTICE, likelihood, is_announced: false, ..item });
        }
        Ok(found)
    }

    /// What was learned since a time by others than the session itself.
    fn news(&self, session: &str, since_ms: i64, seen: &Seen, lost_seq: i64) -> Result<Vec<Item>> {
        let types = opening::TYPES.to_vec();
        let later = FactFilter { types, recorded_after_ms: Some(since_ms), ..self.filter.clone() };
        let mut found = Vec::new();
        for fact in self.memory.list(&later, MAX_FACTS_OF_TYPE)? {
            let is_known =
                seen.has(&fact.id, fact.version) || self.memory.are_of_session(&fact.sources, session, lost_seq)?;
            if !is_known && found.len() < MAX_NEWS {
                found.push(self.fact_item(&fact, NEWS_TOKENS)?);
            }
        }
        Ok(found)
    }
}

/// The versions that an agent has seen.
struct Seen(BTreeSet<(String, u32)>);

impl Seen {
    fn of(ledger: &InjectedItems) -> Self {
        Self(ledger.ids.iter().cloned().zip(ledger.versions.iter().copied()).collect())
    }

    fn has(&self, id: &str, version: u32) -> bool {
        self.0.contains(&(id.to_owned(), version))
    }

    /// Whether any version was seen.
    fn knows(&self, id: &str) -> bool {
        self.0.range((id.to_owned(), 0)..).next().is_some_and(|(other, _)| other == id)
    }

    fn add(&mut self, shown: ShownVersion) {
        self.0.insert((shown.id, shown.version));
    }
}

/// Whether a prompt has enough words to ask something.
fn asks(prompt: &str) -> bool {
    let is_short = prompt.split_whitespace().nth(1).is_none() && prompt.chars().count() < MIN_CHARACTERS;
    !is_short && prompt.chars().any(char::is_alphanumeric)
}

fn percent(answer: &Answer) -> u32 {
    (answer.likelihood * 100.0).round() as u32
}

/// The tokens of those sections that have items.
fn cost(sections: &[Section]) -> usize {
    sections
        .iter()
        .filter(|section| !section.items.is_empty())
        .map(|section| tokens_of(std::slice::from_ref(section)))
        .sum()
}
