//! Defines anchors: the literals with which rules begin, and where they occur.

/// What a literal is for, by its row in the table of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    /// A name that secrets are assigned to.
    Name(usize),
    /// A word for a secret in a language.
    Noun(usize),
    /// A program.
    Command(usize),
    /// A literal that every match of a pattern has.
    Pattern(usize),
    /// The prefix of an issuer's tokens.
    Issuer(usize),
    /// A keyword of a rule of the public list.
    Rule(usize),
    /// What a protocol puts before a secret.
    Carrier(usize),
    /// Names of codes that replace a second factor.
    Codes,
}

/// The occurrence of a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) anchor: Anchor,
}
