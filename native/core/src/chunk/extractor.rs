//! The one pass over a text: parse, match, cut.

use std::collections::BTreeMap;
use std::fmt;

use super::attach::Attachments;
use super::cost;
use super::finish::{Part, finish};
use super::group::{Draft, group, trimmed};
use super::limits::{COARSE, LARGE_TEXT, MAX_CHUNK, MAX_LINE, TARGET_CHUNK, WINDOW_LINES};
use super::lines::Lines;
use super::outline::{Kept, Owner, cut, keep};
use super::record::Extraction;
use super::split::{Budget, split};
use crate::kind::Kind;
use crate::language::{Class, Language};
use crate::span::ByteSpan;
use crate::syntax::{Diagnostic, Facts, Grammar, MarkKind, Named, Naming, ParseFailure, Tree, resolve};

/// What the extractor makes of equal texts; it changes whenever chunks, names or facts come out differently.
pub const EXTRACTOR_VERSION: u32 = 1;

const CODE: Budget = Budget { max: MAX_CHUNK, target: TARGET_CHUNK, min_line: 0, max_line: MAX_LINE };
const WINDOWS: Budget = Budget { min_line: TARGET_CHUNK / WINDOW_LINES, max: TARGET_CHUNK, ..CODE };
const COARSE_WINDOWS: Budget = Budget { max: COARSE, target: COARSE, min_line: 0, max_line: MAX_LINE };

/// Grammars of languages in which `$` is a letter.
const DOLLAR_GRAMMARS: [&str; 7] = ["astro", "java", "javascript", "svelte", "tsx", "typescript", "vue"];

/// Turns texts to chunks and facts. It holds parsers and memory for reuse: each thread that extracts owns one.
#[derive(Default)]
pub struct Extractor {
    /// By grammar id; `None` where there is no grammar or its queries are broken.
    grammars: BTreeMap<&'static str, Option<Grammar>>,
    tree: Tree,
    facts: Facts,
    lines: Lines,
}

impl fmt::Debug for Extractor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Extractor").field("grammars", &self.grammars.keys()).finish_non_exhaustive()
    }
}

impl Extractor {
    /// An extractor that knows no grammar yet; each is made ready when it is first needed.
    pub fn new() -> Self {
        Self::default()
    }

    /// The chunks and facts of a text. It never fails and never panics; what could not be read is told by
    /// [`Syntax::diagnostics`].
    ///
    /// ```
    /// use codecairn_core::{chunk::Extractor, language};
    ///
    /// let python = language::by_id("python").unwrap();
    /// let extraction = Extractor::new().extract("def greet():\n    print('hello')\n", python);
    /// assert_eq!(extraction.chunks[0].qualified_name, "greet");
    /// assert_eq!(extraction.syntax.references[0].name, "print");
    /// ```
    pub fn extract(&mut self, text: &str, language: &'static Language) -> Extraction {
        self.lines.fill(text);
        let failure = self.parse(text, language);
        let (mut syntax, named) = resolve(&self.facts, &self.tree, text, naming(language));
        if let Some(message) = failure {
            let span = ByteSpan::new(0, text.len());
            syntax.diagnostics.push(Diagnostic { span, message: message.to_owned() });
        }
        let is_coarse = text.len() > LARGE_TEXT && !syntax.symbols.iter().any(|symbol| symbol.kind.is_code());
        let parts = if is_coarse {
            self.windows(text, COARSE_WINDOWS)
        } else {
            match language.grammar.and_then(|id| self.grammars.get(id)) {
                Some(Some(grammar)) if !self.tree.is_empty() => self.parts(text, &named, grammar),
                _ => self.windows(text, WINDOWS),
            }
        };
        finish(text, &self.lines, &parts, is_coarse, syntax)
    }

    /// Fills tree and facts; says what went wrong.
    fn parse(&mut self, text: &str, language: &'static Language) -> Option<&'static str> {
        self.tree.clear();
        self.facts.clear();
        let id = language.grammar?;
        // A query that can't be compiled is found by the tests; in use, its language is cut by lines.
        let load = || Grammar::load(id).and_then(Result::ok);
        let grammar = self.grammars.entry(id).or_insert_with(load).as_mut()?;
        if text.len() > LARGE_TEXT && !grammar.finds_code() {
            return None;
        }
        match grammar.parse(text, &mut self.tree) {
            Ok(()) => {
                self.facts.collect(grammar.query(), &self.tree, text);
                None
            }
            Err(ParseFailure::TooLarge) => Some("too large to be parsed"),
            Err(ParseFailure::TooSlow) => Some("takes too long to be parsed"),
        }
    }

    /// The parts of a text with a tree.
    fn parts<'n>(&self, text: &str, named: &'n [Named], grammar: &'n Grammar) -> Vec<Part<'n>> {
        let attachments = Attachments::new(&self.facts, &self.tree, text);
        let kept = keep(&self.facts, &self.tree, text, &attachments);
        let segments = cut(&kept, text, &self.lines);
        let mut parts = Vec::new();
        let mut spans = Vec::new();
        for draft in group(&segments, &kept, text, &self.lines) {
            let span = ByteSpan { start: draft.start, end: draft.end };
            spans.clear();
            if draft.end - draft.start <= MAX_CHUNK {
                spans.push(span);
            } else {
                let costs = cost::of_code(text, &self.lines, span, &self.tree, &attachments);
                split(text, &self.lines, span, CODE, &costs, &mut spans);
            }
            let part = self.name(&draft, &kept, named, grammar);
            parts.extend(spans.iter().map(|span| Part { span: *span, ..part }));
        }
        parts
    }

    /// A draft with its kind and names.
    fn name<'n>(&self, draft: &Draft, kept: &[Kept], named: &'n [Named], grammar: &'n Grammar) -> Part<'n> {
        let span = ByteSpan { start: draft.start, end: draft.end };
        let block = |qualified_name| Part { span, kind: Kind::Block, raw_kind: "", qualified_name };
        let number = match draft.owner {
            Owner::Between { parent: None, .. } => return block(""),
            Owner::Between { parent: Some(number), .. } if kept[number].kind == MarkKind::Container => {
                return block(&named[kept[number].mark].qualified_name);
            }
            // What lies between the functions inside a function is the function's own.
            Owner::Own(number) | Owner::Between { parent: Some(number), .. } => number,
        };
        let mark = kept[number].mark;
        let Named { kind, qualified_name } = &named[mark];
        let raw_kind = grammar.kind_name(self.tree.kind(self.facts.marks[mark].node));
        Part { span, kind: *kind, raw_kind, qualified_name }
    }

    /// The parts of a text without one.
    fn windows(&self, text: &str, budget: Budget) -> Vec<Part<'static>> {
        let Some((start, end)) = trimmed(text, &self.lines, 0, text.len() as u32) else { return Vec::new() };
        let span = ByteSpan { start, end };
        let costs = cost::of_text(text, &self.lines, span);
        let mut spans = Vec::new();
        split(text, &self.lines, span, budget, &costs, &mut spans);
        spans.into_iter().map(|span| Part { span, kind: Kind::Block, raw_kind: "", qualified_name: "" }).collect()
    }
}

fn naming(language: &Language) -> Naming {
    Naming {
        section_separator: if language.class == Class::Prose { " > " } else { "." },
        keeps_dollar: language.grammar.is_some_and(|id| DOLLAR_GRAMMARS.contains(&id)),
    }
}
