//! A construct that a grammar does not know costs the definitions around it little, and never invents one.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

use codecairn_syntax::chunk::{Extraction, Extractor};
use codecairn_syntax::language;

fn extract(id: &str, text: &str) -> Extraction {
    Extractor::new().extract(text, language::by_id(id).unwrap())
}

fn names(extraction: &Extraction) -> Vec<&str> {
    extraction.syntax.symbols.iter().map(|symbol| symbol.qualified_name.as_str()).collect()
}

#[track_caller]
fn check(id: &str, text: &str, expected: &[&str]) {
    let extraction = extract(id, text);
    let names = names(&extraction);
    for name in expected {
        assert!(names.contains(name), "{id}: {name} is not among {names:?}");
    }
    let is_told = extraction.syntax.diagnostics.iter().any(codecairn_syntax::Diagnostic::is_loss);
    assert!(is_told, "{id}: the lost region is not reported");
}

const AFTER_KOTLIN: &str = "\n\nfun after(): Int {\n    return 1\n}\n\nclass Zed {\n    fun zz() = 2\n}\n";

#[test]
fn what_follows_a_construct_that_kotlin_does_not_know_is_found() {
    let constructs = [
        "fun f(y: Any) {\n    when (y) {\n        is A if y.ok -> 1\n        else -> 2\n    }\n}",
        "context(log: Logger)\nfun ctx() {\n    log.info()\n}",
        "enum class En { A { override fun f() = 1 }, B; open fun f() = 2 }",
        "class C { val x: Int; get() = 1 }",
        "class X { companion object { const val A = 1 } ; fun f() = A }",
        "@@ !! ~",
        "when x y -> 1",
    ];
    for construct in constructs {
        let text = format!("package p\n\nclass Before {{\n    fun b() = 1\n}}\n\n{construct}{AFTER_KOTLIN}");
        check("kotlin", &text, &["Before", "Before.b", "after", "Zed", "Zed.zz"]);
    }
}

#[test]
fn the_class_around_a_construct_that_is_not_known_is_found() {
    let text = "class InBody {
    fun a() = 1
    fun f(y: Any): Int = when (y) {
        is A if y.ok -> 1
        else if y == 3 -> 4
        else -> 2
    }
    fun b() = 2
}
";
    check("kotlin", &format!("{text}{AFTER_KOTLIN}"), &["InBody", "InBody.a", "InBody.f", "InBody.b", "after", "Zed"]);
    let extraction = extract("kotlin", text);
    let class = &extraction.syntax.symbols[0];
    assert_eq!(&text[class.span.range()], text.trim_end());
}

#[test]
fn it_is_so_in_other_languages() {
    let functions = "function M.after()\n  return 1\nend\n\nfunction M.zed()\n  return 2\nend\n";
    check("lua", &format!("local M = {}\n\nif if else => ??\n\n{functions}", "{}"), &["M.after", "M.zed"]);
    let after = "class After {\n    int Z() { return 1; }\n\n    int Y() {\n        return 2;\n    }\n}\n";
    for construct in ["if if else => ??", "int x => when y -> {"] {
        let host =
            format!("class Host {{\n    int A() {{ return 1; }}\n    {construct}\n    int C() {{ return 3; }}\n}}\n");
        check("csharp", &format!("{host}\n{after}"), &["Host", "After", "After.Z", "After.Y"]);
    }
}

#[test]
fn what_stays_lost_is_told() {
    let text = "local M = {}\n\nfoo(a: b c\n\nfunction M.after()\n  return 1\nend\n";
    let extraction = extract("lua", text);
    assert!(extraction.syntax.diagnostics.iter().any(codecairn_syntax::Diagnostic::is_loss));
}

#[test]
fn strings_and_comments_are_never_read_as_code() {
    let text = "class Host {
    fun f(y: Any): Int {
        val text = \"\"\"
            fun fake1() = 1
            class Fake2
        \"\"\"
        return when (y) {
            is A if y.ok -> 1
            else -> 2
        }
    }

    /* fun fake3() = 3 */
    // fun fake4() = 4
    val s = \"fun fake5() = 5\"
    fun b() = 2
}

context(log: Logger)
fun ctx() {
    val t = \"\"\"
    fun fake6() {
    }
    \"\"\"
    is A if it.ok -> \"\"\"
    fun fake7() {
    }
    \"\"\"
}

fun after() = 3
";
    let extraction = extract("kotlin", text);
    let names = names(&extraction);
    assert!(names.contains(&"Host.b") && names.contains(&"after"), "{names:?}");
    assert!(!names.iter().any(|name| name.to_lowercase().contains("fake")), "{names:?}");
    let text = "local M = {}\nx y => ??\n--[[\nfunction M.fake1() end\n]]\nlocal s = [[\nfunction M.fake2() end\n]]\nfunction M.zed()\nend\n";
    let extraction = extract("lua", text);
    let names = self::names(&extraction);
    assert!(names.contains(&"M.zed") && !names.iter().any(|name| name.contains("fake")), "{names:?}");
}

#[test]
fn a_text_that_is_lost_again_and_again_ends_soon() {
    let line = "context(log: Logger) is A if y.ok -> fun f(\n";
    for id in ["kotlin", "lua", "cpp", "csharp", "python"] {
        let extraction = extract(id, &line.repeat(300));
        assert!(!extraction.chunks.is_empty());
    }
}

#[test]
fn what_a_grammar_reads_is_told_to_be_whole() {
    for (id, text) in
        [("kotlin", "fun f() = 1\n"), ("html", "<p>\n<% if a %>\n<b\n<% end %>\n"), ("toml", "[a\n{{\nb\n")]
    {
        let extraction = extract(id, text);
        assert!(!extraction.syntax.diagnostics.iter().any(codecairn_syntax::Diagnostic::is_loss), "{id}");
    }
}
