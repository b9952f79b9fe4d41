//! One grammar, ready to parse: the parser, its compiled query, and the limits that keep hostile input in bounds.

use std::ops::ControlFlow;

use tree_sitter::{Language, ParseOptions, ParseState, Parser, Range};

use super::guard::is_too_deep;
use super::limit::ParseLimit;
use super::query::{Query, QueryError, Roles, StepNumber, query_text};
use super::tree::Tree;

/// Texts above this are not parsed: their tree would take more than a gigabyte of memory.
pub(crate) const MAX_PARSED_BYTES: usize = 16 << 20;

/// A grammar's parser and query.
pub(crate) struct Grammar {
    id: &'static str,
    parser: Parser,
    language: Language,
    query: Query,
}

/// Why there is no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParseFailure {
    /// More than [`MAX_PARSED_BYTES`].
    Large,
    /// The grammar takes too many steps on it.
    Slow,
    /// It nests deeper than the grammar can hold.
    Deep,
}

/// Whether our engine accepts the queries of a grammar; an unknown one has nothing to refuse.
pub fn check_queries(grammar: &'static str) -> Result<(), QueryError> {
    Grammar::load(grammar).map_or(Ok(()), |grammar| grammar.map(|_| ()))
}

impl Grammar {
    /// The grammar with this id; `None` if it is not compiled in or has no queries.
    pub(crate) fn load(id: &'static str) -> Option<Result<Self, QueryError>> {
        Self::load_with(id, |_| true)
    }

    /// The same without what tells who uses what: definitions and what cuts a text alone.
    pub(crate) fn load_without_uses(id: &'static str) -> Option<Result<Self, QueryError>> {
        Self::load_with(id, |roles| !roles.is_use())
    }

    fn load_with(id: &'static str, wanted: fn(&Roles<StepNumber>) -> bool) -> Option<Result<Self, QueryError>> {
        let language = Language::from(codecairn_grammars::grammar(id)?);
        let text = query_text(id)?;
        let mut parser = Parser::new();
        parser.set_language(&language).ok()?;
        Some(Query::with(&language, &text, wanted).map(|query| Self { id, parser, language, query }))
    }

    /// The compiled query.
    pub(crate) fn query(&self) -> &Query {
        &self.query
    }

    /// The grammar's name for a kind of node.
    pub(crate) fn kind_name(&self, kind: u16) -> &str {
        self.language.node_kind_for_id(kind).unwrap_or_default()
    }

    /// Whether its query finds anything beside data: functions, types.
    pub(crate) fn finds_code(&self) -> bool {
        self.query.patterns().iter().any(|pattern| {
            pattern.roles.definition.is_some_and(|(kind, _)| kind.is_code()) || pattern.roles.embedded.is_some()
        })
    }

    /// Parses `text`, or a part of it, into `tree`, as far as the limit allows.
    pub(crate) fn parse(
        &mut self,
        text: &str,
        part: Option<Range>,
        limit: &mut ParseLimit<'_>,
        tree: &mut Tree,
    ) -> Result<(), ParseFailure> {
        tree.clear();
        // An empty list stands for the whole text; one range can't overlap with another, which is all that may fail.
        let is_set = self.parser.set_included_ranges(part.as_slice()).is_ok();
        if text.len() > MAX_PARSED_BYTES || !is_set {
            return Err(ParseFailure::Large);
        }
        if is_too_deep(self.id, text) {
            return Err(ParseFailure::Deep);
        }
        let mut progress =
            |_: &ParseState| if limit.allows_more() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        let options = ParseOptions::new().progress_callback(&mut progress);
        // Perl's scanner looks for the end of a comment's line for ever if the text ends before.
        let last = if text.ends_with('\n') { "" } else { "\n" };
        let mut read = |at: usize, _| match text.as_bytes().get(at..) {
            Some([]) => last.as_bytes(),
            rest => rest.unwrap_or_default(),
        };
        let parsed = self.parser.parse_with_options(&mut read, None, Some(options));
        let Some(parsed) = parsed else {
            // A parser that was stopped would go on where it was with the next text.
            self.parser.reset();
            return Err(ParseFailure::Slow);
        };
        tree.fill(&mut parsed.walk(), &self.query.kept, text.len());
        Ok(())
    }
}
