//! Reads what a text declares as its own language: the `#!` line and editors' modelines.

use super::definition::Language;
use super::{all, by_id};

/// Modelines are looked for in this many first lines; vim's own limit is five.
const MODELINE_LINES: usize = 5;

/// The language whose interpreter the `#!` line names.
pub(super) fn by_shebang(head: &str) -> Option<&'static Language> {
    let interpreter = interpreter(head)?.to_ascii_lowercase();
    let claimed = |name: &str| all().iter().find(|language| language.interpreters.contains(&name));
    // `python3.11`, `lua5.4` and `gcc-13` lose their version; `perl6` is a name of its own.
    claimed(&interpreter).or_else(|| {
        claimed(interpreter.trim_end_matches(|letter: char| letter.is_ascii_digit() || ".-".contains(letter)))
    })
}

/// The language that an Emacs or Vim modeline names.
pub(super) fn by_modeline(head: &str) -> Option<&'static Language> {
    head.lines()
        .take(MODELINE_LINES)
        .find_map(|line| emacs_mode(line).or_else(|| vim_filetype(line)))
        .and_then(by_alias)
}

/// The program that a `#!` line runs, without its folder: `env`, its options and its assignments are skipped.
fn interpreter(head: &str) -> Option<&str> {
    let line = head.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace();
    let program = file_name(words.next()?);
    if program != "env" {
        return Some(program);
    }
    words.find(|word| !word.starts_with('-') && !word.contains('=')).map(file_name)
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// `-*- mode: python; coding: utf-8 -*-` or `-*- Python -*-`.
fn emacs_mode(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("-*-")?;
    let (variables, _) = rest.split_once("-*-")?;
    if !variables.contains(':') {
        return Some(variables.trim());
    }
    variables.split(';').find_map(|variable| {
        let (name, value) = variable.split_once(':')?;
        name.trim().eq_ignore_ascii_case("mode").then(|| value.trim())
    })
}

/// `vim: set ft=python :` or `vi: filetype=python`.
fn vim_filetype(line: &str) -> Option<&str> {
    let (_, settings) = ["vim:", "vi:", "ex:"].iter().find_map(|marker| line.split_once(marker))?;
    settings.split(|letter: char| letter.is_whitespace() || letter == ':').find_map(|setting| {
        setting
            .strip_prefix("filetype=")
            .or_else(|| setting.strip_prefix("ft="))
            .or_else(|| setting.strip_prefix("syntax="))
    })
}

fn by_alias(name: &str) -> Option<&'static Language> {
    let name = name.to_ascii_lowercase();
    by_id(&name).or_else(|| all().iter().find(|language| language.aliases.contains(&name.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shebangs_name_interpreters_however_they_are_written() {
        let cases = [
            ("#!/bin/sh\n", "bash"),
            ("#!/usr/bin/env python3\n", "python"),
            ("#! /usr/bin/python2.7 -u\n", "python"),
            ("#!/usr/bin/env -S uv run --script\n", "python"),
            ("#!/usr/bin/env LC_ALL=C perl -w\n", "perl"),
            ("#!/usr/bin/perl6", "raku"),
            ("#!/usr/bin/env -S deno run --allow-net\n", "typescript"),
            ("#!/usr/bin/Rscript\n", "r"),
            ("#!/usr/local/bin/lua5.4\n", "lua"),
        ];
        for (head, id) in cases {
            assert_eq!(by_shebang(head).map(|language| language.id), Some(id), "{head}");
        }
        for head in ["", "#!", "#!\n", "#!/usr/bin/env\n", "#!/opt/unheard-of\n", "plain #!/bin/sh"] {
            assert_eq!(by_shebang(head), None, "{head}");
        }
    }

    #[test]
    fn modelines_of_both_editors_are_understood() {
        let cases = [
            ("// -*- C++ -*-\n", "cpp"),
            ("# -*- mode: python; coding: utf-8 -*-", "python"),
            ("/* -*- tab-width: 4; Mode: objective-c -*- */", "objc"),
            ("# vim: set ft=ruby ts=2 :", "ruby"),
            ("#!/bin/x\n# vi: filetype=sh", "bash"),
        ];
        for (head, id) in cases {
            assert_eq!(by_modeline(head).map(|language| language.id), Some(id), "{head}");
        }
        for head in ["", "-*- -*-", "-*- coding: utf-8 -*-", "\n\n\n\n\n# vim: ft=ruby", "vim: ts=2"] {
            assert_eq!(by_modeline(head), None, "{head}");
        }
    }
}
