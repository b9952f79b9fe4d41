//! Parses every source file of a folder on all cores and does nothing else: what a full index is measured against.
//!
//!     cargo run --release --example parse -- FOLDER
//!
//! Prints files, bytes, and the seconds from the first byte parsed to the last, wall and processor; finding and reading files is not in it.

#![allow(clippy::disallowed_methods, reason = "it measures time")]
#![allow(clippy::print_stdout, reason = "its output is what it is for")]

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Instant;

use codecairn_base::cancel::CancelToken;
use codecairn_walk::{RuleOptions, Rules, read_source, walk};
use rayon::prelude::*;
use tree_sitter::Parser;

thread_local! {
    static PARSERS: RefCell<HashMap<&'static str, Parser>> = RefCell::default();
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = PathBuf::from(std::env::args_os().nth(1).ok_or("which folder?")?);
    let rules = Rules::new(&root, &RuleOptions::default())?;
    let found = walk(&root, &rules, &CancelToken::default())?;
    let texts: Vec<(&'static str, String)> = found
        .files
        .par_iter()
        .filter_map(|file| read_source(&root, &file.path).ok())
        .filter_map(|source| Some((source.language.grammar?, source.text)))
        .collect();
    let bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
    let (started, before_s) = (Instant::now(), processor_s());
    let trees: usize = texts.par_iter().filter(|(grammar, text)| parse(grammar, text)).count();
    let seconds = started.elapsed().as_secs_f64();
    let processor_s = processor_s() - before_s;
    println!(
        "{{\"files\": {trees}, \"bytes\": {bytes}, \"seconds\": {seconds:.3}, \"processor_s\": {processor_s:.3}}}"
    );
    Ok(())
}

/// Processor time of this process so far, in seconds; 0 where the system does not tell it in a file.
fn processor_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<f64> =
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().filter_map(|field| field.parse().ok()).collect();
    // Behind the name and the state come numbers; those of user and system are the eleventh and twelfth, in hundredths.
    fields.get(10..12).map_or(0.0, |ticks| ticks.iter().sum::<f64>() / 100.0)
}

fn parse(id: &'static str, text: &str) -> bool {
    PARSERS.with_borrow_mut(|parsers| {
        let parser = parsers.entry(id).or_insert_with(|| {
            let mut parser = Parser::new();
            let grammar = codecairn_grammars::grammar(id).expect("a language's grammar is compiled in");
            parser.set_language(&grammar.into()).expect("the runtime takes every grammar");
            parser
        });
        parser.parse(text, None).is_some()
    })
}
