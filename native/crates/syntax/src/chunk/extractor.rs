//! Extracts chunks and facts in one pass over a text: parses, matches, cuts.

use std::sync::{Arc, OnceLock};

use codecairn_base::clock::Clock;
use codecairn_base::crash_log::CrashLog;
use codecairn_base::span::ByteSpan;

use super::attach::Attachments;
use super::cost;
use super::finish::{Part, finish};
use super::group::{Draft, group, trimmed};
use super::layers::{Grammars, Layer, parse};
use super::limits::{COARSE, LARGE_TEXT, MAX_CHUNK, MAX_LINE, TARGET_CHUNK, WINDOW_LINES};
use super::lines::Lines;
use super::outline::{CuttingMark, Owner, cut, embed, keep};
use super::record::Extraction;
use super::split::{Budget, split};
use crate::MarkKind;
use crate::kind::Kind;
use crate::language::Language;

/// What the extractor makes of equal texts; it changes whenever chunks, names or facts come out differently.
pub const EXTRACTOR_VERSION: u32 = 12;

const CODE: Budget = Budget { max: MAX_CHUNK, target: TARGET_CHUNK, min_line: 0, max_line: MAX_LINE };
const WINDOWS: Budget = Budget { min_line: TARGET_CHUNK / WINDOW_LINES, max: TARGET_CHUNK, ..CODE };
const COARSE_WINDOWS: Budget = Budget { max: COARSE, target: COARSE, min_line: 0, max_line: COARSE };

/// The texts that ended a process of this version, which was extracting; `None` if nobody keeps them.
pub fn crash_log() -> Option<CrashLog> {
    static VERSION: OnceLock<String> = OnceLock::new();
    CrashLog::open(VERSION.get_or_init(|| format!("{}+{EXTRACTOR_VERSION}", env!("CARGO_PKG_VERSION"))))
}

/// Turns texts to chunks and facts. It holds parsers and memory for reuse: each thread that extracts owns one. A text that
/// ended a process before it was made is cut by lines.
#[derive(Debug)]
pub struct Extractor {
    grammars: Grammars,
    layers: Vec<Layer>,
    lines: Lines,
}

impl Extractor {
    /// An extractor that knows no grammar yet; each is made ready when it is first needed.
    pub fn new() -> Self {
        Self::of(Grammars::default())
    }

    fn of(grammars: Grammars) -> Self {
        let grammars = grammars.with_crashes(crash_log());
        Self { grammars, layers: Vec::new(), lines: Lines::default() }
    }

    /// An extractor that gives up parsing a text after some seconds. Only texts made to be slow, kilobytes of unbalanced
    /// brackets, come near that; they are cut by lines, as those without a grammar are.
    pub fn with_clock(clock: Arc<dyn Clock>) -> Self {
        Self::of(Grammars::with_clock(clock))
    }

    /// The same for who needs chunks and definitions alone: uses, imports, bases and types are not looked for.
    #[must_use]
    pub fn without_uses(self) -> Self {
        Self { grammars: self.grammars.without_uses(), ..self }
    }

    /// The chunks and facts of a text. It never fails and never panics; what could not be read is reported by
    /// [`Syntax::diagnostics`](crate::Syntax::diagnostics).
    ///
    /// ```
    /// use codecairn_syntax::{chunk::Extractor, language};
    ///
    /// let python = language::by_id("python").unwrap();
    /// let extraction = Extractor::new().extract("def greet():\n    print('hello')\n", python);
    /// assert_eq!(extraction.chunks[0].qualified_name, "greet");
    /// assert_eq!(extraction.syntax.references[0].name, "print");
    /// ```
    pub fn extract(&mut self, text: &str, language: &'static Language) -> Extraction {
        self.lines.fill(text);
        let (syntax, failure) = parse(text, &self.lines, language, &mut self.grammars, &mut self.layers);
        let is_coarse = text.len() > LARGE_TEXT && !syntax.symbols.iter().any(|symbol| symbol.kind.is_code());
        let parts = if is_coarse {
            self.windows(text, COARSE_WINDOWS)
        } else if self.layers.is_empty() {
            self.windows(text, WINDOWS)
        } else {
            self.parts(text)
        };
        Extraction { failure, ..finish(text, &self.lines, &parts, is_coarse, syntax) }
    }

    /// The parts of a parsed text.
    fn parts(&self, text: &str) -> Vec<Part<'_>> {
        let attachments = Attachments::new(&self.layers, text);
        let mut kept: Vec<CuttingMark> = Vec::new();
        for (number, layer) in self.layers.iter().enumerate() {
            embed(&mut kept, keep(number, layer, text, &attachments), layer.range);
        }
        let segments = cut(&kept, text, &self.lines);
        let mut parts = Vec::new();
        let mut spans = Vec::new();
        let is_named = |kept: &CuttingMark| !self.layers[kept.layer].named[kept.mark].qualified_name.is_empty();
        for draft in group(&segments, &kept, text, &self.lines, is_named) {
            let part = self.name(&draft, &kept);
            spans.clear();
            if part.span.len() <= MAX_CHUNK as usize {
                spans.push(part.span);
            } else {
                let costs = cost::of_code(text, &self.lines, part.span, &self.layers, &attachments);
                split(text, &self.lines, part.span, CODE, &costs, &mut spans);
            }
            parts.extend(spans.iter().map(|span| Part { span: *span, ..part }));
        }
        parts
    }

    /// A draft with its kind and names.
    fn name(&self, draft: &Draft, kept: &[CuttingMark]) -> Part<'_> {
        let span = ByteSpan { start: draft.start, end: draft.end };
        let (owner, is_block) = match draft.owner {
            Owner::Own(number) => (Some(&kept[number]), false),
            Owner::Between { parent: None, .. } => (None, true),
            // What lies between the functions inside a function is the function's own.
            Owner::Between { parent: Some(number), .. } => {
                (Some(&kept[number]), kept[number].kind == MarkKind::Container)
            }
        };
        let Some(owner) = owner else { return Part { span, kind: Kind::Block, raw_kind: "", qualified_name: "" } };
        let layer = &self.layers[owner.layer];
        let kind = layer.named[owner.mark].kind;
        let qualified_name = self.qualified_name(owner, kept);
        if is_block {
            return Part { span, kind: Kind::Block, raw_kind: "", qualified_name };
        }
        let raw_kind = layer.tree.kind(layer.facts.marks[owner.mark].node);
        let raw_kind = self.grammars.get(layer.grammar).map_or("", |grammar| grammar.kind_name(raw_kind));
        Part { span, kind, raw_kind, qualified_name }
    }

    /// The name of a mark, or of the one around it that has one.
    fn qualified_name<'k>(&self, mut owner: &'k CuttingMark, kept: &'k [CuttingMark]) -> &str {
        loop {
            let name = &self.layers[owner.layer].named[owner.mark].qualified_name;
            match owner.parent {
                Some(parent) if name.is_empty() => owner = &kept[parent],
                _ => return name,
            }
        }
    }

    /// The parts of a text without a tree.
    fn windows(&self, text: &str, budget: Budget) -> Vec<Part<'static>> {
        let Some((start, end)) = trimmed(text, &self.lines, 0, text.len() as u32) else { return Vec::new() };
        let span = ByteSpan { start, end };
        let costs = cost::of_text(text, &self.lines, span);
        let mut spans = Vec::new();
        split(text, &self.lines, span, budget, &costs, &mut spans);
        spans.into_iter().map(|span| Part { span, kind: Kind::Block, raw_kind: "", qualified_name: "" }).collect()
    }
}

impl Default for Extractor {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use cpu_time::ThreadTime;

    use super::*;
    use crate::ParseFailure;
    use crate::language::by_id;
    use codecairn_base::clock::TickingClock;

    #[test]
    fn a_text_that_keeps_its_parser_busy_is_cut_by_lines() {
        let text = "{-".repeat(400);
        let mut extractor = Extractor::with_clock(Arc::new(TickingClock::default()));
        let extraction = extractor.extract(&text, by_id("apex").unwrap());
        assert_eq!(extraction.syntax.diagnostics[0].message, "takes too long to be parsed");
        assert_eq!(extraction.failure, Some(ParseFailure::Slow));
        assert_eq!(extraction.chunks.len(), 1);
        let sound = extractor.extract("class A {}\n", by_id("apex").unwrap());
        assert_eq!(sound.syntax.symbols[0].name, "A");
    }

    #[test]
    fn a_text_that_would_take_all_memory_is_cut_by_lines() {
        // Parsed to the end these 8 kB would take more than a gigabyte, and 80 kB a hundred times that.
        let extraction = Extractor::new().extract(&"a=>\n".repeat(2000), by_id("java").unwrap());
        assert_eq!(extraction.syntax.diagnostics[0].message, "takes too many steps to be parsed");
        let mut extractor = Extractor::new();
        for id in ["cpp", "kotlin"] {
            let extraction = extractor.extract(&"a<b,".repeat(250_000), by_id(id).unwrap());
            assert_eq!(extraction.failure, Some(ParseFailure::Memory), "{id}");
            let sound = extractor.extract("class A {};\n", by_id(id).unwrap());
            assert_eq!(sound.syntax.symbols[0].name, "A", "{id}");
        }
    }

    #[test]
    fn a_lexer_that_never_finds_the_end_of_a_token_is_stopped() {
        // Each token takes the lexer to the end of the text and back: 20 ms, and hundreds of them to a report of progress.
        let text = "-".repeat(8 << 20);
        let started = ThreadTime::now();
        let mut extractor = Extractor::with_clock(Arc::new(TickingClock::default()));
        assert_eq!(extractor.extract(&text, by_id("nix").unwrap()).failure, Some(ParseFailure::Slow));
        assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    }

    #[test]
    fn the_scripts_of_a_page_share_its_time() {
        const SCRIPTS: usize = 10;
        let script = format!("<script>\n{}</script>\n", "f(a, b);\n".repeat(100));
        let clock = Arc::new(TickingClock::default());
        let mut extractor = Extractor::with_clock(Arc::clone(&clock) as Arc<dyn Clock>);
        let extraction = extractor.extract(&script.repeat(SCRIPTS), by_id("html").unwrap());
        assert_eq!(extraction.failure, Some(ParseFailure::Slow));
        let diagnostics = &extraction.syntax.diagnostics;
        assert!(diagnostics.len() == 1 && diagnostics[0].span.start > 0, "the page itself is parsed in time");
        let looks = clock.looks();
        assert!(looks < 10 + 2 * SCRIPTS, "{looks} looks at the clock");
    }
}
