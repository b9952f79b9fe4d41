//! Selects what opens a session, in sections.
//!
//! It draws on facts of all times, not on the last events. What describes the project has a share of the budget, and the
//! last session a line; statements share the rest by their importance, whatever their type. What they leave is given back
//! to the descriptions; an item that does not fit is shortened. Equal facts give equal sections.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use codecairn_base::error::Result;

use super::code_changes::CodeChanges;
use super::conflicts::shown_together;
use super::item::{Item, SECTION_TOKENS, Section, is_new, one_line, shortened, within};
use crate::fact::Fact;
use crate::words::{FactType, Origin};

/// The tokens around all sections.
const FRAME_TOKENS: usize = 24;
/// At most so many statements of a type.
const MAX_STATEMENTS: usize = 24;
const STATEMENT_TOKENS: usize = 90;

/// A section that has a share of the budget of its own.
struct Share {
    of_budget: f32,
    max_items: usize,
    item_tokens: usize,
}

/// A section with the types of its facts; without a share it takes what is left by importance.
struct Plan {
    name: &'static str,
    title: &'static str,
    types: &'static [FactType],
    share: Option<Share>,
}

impl Plan {
    const fn new(name: &'static str, title: &'static str, types: &'static [FactType]) -> Self {
        Self { name, title, types, share: None }
    }

    const fn with_share(self, of_budget: f32, max_items: usize, item_tokens: usize) -> Self {
        Self { share: Some(Share { of_budget, max_items, item_tokens }), ..self }
    }
}

static PLANS: [Plan; 10] = [
    Plan::new("brief", "Project Brief", &[FactType::ProjectBrief, FactType::ProjectConfig]).with_share(0.06, 8, 90),
    Plan::new("architecture", "Architecture", &[FactType::Architecture, FactType::ArchitecturePattern]),
    Plan::new("tech", "Tech Context", &[FactType::TechContext]),
    Plan::new("product", "Product Context", &[FactType::ProductContext]),
    Plan::new("rules", "Rules", &[FactType::Rule]),
    Plan::new("preferences", "User Preferences", &[FactType::Preference]),
    Plan::new("decisions", "Decisions", &[FactType::Decision]),
    Plan::new("sessions", "Last Session", &[FactType::SessionSummary]).with_share(0.1, 1, 30),
    Plan::new("lessons", "Lessons", &[FactType::ErrorSolution, FactType::LearnedPattern, FactType::Discovery]),
    Plan::new("notes", "Notes", &[FactType::Note]),
];

/// The types of facts that open a session: the others pass with their session, or are shown on their own.
pub(super) const TYPES: [FactType; 13] = [
    FactType::Decision,
    FactType::Rule,
    FactType::Preference,
    FactType::ProjectBrief,
    FactType::ProjectConfig,
    FactType::Architecture,
    FactType::ArchitecturePattern,
    FactType::TechContext,
    FactType::ProductContext,
    FactType::SessionSummary,
    FactType::LearnedPattern,
    FactType::Discovery,
    FactType::Note,
];

/// What opens a session, in at most about `budget` tokens.
///
/// Pinned facts come first, then those that a person added, then the surest and newest. Of two that may contradict each
/// other the newer one is shown, marked. Only the code of facts that fit is looked at.
pub(super) fn sections(facts: Vec<Fact>, budget: usize, changes: &CodeChanges<'_>) -> Result<Vec<Section>> {
    let (mut facts, marks) = shown_together(facts);
    facts.sort_by(|left, right| importance(left).cmp(&importance(right)));
    let waiting = distinct_facts(&facts);
    let item = |fact: &Fact, max_tokens: usize| -> Result<Item> {
        let mark = marks.get(&fact.id).map_or("", String::as_str);
        let item = Item::of_fact(fact, max_tokens, mark, None);
        Ok(changes.of(&fact.id)?.map_or(item, |change| Item::of_fact(fact, max_tokens, mark, Some(&change))))
    };
    let mut taken: BTreeMap<&str, Vec<Item>> = BTreeMap::new();
    let mut described: Vec<(&Plan, &Share, Vec<Item>, usize)> = Vec::new();
    let mut left = budget.saturating_sub(FRAME_TOKENS);
    let whole = left;
    for plan in &PLANS {
        let Some(share) = &plan.share else { continue };
        let facts = waiting.iter().filter(|(section, _)| section.name == plan.name).take(share.max_items);
        let items = facts.map(|(_, fact)| item(fact, share.item_tokens)).collect::<Result<Vec<Item>>>()?;
        let room = cost(&items).min((whole as f32 * share.of_budget) as usize);
        left = left.saturating_sub(room);
        described.push((plan, share, items, room));
    }
    for (plan, fact) in waiting.iter().filter(|(plan, _)| plan.share.is_none()) {
        let section = taken.entry(plan.name).or_default();
        let title = if section.is_empty() { SECTION_TOKENS } else { 0 };
        let mark = marks.get(&fact.id).map_or("", String::as_str);
        let fits = |item: &Item| item.tokens() + title <= left;
        if section.len() == MAX_STATEMENTS || !fits(&Item::of_fact(fact, STATEMENT_TOKENS, mark, None)) {
            continue;
        }
        let item = item(fact, STATEMENT_TOKENS)?;
        if fits(&item) {
            left -= item.tokens() + title;
            section.push(item);
        }
    }
    for (plan, _, items, room) in described {
        let items = within(&items, room + left);
        left = (left + room).saturating_sub(cost(&items));
        taken.insert(plan.name, items);
    }
    let sections =
        PLANS.iter().map(|plan| Section::new(plan.name, plan.title, taken.remove(plan.name).unwrap_or_default()));
    Ok(sections.filter(|section| !section.items.is_empty()).collect())
}

/// The facts with their sections, in their order, without those whose words were met before in any section. Statements
/// come first: what describes the project may repeat them.
fn distinct_facts(facts: &[Fact]) -> Vec<(&'static Plan, &Fact)> {
    let mut met = BTreeSet::new();
    let mut found = Vec::new();
    for has_share in [false, true] {
        for fact in facts {
            let plan = PLANS.iter().find(|plan| plan.types.contains(&fact.fact_type));
            let Some(plan) = plan.filter(|plan| plan.share.is_some() == has_share) else { continue };
            let max_tokens = plan.share.as_ref().map_or(STATEMENT_TOKENS, |share| share.item_tokens);
            if is_new(&shortened(&one_line(&fact.text), max_tokens), &mut met) {
                found.push((plan, fact));
            }
        }
    }
    found
}

fn cost(items: &[Item]) -> usize {
    if items.is_empty() { 0 } else { SECTION_TOKENS + items.iter().map(Item::tokens).sum::<usize>() }
}

/// Pinned facts first, then those that a person added, then the surest (in tenths) and newest.
fn importance(fact: &Fact) -> (bool, bool, i32, Reverse<i64>, &str) {
    let is_of_person = fact.origin == Origin::User && fact.maker == "add";
    let doubt = -(fact.confidence * 10.0).round() as i32;
    (!fact.is_pinned, !is_of_person, doubt, Reverse(fact.valid_from_ms), &fact.id)
}
