//! Decides by their text the language of files whose extension several languages share.
//!
//! Each decider looks for lines that only one of the candidates would have, most telling first, and ends with the
//! most common owner of the extension. Cheap on purpose: words at the start of lines, no regular expressions.

use super::{FALLBACK_ID, header};

/// Says which language a text with a shared extension is in; plain text when no known one owns it.
pub(super) type Decider = fn(&str) -> &'static str;

/// The decider of an extension, if several languages share it.
pub(super) fn decider(extension: &str) -> Option<Decider> {
    const DECIDERS: [(&str, Decider); 22] = [
        ("h", header),
        ("m", dot_m),
        ("inc", include),
        ("pl", perl_or_prolog),
        ("pm", perl_module),
        ("t", perl_test),
        ("pro", prolog_or_qmake),
        ("ts", typescript),
        ("tsx", tsx),
        ("v", dot_v),
        ("cls", class),
        ("fs", fsharp_or_shader),
        ("vs", vertex_shader),
        ("cl", lisp_or_opencl),
        ("d", d_or_dependencies),
        ("pp", puppet_or_pascal),
        ("st", smalltalk),
        ("hh", cpp_or_hack),
        ("sql", sql),
        ("module", drupal),
        ("install", drupal),
        ("man", manual),
    ];
    // Manual pages have their chapter for an extension; so have rotated logs.
    let extension = if matches!(extension.as_bytes(), [b'1'..=b'9']) { "man" } else { extension };
    DECIDERS.iter().find(|(known, _)| known.eq_ignore_ascii_case(extension)).map(|(_, decide)| *decide)
}

/// The language that a text without telling name starts like.
pub(super) fn opening(text: &str) -> Option<&'static str> {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    let begins = |prefix: &str| start.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix));
    if begins("<?php") {
        Some("php")
    } else if begins("<!doctype html") || begins("<html") {
        Some("html")
    } else if begins("<?xml") {
        Some(if text.contains("<svg") { "svg" } else { "xml" })
    } else if begins("diff --git ") {
        Some("diff")
    } else if begins("%YAML") {
        Some("yaml")
    } else {
        None
    }
}

/// Whether a line, without its indentation, begins with one of `prefixes`.
fn any_line(text: &str, prefixes: &[&str]) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start();
        prefixes.iter().any(|prefix| line.starts_with(prefix))
    })
}

fn any_word(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

fn is_markup(text: &str) -> bool {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    start.starts_with("<?xml") || start.starts_with("<!DOCTYPE")
}

fn header(text: &str) -> &'static str {
    if any_line(text, &OBJC_LINES) {
        "objc"
    } else if header::is_cpp(text) {
        "cpp"
    } else {
        "c"
    }
}

const OBJC_LINES: [&str; 7] =
    ["@interface", "@implementation", "@protocol", "@import ", "@class ", "@property", "#import"];

fn dot_m(text: &str) -> &'static str {
    if any_line(text, &OBJC_LINES) || any_line(text, &["#include", "//", "/*", "#define"]) {
        "objc"
    } else if any_line(text, &["(*", "BeginPackage["]) {
        "mathematica"
    } else {
        "matlab"
    }
}

fn include(text: &str) -> &'static str {
    if any_word(text, &["<?php", "<?="]) || text.trim_start().starts_with("<?") {
        "php"
    } else if any_line(text, &["#include", "#define", "#ifdef", "#ifndef", "#if ", "#pragma", "//", "/*"]) {
        header(text)
    } else if any_line(text, &["{$", "procedure ", "unit ", "function "]) {
        "pascal"
    } else if any_line(text, &[";", ".macro", "%macro", "%define", ".globl", "section ", ".equ"]) {
        "assembly"
    } else if any_line(text, &["<"]) {
        "html"
    } else {
        FALLBACK_ID
    }
}

fn perl_or_prolog(text: &str) -> &'static str {
    let is_perl = any_line(text, &["use ", "my ", "our ", "package ", "sub ", "#!", "require "]);
    if !is_perl && (any_line(text, &[":-", "%"]) || any_word(text, &[" :- ", ":-\n"])) { "prolog" } else { "perl" }
}

fn perl_module(text: &str) -> &'static str {
    if text.trim_start().starts_with("/* XPM") { "xpm" } else { "perl" }
}

fn perl_test(text: &str) -> &'static str {
    if any_line(text, &["use ", "my ", "#!", "package ", "require "]) { "perl" } else { FALLBACK_ID }
}

fn prolog_or_qmake(text: &str) -> &'static str {
    if any_line(text, &[":-"]) || any_word(text, &[" :- ", ":-\n"]) { "prolog" } else { "qmake" }
}

fn typescript(text: &str) -> &'static str {
    if is_markup(text) || text.trim_start().starts_with("<TS ") { "xml" } else { "typescript" }
}

fn tsx(text: &str) -> &'static str {
    if is_markup(text) { "xml" } else { "tsx" }
}

fn dot_v(text: &str) -> &'static str {
    if any_line(
        text,
        &["Require ", "From ", "Theorem ", "Lemma ", "Proof.", "Definition ", "Inductive ", "Fixpoint ", "(*"],
    ) {
        "coq"
    } else if any_line(
        text,
        &["endmodule", "`timescale", "`define", "`include", "always ", "always@", "assign ", "input ", "wire ", "reg "],
    ) {
        "verilog"
    } else if any_line(text, &["fn ", "pub fn ", "import ", "struct ", "module main"]) {
        "vlang"
    } else {
        "verilog"
    }
}

fn class(text: &str) -> &'static str {
    if any_line(text, &["VERSION 1.0 CLASS", "Attribute VB_", "Option Explicit", "Private Sub", "Public Sub"]) {
        "vb"
    } else if any_line(text, &["\\ProvidesClass", "\\NeedsTeXFormat", "\\LoadClass", "\\ProvidesExplClass", "%"]) {
        "latex"
    } else {
        "apex"
    }
}

const SHADER_WORDS: [&str; 5] = ["#version", "gl_Position", "gl_FragColor", "void main(", "precision "];

fn fsharp_or_shader(text: &str) -> &'static str {
    if any_word(text, &SHADER_WORDS) { "glsl" } else { "fsharp" }
}

fn vertex_shader(text: &str) -> &'static str {
    if any_word(text, &SHADER_WORDS) { "glsl" } else { FALLBACK_ID }
}

fn lisp_or_opencl(text: &str) -> &'static str {
    if any_word(text, &["__kernel", "kernel void", "__global", "#pragma OPENCL"]) { "opencl" } else { "commonlisp" }
}

fn d_or_dependencies(text: &str) -> &'static str {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let is_rule =
        first.split_once(": ").is_some_and(|(target, _)| !target.contains(' ') && target.contains(['.', '/']))
            || first.ends_with(": \\");
    if is_rule { "make" } else { "d" }
}

fn puppet_or_pascal(text: &str) -> &'static str {
    let is_pascal = text.lines().map(|line| line.trim_start().to_ascii_lowercase()).any(|line| {
        ["unit ", "program ", "{$", "uses ", "interface", "begin"].iter().any(|prefix| line.starts_with(prefix))
    });
    if is_pascal { "pascal" } else { "puppet" }
}

fn smalltalk(text: &str) -> &'static str {
    if any_word(text, &["subclass: ", "methodsFor: ", " class >> ", "Object subclass", "instanceVariableNames:"]) {
        "smalltalk"
    } else {
        FALLBACK_ID
    }
}

fn cpp_or_hack(text: &str) -> &'static str {
    if text.trim_start().starts_with("<?hh") { "php" } else { "cpp" }
}

fn sql(text: &str) -> &'static str {
    let is_package = text.lines().take(200).any(|line| {
        let line = line.trim_start().to_ascii_lowercase();
        line.starts_with("create or replace package") || line.starts_with("dbms_output.")
    });
    if is_package { "plsql" } else { "sql" }
}

fn drupal(text: &str) -> &'static str {
    if text.contains("<?php") {
        "php"
    } else if any_line(text, &["#!"]) {
        "bash"
    } else {
        FALLBACK_ID
    }
}

fn manual(text: &str) -> &'static str {
    if any_line(text, &[".TH", ".Dd", ".\\\"", "'\\\"", ".so ", ".SH"]) { "man" } else { FALLBACK_ID }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::by_id;

    #[track_caller]
    fn check(extension: &str, text: &str, id: &str) {
        assert!(by_id(id).is_some());
        assert_eq!(decider(extension).unwrap()(text), id, "{extension}: {text}");
    }

    #[test]
    fn headers_are_told_apart() {
        check("h", "int f(void);\n", "c");
        check("h", "namespace a { int f(); }\n", "cpp");
        check("H", "#import <Foundation/Foundation.h>\n@interface A : NSObject\n", "objc");
    }

    #[test]
    fn m_is_objective_c_or_matlab() {
        check("m", "#import \"A.h\"\n@implementation A\n", "objc");
        check("m", "// C\n", "objc");
        check("m", "function y = f(x)\n% doubles\ny = 2*x;\nend\n", "matlab");
        check("m", "(* ::Package:: *)\nBeginPackage[\"A`\"]\n", "mathematica");
    }

    #[test]
    fn inc_goes_to_whoever_wrote_it() {
        check("inc", "<?php\nfunction f() {}\n", "php");
        check("inc", "#define A 1\n", "c");
        check("inc", "{$IFDEF X}\nprocedure F;\n", "pascal");
        check("inc", "; constants\nA equ 1\n", "assembly");
        check("inc", "words", FALLBACK_ID);
    }

    #[test]
    fn the_other_shared_extensions_are_told_apart() {
        check("pl", "use strict;\nmy $x = 1; # a :- b\n", "perl");
        check("pl", "parent(a, b).\nsibling(X, Y) :- parent(Z, X).\n", "prolog");
        check("pl", "print 1;\n", "perl");
        check("t", "use Test::More;\n", "perl");
        check("t", "plain\n", FALLBACK_ID);
        check("ts", "\u{feff}<?xml version=\"1.0\"?>\n<!DOCTYPE TS>\n<TS></TS>", "xml");
        check("ts", "export const a = 1;\n", "typescript");
        check("tsx", "<?xml version=\"1.0\"?><tileset/>", "xml");
        check("v", "module adder(input a);\nendmodule\n", "verilog");
        check("v", "Require Import List.\nLemma a : True.\nProof.\n", "coq");
        check("v", "import os\n\nfn main() {}\n", "vlang");
        check("cls", "public with sharing class A {}\n", "apex");
        check("cls", "VERSION 1.0 CLASS\nBEGIN\n", "vb");
        check("cls", "% paper\n\\ProvidesClass{paper}\n", "latex");
        check("fs", "module A\nlet x = 1\n", "fsharp");
        check("fs", "#version 330\nvoid main() {}\n", "glsl");
        check("cl", "__kernel void add() {}\n", "opencl");
        check("cl", "(defun f ())\n", "commonlisp");
        check("d", "import std.stdio;\n", "d");
        check("d", "out/a.o: a.c \\\n  a.h\n", "make");
        check("pp", "class nginx { }\n", "puppet");
        check("pp", "{$mode objfpc}\nunit A;\n", "pascal");
        check("sql", "CREATE OR REPLACE PACKAGE a AS\n", "plsql");
        check("sql", "select 1;\n", "sql");
        check("hh", "<?hh\n", "php");
        check("pro", "TEMPLATE = app\n", "qmake");
        check("pm", "/* XPM */\n", "xpm");
        check("st", "Object subclass: #A\n", "smalltalk");
        check("vs", "<VisualStudio/>\n", FALLBACK_ID);
        check("3", ".TH PRINTF 3\n", "man");
        check("1", "2024-01-01 started\n", FALLBACK_ID);
        check("module", "<?php\n", "php");
    }
}
