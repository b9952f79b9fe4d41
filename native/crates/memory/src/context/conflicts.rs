//! Decides which of several facts that may contradict each other is shown.

use std::collections::{BTreeMap, BTreeSet};

use crate::fact::Fact;
use crate::facts::MAY_CONTRADICT;

/// The facts to show, and a mark by id for each of them that may contradict others.
///
/// Of two facts of the same type and scope the older one is left out, unless it is pinned or of an origin that is trusted
/// more: an agent, a repository or a packet hides nothing that a person stated.
pub(super) fn shown_together(facts: Vec<Fact>) -> (Vec<Fact>, BTreeMap<String, String>) {
    let by_id: BTreeMap<&str, &Fact> = facts.iter().map(|fact| (fact.id.as_str(), fact)).collect();
    let mut hidden: BTreeSet<String> = BTreeSet::new();
    let mut marks = BTreeMap::new();
    for fact in &facts {
        let older: Vec<&Fact> =
            rivals(fact, &by_id).into_iter().filter(|older| !hidden.contains(older.id.as_str())).collect();
        if older.is_empty() || hidden.contains(fact.id.as_str()) {
            continue;
        }
        let ids: Vec<&str> = older.iter().map(|older| older.id.as_str()).collect();
        marks.insert(fact.id.clone(), format!("differs from {}", ids.join(", ")));
        let may_hide = |older: &&Fact| !older.is_pinned && fact.origin >= older.origin;
        hidden.extend(older.into_iter().filter(may_hide).map(|older| older.id.clone()));
    }
    drop(by_id);
    (facts.into_iter().filter(|fact| !hidden.contains(fact.id.as_str())).collect(), marks)
}

/// The older facts of the same type and scope that a fact may contradict, among those that its `meta` names. The writer of a
/// fact sets that, so the type and scope are compared again.
fn rivals<'a>(fact: &Fact, among: &BTreeMap<&str, &'a Fact>) -> Vec<&'a Fact> {
    let named = fact.meta.get(MAY_CONTRADICT).map_or("", String::as_str).split(", ");
    named
        .filter(|id| *id != fact.id)
        .filter_map(|id| among.get(id).copied())
        .filter(|other| (other.fact_type, other.scope) == (fact.fact_type, fact.scope))
        .collect()
}
