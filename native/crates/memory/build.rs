//! Writes the word lists of BIP-39 as one text: 2,048 words a line. As arrays of strings, their 20,480 pointers would be
//! relocated in each process that loads the extension.

#![allow(clippy::disallowed_methods, reason = "files of a developer, at paths of their choice")]

use std::path::PathBuf;

use bip39::Language;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let lists: Vec<String> = Language::ALL.iter().map(|language| language.word_list().join(" ")).collect();
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let out = PathBuf::from(folder).join("seed_words.txt");
    std::fs::write(&out, lists.join("\n")).unwrap_or_else(|error| panic!("writing {}: {error}", out.display()));
}
