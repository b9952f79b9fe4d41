//! One grammar, ready to parse: the parser, its compiled query, and the limits that keep hostile input in bounds.

use std::ops::ControlFlow;

use tree_sitter::{Language, ParseOptions, ParseState, Parser};

use super::query::{Query, QueryError, query_text};
use super::tree::Tree;

/// Texts above this are not parsed: their tree would take more than a gigabyte of memory.
pub(crate) const MAX_PARSED_BYTES: usize = 16 << 20;

/// How often the parser may report progress (every 100 of its steps) per kilobyte of text. Source that people write
/// takes 2–8 reports, and error recovery at its worst hundreds. Counting steps instead of time keeps results the same
/// on every machine.
const MAX_REPORTS_PER_KILOBYTE: usize = 100;

/// Reports that any text may take.
const MIN_REPORTS: usize = 20_000;

/// A grammar's parser and query.
pub(crate) struct Grammar {
    parser: Parser,
    language: Language,
    query: Query,
}

/// Why there is no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParseFailure {
    /// More than [`MAX_PARSED_BYTES`].
    TooLarge,
    /// The grammar takes too many steps on it.
    TooSlow,
}

/// Whether our engine accepts the queries of a grammar; an unknown one has nothing to refuse.
pub fn check_queries(grammar: &str) -> Result<(), QueryError> {
    Grammar::load(grammar).map_or(Ok(()), |grammar| grammar.map(|_| ()))
}

impl Grammar {
    /// The grammar with this id; `None` if it is not compiled in or has no queries.
    pub(crate) fn load(id: &str) -> Option<Result<Self, QueryError>> {
        let language = Language::from(codecairn_grammars::grammar(id)?);
        let text = query_text(id)?;
        let mut parser = Parser::new();
        parser.set_language(&language).ok()?;
        Some(Query::new(&language, &text).map(|query| Self { parser, language, query }))
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
        self.query.patterns().iter().any(|pattern| pattern.roles.definition.is_some_and(|(kind, _)| kind.is_code()))
    }

    /// Parses `text` into `tree`.
    pub(crate) fn parse(&mut self, text: &str, tree: &mut Tree) -> Result<(), ParseFailure> {
        tree.clear();
        if text.len() > MAX_PARSED_BYTES {
            return Err(ParseFailure::TooLarge);
        }
        let mut reports_left = MIN_REPORTS.max(text.len() / 1024 * MAX_REPORTS_PER_KILOBYTE);
        let mut progress = |_: &ParseState| match reports_left.checked_sub(1) {
            Some(left) => {
                reports_left = left;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let mut read = |at: usize, _| text.as_bytes().get(at..).unwrap_or_default();
        let parsed = self.parser.parse_with_options(&mut read, None, Some(options));
        let Some(parsed) = parsed else {
            // A parser that was stopped would go on where it was with the next text.
            self.parser.reset();
            return Err(ParseFailure::TooSlow);
        };
        tree.fill(&mut parsed.walk(), &self.query.kept);
        Ok(())
    }
}
