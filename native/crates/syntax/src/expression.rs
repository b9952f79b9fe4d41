//! Reduces expressions and types to the names that they use: short, and enough to determine a type.

use std::iter::Peekable;
use std::str::CharIndices;

/// The longest type kept, in bytes; of a longer one only its existence is kept.
const LONGEST: usize = 80;

/// The longest expression kept, in bytes: chains of calls are longer than types.
const LONGEST_EXPRESSION: usize = 240;

/// The functions of C++ that give an object of their first type argument, or a pointer to one.
const CASTS: [&str; 9] = [
    "const_cast",
    "dynamic_cast",
    "dynamic_pointer_cast",
    "make_shared",
    "make_unique",
    "reinterpret_cast",
    "reinterpret_pointer_cast",
    "static_cast",
    "static_pointer_cast",
];

/// Brackets around brackets, deeper than this, are no grouping that is looked into.
const MAX_GROUPS: usize = 4;

/// How far a bracket's partner is looked for, in bytes: further away, an expression is too long in any case.
const FARTHEST: usize = 16 << 10;

/// Stands for what is too long to be kept.
pub(crate) const LONG: &str = "…";

/// An expression without the arguments of its calls, what its brackets hold, and blanks:
/// `client.get(url, 3)\n  .body[0]` becomes `client.get().body[]`. Brackets that only group are left out, `(new Foo()).get` is
/// `new Foo().get`, and a cast is an object of its type: `((Foo) it).get` and `(it as Foo).get` are `new Foo().get`.
pub(super) fn reduced(text: &str) -> String {
    reduced_group(text, MAX_GROUPS)
}

fn reduced_group(text: &str, groups: usize) -> String {
    let mut out = String::new();
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        let mut taken = first.len_utf8();
        match first {
            '(' if groups > 0 && out.chars().all(|char| "&*!".contains(char)) => {
                taken = enclosed(rest);
                let inner = rest[1..taken].strip_suffix(')').unwrap_or_default().trim();
                match cast(inner) {
                    Some(name) => {
                        out.push_str("new ");
                        out.push_str(name);
                        out.push_str("()");
                    }
                    None if inner.is_empty() => out.push_str("()"),
                    None => out.push_str(&reduced_group(inner, groups - 1)),
                }
            }
            '(' | '[' | '{' => {
                out.push(first);
                out.push(partner(first));
                taken = enclosed(rest);
            }
            '"' | '\'' | '`' => match string(rest) {
                Some(length) => {
                    out.push_str("\"\"");
                    taken = length;
                }
                None => out.push(first),
            },
            '<' => match type_arguments(rest) {
                Some(length) => {
                    taken = length;
                    make_cast(&mut out, &rest[1..length - 1]);
                    // `Vec::<u8>::new` has a second `::` behind.
                    if out.ends_with("::") {
                        out.truncate(out.len() - 2);
                    }
                }
                None => out.push(first),
            },
            '/' | '#' if let Some(length) = comment_in_chain(rest) => taken = length,
            _ if first.is_whitespace() => {
                taken = rest.len() - rest.trim_start().len();
                if out.ends_with(is_word) && rest.trim_start().starts_with(is_word) {
                    out.push(' ');
                }
            }
            _ => out.push(first),
        }
        if out.len() > LONGEST_EXPRESSION {
            return LONG.to_owned();
        }
        rest = &rest[taken.min(rest.len())..];
    }
    out
}

/// The length of a comment at the start of a text, if a chain of calls goes on behind it.
fn comment_in_chain(text: &str) -> Option<usize> {
    let mut length = 0;
    loop {
        let rest = &text[length..];
        length += match () {
            () if rest.starts_with("//") || rest.starts_with("# ") => rest.find('\n')? + 1,
            () if rest.starts_with("/*") => rest.find("*/")? + 2,
            () => break,
        };
        length += text[length..].len() - text[length..].trim_start().len();
    }
    let goes_on = [".", "?.", "->", "::"].iter().any(|sign| text[length..].starts_with(sign));
    (length > 0 && goes_on).then_some(length)
}

/// The name of the type that an expression is cast to: `Foo` of `(Foo<Bar>) it` and of `it as Foo`.
fn cast(expression: &str) -> Option<&str> {
    let written = if let Some((_, written)) = expression.rsplit_once(" as ") {
        written
    } else {
        let end = expression.strip_prefix('(')?.find(')')? + 1;
        let operand = expression[end + 1..].trim_start();
        let is_operand = operand.starts_with(|first: char| is_word(first) || "$&".contains(first));
        is_operand.then_some(&expression[1..end])?
    };
    let name = written.trim().trim_end_matches(['*', ' ']);
    let name = match name.find('<') {
        Some(at) if type_arguments(&name[at..]) == Some(name.len() - at) => &name[..at],
        Some(_) => return None,
        None => name,
    };
    let is_name = name.starts_with(|first: char| first.is_alphabetic() || "_$\\".contains(first))
        && name.chars().all(|char| is_word(char) || ".:$\\".contains(char));
    is_name.then_some(name)
}

/// Takes a function of C++ that casts to its argument, or makes an object of it, for `new`: `static_cast<Foo *>(it)` is
/// `new Foo()`.
fn make_cast(out: &mut String, argument: &str) {
    let Some(word) = CASTS.iter().find(|word| out.ends_with(**word)) else { return };
    let before = out[..out.len() - word.len()].trim_end_matches("std::");
    let argument = argument.trim().trim_start_matches("const ").trim_end_matches(['*', '&', ' ']);
    let name = argument.split_once('<').map_or(argument, |(name, _)| name);
    let is_name = name.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && name.chars().all(|char| is_word(char) || char == ':');
    if is_name && before.chars().all(|char| "&*!".contains(char)) {
        out.truncate(before.len());
        out.push_str("new ");
        out.push_str(name);
    }
}

/// A type as written, in one line.
pub(super) fn reduced_type(text: &str) -> String {
    let text = text.trim().trim_start_matches(':').trim_start();
    let mut out = String::new();
    for part in text.split_whitespace() {
        if out.ends_with(is_word) && part.starts_with(is_word) {
            out.push(' ');
        }
        out.push_str(part);
        if out.len() > LONGEST {
            return LONG.to_owned();
        }
    }
    out
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

fn partner(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        _ => '}',
    }
}

/// The length of a text up to the partner of the bracket that it begins with; all of it if there is none.
fn enclosed(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut chars = text.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        match char {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            '"' | '\'' | '`' => {
                if let Some(length) = string(&text[at..]) {
                    skip_to(&mut chars, at + length);
                }
            }
            _ => {}
        }
        if at > FARTHEST {
            break;
        }
    }
    text.len()
}

fn skip_to(chars: &mut Peekable<CharIndices<'_>>, end: usize) {
    while chars.next_if(|(at, _)| *at < end).is_some() {}
}

/// The length of the string that a text begins with. None if the quote ends nothing on its line: a lifetime, an
/// apostrophe in a comment.
fn string(text: &str) -> Option<usize> {
    let quote = text.chars().next()?;
    let mut escaped = false;
    for (at, char) in text.char_indices().skip(1) {
        match char {
            '\n' if quote != '`' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if char == quote => return Some(at + char.len_utf8()),
            _ if at > FARTHEST => return None,
            _ => {}
        }
    }
    None
}

/// The length of the type arguments that a text begins with; none if it is a comparison.
fn type_arguments(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, char) in text.char_indices() {
        match char {
            '<' => depth += 1,
            '>' => {
                depth -= 1;
                if depth == 0 {
                    let behind = text[at + 1..].trim_start();
                    let goes_on = behind.is_empty() || behind.starts_with(['(', '.', ':', '{', '[', '?', '!']);
                    return goes_on.then_some(at + 1);
                }
            }
            _ if is_word(char) || char.is_whitespace() || ",:&[].?*'|".contains(char) => {}
            _ => return None,
        }
        if at > LONGEST_EXPRESSION {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn comments_in_a_chain_are_left_out() {
        for (text, expected) in [
            ("a()\n  // first\n  .b() /* c */\n  // second\n  // third\n  .d()", "a().b().d()"),
            ("(\n  query\n  # first\n  .b\n)", "query.b"),
            ("this.#a", "this.#a"),
            ("a // b", "a//b"),
        ] {
            assert_eq!(reduced(text), expected);
        }
    }

    #[test]
    fn expressions_keep_the_names_that_they_ask() {
        let cases = [
            ("self.client", "self.client"),
            ("client.get(url, f(3))\n    .body[0]", "client.get().body[]"),
            ("new Map<string, Foo>(a)", "new Map()"),
            ("Vec::<u8>::new()", "Vec::new()"),
            ("&Server{Addr: \"}\"}", "&Server{}"),
            ("await  this.load('a)b')", "await this.load()"),
            ("\"a b\"", "\"\""),
            ("static_cast<const ns::Foo<A> *>(it)", "new ns::Foo()"),
            ("std::make_unique<Foo>(1, 2)", "new Foo()"),
            ("*dynamic_cast<Foo &>(it)", "*new Foo()"),
            ("it.static_cast<Foo>()", "it.static_cast()"),
            ("a < b", "a<b"),
            ("x.f('", "x.f()"),
            ("(new Foo(1)).get", "new Foo().get"),
            ("((a)).b", "a.b"),
            ("(*shared).b", "*shared.b"),
            ("(a || b).c", "a||b.c"),
            ("(a, b)", "a,b"),
            ("()", "()"),
            ("((Foo<Bar>) it).b", "new Foo().b"),
            ("((ns::Foo *) it)->b", "new ns::Foo()->b"),
            ("(it as unknown as ns.Foo<A>).b", "new ns.Foo().b"),
            ("(it as A | B).b", "it as A|B.b"),
            ("((f)(x)).b", "f().b"),
            ("((a) => a)(1)", "a=>a()"),
        ];
        for (text, expected) in cases {
            assert_eq!(reduced(text), expected, "{text}");
        }
        assert_eq!(reduced(&"a.b".repeat(100)), LONG);
    }

    #[test]
    fn types_are_put_on_one_line() {
        assert_eq!(reduced_type(": Map<string,\n   Foo>"), "Map<string,Foo>");
        assert_eq!(reduced_type("&'a mut dyn Trait"), "&'a mut dyn Trait");
    }

    proptest! {
        #[test]
        fn any_text_is_reduced(text: String) {
            prop_assert!(reduced(&text).len() <= LONGEST_EXPRESSION + 4);
            prop_assert!(reduced_type(&text).len() <= LONGEST + 4);
        }
    }
}
