//! Evaluates conditions on the text of captured nodes.

use regex::Regex;

use super::capture::StepNumber;
use super::error::QueryError;
use super::form::{Argument, PredicateForm};

/// A condition on the text of the nodes that one capture has bound.
#[derive(Debug, Clone)]
pub(super) struct Predicate {
    /// The captured step; without one, the variant lacks the capture and the condition holds.
    step: Option<StepNumber>,
    test: Test,
    negated: bool,
}

#[derive(Debug, Clone)]
enum Test {
    AnyOf(Vec<String>),
    SameAs(Option<StepNumber>),
    Matches(Regex),
}

impl Predicate {
    /// Compiles a predicate for one variant of a pattern, whose captures `step_of` finds.
    pub(super) fn compile(
        text: &str,
        form: &PredicateForm,
        step_of: impl Fn(&str) -> Option<StepNumber>,
    ) -> Result<Self, QueryError> {
        let fail = |message: String| Err(QueryError::at(text, form.at, message));
        let Some((Argument::Capture(capture), rest)) = form.arguments.split_first() else {
            return fail(format!("`#{}?` tests a capture", form.name));
        };
        let (name, negated) = match form.name.strip_prefix("not-") {
            Some(name) => (name, true),
            None => (form.name.as_str(), false),
        };
        let test = match (name, rest) {
            ("eq", [Argument::Text(value)]) => Test::AnyOf(vec![value.clone()]),
            ("eq", [Argument::Capture(other)]) => Test::SameAs(step_of(other)),
            ("any-of", [_, ..]) => Test::AnyOf(rest.iter().filter_map(Argument::as_text).collect()),
            ("match", [Argument::Text(pattern)]) => match Regex::new(pattern) {
                Ok(regex) => Test::Matches(regex),
                Err(error) => return fail(error.to_string()),
            },
            _ => return fail(format!("`#{}?` with such arguments is not supported", form.name)),
        };
        Ok(Self { step: step_of(capture), test, negated })
    }

    /// Whether it holds, given the text that each step has bound.
    pub(super) fn holds<'t>(&self, text_of: impl Fn(StepNumber) -> &'t str) -> bool {
        let Some(step) = self.step else { return true };
        let text = text_of(step);
        let is_true = match &self.test {
            Test::AnyOf(values) => values.iter().any(|value| value == text),
            Test::SameAs(None) => return true,
            Test::SameAs(Some(other)) => text_of(*other) == text,
            Test::Matches(regex) => regex.is_match(text),
        };
        is_true != self.negated
    }
}

impl Argument {
    fn as_text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Capture(_) => None,
        }
    }
}
