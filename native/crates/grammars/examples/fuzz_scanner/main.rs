//! Parses texts that are made to break the external scanner of one grammar, for a number of seconds of processor time.
//!
//! `fuzz_scanner GRAMMAR SECONDS SEED CURRENT SEEDS…`: `CURRENT` is a file that holds the text which is being parsed, so
//! that it is known after the process has died; `SEEDS` are sources in the language, which are mutated. Prints how many
//! texts and bytes were parsed. `python -m benches.scanners` builds it with the sanitizers and runs it for all grammars.

#![allow(clippy::print_stdout, reason = "it is a program")]
#![allow(clippy::disallowed_methods, reason = "its files belong to the run alone")]

mod hostile_texts;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cpu_time::ProcessTime;
use hostile_texts::Generator;
use tree_sitter::{Language, ParseOptions, ParseState, Parser, Range};

/// How often a parser may report progress on one text; each report stands for a hundred steps.
const MAX_REPORTS: usize = 2000;

/// The processor time after which a text ends early and its parse is stopped, in seconds, as for the engine; that is only
/// looked at between tokens.
const MAX_READ_S: u64 = 5;

/// The bytes that are read at once, as for the engine.
const READ_BYTES: usize = 16 << 10;

/// The processor time that one text may take, in seconds: a scanner that never ends is a finding.
const MAX_PARSE_S: u64 = 60;

/// The exit status after a text that took longer.
const TOO_LONG: i32 = 3;

/// One text in so many is parsed as a script inside another text, where that is done.
const EMBEDDED: usize = 8;
const MAY_BE_EMBEDDED: [&str; 7] = ["css", "html", "javascript", "json", "scss", "tsx", "typescript"];

/// When the current parse began, in seconds of processor time, plus one; 0 between parses.
static BEGAN: AtomicU64 = AtomicU64::new(0);

/// How many texts were parsed, and how many bytes they had.
static TEXTS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, grammar, seconds, seed, current, seeds @ ..] = arguments.as_slice() else {
        panic!("usage: fuzz_scanner GRAMMAR SECONDS SEED CURRENT SEEDS…");
    };
    let language = Language::from(codecairn_grammars::grammar(grammar).expect("the grammar is compiled in"));
    let seeds = seeds.iter().map(|path| std::fs::read_to_string(path).expect("a seed is readable text")).collect();
    let limit = Duration::from_secs_f64(seconds.parse().expect("SECONDS is a number"));
    let mut generator = Generator::new(grammar, seed.parse().expect("SEED is a number"), seeds);
    let started = ProcessTime::now();
    std::thread::spawn(move || end_if_stuck(started));
    while started.elapsed() < limit {
        let text = generator.text().replace('\0', " ");
        std::fs::write(current, &text).expect("CURRENT can be written");
        BEGAN.store(started.elapsed().as_secs() + 1, Ordering::Relaxed);
        let is_part = MAY_BE_EMBEDDED.contains(&grammar.as_str()) && generator.below(EMBEDDED) == 0;
        let part = is_part.then(|| part_of(&text, &mut generator));
        parse(&language, &text, part, started);
        BEGAN.store(0, Ordering::Relaxed);
        TEXTS.fetch_add(1, Ordering::Relaxed);
        BYTES.fetch_add(text.len() as u64, Ordering::Relaxed);
    }
    print_counts(started);
}

fn print_counts(started: ProcessTime) {
    let (texts, bytes) = (TEXTS.load(Ordering::Relaxed), BYTES.load(Ordering::Relaxed));
    println!("{{\"texts\": {texts}, \"bytes\": {bytes}, \"seconds\": {:.1}}}", started.elapsed().as_secs_f64());
}

/// The processor time of the current parse, in seconds.
fn parse_seconds(started: ProcessTime) -> u64 {
    let began = BEGAN.load(Ordering::Relaxed);
    if began == 0 { 0 } else { (started.elapsed().as_secs() + 1).saturating_sub(began) }
}

fn end_if_stuck(started: ProcessTime) {
    loop {
        std::thread::sleep(Duration::from_secs(1));
        if parse_seconds(started) > MAX_PARSE_S {
            print_counts(started);
            #[allow(clippy::exit, reason = "the thread that parses can't be asked to stop")]
            std::process::exit(TOO_LONG);
        }
    }
}

/// A part of the text, as a script is of a page.
fn part_of(text: &str, generator: &mut Generator) -> Range {
    let mut ends = [generator.below(text.len() + 1), generator.below(text.len() + 1)];
    ends.sort_unstable();
    let [start_byte, end_byte] = ends.map(|at| text.floor_char_boundary(at));
    let point = |at: usize| {
        let before = &text.as_bytes()[..at];
        let row = before.split(|byte| *byte == b'\n').count() - 1;
        let line = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        tree_sitter::Point { row, column: at - line }
    };
    Range { start_byte, end_byte, start_point: point(start_byte), end_point: point(end_byte) }
}

/// As the engine parses: with a line break at the end, and no longer than a number of steps and seconds.
fn parse(language: &Language, text: &str, part: Option<Range>, started: ProcessTime) {
    let mut parser = Parser::new();
    parser.set_language(language).expect("the runtime accepts every grammar");
    parser.set_included_ranges(part.as_slice()).expect("one range overlaps with no other");
    let mut reports = 0;
    let mut progress = |_: &ParseState| {
        reports += 1;
        let may_go_on = reports < MAX_REPORTS && parse_seconds(started) <= MAX_READ_S;
        if may_go_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    let mut end = bytes.len();
    let mut read = |at: usize, _| {
        if parse_seconds(started) > MAX_READ_S {
            end = end.min(at);
        }
        match bytes.get(at..end) {
            Some([]) if at == 0 || bytes[at - 1] != b'\n' => b"\n",
            Some(rest) => &rest[..rest.len().min(READ_BYTES)],
            None => Default::default(),
        }
    };
    if parser.parse_with_options(&mut read, None, Some(options)).is_none() {
        parser.reset();
    }
}
