//! Extracts one text made of a repeated pattern, as an index run does, and prints what that took.
//!
//!     cargo run --release --example bombs -- LANGUAGE PREFIX PATTERN BYTES
//!     cargo run --release --example bombs
//!
//! The first prints a line of JSON: seconds of wall and of processor time, and what came out. A case that ends the process
//! prints nothing, so `benches/parsing` gives each a process of its own. The second lists one language for each grammar.

#![allow(clippy::disallowed_methods, reason = "it measures time")]
#![allow(clippy::print_stdout, reason = "its output is what it is for")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use codecairn_base::clock::Clock;
use codecairn_syntax::chunk::Extractor;
use codecairn_syntax::language;
use cpu_time::ThreadTime;
use serde_json::json;

struct SystemClock;

impl Clock for SystemClock {
    fn now_ns(&self) -> i64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i64)
    }

    fn thread_ns(&self) -> i64 {
        ThreadTime::now().as_duration().as_nanos() as i64
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [] => list(),
        [id, prefix, pattern, bytes] => extract(id, prefix, pattern, bytes.parse()?)?,
        _ => return Err("which language, prefix, pattern and size?".into()),
    }
    Ok(())
}

fn list() {
    let mut grammars = BTreeSet::new();
    for language in language::all() {
        if language
            .grammar
            .is_some_and(|grammar| codecairn_grammars::grammar(grammar).is_some() && grammars.insert(grammar))
        {
            println!("{}", language.id);
        }
    }
}

fn extract(id: &str, prefix: &str, pattern: &str, bytes: usize) -> Result<(), Box<dyn std::error::Error>> {
    let language = language::by_id(id).ok_or("no such language")?;
    let text = format!("{prefix}{}", pattern.repeat(bytes / pattern.len()));
    let started = Instant::now();
    let extraction = Extractor::with_clock(Arc::new(SystemClock)).extract(&text, language);
    let (seconds, processor_s) = (started.elapsed().as_secs_f64(), ThreadTime::now().as_duration().as_secs_f64());
    let outcome =
        extraction.failure.map_or_else(|| "parsed".to_owned(), |failure| format!("{failure:?}").to_lowercase());
    println!(
        "{}",
        json!({
            "seconds": seconds,
            "processor_s": processor_s,
            "chunks": extraction.chunks.len(),
            "symbols": extraction.syntax.symbols.len(),
            "outcome": outcome,
        })
    );
    Ok(())
}
