//! Prepares one grammar for parsing: the parser, its compiled query, and the limits that keep hostile input in bounds.

#![allow(unsafe_code, reason = "see the one block, which starts a confined parse")]

use std::borrow::Cow;
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::ops::ControlFlow;

use tree_sitter::{Language, ParseOptions, ParseState, Parser, Range};

use codecairn_base::span::ByteSpan;

use super::class_macros::{ClassMacro, class_macros, without};
use super::declaration_macros::declaration_macros;
use super::guard::is_too_deep;
use super::limit::{ParseLimit, max_memory};
use super::lost_regions::{blanked, lost_regions, recover};
use super::macro_statements::{MacroStatements, macro_statements};
use super::parse_sandbox::ParseSandbox;
use super::query::{Query, QueryError, Roles, StepNumber, query_text};
use super::tree::Tree;
use crate::kind::Kind;

/// Texts above this are not parsed: the tree of source takes 20 to 60 times its size, more than a parse may have.
pub(crate) const MAX_PARSED_BYTES: usize = 16 << 20;

/// The text is handed to the parser in parts of this size, in bytes, and its time is looked at with each.
const READ_BYTES: usize = 16 << 10;

/// The classes behind macros that are checked for errors.
const MAX_CHECKED: usize = 100;

/// A grammar and its query.
pub(crate) struct Grammar {
    id: &'static str,
    language: Language,
    query: Query,
}

/// Why there is no tree. All but [`Slow`](Self::Slow) and [`Fatal`](Self::Fatal) follow from the text alone: parsing it
/// again is no use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ParseFailure {
    /// It is larger than what is parsed.
    Large,
    /// It nests deeper than the grammar can hold.
    Deep,
    /// The grammar takes too many steps on it.
    Steps,
    /// Its parse takes more memory than it may have.
    Memory,
    /// Its parse took too much processor time, which depends on the machine and what else it did.
    Slow,
    /// Its parse ended a process of this version of the program, so it was not tried again.
    Fatal,
}

impl ParseFailure {
    /// The failure, for a diagnostic.
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::Large => "too large to be parsed",
            Self::Deep => "nests too deeply to be parsed",
            Self::Steps => "takes too many steps to be parsed",
            Self::Memory => "takes too much memory to be parsed",
            Self::Slow => "takes too long to be parsed",
            Self::Fatal => "ended a process that parsed it",
        }
    }
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
        Some(Query::with(&language, &text, wanted).map(|query| Self { id, language, query }))
    }

    /// The compiled query.
    pub(crate) fn query(&self) -> &Query {
        &self.query
    }

    /// The grammar's name for a kind of node.
    pub(crate) fn kind_name(&self, kind: u16) -> &str {
        self.language.node_kind_for_id(kind).unwrap_or_default()
    }

    /// Whether its query finds anything other than data: functions, types.
    pub(crate) fn finds_code(&self) -> bool {
        self.defines_code() || self.query.patterns().iter().any(|pattern| pattern.roles.embedded.is_some())
    }

    fn defines_code(&self) -> bool {
        let is_code = |(kind, _): (Kind, StepNumber)| kind.is_code();
        self.query.patterns().iter().any(|pattern| pattern.roles.definition.is_some_and(is_code))
    }

    /// Parses `text`, or a part of it, into `tree`, as far as the limit allows.
    pub(crate) fn parse(
        &self,
        text: &str,
        part: Option<Range>,
        limit: &mut ParseLimit<'_>,
        confined: &mut ParseSandbox,
        tree: &mut Tree,
    ) -> Result<(), ParseFailure> {
        tree.clear();
        if text.len() > MAX_PARSED_BYTES {
            return Err(ParseFailure::Large);
        }
        if !limit.allows_more() {
            return Err(limit.failure());
        }
        let parsed_range = part.map_or(0..text.len(), |part| part.start_byte..part.end_byte);
        if is_too_deep(self.id, text.get(parsed_range.clone()).unwrap_or_default()) {
            return Err(ParseFailure::Deep);
        }
        let has_macros = matches!(self.id, "c" | "cpp");
        let statements = if has_macros { macro_statements(text) } else { MacroStatements::default() };
        let text = &*without_nuls(statements.completed(text));
        let mut macros = if self.id == "cpp" { class_macros(text) } else { Vec::new() };
        let others = if self.id == "cpp" { declaration_macros(text) } else { Vec::new() };
        let mut run = |macros: &mut [ClassMacro], blanks: &[ByteSpan], limit: &mut ParseLimit<'_>, tree: &mut Tree| {
            let bytes = blanked(without(macros, &others, text), blanks);
            // SAFETY: parser, tree and cursor are made and left inside; the rest is borrowed from here.
            let parsed = unsafe {
                confined
                    .run(max_memory(text.len()), || self.parse_sandboxed(&bytes, part.as_slice(), macros, limit, tree))
            };
            parsed.unwrap_or(Err(ParseFailure::Memory))
        };
        let mut parsed = run(&mut macros, &[], limit, tree);
        // A class with something else that the grammar does not know is rather read as a function than not at all.
        if parsed.is_ok() && macros.iter().any(|each| each.is_error) {
            macros.retain(|each| !each.is_error);
            parsed = run(&mut macros, &[], limit, tree);
        }
        if !tree.lost.is_empty() && !self.defines_code() {
            // Templates of data and markup, mostly: there is nothing to be missed.
            tree.lost.clear();
        }
        if parsed.is_ok() && !tree.lost.is_empty() {
            let mut limit = limit.for_recovery(text.len());
            recover(text, parsed_range, tree, |blanks, tree| run(&mut macros, blanks, &mut limit, tree));
        }
        match parsed {
            Ok(()) => {
                tree.macros = statements.names;
                tree.is_code = tree.has_error() && self.defines_code();
            }
            Err(_) => tree.clear(),
        }
        parsed
    }

    /// The parser and its tree are not dropped: their memory is given back as a whole.
    fn parse_sandboxed(
        &self,
        text: &[u8],
        part: &[Range],
        macros: &mut [ClassMacro],
        limit: &mut ParseLimit<'_>,
        tree: &mut Tree,
    ) -> Result<(), ParseFailure> {
        let mut parser = ManuallyDrop::new(Parser::new());
        // The runtime takes every grammar here. An empty list stands for the whole text; one range can't overlap with
        // another, which is all that may fail.
        if parser.set_language(&self.language).is_err() || parser.set_included_ranges(part).is_err() {
            return Err(ParseFailure::Large);
        }
        let limit = RefCell::new(limit);
        let mut progress = |_: &ParseState| {
            if limit.borrow_mut().allows_more() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        // A lexer may run to the end of the text for each token, so for one that is too slow the text ends early.
        let mut end = text.len();
        let mut read = |at: usize, _| {
            if at == 0 && end_for_a_test(text) {
                return Default::default();
            }
            if !limit.borrow_mut().has_time() {
                end = end.min(at);
            }
            match text.get(at..end) {
                // Scanners look for the end of the last line, also where it has none.
                Some([]) if at == 0 || text[at - 1] != b'\n' => b"\n",
                Some(rest) => &rest[..rest.len().min(READ_BYTES)],
                None => Default::default(),
            }
        };
        let Some(parsed) = parser.parse_with_options(&mut read, None, Some(options)).map(ManuallyDrop::new) else {
            // Frees the state of the scanner, which is not in the parse's own memory.
            parser.reset();
            return Err(limit.borrow().failure());
        };
        if limit.borrow().is_slow() {
            return Err(ParseFailure::Slow);
        }
        // Each is looked for among all the top-level nodes.
        for each in macros.iter_mut().take(MAX_CHECKED) {
            let keyword = parsed.root_node().descendant_for_byte_range(each.keyword, each.keyword + 1);
            each.is_error = keyword.and_then(|node| node.parent()).is_some_and(|node| node.is_error());
        }
        tree.clear();
        tree.fill(&mut parsed.walk(), &self.query.kept, text.len());
        tree.lost = lost_regions(parsed.root_node(), text);
        Ok(())
    }
}

/// Replaces each NUL by a space: scanners take a NUL for the end of the text, and some read beyond their tables there.
fn without_nuls(text: Cow<'_, str>) -> Cow<'_, str> {
    if memchr::memchr(0, text.as_bytes()).is_none() { text } else { text.replace('\0', " ").into() }
}

/// Ends the process in the middle of a parse, as a broken grammar would, if a test armed a point for texts that ask for
/// it: by an abort, or by a stack without end.
#[cfg(debug_assertions)]
fn end_for_a_test(text: &[u8]) -> bool {
    #[allow(unconditional_recursion, reason = "it exhausts the stack")]
    fn exhaust(depth: u64) -> u64 {
        std::hint::black_box(exhaust(std::hint::black_box(depth + 1)) + 1)
    }

    let has = |mark: &[u8]| memchr::memmem::find(text, mark).is_some();
    // A point that is armed to fail stands for a fault.
    let is_armed = has(b"ends-the-parser") && codecairn_base::failpoint::reach("parse.marked").is_err();
    is_armed && exhaust(0) == 0
}

/// No build that is given to users ends so.
#[cfg(not(debug_assertions))]
fn end_for_a_test(_text: &[u8]) -> bool {
    false
}
