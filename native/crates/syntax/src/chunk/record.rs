//! Defines the result of extraction: an [`Extraction`] holds a text's chunks, its facts, and the limit that stopped its
//! parse.

use codecairn_base::hash::ContentHash;
use codecairn_base::span::{ByteSpan, LineSpan};

use crate::kind::Kind;
use crate::{ParseFailure, Syntax};

/// A span of one text: the unit of embedding and retrieval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Hash of the chunk's text, which is what is embedded.
    pub text_hash: ContentHash,
    /// Where it lies.
    pub span: ByteSpan,
    /// The lines it touches.
    pub lines: LineSpan,
    /// The normalised kind.
    pub kind: Kind,
    /// The grammar's own name for the node; empty for gaps and windows.
    pub raw_kind: String,
    /// The definition's name with its scopes (`Session.get`), the heading's trail in Markdown, or empty.
    pub qualified_name: String,
    /// Which symbols begin inside, as indices into [`Syntax::symbols`].
    pub symbols: Vec<u32>,
    /// Whether only the lexical index takes it: tables and generated text far from any definition.
    pub lexical_only: bool,
}

/// Everything that one pass over a text yields. It knows no path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extraction {
    /// The chunks, in order.
    pub chunks: Vec<Chunk>,
    /// The facts of the text.
    pub syntax: Syntax,
    /// Lines in the text.
    pub line_count: u32,
    /// The limit that stopped the parse of the text, or of a part of it in another language. It is not in the tables.
    pub failure: Option<ParseFailure>,
}
