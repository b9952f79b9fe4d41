//! Embeds texts with a built-in model, to compare it with the same model elsewhere.
//!
//!     cargo run --release --example vectors -- MODEL FIELD < texts.jsonl > vectors.f32
//!
//! Every line of the input is a JSON object; its FIELD is embedded as a document. The vectors come one after the other as
//! little-endian f32.

#![allow(clippy::print_stdout, reason = "its output is what it is for")]

use std::io::{BufRead, BufReader, BufWriter, Write};

use codecairn_model::embed::{Scratch, builtin};
use serde_json::Value;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let model = builtin(&arguments.next().ok_or("which model?")?).ok_or("no such model")?;
    let field = arguments.next().ok_or("which field?")?;
    let mut output = BufWriter::new(std::io::stdout().lock());
    let mut scratch = Scratch::default();
    for line in BufReader::new(std::io::stdin().lock()).lines() {
        let row: Value = serde_json::from_str(&line?)?;
        for value in model.embed_document(row[&field].as_str().unwrap_or_default(), &mut scratch) {
            output.write_all(&value.to_le_bytes())?;
        }
    }
    output.flush()?;
    Ok(())
}
