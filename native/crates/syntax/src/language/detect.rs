//! Detects the language of a file from its path and the beginning of its text.

use std::borrow::Cow;

use super::definition::{Class, Language};
use super::{FALLBACK_ID, all, ambiguous, by_id, fallback, hint};

/// How much of a text is looked at: enough to get past a licence and an include guard.
const HEAD_BYTES: usize = 16 * 1024;

/// Endings that say "made into the file of this name later": `config.h.in` is written in C.
const TEMPLATE_EXTENSIONS: [&str; 9] = ["in", "tt", "tmpl", "template", "tpl", "dist", "example", "sample", "orig"];

/// The language of the file at `path` (with `/` or `\`) whose text begins with `head`.
///
/// Asked in this order: the whole file name, the extension (where several languages share one, the
/// text decides), the `#!` line, an editor's modeline, what the text starts with. Only the beginning
/// of `head` is looked at, and it need not be valid UTF-8.
///
/// ```
/// use codecairn_syntax::language::detect;
///
/// assert_eq!(detect("src/lib.rs", b"").id, "rust");
/// assert_eq!(detect("include/list.h", b"template <class T> class List {").id, "cpp");
/// assert_eq!(detect("bin/serve", b"#!/usr/bin/env python3\n").id, "python");
/// ```
pub fn detect(path: &str, head: &[u8]) -> &'static Language {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    by_name(name, head).or_else(|| by_content(&text(head))).unwrap_or_else(fallback)
}

fn by_name(name: &str, head: &[u8]) -> Option<&'static Language> {
    if let Some(language) = by_file_name(name) {
        return Some(language);
    }
    let (stem, extension) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).unwrap_or((name, ""));
    let language = by_extension(stem, extension, head);
    // `Dockerfile.dev` is a Dockerfile, `requirements-dev.txt` a list of requirements, `Makefile.md` a text about one.
    if language.is_none_or(|language| language.class != Class::Prose || language.id == FALLBACK_ID)
        && let Some(language) = by_name_prefix(name)
    {
        return Some(language);
    }
    language.or_else(|| {
        let is_template = TEMPLATE_EXTENSIONS.iter().any(|template| extension.eq_ignore_ascii_case(template));
        is_template.then(|| by_name(stem, head)).flatten()
    })
}

fn by_file_name(name: &str) -> Option<&'static Language> {
    all().iter().find(|language| language.file_names.iter().any(|candidate| candidate.eq_ignore_ascii_case(name)))
}

fn by_name_prefix(name: &str) -> Option<&'static Language> {
    all().iter().find(|language| language.name_prefixes.iter().any(|prefix| starts_with_ignoring_case(name, prefix)))
}

fn starts_with_ignoring_case(name: &str, prefix: &str) -> bool {
    name.as_bytes().get(..prefix.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(prefix.as_bytes()))
}

fn by_extension(stem: &str, extension: &str, head: &[u8]) -> Option<&'static Language> {
    // By old custom the capitals mean C++; no case-insensitive rule can know.
    if matches!(extension, "C" | "H") {
        return by_id("cpp");
    }
    if let Some(decide) = ambiguous::decider(extension) {
        let text = text(head);
        let by_text = || Some(decide(&text)).filter(|id| *id != FALLBACK_ID).and_then(by_id);
        return hint::by_modeline(&text).or_else(by_text).or_else(|| hint::by_shebang(&text));
    }
    // `page.blade.php` is a template, whatever it compiles to.
    if extension.eq_ignore_ascii_case("php") && stem.rsplit('.').next() == Some("blade") {
        return by_id("blade");
    }
    all().iter().find(|language| language.extensions.iter().any(|known| known.eq_ignore_ascii_case(extension)))
}

fn by_content(text: &str) -> Option<&'static Language> {
    hint::by_shebang(text).or_else(|| hint::by_modeline(text)).or_else(|| by_id(ambiguous::opening(text)?))
}

/// The part of the head that is looked at, as text.
fn text(head: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(&head[..head.len().min(HEAD_BYTES)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, head: &str, id: &str) {
        assert_eq!(detect(path, head.as_bytes()).id, id, "{path}");
    }

    #[test]
    fn each_extension_leads_to_its_language_unless_the_text_decides() {
        for language in all() {
            for extension in language.extensions.iter().filter(|extension| ambiguous::decider(extension).is_none()) {
                check(&format!("folder.d/file.{extension}"), "", language.id);
            }
        }
    }

    #[test]
    fn file_names_win_over_extensions_and_content() {
        check("CMakeLists.txt", "", "cmake");
        check("docs/requirements.txt", "", "pip");
        check("docker/Dockerfile.dev", "", "dockerfile");
        check("build/Makefile.in", "", "make");
        check("Makefile.PL", "", "perl");
        check("makefile", "", "make");
        check("lib\\windows\\Gemfile", "", "ruby");
        check("BUILD", "", "starlark");
        check(".gitignore", "", "ignore");
        check("go.mod", "", "gomod");
        check("requirements-dev.txt", "", "pip");
        check("requirements-guide.md", "", "markdown");
        check("Makefile.linux", "", "make");
        check("docs/Dockerfile.rst", "", "rst");
    }

    #[test]
    fn case_matters_only_for_capital_c_and_h() {
        check("README.MD", "", "markdown");
        check("A.PY", "", "python");
        check("a.C", "", "cpp");
        check("a.H", "", "cpp");
        check("a.c", "", "c");
        check("plot.R", "", "r");
    }

    #[test]
    fn templates_have_the_language_of_what_they_become() {
        check("config.h.in", "#define X @X@\n", "c");
        check("settings.py.example", "", "python");
        check("a.b.tmpl", "", "text");
        check("view.blade.php", "<?php", "blade");
    }

    #[test]
    fn files_without_extension_speak_for_themselves() {
        check("bin/run", "#!/bin/bash\n", "bash");
        check("include/vector", "// Vectors -*- C++ -*-\n", "cpp");
        check("feed", "<?xml version=\"1.0\"?>", "xml");
        check("index", "<!DOCTYPE html>\n<html>", "html");
        check("front", "<?php\n", "php");
        check(".hidden", "words", "text");
        check("file", "", "text");
        check("", "", "text");
        check("trailing.", "", "text");
    }

    #[test]
    fn bytes_that_are_no_text_are_no_reason_to_panic() {
        assert_eq!(detect("a.h", &[0xff, 0xfe, 0x00]).id, "c");
        assert_eq!(detect("x", &vec![0xf0; 40_000]).id, "text");
    }
}
