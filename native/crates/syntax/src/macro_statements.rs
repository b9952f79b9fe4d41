//! Finds the macros that take the place of a statement or of a part of a declaration in C++, and that end without a
//! semicolon: `API_DEFINE(Error)` in a class, `API_RESULT(int) length();` before a function.
//!
//! A macro may stand for any tokens, so the grammar can't read what follows its closing bracket. In a function a
//! semicolon completes the statement; anywhere else the macro is blanked, but for the type in its brackets. The text is
//! read once, token by token, with a stack of its braces.

use std::borrow::Cow;

use codecairn_base::span::ByteSpan;

use super::c_tokens::{
    arguments_end, directive_end, is_before_else, is_line_start, line_end, next_token, parameters_end, quoted,
    raw_string_end, skipped, word_end,
};
use super::class_macros::{is_macro, is_part};

/// The longest branches, in bytes, that are left out beside the first one.
const MAX_BRANCHES: usize = 4000;

/// Conditions in each other, deeper than this, are read as the grammar reads them.
const MAX_CONDITIONS: usize = 64;

/// The words that may go between the last statement and a declaration.
const SPECIFIERS: [&str; 8] = ["constexpr", "explicit", "extern", "friend", "inline", "static", "virtual", "volatile"];

/// The words before a brace that holds declarations, and before one that holds members.
const NAMESPACES: [&str; 2] = ["extern", "namespace"];
const TYPES: [&str; 3] = ["class", "struct", "union"];

/// The words of types that are no part of an expression.
const TYPE_WORDS: [&str; 10] =
    ["bool", "char", "class", "const", "double", "float", "int", "typename", "unsigned", "void"];

/// The words before brackets that are no parameters.
const ATTRIBUTES: [&str; 3] = ["__attribute__", "__declspec", "alignas"];

/// The macros of one text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MacroStatements {
    /// What is blanked, in order of position.
    blanks: Vec<(usize, usize)>,
    /// The blanks and ends of lines that become semicolons.
    ends: Vec<usize>,
    /// The words that take the place of blanks.
    words: Vec<(usize, &'static str)>,
    /// The names of the macros that are blanked.
    pub(super) names: Vec<ByteSpan>,
}

impl MacroStatements {
    /// The text with blanks and semicolons in their places, so that all else keeps its own.
    pub(super) fn completed<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.blanks.is_empty() && self.ends.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut bytes = text.as_bytes().to_vec();
        for &end in &self.ends {
            bytes[end] = b';';
        }
        for &(start, end) in &self.blanks {
            for byte in &mut bytes[start..end] {
                // Lines stay lines.
                if *byte != b'\n' {
                    *byte = b' ';
                }
            }
        }
        for &(start, word) in &self.words {
            bytes[start..start + word.len()].copy_from_slice(word.as_bytes());
        }
        // Whole characters are blanked, and a semicolon replaces a blank.
        String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
    }
}

/// The word for a result whose type is not written: an operator has to have one.
const ANY_RESULT: &str = "auto";

/// The word for a macro before a block with an alternative.
const CONDITION: &str = "if";

/// What a pair of braces holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    /// Declarations.
    Namespace,
    /// Members of a type.
    Type,
    /// Statements, or anything else.
    Other,
}

/// An open brace.
#[derive(Debug, Clone, Copy)]
struct Brace {
    content: Content,
    /// How many round brackets are open before it.
    brackets: usize,
}

/// An open condition of the preprocessor.
#[derive(Debug)]
struct Condition {
    /// The directive that opens it.
    opening: (usize, usize),
    /// Where its second branch begins, with its directive.
    second: Option<usize>,
    /// The braces that were open before it, and those that its first branch leaves open.
    before: Vec<Brace>,
    first: Option<Vec<Brace>>,
    brackets: usize,
    /// Whether a branch closes what is open before it, or leaves something open, or the condition is in round brackets.
    crosses: bool,
    /// Whether it begins in a statement or a declaration.
    is_inside: bool,
}

/// Reads a text token by token.
struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    /// The last byte of the last token.
    last: u8,
    /// The last token, if it is a word.
    word: &'t str,
    braces: Vec<Brace>,
    conditions: Vec<Condition>,
    brackets: usize,
    /// How many words came since the last statement.
    words: usize,
    /// What the words since the last statement announce; nothing if round brackets came.
    announced: Content,
    has_brackets: bool,
    found: MacroStatements,
}

/// The macros of a text. Linear in the text.
pub(super) fn macro_statements(text: &str) -> MacroStatements {
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        at: 0,
        last: b';',
        word: "",
        braces: Vec::new(),
        conditions: Vec::new(),
        brackets: 0,
        words: 0,
        announced: Content::Other,
        has_brackets: false,
        found: MacroStatements::default(),
    };
    while reader.at < reader.bytes.len() {
        reader.token();
    }
    reader.found
}

impl Reader<'_> {
    fn token(&mut self) {
        let start = self.at;
        if let Some(end) = skipped(self.bytes, start) {
            self.at = end;
            return;
        }
        let byte = self.bytes[start];
        if byte == b'#' && is_line_start(self.bytes, start) {
            self.directive();
            return;
        }
        if byte == b'_' || byte.is_ascii_alphanumeric() || !byte.is_ascii() {
            self.name();
            return;
        }
        if let Some(end) = quoted(self.bytes, start) {
            (self.at, self.last, self.word) = (end, byte, "");
            return;
        }
        self.at = start + 1;
        match byte {
            b'(' => {
                self.brackets += 1;
                self.has_brackets |= !ATTRIBUTES.contains(&self.word) && !is_macro(self.word);
            }
            b')' => self.brackets = self.brackets.saturating_sub(1),
            b'{' => {
                let is_scope = !self.has_brackets && self.last != b'=';
                let content = if is_scope { self.announced } else { Content::Other };
                self.braces.push(Brace { content, brackets: self.brackets });
                self.begin();
            }
            b'}' => {
                let brackets = self.braces.pop().map_or(0, |brace| brace.brackets);
                self.begin();
                self.brackets = brackets;
                let depth = self.braces.len();
                self.conditions.iter_mut().for_each(|open| open.crosses |= depth < open.before.len());
            }
            b';' if self.brackets == 0 => self.begin(),
            _ => {}
        }
        // Behind `public:` and `default:` something begins, behind `a ? b :` nothing does.
        let ends_label = byte == b':' && matches!(self.word, "public" | "protected" | "private" | "default" | "slots");
        (self.last, self.word) = (if ends_label { b';' } else { byte }, "");
    }

    /// Begins a statement.
    fn begin(&mut self) {
        (self.brackets, self.words, self.announced, self.has_brackets) = (0, 0, Content::Other, false);
    }

    fn directive(&mut self) {
        let (start, end) = (self.at, directive_end(self.bytes, self.at));
        self.at = end;
        let rest = self.text[start + 1..end].trim_start_matches([' ', '\t']);
        if rest.starts_with("if") && self.conditions.len() < MAX_CONDITIONS {
            self.conditions.push(Condition {
                opening: (start, end),
                second: None,
                before: self.braces.clone(),
                first: None,
                brackets: self.brackets,
                crosses: self.brackets > 0,
                is_inside: !matches!(self.last, b';' | b'{' | b'}') || self.text[..start].trim_end().ends_with('>'),
            });
        } else if rest.starts_with("el") {
            // The branches of a condition are alternatives.
            if let Some(open) = self.conditions.last_mut() {
                open.crosses |= self.braces.len() != open.before.len();
                open.second.get_or_insert(start);
                let ended = std::mem::replace(&mut self.braces, open.before.clone());
                open.first.get_or_insert(ended);
                self.brackets = open.brackets;
            }
        } else if rest.starts_with("endif")
            && let Some(closed) = self.conditions.pop()
        {
            self.close(closed, (start, end));
        }
    }

    /// Ends a condition. The grammar can't read one that crosses others, so its first branch is read without it.
    fn close(&mut self, closed: Condition, (start, end): (usize, usize)) {
        let crosses = closed.crosses
            || self.braces.len() != closed.before.len()
            || closed.is_inside && (closed.second.is_none() || self.is_in_scope());
        if let Some(first) = closed.first {
            (self.braces, self.brackets) = (first, closed.brackets);
        }
        let rest = closed.second.unwrap_or(start);
        if crosses && end - rest <= MAX_BRANCHES {
            self.found.blanks.extend([closed.opening, (rest, end)]);
        }
    }

    fn name(&mut self) {
        let start = self.at;
        let end = word_end(self.text, start);
        let word = &self.text[start..end];
        if self.bytes.get(end) == Some(&b'"')
            && word.ends_with('R')
            && let Some(close) = raw_string_end(self.text, end)
        {
            (self.at, self.last, self.word) = (close, b'"', "");
            return;
        }
        // What goes before a template may go before its parameters.
        if word == "template"
            && let Some(end) = parameters_end(self.bytes, end)
        {
            self.at = end;
            return;
        }
        if self.brackets == 0 && is_macro(word) && self.begins() {
            if let Some(end) = self.statement(start, end) {
                self.found.names.push(ByteSpan::new(start, start + word.len()));
                self.at = end;
                return;
            }
            // A macro alone on its line ends nothing.
            if is_line_start(self.bytes, start) && self.text[end..line_end(self.bytes, end)].trim().is_empty() {
                self.at = end;
                return;
            }
        }
        if self.brackets == 0
            && is_macro(word)
            && let Some(close) = self.suffix(end)
        {
            self.found.names.push(ByteSpan::new(start, end));
            self.found.blanks.push((start, close));
            self.at = close;
            return;
        }
        self.words += 1;
        match () {
            () if NAMESPACES.contains(&word) => self.announced = Content::Namespace,
            () if TYPES.contains(&word) && self.last != b'<' && self.last != b',' => self.announced = Content::Type,
            () => {}
        }
        (self.at, self.last, self.word) = (end, self.bytes[end - 1], word);
    }

    /// The end of a macro with arguments behind a member or the parameters of a function: `int size API_GUARDED(lock);`.
    fn suffix(&self, name_end: usize) -> Option<usize> {
        let is_behind_parameters =
            self.last == b')' || matches!(self.word, "const" | "final" | "noexcept" | "override");
        let is_behind_name = self.content() == Content::Type
            && self.words > 1
            && !self.has_brackets
            && !self.word.is_empty()
            && !SPECIFIERS.contains(&self.word);
        if !self.is_in_scope() || self.words == 0 || !(is_behind_parameters || is_behind_name) {
            return None;
        }
        let open = name_end + self.text[name_end..].len() - self.text[name_end..].trim_start_matches([' ', '\t']).len();
        let close = (self.bytes.get(open) == Some(&b'(')).then(|| arguments_end(self.bytes, open)).flatten()?;
        let next = next_token(self.bytes, close);
        matches!(self.bytes.get(next), Some(b';' | b'{' | b'=')).then_some(close)
    }

    /// Whether nothing goes before the next token but a statement or specifiers.
    fn begins(&self) -> bool {
        match self.word {
            "" => matches!(self.last, b';' | b'{' | b'}'),
            word => self.is_in_scope() && SPECIFIERS.contains(&word),
        }
    }

    fn content(&self) -> Content {
        self.braces.last().map_or(Content::Namespace, |brace| brace.content)
    }

    fn is_in_scope(&self) -> bool {
        self.content() != Content::Other
    }

    /// The end of a macro with arguments that is blanked. One that is completed goes on as any call does.
    fn statement(&mut self, start: usize, name_end: usize) -> Option<usize> {
        let open = name_end + self.text[name_end..].len() - self.text[name_end..].trim_start_matches([' ', '\t']).len();
        let close = (self.bytes.get(open) == Some(&b'(')).then(|| arguments_end(self.bytes, open)).flatten()?;
        let next = next_token(self.bytes, close);
        let rest = &self.text[next..];
        let is_word = rest.starts_with(|first: char| first.is_alphabetic() || first == '_');
        let arguments = self.text[open + 1..close - 1].trim();
        let is_blank = self.bytes.get(close).is_some_and(u8::is_ascii_whitespace);
        // Before a block, what has a string in it is no list of parameters.
        let is_before_block = rest.starts_with('{') && (!self.is_in_scope() || arguments.contains('"'));
        // Only an `if` has an `else`.
        if !self.is_in_scope() && rest.starts_with('{') && is_before_else(self.bytes, next) {
            self.found.names.push(ByteSpan::new(start, name_end));
            self.found.blanks.push((start, name_end));
            self.found.words.push((start, CONDITION));
            return None;
        }
        if !self.is_in_scope() || is_before_block {
            let ends_line = self.text[close..next].contains('\n') || rest.is_empty();
            let ends = ends_line && (is_word || rest.starts_with('}'));
            let is_before_directive = self.text[close..].trim_start().starts_with('#');
            if is_blank && !is_before_directive && (ends || is_before_block) {
                self.found.ends.push(close);
            }
            return None;
        }
        let is_between = is_word
            || rest.is_empty()
            || rest.starts_with(['}', '~', '*', '&'])
            || rest.starts_with("[[")
            || rest.starts_with("::");
        let is_unreadable = || {
            self.content() == Content::Type
                || arguments.split(|char| !is_part(char)).any(|word| TYPE_WORDS.contains(&word))
        };
        if !(is_between || rest.starts_with(';') && is_unreadable()) {
            return None;
        }
        // In a class, it is rather a constructor that follows on another line.
        let is_apart = self.content() == Content::Type && self.text[close..next].contains('\n');
        if !is_apart && is_result(rest, arguments) {
            self.found.blanks.push((start, open + 1));
            self.found.blanks.push((close - 1, close));
        } else {
            self.found.blanks.push((start, close));
            if rest.starts_with("operator") && close - start >= ANY_RESULT.len() {
                self.found.words.push((start, ANY_RESULT));
            }
        }
        Some(close)
    }
}

/// Whether the arguments of a macro are the type that what follows it returns: `API(const char *) name(int a);`.
fn is_result(next: &str, arguments: &str) -> bool {
    let declared = next.trim_start_matches(['*', '&', ' ']);
    let end = declared.find(|char| !is_part(char) && char != ':').unwrap_or(declared.len());
    let name = &declared[..end];
    let is_type = arguments.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && arguments.chars().all(|char| is_part(char) || " :<>*&".contains(char));
    is_type && !name.is_empty() && !is_macro(name) && name != arguments && declared[end..].trim_start().starts_with('(')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_are_blanked_or_completed() {
        for (text, expected) in [
            ("class A {\n  API_DEF(A, B)\n  int b;\n};", "class A {\n               \n  int b;\n};"),
            ("API_OFF(c++) // why\nclass A {};", "             // why\nclass A {};"),
            ("API_OFF(1)\nAPI_OFF(2)\n#if A\nint a;", "          \n          \n#if A\nint a;"),
            ("API(int) length();", "    int  length();"),
            ("API(const char *) A::name(int a) {", "    const char *  A::name(int a) {"),
            ("API(char) *name();", "    char  *name();"),
            ("API_IF((Is<A, B>), (C))\n  name(int a) {}", "                       \n  name(int a) {}"),
            ("extern API(int) length();", "extern     int  length();"),
            ("class A {\n  API_COPY(A)\n  A();\n};", "class A {\n             \n  A();\n};"),
            ("namespace a {\nAPI_OLD(\"b\") int c();\n}", "namespace a {\n             int c();\n}"),
            ("void f() {\n  CHECK(a)\n  b();\n}", "void f() {\n  CHECK(a);  b();\n}"),
            ("void f() {\n  CHECK(a)\n}", "void f() {\n  CHECK(a);}"),
            ("API_A(b, const char *);\nint c;", "                      ;\nint c;"),
            ("class A {\n  API_A(b);\n};", "class A {\n          ;\n};"),
            ("API_A\nAPI_B(c)\nint d;", "API_A\n        \nint d;"),
            ("template <class A = B<C>>\nAPI_IF((A)) D() {}", "template <class A = B<C>>\n            D() {}"),
            ("class A {\n  API_IF((B)) operator==(C) {}\n};", "class A {\n  auto        operator==(C) {}\n};"),
            ("CASE(\"a\") {\n}", "CASE(\"a\");{\n}"),
            ("void f() {\n  EACH(a) {\n  }\n}", "void f() {\n  EACH(a);{\n  }\n}"),
            ("void f() {\n  API_IF (a) {\n  } else {\n  }\n}", "void f() {\n  if     (a) {\n  } else {\n  }\n}"),
            (
                "#if A\nextern \"C\" {\n#endif\nint a;\n#if A\n}\n#endif",
                "     \nextern \"C\" {\n      \nint a;\n     \n}\n      ",
            ),
            ("#if A\nint f() {\n#else\nint g() {\n#endif\n}", "     \nint f() {\n     \n         \n      \n}"),
            ("f(a,\n#if A\n  b,\n#else\n  c,\n#endif\n  d);", "f(a,\n     \n  b,\n     \n    \n      \n  d);"),
            ("API(int)\nlength()\n{", "    int \nlength()\n{"),
            ("class A {\n  API_B(c)\n  D();\n};", "class A {\n          \n  D();\n};"),
            ("CHECK(a);\n#if A\nb();\n#endif", "CHECK(a);\n#if A\nb();\n#endif"),
            ("void f() {\n  CHECK(a)\n#if A\n  b();\n#endif\n}", "void f() {\n  CHECK(a)\n     \n  b();\n      \n}"),
            ("A::A():\n#if B\n  b(1),\n#endif\n  c(2) {}", "A::A():\n     \n  b(1),\n      \n  c(2) {}"),
            ("template <class A>\n#if B\nC(d)\n#endif\nint e();", "template <class A>\n     \nC(d)\n      \nint e();"),
            ("class A {\n  std::map<B, C> d API_BY(e);\n};", "class A {\n  std::map<B, C> d          ;\n};"),
            ("void f() API_FOR(a) { b(); }", "void f()            { b(); }"),
            ("class A {\n  void f() const API_FOR(a);\n};", "class A {\n  void f() const           ;\n};"),
            // What is read as it is.
            ("class A {\n  B API_C(d);\n};", "class A {\n  B API_C(d);\n};"),
            ("#if A\nint f() {\n}\n#else\nint f();\n#endif", "#if A\nint f() {\n}\n#else\nint f();\n#endif"),
            ("TEST(A, b) {\n  CHECK(a == 1);\n}", "TEST(A, b) {\n  CHECK(a == 1);\n}"),
            ("API_A(b);\nint c;", "API_A(b);\nint c;"),
            ("int a = MAX(b)\n  + c;", "int a = MAX(b)\n  + c;"),
            ("void f() {\n  a = b ? c :\n    MAX(d)\n    ;\n}", "void f() {\n  a = b ? c :\n    MAX(d)\n    ;\n}"),
            ("#define A(b) \\\n  B(b)\nint c;", "#define A(b) \\\n  B(b)\nint c;"),
            ("// API(a)\nint b;", "// API(a)\nint b;"),
            ("auto a = R\"x(\nAPI(b)\nint c)x\";", "auto a = R\"x(\nAPI(b)\nint c)x\";"),
            ("enum { A1, B1 };\nint a = 1'000;", "enum { A1, B1 };\nint a = 1'000;"),
        ] {
            assert_eq!(macro_statements(text).completed(text), expected, "{text}");
        }
    }

    #[test]
    fn branches_of_conditions_are_alternatives() {
        let text = "class A {\n#if A\n  void f() {\n#else\n  void g() {\n#endif\n  }\n  API_DEF(A)\n  int b;\n};";
        let names = macro_statements(text).names;
        assert_eq!(names.iter().map(|name| &text[name.range()]).collect::<Vec<_>>(), ["API_DEF"]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_keeps_its_length(text in "[A-Z_é:<>*&~(){};#\\\\'\"/R \n]{0,80}") {
            let found = macro_statements(&text);
            proptest::prop_assert_eq!(found.completed(&text).len(), text.len());
            for name in found.names {
                proptest::prop_assert!(is_macro(&text[name.range()]));
            }
        }
    }
}
