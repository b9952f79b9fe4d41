//! Parses receivers and types: `self.pool.get().client` has four steps, one of which is a call.

/// One step of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a mark that is written behind or before the name")]
pub(super) struct Step<'t> {
    pub(super) name: &'t str,
    pub(super) is_call: bool,
    /// `Foo{…}`: a value of the type.
    pub(super) is_literal: bool,
    pub(super) is_indexed: bool,
    /// Whether it is a member of what a pointer points to: `it->name`.
    pub(super) is_pointed_to: bool,
}

/// An expression as steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Steps<'t> {
    /// Whether it follows `new`.
    pub(super) is_new: bool,
    /// Whether the first step is the scope of the second: `foo::…`.
    pub(super) is_scoped: bool,
    pub(super) list: Vec<Step<'t>>,
}

impl Steps<'_> {
    /// Whether a step makes an instance: of what follows `new`, the first call, else the last name.
    pub(super) fn makes(&self, number: usize) -> bool {
        self.is_new && number == self.list.iter().position(|step| step.is_call).unwrap_or(self.list.len() - 1)
    }
}

/// The steps of a reduced expression; none if it is anything else than names one after the other.
pub(super) fn steps(text: &str) -> Option<Steps<'_>> {
    let mut text = text.trim_matches([' ', '?', '!']);
    let mut is_new = false;
    loop {
        let before = text;
        text = text.trim_start_matches(['&', '*', '!', '@', '$', ':', '^', '-', '+', '\\']).trim_start();
        for word in ["await ", "mut ", "new ", "try ", "ref ", "move ", "yield ", "global::"] {
            if let Some(rest) = text.strip_prefix(word) {
                is_new |= word == "new ";
                text = rest.trim_start();
            }
        }
        if before == text {
            break;
        }
    }
    let (mut list, mut is_scoped) = (Vec::new(), false);
    let (mut rest, mut is_pointed_to) = (text, false);
    while !rest.is_empty() {
        rest = rest.trim_start_matches(['$', '@']);
        let end = rest.find(|char: char| !(char.is_alphanumeric() || "_$#".contains(char))).unwrap_or(rest.len());
        if end == 0 {
            return None;
        }
        let mut step = Step { name: &rest[..end], is_call: false, is_literal: false, is_indexed: false, is_pointed_to };
        rest = &rest[end..];
        loop {
            rest = rest.trim_start_matches(['?', '!']);
            if let Some(after) = rest.strip_prefix("()") {
                step.is_call = true;
                rest = after;
            } else if let Some(after) = rest.strip_prefix("[]") {
                step.is_indexed = true;
                rest = after;
            } else if let Some(after) = rest.strip_prefix("{}") {
                // Behind a call it is a closure.
                step.is_literal = !step.is_call;
                rest = after;
            } else {
                break;
            }
        }
        is_scoped |= list.is_empty() && rest.starts_with("::");
        list.push(step);
        is_pointed_to = rest.starts_with("->");
        rest = match () {
            () if rest.is_empty() => rest,
            () if rest.starts_with("::") || rest.starts_with("->") => &rest[2..],
            () if rest.starts_with(['.', ':', '\\']) => &rest[1..],
            () => return None,
        };
        // Rust's `.await`.
        rest = rest.strip_prefix("await.").unwrap_or(if rest == "await" { "" } else { rest });
    }
    (!list.is_empty()).then_some(Steps { is_new, is_scoped, list })
}

/// A type as written, taken apart: its name with scopes, and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TypeName<'t> {
    pub(super) head: &'t str,
    pub(super) arguments: Vec<&'t str>,
    /// Whether it is an array of its head: `Foo[]`, `[]Foo`.
    pub(super) is_list: bool,
}

/// The parts of a reduced type; of a choice with nothing (`Foo | None`), the other one.
pub(super) fn type_name(text: &str) -> Option<TypeName<'_>> {
    let mut text = text.trim_matches(['"', '\'', ' ', '?', '!']);
    let mut is_list = false;
    loop {
        let before = text;
        text = text.trim_start_matches(['&', '*', ' ', '\\', '@']).trim_end_matches(['&', '*', ' ', '?', '!']);
        if let Some(rest) = text.strip_prefix('\'') {
            text = rest.split_once(' ').map_or("", |(_, rest)| rest);
        }
        for word in [
            "mut ",
            "const ",
            "dyn ",
            "impl ",
            "readonly ",
            "final ",
            "struct ",
            "class ",
            "enum ",
            "typename ",
            "static ",
            "volatile ",
            "unsigned ",
            "ref ",
            "out ",
            "in ",
            "inline ",
            "virtual ",
            "any ",
            "some ",
            "inout ",
            "async ",
        ] {
            text = text.strip_prefix(word).unwrap_or(text);
        }
        if let Some(rest) = text.strip_prefix("[]").or_else(|| text.strip_suffix("[]")) {
            (text, is_list) = (rest, true);
        }
        if let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            // Of several results, the first one.
            text = parts(inner, ',').into_iter().next().unwrap_or_default();
            text = without_result_name(text);
        }
        if let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            // Rust's slices and arrays, Swift's arrays and dictionaries.
            let inner = inner.split_once(';').map_or(inner, |(element, _)| element);
            (text, is_list) = (inner.rsplit_once(':').map_or(inner, |(_, value)| value), true);
        }
        if let Some(rest) = text.strip_prefix("map[") {
            (text, is_list) = (rest.split_once(']').map_or("", |(_, value)| value), true);
        }
        let choices = parts(text, '|');
        if choices.len() > 1 {
            let nothing = ["None", "null", "undefined", "nil", "void", "false"];
            let mut left = choices.into_iter().filter(|choice| !nothing.contains(choice));
            text = left.next()?;
            if left.next().is_some() {
                return None;
            }
        }
        // Of several bounds the first is the trait with methods.
        text = parts(text, '+').into_iter().next().unwrap_or_default();
        if before == text {
            break;
        }
    }
    let open = text.find(['<', '[']);
    let (head, arguments) = match open {
        Some(at) if text.ends_with(['>', ']']) => (&text[..at], parts(&text[at + 1..text.len() - 1], ',')),
        Some(_) => return None,
        None => (text, Vec::new()),
    };
    let head = head.trim().trim_end_matches("::");
    let is_name = !head.is_empty() && head.chars().all(|char| char.is_alphanumeric() || "_.:\\$".contains(char));
    is_name.then_some(TypeName { head, arguments, is_list })
}

/// A result of several without its name, which Go may give it: `found *Foo`, which a reduced type has without the space.
pub(super) fn without_result_name(text: &str) -> &str {
    if let Some((_, last)) = text.rsplit_once(' ') {
        return last;
    }
    let end = text.find(|char: char| !(char.is_alphanumeric() || char == '_')).unwrap_or(text.len());
    let rest = &text[end..];
    let is_type = |rest: &str| rest.starts_with(|char: char| char.is_alphabetic() || char == '*');
    let is_named = rest.strip_prefix('*').or_else(|| rest.strip_prefix("[]")).is_some_and(is_type);
    if end > 0 && is_named { rest } else { text }
}

/// A text split at a character outside of brackets.
pub(super) fn parts(text: &str, sign: char) -> Vec<&str> {
    let (mut depth, mut start, mut list) = (0_i32, 0, Vec::new());
    for (at, char) in text.char_indices() {
        match char {
            '<' | '[' | '(' | '{' => depth += 1,
            '>' | ']' | ')' | '}' => depth -= 1,
            _ if char == sign && depth == 0 => {
                list.push(text[start..at].trim());
                start = at + char.len_utf8();
            }
            _ => {}
        }
    }
    list.push(text[start..].trim());
    list
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> Option<String> {
        let steps = steps(text)?;
        let mut out = String::from(if steps.is_new { "new " } else { "" });
        for step in steps.list {
            out.push_str(step.name);
            out.push_str(if step.is_call { "()" } else { "" });
            out.push_str(if step.is_literal { "{}" } else { "" });
            out.push_str(if step.is_indexed { "[]" } else { "" });
            out.push(' ');
        }
        Some(out.trim_end().to_owned())
    }

    #[test]
    fn expressions_are_taken_apart() {
        for (text, expected) in [
            ("self.pool.get().client", Some("self pool get() client")),
            ("&Server{}", Some("Server{}")),
            ("new Map()", Some("new Map()")),
            ("await this?.load()", Some("this load()")),
            ("$this->client", Some("this client")),
            ("Foo::Bar", Some("Foo Bar")),
            ("x.await", Some("x")),
            ("items[].name", Some("items[] name")),
            ("a<b", None),
            ("()", None),
            ("…", None),
        ] {
            assert_eq!(shown(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn types_are_taken_apart() {
        for (text, head, arguments, is_list) in [
            ("&'a mut dyn Trait+Send", "Trait", vec![], false),
            ("Optional[Foo]", "Optional", vec!["Foo"], false),
            ("Foo|None", "Foo", vec![], false),
            ("HashMap<String,Vec<Foo>>", "HashMap", vec!["String", "Vec<Foo>"], false),
            ("[]*pkg.Foo", "pkg.Foo", vec![], true),
            ("(*Foo,error)", "Foo", vec![], false),
            ("(found*Foo,err error)", "Foo", vec![], false),
            ("(found[]*Foo,err error)", "Foo", vec![], true),
            ("(Foo[],error)", "Foo", vec![], true),
            ("Foo[]", "Foo", vec![], true),
            ("map[string]Foo", "Foo", vec![], true),
            ("std::vector<Foo>", "std::vector", vec!["Foo"], false),
        ] {
            let found = type_name(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((found.head, found.arguments, found.is_list), (head, arguments, is_list), "{text}");
        }
        assert_eq!(type_name("A|B"), None);
        assert_eq!(type_name("(a)=>b"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_taken_apart_or_refused(text in "[a-z<>()\\[\\]{}.:|&*' ,]{0,40}") {
            let _ = steps(&text);
            let _ = type_name(&text);
        }
    }
}
