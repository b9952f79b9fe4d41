//! Decides which of several facts that may contradict each other is shown.

use std::collections::{BTreeMap, BTreeSet};

use crate::fact::Fact;
use crate::facts::MAY_CONTRADICT;
use crate::words::{FactType, Origin, Scope};

/// What of a fact decides whether it is shown beside others.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    id: String,
    #[serde(rename = "type")]
    fact_type: FactType,
    scope: Scope,
    origin: Origin,
    is_pinned: bool,
    /// The ids of older facts, separated by commas.
    may_contradict: String,
}

/// How facts get along that would be shown together; all by id.
#[derive(Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Conflicts {
    /// The older facts that each may contradict.
    pub rivals: BTreeMap<String, Vec<String>>,
    /// The facts that are left out.
    pub hidden: BTreeSet<String>,
    /// A mark for each that is shown and may contradict others.
    pub marks: BTreeMap<String, String>,
}

impl Claim {
    fn of(fact: &Fact) -> Self {
        Self {
            id: fact.id.clone(),
            fact_type: fact.fact_type,
            scope: fact.scope,
            origin: fact.origin,
            is_pinned: fact.is_pinned,
            may_contradict: fact.meta.get(MAY_CONTRADICT).cloned().unwrap_or_default(),
        }
    }
}

impl Conflicts {
    /// Of two facts of the same type and scope the older one is left out, unless it is pinned or of an origin that is
    /// trusted more: an agent, a repository or a packet hides nothing that a person stated.
    pub fn among(claims: &[Claim]) -> Self {
        let by_id: BTreeMap<&str, &Claim> = claims.iter().map(|claim| (claim.id.as_str(), claim)).collect();
        let mut found = Self::default();
        for claim in claims {
            let older = rivals(claim, &by_id);
            if older.is_empty() {
                continue;
            }
            found.rivals.insert(claim.id.clone(), older.iter().map(|older| older.id.clone()).collect());
            let older: Vec<&Claim> = older.into_iter().filter(|older| !found.hidden.contains(&older.id)).collect();
            if older.is_empty() || found.hidden.contains(&claim.id) {
                continue;
            }
            let ids: Vec<&str> = older.iter().map(|older| older.id.as_str()).collect();
            found.marks.insert(claim.id.clone(), format!("differs from {}", ids.join(", ")));
            let may_hide = |older: &&Claim| !older.is_pinned && claim.origin >= older.origin;
            found.hidden.extend(older.into_iter().filter(may_hide).map(|older| older.id.clone()));
        }
        found
    }
}

/// The facts to show, and a mark by id for each of them that may contradict others.
pub(super) fn shown_together(facts: Vec<Fact>) -> (Vec<Fact>, BTreeMap<String, String>) {
    let claims: Vec<Claim> = facts.iter().map(Claim::of).collect();
    let Conflicts { hidden, marks, .. } = Conflicts::among(&claims);
    (facts.into_iter().filter(|fact| !hidden.contains(&fact.id)).collect(), marks)
}

/// The older facts of the same type and scope that a fact may contradict, among those that its `meta` names. The writer of a
/// fact sets that, so the type and scope are compared again.
fn rivals<'a>(claim: &Claim, among: &BTreeMap<&str, &'a Claim>) -> Vec<&'a Claim> {
    let named = claim.may_contradict.split(", ");
    named
        .filter(|id| *id != claim.id)
        .filter_map(|id| among.get(id).copied())
        .filter(|other| (other.fact_type, other.scope) == (claim.fact_type, claim.scope))
        .collect()
}
