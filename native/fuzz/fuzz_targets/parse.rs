//! No text makes a grammar crash, loop, or give a tree that does not fit the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tree_sitter::Parser;

fuzz_target!(|data: &[u8]| {
    let Some((grammar, text)) = codecairn_fuzz::grammar_and_text(data) else { return };
    // As the engine does: at least Perl's scanner loops for ever in a comment that no line break ends.
    let text = format!("{text}\n");
    let mut parser = Parser::new();
    parser.set_language(&grammar.language.into()).expect("the runtime accepts every grammar");
    let tree = parser.parse(text.as_bytes(), None).expect("nothing cancels");
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
