//! Every compiled grammar has queries, and both our engine and tree-sitter's own accept them.

use codecairn_syntax::{check_queries, query_files, query_text};

#[test]
fn every_grammar_has_queries_that_compile() {
    let mut failures = Vec::new();
    for grammar in codecairn_grammars::all() {
        let language = tree_sitter::Language::from(grammar.language);
        let Some(text) = query_text(grammar.id) else {
            failures.push(format!("{}: no queries", grammar.id));
            continue;
        };
        if let Err(error) = tree_sitter::Query::new(&language, &text) {
            failures.push(format!("{}: tree-sitter: {error}", grammar.id));
        }
        if let Err(error) = check_queries(grammar.id) {
            failures.push(format!("{}: {error}", grammar.id));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_query_belongs_to_a_grammar() {
    for file in query_files() {
        assert!(codecairn_grammars::grammar(file.grammar).is_some(), "no grammar `{}`", file.grammar);
    }
}
