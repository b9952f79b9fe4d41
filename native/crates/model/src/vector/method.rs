//! Names the methods of vector search.

use std::str::FromStr;

/// How to find the nearest vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// [`Exact`](Self::Exact) or [`Sketch`](Self::Sketch), by the bytes of the live rows.
    Auto,
    /// Look at every live vector.
    Exact,
    /// Look at the sketch of every live vector, then at the best of them exactly.
    Sketch,
    /// Walk the graph, and scan exactly what it does not cover. As [`Auto`](Self::Auto) where there is no sound graph,
    /// and where a filter leaves few of its vectors.
    Hnsw,
}

impl FromStr for Method {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "auto" => Ok(Self::Auto),
            "exact" => Ok(Self::Exact),
            "sketch" => Ok(Self::Sketch),
            "hnsw" => Ok(Self::Hnsw),
            _ => Err(format!("unknown method of vector search `{name}`; it is auto, exact, sketch or hnsw")),
        }
    }
}
