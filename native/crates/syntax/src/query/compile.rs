//! Compiles plain patterns to tables for one grammar: kinds and fields become numbers, patterns are found by the root's
//! kind.

use tree_sitter::Language;

use super::capture::{Roles, StepNumber};
use super::error::QueryError;
use super::expand::{Plain, expand};
use super::form::{KindName, PredicateForm, parse};
use super::predicate::Predicate;
use crate::tree::KeptKinds;

/// A compiled query of one grammar.
#[derive(Debug)]
pub(crate) struct Query {
    pub(super) patterns: Vec<Pattern>,
    /// By kind: the patterns whose root it may be, as a range of `by_kind_patterns`.
    pub(super) by_kind: Vec<(u32, u32)>,
    /// Indices of patterns, in order for each kind.
    pub(super) by_kind_patterns: Vec<u16>,
    /// Which nodes the walk has to keep for these patterns.
    pub(crate) kept: KeptKinds,
}

/// One variant of one pattern.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// The steps in pre-order; the first one is the root.
    pub(super) steps: Vec<Step>,
    pub(super) predicates: Vec<Predicate>,
    /// What its nodes mean.
    pub(crate) roles: Roles<StepNumber>,
}

/// One node of a pattern.
#[derive(Debug)]
pub(super) struct Step {
    /// The step whose child this is; the root names itself.
    pub(super) parent: StepNumber,
    /// The step before this one below the same parent.
    pub(super) previous: Option<StepNumber>,
    pub(super) kinds: KindTest,
    /// The field's number, 0 for any.
    pub(super) field: u16,
    pub(super) negated_fields: Vec<u16>,
    /// No named sibling between the previous step (or the parent's start) and this one.
    pub(super) anchored: bool,
    /// No named sibling behind.
    pub(super) is_last: bool,
}

#[derive(Debug)]
pub(super) enum KindTest {
    AnyNamed,
    One(u16),
    Set(Vec<u16>),
}

impl Query {
    /// Compiles all patterns of `text`.
    #[cfg(test)]
    pub(crate) fn new(language: &Language, text: &str) -> Result<Self, QueryError> {
        Self::with(language, text, |_| true)
    }

    /// Compiles those patterns of `text` that are `wanted` by what their nodes mean.
    pub(crate) fn with(
        language: &Language,
        text: &str,
        wanted: fn(&Roles<StepNumber>) -> bool,
    ) -> Result<Self, QueryError> {
        let kept = KeptKinds::named_of(language);
        let mut compiler = Compiler { text, language, patterns: Vec::new(), roots: Vec::new(), kept, wanted };
        for top in parse(text)? {
            for plain in expand(text, &top.form)? {
                compiler.pattern(&plain, &top.predicates)?;
            }
        }
        Ok(compiler.finish())
    }

    /// All patterns, in the order of the query's text.
    pub(crate) fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }
}

struct Compiler<'c> {
    text: &'c str,
    language: &'c Language,
    patterns: Vec<Pattern>,
    /// For each pattern the kinds of its root.
    roots: Vec<Vec<u16>>,
    kept: KeptKinds,
    wanted: fn(&Roles<StepNumber>) -> bool,
}

impl Compiler<'_> {
    fn pattern(&mut self, plain: &Plain, predicates: &[PredicateForm]) -> Result<(), QueryError> {
        let kept = self.kept.clone();
        let mut steps = Vec::new();
        let mut captures: Vec<(String, StepNumber)> = Vec::new();
        self.steps(plain, 0, None, &mut steps, &mut captures)?;
        let root = match &steps[0].kinds {
            KindTest::AnyNamed => return Err(QueryError::at(self.text, plain.at, "a pattern's root needs a kind")),
            KindTest::One(kind) => vec![*kind],
            KindTest::Set(kinds) => kinds.clone(),
        };
        let mut roles = Roles::default();
        for (capture, step) in &captures {
            roles.set(capture, *step).map_err(|message| QueryError::at(self.text, plain.at, message))?;
        }
        if !(self.wanted)(&roles) {
            self.kept = kept;
            return Ok(());
        }
        let step_of = |name: &str| captures.iter().find(|(capture, _)| capture == name).map(|(_, step)| *step);
        let predicates =
            predicates.iter().map(|form| Predicate::compile(self.text, form, step_of)).collect::<Result<_, _>>()?;
        self.patterns.push(Pattern { steps, predicates, roles });
        self.roots.push(root);
        Ok(())
    }

    fn steps(
        &mut self,
        plain: &Plain,
        parent: StepNumber,
        previous: Option<StepNumber>,
        steps: &mut Vec<Step>,
        captures: &mut Vec<(String, StepNumber)>,
    ) -> Result<StepNumber, QueryError> {
        let number = StepNumber::try_from(steps.len())
            .map_err(|_| QueryError::at(self.text, plain.at, "a pattern with too many nodes"))?;
        let kinds = self.kind_test(plain)?;
        let field = plain.field.as_deref().map_or(Ok(0), |field| self.field(field, plain.at))?;
        let negated_fields =
            plain.negated_fields.iter().map(|field| self.field(field, plain.at)).collect::<Result<Vec<_>, _>>()?;
        if !negated_fields.is_empty() {
            self.kept.want_all_fields_below(numbers(&kinds));
        }
        steps.push(Step { parent, previous, kinds, field, negated_fields, anchored: plain.anchored, is_last: false });
        captures.extend(plain.captures.iter().map(|capture| (capture.clone(), number)));
        let mut before = None;
        for child in &plain.children {
            before = Some(self.steps(child, number, before, steps, captures)?);
            if child.field.is_some() {
                self.kept.want_fields_below(numbers(&steps[usize::from(number)].kinds));
            }
        }
        if plain.closed
            && let Some(last) = before
        {
            steps[usize::from(last)].is_last = true;
        }
        Ok(number)
    }

    fn kind_test(&mut self, plain: &Plain) -> Result<KindTest, QueryError> {
        let mut kinds = plain.kinds.iter().map(|kind| self.kind(kind, plain.at)).collect::<Result<Vec<_>, _>>()?;
        kinds.sort_unstable();
        kinds.dedup();
        Ok(match kinds.as_slice() {
            [] => KindTest::AnyNamed,
            [kind] => KindTest::One(*kind),
            _ => KindTest::Set(kinds),
        })
    }

    fn kind(&mut self, kind: &KindName, at: usize) -> Result<u16, QueryError> {
        let id = self.language.id_for_node_kind(&kind.name, kind.named);
        if id == 0 || self.language.node_kind_is_supertype(id) {
            return Err(QueryError::at(self.text, at, format!("the grammar has no node kind `{}`", kind.name)));
        }
        if !kind.named {
            self.kept.keep(id);
        }
        Ok(id)
    }

    fn field(&self, field: &str, at: usize) -> Result<u16, QueryError> {
        let id = self.language.field_id_for_name(field);
        id.map(std::num::NonZero::get)
            .ok_or_else(|| QueryError::at(self.text, at, format!("the grammar has no field `{field}`")))
    }

    fn finish(self) -> Query {
        let kinds = self.roots.iter().flatten().map(|kind| usize::from(*kind) + 1).max().unwrap_or(0);
        let mut by_kind = Vec::with_capacity(kinds);
        let mut by_kind_patterns = Vec::new();
        for kind in 0..kinds {
            let start = by_kind_patterns.len() as u32;
            let roots = self.roots.iter().enumerate().filter(|(_, roots)| roots.contains(&(kind as u16)));
            by_kind_patterns.extend(roots.map(|(pattern, _)| pattern as u16));
            by_kind.push((start, by_kind_patterns.len() as u32));
        }
        Query { patterns: self.patterns, by_kind, by_kind_patterns, kept: self.kept }
    }
}

/// The kinds that a test names; `None` stands for all.
fn numbers(test: &KindTest) -> Option<&[u16]> {
    match test {
        KindTest::AnyNamed => None,
        KindTest::One(kind) => Some(std::slice::from_ref(kind)),
        KindTest::Set(kinds) => Some(kinds),
    }
}
