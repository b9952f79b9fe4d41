//! Whatever the text: chunks are ordered, disjoint and cover every line that is not blank, and symbols, references and
//! comments lie inside the text.

#![no_main]

use std::cell::RefCell;
use std::sync::Arc;

use codecairn_syntax::chunk::{Extraction, Extractor};
use codecairn_syntax::language;
use codecairn_base::span::ByteSpan;
use codecairn_fuzz::MachineClock;
use libfuzzer_sys::fuzz_target;

thread_local! {
    static EXTRACTOR: RefCell<Extractor> = RefCell::new(Extractor::with_clock(Arc::new(MachineClock)));
}

fuzz_target!(|data: &[u8]| {
    let Some((grammar, text)) = codecairn_fuzz::grammar_and_text(data) else { return };
    let language = language::all().iter().find(|language| language.grammar == Some(grammar.id));
    let language = language.unwrap_or_else(language::fallback);
    let extraction = EXTRACTOR.with_borrow_mut(|extractor| extractor.extract(&text, language));
    check(&text, &extraction);
});

fn check(text: &str, extraction: &Extraction) {
    let mut end = 0;
    for chunk in &extraction.chunks {
        let span = chunk.span.range();
        assert!(end <= span.start && span.start < span.end, "{span:?} begins before {end}");
        assert!(text[end..span.start].trim().is_empty(), "nothing covers {:?}", &text[end..span.start]);
        assert!(text.get(span.clone()).is_some_and(|text| !text.trim().is_empty()), "{span:?} is blank");
        for symbol in &chunk.symbols {
            let name = extraction.syntax.symbols[*symbol as usize].name_span.range();
            assert!(span.contains(&name.start), "a symbol of {span:?} is named at {name:?}");
        }
        end = span.end;
    }
    assert!(text[end..].trim().is_empty(), "nothing covers {:?}", &text[end..]);
    let inside = |span: ByteSpan| assert!(text.get(span.range()).is_some(), "{span:?} is not in the text");
    for symbol in &extraction.syntax.symbols {
        inside(symbol.span);
        inside(symbol.name_span);
    }
    extraction.syntax.references.iter().for_each(|reference| inside(reference.span));
    extraction.syntax.imports.iter().for_each(|import| inside(import.span));
    extraction.syntax.comments.iter().for_each(|comment| inside(*comment));
}
