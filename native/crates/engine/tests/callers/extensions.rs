//! Functions that extend types which the repository does not define.

use super::repository;

#[test]
fn extension_methods_of_library_types_are_candidates() {
    let found = repository(&[
        (
            "Ext.cs",
            "using System.Collections.Generic;\nnamespace J;\npublic static class DictExt\n{\n    public static string? FirstNotNull(this \
             IReadOnlyDictionary<string, string> d, string k) => d[k];\n    public static bool IsBlank(this string s) => s.Length == 0;\n    \
             public static bool Plain(string s) => true;\n}\n",
        ),
        (
            "Use.cs",
            "using System.Collections.Generic;\nnamespace J;\npublic class Use\n{\n    public void A(IReadOnlyDictionary<string, string> tags, \
             string s)\n    {\n        var t = tags.FirstNotNull(\"title\");\n        if (s.IsBlank()) { }\n        DictExt.IsBlank(s);\n        \
             s.Plain();\n    }\n}\n",
        ),
        (
            "ext.kt",
            "package p\nfun String.shout() = uppercase() + \"!\"\nfun <T> List<T>.second(): T = this[1]\nclass C { fun own() {} }\n",
        ),
        ("use.kt", "package p\nfun go(xs: List<Int>, s: String) { s.shout(); xs.second(); s.own() }\n"),
        (
            "ext.swift",
            "extension String { func shout2() -> String { return self + \"!\" } }\nextension Array { func second2() -> Element { return self[1] } }\n",
        ),
        ("use.swift", "func go2(xs: [Int], s: String) { s.shout2(); xs.second2() }\n"),
        (
            "ext.rs",
            "pub trait StrExt { fn shout3(&self) -> String; }\nimpl StrExt for str { fn shout3(&self) -> String { self.to_uppercase() } }\npub fn \
             go3(s: &str) -> String { \"a\".shout3() + &s.shout3() }\n",
        ),
        ("other.rs", "pub fn go4(s: &str) { s.shout3() }\n"),
    ]);
    assert_eq!(found.callers("FirstNotNull"), ["Use.cs:7 unique-name"]);
    assert_eq!(found.callers("IsBlank"), ["Use.cs:8 unique-name", "Use.cs:9 receiver"]);
    assert_eq!(found.callers("Plain"), [""; 0]);
    assert_eq!(found.callers("shout"), ["use.kt:2 unique-name"]);
    assert_eq!(found.callers("second"), ["use.kt:2 unique-name"]);
    assert_eq!(found.callers("own"), [""; 0]);
    assert_eq!(found.callers("shout2"), ["use.swift:1 unique-name"]);
    assert_eq!(found.callers("second2"), ["use.swift:1 unique-name"]);
    // A trait must be known where its method is called.
    assert_eq!(found.callers("StrExt.shout3"), ["ext.rs:3 ambiguous", "ext.rs:3 ambiguous"]);
}

#[test]
fn extensions_of_scala_dart_and_scripts_are_candidates() {
    let found = repository(&[
        (
            "A.scala",
            "object Syntax {\n  implicit class Rich(val s: String) { def shout4(n: Int): String = s }\n  extension (s: String) def loud4(n: Int): \
             String = s\n}\nobject Main { def go(s: String) = { s.shout4(1); s.loud4(2) } }\n",
        ),
        (
            "a.dart",
            "extension Shout on String {\n  String shout5() => this;\n}\nextension on int { int twice5() => this; }\nvoid go(String s) { \
             s.shout5(); 2.twice5(); }\n",
        ),
        ("a.js", "String.prototype.shout6 = function () { return this }\n\"a\".shout6()\n"),
    ]);
    assert_eq!(found.callers("shout4"), ["A.scala:5 unique-name"]);
    assert_eq!(found.callers("loud4"), ["A.scala:5 unique-name"]);
    assert_eq!(found.callers("shout5"), ["a.dart:5 unique-name"]);
    assert_eq!(found.callers("twice5"), ["a.dart:5 unique-name"]);
    assert_eq!(found.callers("shout6"), ["a.js:2 unique-name"]);
}
