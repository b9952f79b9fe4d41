//! No text makes a grammar crash, go on past its time, or give a tree that does not fit the text.

#![no_main]

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use libfuzzer_sys::fuzz_target;
use tree_sitter::{ParseOptions, ParseState, Parser};

/// How long a parser may go on.
const MAX_PARSE: Duration = Duration::from_secs(3);

fuzz_target!(|data: &[u8]| {
    let Some((grammar, text)) = codecairn_fuzz::grammar_and_text(data) else { return };
    // As the engine does: at least Perl's scanner loops for ever in a comment that no line break ends.
    let text = format!("{text}\n");
    let mut parser = Parser::new();
    parser.set_language(&grammar.language.into()).expect("the runtime accepts every grammar");
    let started = Instant::now();
    let mut progress = |_: &ParseState| {
        if started.elapsed() < MAX_PARSE { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |at: usize, _| &text.as_bytes()[at.min(text.len())..];
    let Some(tree) = parser.parse_with_options(&mut read, None, Some(options)) else { return };
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        assert!(node.end_byte() <= text.len(), "{} ends at {}", node.kind(), node.end_byte());
        if cursor.goto_first_child() || cursor.goto_next_sibling() {
            continue;
        }
        while cursor.goto_parent() {
            if cursor.goto_next_sibling() {
                break;
            }
        }
        if cursor.depth() == 0 {
            return;
        }
    }
});
