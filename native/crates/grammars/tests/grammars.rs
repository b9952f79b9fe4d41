//! Every grammar loads into the runtime and parses a small sample.

use codecairn_grammars::{all, grammar};
use tree_sitter::{Language, MIN_COMPATIBLE_LANGUAGE_VERSION, Parser, Tree};

/// A sample of every grammar. All of them must parse without an error node.
const SAMPLES: [(&str, &str); 54] = [
    ("apex", "public class A { public Integer f(Integer x) { return x + 1; } }\n"),
    ("astro", "---\nconst a = 1;\n---\n<p>{a}</p>\n"),
    ("bash", "f() { echo \"$1\"; }\nf x\n"),
    ("c", "int add(int a, int b) { return a + b; }\n"),
    ("clojure", "(defn add [a b] (+ a b))\n"),
    ("cmake", "add_library(a STATIC a.c)\n"),
    ("cpp", "template <typename T> T add(T a, T b) { return a + b; }\n"),
    ("csharp", "namespace N { class A { int F(int x) => x + 1; } }\n"),
    ("css", "a:hover { color: red; }\n"),
    ("dart", "int add(int a, int b) => a + b;\n"),
    ("dockerfile", "FROM alpine:3\nRUN echo hi\n"),
    ("elixir", "defmodule A do\n  def f(x), do: x + 1\nend\n"),
    ("elm", "module A exposing (f)\n\n\nf x =\n    x + 1\n"),
    ("erlang", "-module(a).\nf(X) -> X + 1.\n"),
    ("gdscript", "func add(a, b):\n\treturn a + b\n"),
    ("go", "package a\n\nfunc add(a, b int) int { return a + b }\n"),
    ("graphql", "type A { id: ID! }\n"),
    ("groovy", "def add(a, b) { return a + b }\n"),
    ("haskell", "module A where\n\nadd :: Int -> Int -> Int\nadd a b = a + b\n"),
    ("hcl", "resource \"a\" \"b\" {\n  c = 1\n}\n"),
    ("html", "<!doctype html><p>a</p>\n"),
    ("java", "class A { int f(int x) { return x + 1; } }\n"),
    ("javascript", "export const add = (a, b) => a + b;\n"),
    ("json", "{\"a\": [1, true, null]}\n"),
    ("julia", "function add(a, b)\n    a + b\nend\n"),
    ("kotlin", "class A {\n    fun f(x: Int): Int = x + 1\n}\n"),
    ("lua", "local function add(a, b) return a + b end\n"),
    ("make", "all: a.o\n\tcc -o a a.o\n"),
    ("markdown", "# A\n\nText.\n\n- item\n"),
    ("matlab", "function y = add(a, b)\n  y = a + b;\nend\n"),
    ("nix", "{ pkgs }: pkgs.hello\n"),
    ("objc", "@interface A : NSObject\n- (int)f:(int)x;\n@end\n"),
    ("ocaml", "let add a b = a + b\n"),
    ("ocaml_interface", "val add : int -> int -> int\n"),
    ("perl", "sub add { my ($a, $b) = @_; return $a + $b; }\n"),
    ("php", "<?php function add($a, $b) { return $a + $b; }\n"),
    ("powershell", "function Add($a, $b) { return $a + $b }\n"),
    ("proto", "syntax = \"proto3\";\nmessage A { string b = 1; }\n"),
    ("python", "def add(a, b):\n    return a + b\n"),
    ("r", "add <- function(a, b) a + b\n"),
    ("ruby", "class A\n  def f(x) = x + 1\nend\n"),
    ("rust", "pub fn add(a: u32, b: u32) -> u32 { a + b }\n"),
    ("scala", "class A:\n  def f(x: Int): Int = x + 1\n"),
    ("scss", "$c: red;\n.a { .b { color: $c; } }\n"),
    ("sql", "CREATE TABLE a (id INT PRIMARY KEY);\nSELECT id FROM a WHERE id > 1;\n"),
    ("svelte", "<script>let a = 1;</script>\n<p>{a}</p>\n"),
    ("swift", "struct A { func f(_ x: Int) -> Int { return x + 1 } }\n"),
    ("toml", "[a]\nb = 1\n"),
    ("tsx", "export const A = (p: { a: string }) => <p>{p.a}</p>;\n"),
    ("typescript", "export function add(a: number, b: number): number { return a + b; }\n"),
    ("vue", "<template><p>{{ a }}</p></template>\n<script>let a = 1</script>\n"),
    ("xml", "<?xml version=\"1.0\"?>\n<a b=\"c\">d</a>\n"),
    ("yaml", "a:\n  - b: 1\n"),
    ("zig", "fn add(a: u32, b: u32) u32 {\n    return a + b;\n}\n"),
];

/// An id that no grammar has.
const UNKNOWN: &str = "no-such-language";

fn parse(id: &str, source: &str) -> Tree {
    let entry = grammar(id).unwrap_or_else(|| panic!("{id}: no such grammar"));
    let mut parser = Parser::new();
    parser.set_language(&Language::new(entry)).unwrap_or_else(|error| panic!("{id}: {error}"));
    parser.parse(source, None).unwrap_or_else(|| panic!("{id}: no tree"))
}

#[test]
fn ids_are_sorted_and_unique() {
    assert!(all().is_sorted_by(|a, b| a.id < b.id), "lookup is a binary search");
}

#[test]
fn ids_are_lower_case() {
    let plain = |id: &str| id.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    assert_eq!(all().iter().map(|g| g.id).find(|id| !plain(id)), None);
}

#[test]
fn every_grammar_is_found_by_its_id() {
    for known in all() {
        assert_eq!(grammar(known.id).map(Language::new), Some(Language::new(known.language)), "{}", known.id);
    }
    assert!(grammar(UNKNOWN).is_none());
    assert!(grammar("").is_none());
}

/// Two ids must not share an entry point, as they would after a clash of C symbols or a slip in the table.
#[test]
fn every_grammar_has_its_own_entry_point() {
    for (at, one) in all().iter().enumerate() {
        for other in &all()[at + 1..] {
            assert_ne!(Language::new(one.language), Language::new(other.language), "{} and {}", one.id, other.id);
        }
    }
}

#[test]
fn every_grammar_is_of_a_supported_version() {
    for known in all() {
        let version = Language::new(known.language).abi_version();
        assert!(version >= MIN_COMPATIBLE_LANGUAGE_VERSION, "{}: version {version}", known.id);
    }
}

#[test]
fn every_grammar_has_a_sample() {
    let sampled: Vec<&str> = SAMPLES.iter().map(|(id, _)| *id).collect();
    let known: Vec<&str> = all().iter().map(|g| g.id).collect();
    assert_eq!(sampled, known);
}

#[test]
fn every_sample_parses_without_errors() {
    let failed: Vec<String> = SAMPLES
        .iter()
        .map(|(id, source)| (id, parse(id, source)))
        .filter(|(_, tree)| tree.root_node().has_error())
        .map(|(id, tree)| format!("{id}: {}", tree.root_node().to_sexp()))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Scanners keep state and read ahead: input that ends anywhere, or is of another language, must not upset them.
#[test]
fn every_grammar_survives_cut_and_foreign_input() {
    for (id, source) in SAMPLES {
        for end in 0..source.len() {
            parse(id, &source[..end]);
        }
        for (_, foreign) in SAMPLES {
            parse(id, foreign);
        }
        parse(id, "\u{0}\u{feff}é🦀\r\n\t\"'`{[(<");
    }
}
