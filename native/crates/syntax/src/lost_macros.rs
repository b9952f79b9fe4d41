//! Finds the macros that C and C++ define where the grammar can't read what is around them. A directive is a line of its own
//! before anything else is, so it needs no grammar.

use std::collections::HashSet;

use codecairn_base::span::ByteSpan;

use super::c_tokens::{directive_end, is_line_start};
use super::class_macros::is_part;
use super::record::{Binding, Evidence, Symbol, Syntax};
use crate::kind::Kind;

/// What the macros with parameters are bound to, as those that the grammar reads.
const DEFINE: &str = "#define";

/// Adds the macros that are not among the symbols of a text. Linear in the text, but for sorting.
pub(crate) fn add_lost_macros(syntax: &mut Syntax, text: &str) {
    let known: HashSet<u32> = syntax.symbols.iter().map(|symbol| symbol.name_span.start).collect();
    let is_lost = |symbol: &Symbol| {
        let next = syntax.comments.partition_point(|comment| comment.start <= symbol.span.start);
        let is_comment = next.checked_sub(1).is_some_and(|last| symbol.span.start < syntax.comments[last].end);
        !is_comment && !known.contains(&symbol.name_span.start)
    };
    let lost: Vec<Symbol> = defined_macros(text).into_iter().filter(is_lost).collect();
    if lost.is_empty() {
        return;
    }
    for macro_ in lost.iter().filter(|symbol| symbol.kind == Kind::Function) {
        let (name, span) = (macro_.name.clone(), macro_.name_span);
        syntax.bindings.push(Binding { name, evidence: Evidence::Returns, text: DEFINE.to_owned(), span });
    }
    syntax.bindings.sort_by_key(|binding| binding.span.start);
    syntax.symbols.extend(lost);
    // Stable, so that symbols of one place keep their order.
    syntax.symbols.sort_by_key(|symbol| symbol.span.start);
}

/// The macros with parameters or with a value, in order of position.
fn defined_macros(text: &str) -> Vec<Symbol> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find('#').map(|from| at + from) {
        at = start + 1;
        if !is_line_start(text.as_bytes(), start) {
            continue;
        }
        let end = directive_end(text.as_bytes(), start);
        at = end;
        let line = &text[start..end];
        let inner = line[1..].trim_start_matches([' ', '\t']);
        let Some(rest) = inner.strip_prefix("define").filter(|rest| rest.starts_with([' ', '\t'])) else { continue };
        let rest = rest.trim_start();
        let length = rest.find(|char| !is_part(char)).unwrap_or(rest.len());
        let (name, value) = rest.split_at(length);
        let has_parameters = value.starts_with('(');
        if name.is_empty() || !has_parameters && value.trim().is_empty() {
            continue;
        }
        let from = end - rest.len();
        let kind = if has_parameters { Kind::Function } else { Kind::Constant };
        let (span, name_span) = (ByteSpan::new(start, end), ByteSpan::new(from, from + length));
        found.push(Symbol { name: name.to_owned(), qualified_name: name.to_owned(), kind, span, name_span });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_lines() {
        let text = "#define A 1\n  #  define B(c) \\\n  (c)\n#define C\nint d; # define E 2\n#define F";
        let found = defined_macros(text);
        let shown: Vec<_> = found.iter().map(|each| (&each.name[..], each.kind, &text[each.span.range()])).collect();
        assert_eq!(shown, [("A", Kind::Constant, "#define A 1"), ("B", Kind::Function, "#  define B(c) \\\n  (c)")]);
        assert!(found.iter().all(|each| text[each.name_span.range()] == each.name));
    }
}
