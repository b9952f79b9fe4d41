//! Defines the errors of a query.

/// A query that can't be compiled: a mistake in a file that ships with the crate, which a test finds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("query line {line}: {message}")]
pub struct QueryError {
    /// The line in the query's text, 1-based.
    pub line: usize,
    /// What is wrong, in lower case without a stop.
    pub message: String,
}

impl QueryError {
    /// An error at byte `at` of `text`.
    pub(super) fn at(text: &str, at: usize, message: impl Into<String>) -> Self {
        let line = text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1;
        Self { line, message: message.into() }
    }
}
