//! Parses the languages of one text: that of the file, and those of the scripts and styles inside it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use tree_sitter::{Point, Range};

use codecairn_base::clock::Clock;
use codecairn_base::crash_log::{CrashLog, WatchedContent};
use codecairn_base::hash::ContentHash;
use codecairn_base::span::ByteSpan;

use super::limits::LARGE_TEXT;
use super::lines::Lines;
use crate::language::{Class, Language};
use crate::{
    ChunkName, Diagnostic, Facts, Grammar, Naming, ParseFailure, ParseLimit, ParseSandbox, Syntax, Tree,
    add_lost_macros, resolve,
};

/// The grammars of languages in which a file can name only what it defines or imports.
const LISTING_GRAMMARS: [&str; 6] = ["javascript", "lua", "python", "rust", "tsx", "typescript"];

/// Grammars of languages in which `$` is a letter.
const DOLLAR_GRAMMARS: [&str; 4] = ["java", "javascript", "tsx", "typescript"];

/// Grammars of languages whose sections have names with dots and spaces: headings, selectors.
const TRAIL_GRAMMARS: [&str; 7] = ["astro", "css", "html", "scss", "svelte", "vue", "xml"];

/// Grammars of languages with the preprocessor of C.
const PREPROCESSED_GRAMMARS: [&str; 2] = ["c", "cpp"];

/// One language's part of a text.
#[derive(Debug)]
pub(super) struct Layer {
    /// The grammar's id.
    pub(super) grammar: &'static str,
    /// The part of the text.
    pub(super) range: ByteSpan,
    pub(super) tree: Tree,
    pub(super) facts: Facts,
    /// What each mark is called.
    pub(super) named: Vec<ChunkName>,
}

/// The grammars that have been needed so far.
#[derive(Default)]
pub(super) struct Grammars {
    /// By id; `None` where there is no grammar or its queries are broken.
    loaded: LoadedGrammars,
    /// What they parse in.
    confined: ParseSandbox,
    /// Ends parses that take too long; without it, none is ended by time.
    clock: Option<Arc<dyn Clock>>,
    /// Whether references are not needed.
    is_without_uses: bool,
    /// The texts that ended a process; none where nobody keeps them.
    crashes: Option<CrashLog>,
}

impl fmt::Debug for Grammars {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.loaded.keys()).finish()
    }
}

impl Grammars {
    /// A grammar that has been needed before.
    pub(super) fn get(&self, id: &str) -> Option<&Grammar> {
        self.loaded.get(id).and_then(Option::as_ref)
    }

    /// With a clock that ends parses which take too long.
    pub(super) fn with_clock(clock: Arc<dyn Clock>) -> Self {
        Self { clock: Some(clock), ..Self::default() }
    }

    /// With the log of the texts that ended a process.
    pub(super) fn with_crashes(self, crashes: Option<CrashLog>) -> Self {
        Self { crashes, ..self }
    }

    /// The same for who does not ask who uses what.
    pub(super) fn without_uses(self) -> Self {
        Self { is_without_uses: true, ..self }
    }
}

type LoadedGrammars = BTreeMap<&'static str, Option<Grammar>>;

/// A grammar, made ready when it is first needed.
fn load<'g>(loaded: &'g mut LoadedGrammars, is_without_uses: bool, id: &'static str) -> Option<&'g Grammar> {
    // A query that can't be compiled is found by the tests; in use, its language is cut by lines.
    let load = if is_without_uses { Grammar::load_without_uses } else { Grammar::load };
    loaded.entry(id).or_insert_with(|| load(id).and_then(Result::ok)).as_ref()
}

/// Parses a text unless that ended a process before; as [`parse_watched`].
pub(super) fn parse(
    text: &str,
    lines: &Lines,
    language: &'static Language,
    grammars: &mut Grammars,
    layers: &mut Vec<Layer>,
) -> (Syntax, Option<ParseFailure>) {
    let Some(crashes) = grammars.crashes.clone().filter(|_| language.grammar.is_some()) else {
        return parse_watched(text, lines, language, grammars, layers);
    };
    let content = WatchedContent { hash: ContentHash::of(text.as_bytes()), language: language.id };
    if crashes.signal_of(content).is_some() {
        layers.clear();
        let failure = ParseFailure::Fatal;
        return (stopped(ByteSpan::new(0, text.len()), failure), Some(failure));
    }
    crashes.watch(content, || parse_watched(text, lines, language, grammars, layers))
}

/// Parses a text and what is embedded in it; also tells the limit that a parse exceeded, if one did. The layers are none
/// if there is no grammar for it, if its parse was stopped, or if it is so large that only code would be worth it. `layers`
/// comes with those of an earlier text, to reuse their memory.
fn parse_watched(
    text: &str,
    lines: &Lines,
    language: &'static Language,
    grammars: &mut Grammars,
    layers: &mut Vec<Layer>,
) -> (Syntax, Option<ParseFailure>) {
    let Some(id) = language.grammar else { return nothing(layers) };
    let Grammars { loaded, confined, clock, is_without_uses, crashes: _ } = grammars;
    let mut limit = ParseLimit::of(text.len(), clock.as_deref());
    let Some(grammar) = load(loaded, *is_without_uses, id) else { return nothing(layers) };
    if text.len() > LARGE_TEXT && !grammar.finds_code() {
        return nothing(layers);
    }
    layers.truncate(1);
    let mut host = layers.pop().unwrap_or_else(|| Layer::new(id));
    host.grammar = id;
    host.range = ByteSpan::new(0, text.len());
    if let Err(failure) = grammar.parse(text, None, &mut limit, confined, &mut host.tree) {
        return (stopped(host.range, failure), Some(failure));
    }
    let is_trail = language.class == Class::Prose || TRAIL_GRAMMARS.contains(&id);
    let separator = if is_trail { " > " } else { "." };
    let mut syntax = host.read(text, grammar, separator);
    let mut failure = None;
    layers.push(host);
    for number in 0..layers[0].facts.embedded.len() {
        let embedded = layers[0].facts.embedded[number];
        let Some(grammar) = load(loaded, *is_without_uses, embedded.grammar) else { continue };
        let mut layer = Layer::new(embedded.grammar);
        layer.range = layers[0].tree.span(embedded.node);
        let parsed = grammar.parse(text, Some(points(lines, layer.range)), &mut limit, confined, &mut layer.tree);
        match parsed {
            Ok(()) => {
                append(&mut syntax, layer.read(text, grammar, separator));
                layers.push(layer);
            }
            // It stays text of the host.
            Err(stop) => {
                append(&mut syntax, stopped(layer.range, stop));
                failure = failure.max(Some(stop));
                // Both are limits of the whole text.
                if matches!(stop, ParseFailure::Steps | ParseFailure::Slow) {
                    break;
                }
            }
        }
    }
    if layers.len() > 1 {
        order(&mut syntax);
    }
    (syntax, failure)
}

/// What a parse that was stopped leaves.
fn stopped(span: ByteSpan, failure: ParseFailure) -> Syntax {
    let message = failure.message().to_owned();
    Syntax { diagnostics: vec![Diagnostic { span, message }], ..Syntax::default() }
}

impl Layer {
    fn new(grammar: &'static str) -> Self {
        let range = ByteSpan::new(0, 0);
        Self { grammar, range, tree: Tree::default(), facts: Facts::default(), named: Vec::new() }
    }

    /// Finds and names the facts of the tree.
    fn read(&mut self, text: &str, grammar: &Grammar, section_separator: &'static str) -> Syntax {
        self.facts.collect(grammar.query(), &self.tree, text);
        let naming = Naming {
            section_separator,
            keeps_dollar: DOLLAR_GRAMMARS.contains(&self.grammar),
            lists_names: LISTING_GRAMMARS.contains(&self.grammar),
            setter: if self.grammar == "ruby" { "=" } else { "" },
            has_pointers: self.grammar == "cpp",
        };
        let (mut syntax, named) = resolve(&self.facts, &self.tree, text, naming);
        if PREPROCESSED_GRAMMARS.contains(&self.grammar) && self.tree.has_error() {
            add_lost_macros(&mut syntax, text);
        }
        self.named = named;
        syntax
    }
}

fn nothing(layers: &mut Vec<Layer>) -> (Syntax, Option<ParseFailure>) {
    layers.clear();
    (Syntax::default(), None)
}

fn points(lines: &Lines, range: ByteSpan) -> Range {
    let point = |byte: u32| {
        let line = lines.of(byte);
        Point { row: line, column: (byte - lines.start(line)) as usize }
    };
    Range {
        start_byte: range.start as usize,
        end_byte: range.end as usize,
        start_point: point(range.start),
        end_point: point(range.end),
    }
}

fn append(syntax: &mut Syntax, other: Syntax) {
    let Syntax { symbols, references, imports, inheritance, bindings, closures, comments, diagnostics } = other;
    syntax.symbols.extend(symbols);
    syntax.references.extend(references);
    syntax.imports.extend(imports);
    syntax.inheritance.extend(inheritance);
    syntax.bindings.extend(bindings);
    syntax.closures.extend(closures);
    syntax.comments.extend(comments);
    syntax.diagnostics.extend(diagnostics);
}

fn order(syntax: &mut Syntax) {
    syntax.symbols.sort_by_key(|symbol| (symbol.span.start, std::cmp::Reverse(symbol.span.end)));
    syntax.references.sort_by_key(|reference| reference.span.start);
    syntax.imports.sort_by_key(|import| import.span.start);
    syntax.inheritance.sort_by_key(|inheritance| inheritance.span.start);
    syntax.bindings.sort_by_key(|binding| binding.span.start);
    syntax.closures.sort_by_key(|closure| (closure.start, std::cmp::Reverse(closure.end)));
    syntax.comments.sort_by_key(|comment| comment.start);
    syntax.diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
}
