//! Finds a query's patterns in a tree.
//!
//! At each node the patterns that may start there are tried by backtracking over its descendants, so the result is
//! every way to fit a pattern, in the order of the query. Recursion goes as deep as a pattern has nodes.

use super::capture::StepNumber;
use super::compile::{KindTest, Pattern, Query, Step};
use crate::tree::{NodeNumber, Tree};

/// The longest pattern; longer ones are refused when the query is compiled.
const MAX_STEPS: usize = StepNumber::MAX as usize + 1;

/// One way in which a pattern fits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Match<'m> {
    /// The pattern.
    pub(crate) pattern: &'m Pattern,
    /// Its index among the query's patterns.
    pub(crate) pattern_number: u16,
    bound: &'m [NodeNumber],
}

impl Match<'_> {
    /// The node that a step has bound.
    pub(crate) fn node(&self, step: StepNumber) -> NodeNumber {
        self.bound[usize::from(step)]
    }
}

/// Looks for a query's patterns in one tree.
pub(crate) struct Matcher<'m> {
    query: &'m Query,
    tree: &'m Tree,
    text: &'m str,
    bound: [NodeNumber; MAX_STEPS],
}

impl<'m> Matcher<'m> {
    /// A matcher over a tree and the text that it was made from.
    pub(crate) fn new(query: &'m Query, tree: &'m Tree, text: &'m str) -> Self {
        Self { query, tree, text, bound: [NodeNumber(0); MAX_STEPS] }
    }

    /// Calls `found` with every match whose root is `node`.
    pub(crate) fn at(&mut self, node: NodeNumber, found: &mut impl FnMut(Match<'_>)) {
        let query = self.query;
        let kind = self.tree.kind(node);
        let Some(&(start, end)) = query.by_kind.get(usize::from(kind)) else { return };
        for &number in &query.by_kind_patterns[start as usize..end as usize] {
            let pattern = &query.patterns[usize::from(number)];
            let root = &pattern.steps[0];
            if !self.lacks_fields(root, node) {
                continue;
            }
            self.bound[0] = node;
            self.solve(pattern, number, 1, found);
        }
    }

    /// Binds the steps from `step` on in every way that fits those before.
    fn solve(&mut self, pattern: &Pattern, number: u16, step: usize, found: &mut impl FnMut(Match<'_>)) {
        let Some(wanted) = pattern.steps.get(step) else {
            let text_of = |step: StepNumber| self.tree.text(self.bound[usize::from(step)], self.text);
            if pattern.predicates.iter().all(|predicate| predicate.holds(text_of)) {
                found(Match { pattern, pattern_number: number, bound: &self.bound[..step] });
            }
            return;
        };
        let parent = self.bound[usize::from(wanted.parent)];
        let end = self.tree.next(parent);
        let mut candidate = match wanted.previous {
            Some(previous) => self.tree.next(self.bound[usize::from(previous)]),
            None => parent.following(),
        };
        while candidate < end {
            if self.fits(wanted, candidate, end) {
                self.bound[step] = candidate;
                self.solve(pattern, number, step + 1, found);
            }
            if wanted.anchored && self.tree.is_named(candidate) {
                return;
            }
            candidate = self.tree.next(candidate);
        }
    }

    fn fits(&self, step: &Step, node: NodeNumber, parent_end: NodeNumber) -> bool {
        let kind = self.tree.kind(node);
        let is_kind = match &step.kinds {
            KindTest::One(wanted) => kind == *wanted,
            KindTest::AnyNamed => self.tree.is_named(node) && !self.tree.is_error(node),
            KindTest::Set(wanted) => wanted.contains(&kind),
        };
        is_kind
            && (step.field == 0 || step.field == self.tree.field(node))
            && (!step.is_last || !self.has_named_between(self.tree.next(node), parent_end))
            && self.lacks_fields(step, node)
    }

    fn lacks_fields(&self, step: &Step, node: NodeNumber) -> bool {
        step.negated_fields.is_empty()
            || !self.tree.children(node).any(|child| step.negated_fields.contains(&self.tree.field(child)))
    }

    fn has_named_between(&self, mut node: NodeNumber, end: NodeNumber) -> bool {
        while node < end {
            if self.tree.is_named(node) {
                return true;
            }
            node = self.tree.next(node);
        }
        false
    }
}
