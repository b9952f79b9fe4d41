//! Defines a detector's result: a span of the text and its kind.

use std::ops::Range;

/// A stretch of text that is a secret, and of what kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Secret {
    pub(super) span: Range<usize>,
    pub(super) kind: &'static str,
}

impl Secret {
    pub(super) fn new(span: Range<usize>, kind: &'static str) -> Self {
        Self { span, kind }
    }
}
