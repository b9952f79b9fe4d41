//! Parses the text of the query language to forms: nodes, alternations, fields, anchors, captures, predicates.

use super::error::QueryError;

/// One pattern of a query file, with its predicates.
#[derive(Debug, Clone)]
pub(super) struct TopForm {
    pub(super) form: Form,
    pub(super) predicates: Vec<PredicateForm>,
}

/// A node to find, or a choice of nodes.
#[derive(Debug, Clone)]
pub(super) struct Form {
    pub(super) shape: Shape,
    pub(super) field: Option<String>,
    pub(super) captures: Vec<String>,
    /// Followed by `?`.
    pub(super) optional: bool,
    /// Preceded by `.`: no named sibling lies before it since the previous form, or since the parent's start.
    pub(super) anchored: bool,
    /// Its position in the query's text.
    pub(super) at: usize,
}

#[derive(Debug, Clone)]
pub(super) enum Shape {
    Node(NodeForm),
    Choice(Vec<Form>),
}

#[derive(Debug, Clone)]
pub(super) struct NodeForm {
    /// The kinds that fit; none means any named node.
    pub(super) kinds: Vec<KindName>,
    pub(super) negated_fields: Vec<String>,
    pub(super) children: Vec<Form>,
    /// The last child is followed by `.`: no named sibling follows it.
    pub(super) closed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KindName {
    pub(super) name: String,
    pub(super) named: bool,
}

#[derive(Debug, Clone)]
pub(super) struct PredicateForm {
    /// Without `#` and `?`.
    pub(super) name: String,
    pub(super) arguments: Vec<Argument>,
    pub(super) at: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Argument {
    Capture(String),
    Text(String),
}

/// Parses a whole query file.
pub(super) fn parse(text: &str) -> Result<Vec<TopForm>, QueryError> {
    let mut reader = Reader { text, at: 0, predicates: Vec::new() };
    let mut forms = Vec::new();
    loop {
        reader.skip_blank();
        if reader.at == text.len() {
            return Ok(forms);
        }
        let form = reader.form()?;
        forms.push(TopForm { form, predicates: std::mem::take(&mut reader.predicates) });
    }
}

/// Recursion goes as deep as the query nests, never as deep as a source text does.
struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// Predicates of the pattern being read.
    predicates: Vec<PredicateForm>,
}

impl Reader<'_> {
    /// One form with its captures and quantifier. A field before it is the caller's.
    fn form(&mut self) -> Result<Form, QueryError> {
        let at = self.at;
        let shape = match self.peek() {
            Some(b'(') => self.parenthesised()?,
            Some(b'[') => self.choice()?,
            Some(b'"') => {
                let name = self.string()?;
                Shape::Node(NodeForm {
                    kinds: vec![KindName { name, named: false }],
                    negated_fields: Vec::new(),
                    children: Vec::new(),
                    closed: false,
                })
            }
            Some(other) => return self.fail(format!("expected a node, found `{}`", other as char)),
            None => return self.fail("expected a node, found the end"),
        };
        let mut form = Form { shape, field: None, captures: Vec::new(), optional: false, anchored: false, at };
        // A group adds nothing of its own: `((node) (#eq? …))` is the node.
        if let Shape::Choice(alternatives) = &mut form.shape
            && alternatives.len() == 1
        {
            form = alternatives.pop().expect("invariant: there is one alternative");
        }
        loop {
            self.skip_blank();
            match self.peek() {
                Some(b'?') => {
                    self.at += 1;
                    form.optional = true;
                }
                Some(b'*' | b'+') => return self.fail("`*` and `+` are not supported"),
                Some(b'@') => {
                    self.at += 1;
                    let name = self.word();
                    form.captures.push(name);
                }
                _ => return Ok(form),
            }
        }
    }

    /// `(kind child…)`, `(_ …)` or a group of one form and predicates, which comes back as a choice of one.
    fn parenthesised(&mut self) -> Result<Shape, QueryError> {
        self.at += 1;
        self.skip_blank();
        let grouped = matches!(self.peek(), Some(b'(' | b'[' | b'"'));
        let mut node = NodeForm { kinds: Vec::new(), negated_fields: Vec::new(), children: Vec::new(), closed: false };
        if !grouped {
            let name = self.word();
            match name.as_str() {
                "" => return self.fail("expected a node's kind"),
                "MISSING" => return self.fail("`MISSING` is not supported"),
                "_" => {}
                _ => node.kinds.push(KindName { name, named: true }),
            }
            if self.peek() == Some(b'/') {
                return self.fail("supertypes are not supported");
            }
        }
        let mut anchored = false;
        loop {
            self.skip_blank();
            match self.peek() {
                Some(b')') => {
                    self.at += 1;
                    node.closed = anchored;
                    break;
                }
                Some(b'.') => {
                    self.at += 1;
                    anchored = true;
                }
                Some(b'!') => {
                    self.at += 1;
                    let field = self.word();
                    node.negated_fields.push(field);
                }
                Some(b'(') if self.text[self.at..].starts_with("(#") => self.predicate()?,
                Some(_) => {
                    let field = self.field();
                    let mut child = self.form()?;
                    child.field = field.or(child.field);
                    child.anchored = std::mem::take(&mut anchored);
                    node.children.push(child);
                }
                None => return self.fail("`)` is missing"),
            }
        }
        if !grouped {
            return Ok(Shape::Node(node));
        }
        if node.children.len() != 1 || node.closed || node.children[0].anchored {
            return self.fail("a group holds one node and predicates");
        }
        Ok(Shape::Choice(node.children))
    }

    fn choice(&mut self) -> Result<Shape, QueryError> {
        self.at += 1;
        let mut alternatives = Vec::new();
        loop {
            self.skip_blank();
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    return if alternatives.is_empty() {
                        self.fail("an empty choice")
                    } else {
                        Ok(Shape::Choice(alternatives))
                    };
                }
                Some(_) => {
                    let field = self.field();
                    let mut alternative = self.form()?;
                    alternative.field = field.or(alternative.field);
                    alternatives.push(alternative);
                }
                None => return self.fail("`]` is missing"),
            }
        }
    }

    /// `name:` if the text has one here.
    fn field(&mut self) -> Option<String> {
        let start = self.at;
        let name = self.word();
        if !name.is_empty() && self.peek() == Some(b':') {
            self.at += 1;
            self.skip_blank();
            return Some(name);
        }
        self.at = start;
        None
    }

    /// `(#name? argument…)`
    fn predicate(&mut self) -> Result<(), QueryError> {
        let at = self.at;
        self.at += 2;
        let name = self.word();
        if self.peek() != Some(b'?') {
            return self.fail("only predicates that end in `?` are supported");
        }
        self.at += 1;
        let mut arguments = Vec::new();
        loop {
            self.skip_blank();
            match self.peek() {
                Some(b')') => {
                    self.at += 1;
                    self.predicates.push(PredicateForm { name, arguments, at });
                    return Ok(());
                }
                Some(b'@') => {
                    self.at += 1;
                    let capture = self.word();
                    arguments.push(Argument::Capture(capture));
                }
                Some(b'"') => arguments.push(Argument::Text(self.string()?)),
                _ => return self.fail("expected a capture or a string"),
            }
        }
    }

    fn string(&mut self) -> Result<String, QueryError> {
        self.at += 1;
        let mut value = String::new();
        let mut rest = self.text[self.at..].char_indices();
        while let Some((offset, character)) = rest.next() {
            match character {
                '"' => {
                    self.at += offset + 1;
                    return Ok(value);
                }
                '\\' => match rest.next() {
                    Some((_, 'n')) => value.push('\n'),
                    Some((_, 't')) => value.push('\t'),
                    Some((_, 'r')) => value.push('\r'),
                    Some((_, other)) => value.push(other),
                    None => break,
                },
                _ => value.push(character),
            }
        }
        self.fail("a string without end")
    }

    fn word(&mut self) -> String {
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte)).count();
        self.at += length;
        rest[..length].to_owned()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blank(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b';' => self.at += self.text[self.at..].find('\n').unwrap_or(self.text.len() - self.at),
                _ if byte.is_ascii_whitespace() => self.at += 1,
                _ => return,
            }
        }
    }

    fn fail<T>(&self, message: impl Into<String>) -> Result<T, QueryError> {
        Err(QueryError::at(self.text, self.at, message))
    }
}
