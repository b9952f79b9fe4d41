//! Writes a model file from rows that were trained elsewhere.
//!
//!     cargo run --release --example weights -- ID DIMENSIONS MAX_TOKENS WORDS ROWS OUTPUT
//!
//! WORDS has one word a line, sorted by bytes; ROWS the rows in the same order as little-endian f32, each with its
//! word's weight multiplied in.

#![allow(clippy::disallowed_methods, reason = "files of a developer, at paths of their choice")]

use codecairn_model::embed::{ModelRows, write_model};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [id, dimensions, max_tokens, words, rows, output] = arguments.as_slice() else {
        return Err("six arguments: ID DIMENSIONS MAX_TOKENS WORDS ROWS OUTPUT".into());
    };
    let words = std::fs::read_to_string(words)?;
    let words: Vec<&str> = words.lines().collect();
    let rows: Vec<f32> = std::fs::read(rows)?
        .chunks_exact(4)
        .map(|bytes| f32::from_le_bytes(bytes.try_into().expect("chunks of four")))
        .collect();
    let model =
        ModelRows { id, dimensions: dimensions.parse()?, max_tokens: max_tokens.parse()?, words: &words, rows: &rows };
    std::fs::write(output, write_model(&model)?)?;
    Ok(())
}
