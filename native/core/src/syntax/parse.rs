//! One grammar, ready to parse: the parser, its compiled query, and the limits that keep hostile input in bounds.

use std::ops::ControlFlow;

use tree_sitter::{Language, ParseOptions, ParseState, Parser, Range};

use super::guard::is_too_deep;
use super::query::{Query, QueryError, query_text};
use super::tree::Tree;
use crate::clock::Clock;

/// Texts above this are not parsed: their tree would take more than a gigabyte of memory.
pub(crate) const MAX_PARSED_BYTES: usize = 16 << 20;

/// How often the parser may report progress (every 100 of its steps) per kilobyte of text. In 20,000 files of 35
/// languages the median is 0–13 reports and the most 31.
const MAX_REPORTS_PER_KILOBYTE: usize = 100;

/// Reports that even the smallest text may take.
const MIN_REPORTS: usize = 2000;

/// How long a parse may take, beside what each megabyte adds. Source takes 0.2 s a megabyte; a step of error recovery
/// may take a millisecond, so counting steps is not enough: 2 kB of `{-` keep the grammar of Apex busy for 9 s.
const MAX_PARSE_NS: i64 = 5_000_000_000;

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
        let language = Language::from(codecairn_grammars::grammar(id)?);
        let text = query_text(id)?;
        let mut parser = Parser::new();
        parser.set_language(&language).ok()?;
        Some(Query::new(&language, &text).map(|query| Self { id, parser, language, query }))
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

    /// Parses `text`, or a part of it, into `tree`. With a clock, it gives up after some seconds.
    pub(crate) fn parse(
        &mut self,
        text: &str,
        part: Option<Range>,
        clock: Option<&dyn Clock>,
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
        let mut reports_left = MIN_REPORTS.max(text.len() / 1024 * MAX_REPORTS_PER_KILOBYTE);
        let max_ns = MAX_PARSE_NS + MAX_PARSE_NS / (1 << 20) * text.len() as i64;
        let start_ns = clock.map_or(0, Clock::now_ns);
        let mut progress = |_: &ParseState| {
            reports_left = reports_left.saturating_sub(1);
            let is_late = clock.is_some_and(|clock| clock.now_ns() - start_ns > max_ns);
            if reports_left == 0 || is_late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
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
