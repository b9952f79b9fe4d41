//! Splits texts into words as the models do, for training in another language.
//!
//!     cargo run --release --example words -- OUTPUT FIELD... < texts.jsonl
//!
//! Every line of the input is a JSON object. For each FIELD it writes `OUTPUT.FIELD.words`, the words of all lines
//! one after the other as u32 numbers, and `OUTPUT.FIELD.ends`, where each line's words end, as u64 (both little-endian).
//! `OUTPUT.vocabulary` has the words, one a line, in the order of their numbers. Only a text's first
//! [`MAX_WORDS`] words are taken.

#![allow(clippy::disallowed_methods, reason = "files of a developer, at paths of their choice")]

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};

use codecairn_model::embed::tokenizer::for_each_word;
use serde_json::Value;

/// Words of one text that are taken; a chunk rarely has more.
const MAX_WORDS: usize = 512;

/// The words of one field over all lines.
struct Column {
    field: String,
    words: BufWriter<File>,
    ends: BufWriter<File>,
    end: u64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let output = arguments.next().ok_or("where to?")?;
    let mut columns = Vec::new();
    for field in arguments {
        let words = BufWriter::new(File::create(format!("{output}.{field}.words"))?);
        let ends = BufWriter::new(File::create(format!("{output}.{field}.ends"))?);
        columns.push(Column { field, words, ends, end: 0 });
    }
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut vocabulary = BufWriter::new(File::create(format!("{output}.vocabulary"))?);
    for line in BufReader::new(std::io::stdin().lock()).lines() {
        let row: Value = serde_json::from_str(&line?)?;
        for column in &mut columns {
            for word in words(row[&column.field].as_str().unwrap_or_default()) {
                let next = numbers.len() as u32;
                let number = *numbers.entry(word).or_insert_with_key(|word| {
                    writeln!(vocabulary, "{word}").expect("the vocabulary can be written");
                    next
                });
                column.words.write_all(&number.to_le_bytes())?;
                column.end += 1;
            }
            column.ends.write_all(&column.end.to_le_bytes())?;
        }
    }
    vocabulary.flush()?;
    for column in &mut columns {
        column.words.flush()?;
        column.ends.flush()?;
    }
    Ok(())
}

fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for_each_word(text, |word| {
        words.push(word.to_owned());
        words.len() < MAX_WORDS
    });
    words
}
