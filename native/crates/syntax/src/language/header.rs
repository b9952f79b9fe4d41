//! Decides whether a header is written in C++ or in C.
//!
//! Headers meant for both hide their C++ behind `__cplusplus`, and say "class" or "using" in their comments. So the
//! question is asked of the lines that a C compiler sees, without comments and macros.

/// Whether a C compiler would refuse this header.
pub(super) fn is_cpp(text: &str) -> bool {
    const STARTS: [&str; 14] = [
        "class ",
        "namespace ",
        "inline namespace ",
        "template<",
        "template <",
        "public:",
        "private:",
        "protected:",
        "using ",
        "constexpr ",
        "enum class ",
        "virtual ",
        "friend ",
        "explicit ",
    ];
    const WORDS: [&str; 6] = ["std::", " noexcept", " override;", " override {", " = default;", " = delete;"];
    let mut compiler = Compiler::default();
    text.lines().filter_map(|line| compiler.sees(line)).any(|code| {
        STARTS.iter().any(|start| code.starts_with(start))
            || WORDS.iter().any(|word| code.contains(word))
            || includes_without_suffix(code)
    })
}

/// `#include <vector>`: only C++'s own headers have no extension.
fn includes_without_suffix(line: &str) -> bool {
    let is_bare = |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'0'..=b'9' | b'_'));
    directive(line)
        .and_then(|directive| directive.strip_prefix("include"))
        .and_then(|rest| rest.trim().strip_prefix('<')?.split_once('>'))
        .is_some_and(|(name, _)| is_bare(name))
}

/// What follows the `#` of a preprocessor line.
fn directive(line: &str) -> Option<&str> {
    line.strip_prefix('#').map(str::trim_start)
}

/// A C compiler going through a text line by line.
#[derive(Debug, Default)]
struct Compiler {
    in_comment: bool,
    in_macro: bool,
    /// How many `#if` are open.
    depth: usize,
    /// At which of them a part for C++ alone began.
    cpp_only: Option<usize>,
    /// At which of them a part for C alone began: its `#else` is for C++.
    c_only: Option<usize>,
}

impl Compiler {
    /// The code of a line, if a C compiler gets to see any.
    fn sees<'t>(&mut self, line: &'t str) -> Option<&'t str> {
        let is_continued_macro = self.in_macro;
        self.in_macro &= line.ends_with('\\');
        let code = self.without_comment(line).trim();
        if is_continued_macro || code.is_empty() {
            return None;
        }
        if let Some(directive) = directive(code) {
            self.in_macro = code.ends_with('\\');
            self.follow(directive);
            return directive.starts_with("include").then_some(code).filter(|_| self.cpp_only.is_none());
        }
        self.cpp_only.is_none().then_some(code)
    }

    /// The part of a line before or after a comment.
    fn without_comment<'t>(&mut self, line: &'t str) -> &'t str {
        let mut code = line;
        if self.in_comment {
            let Some((_, rest)) = line.split_once("*/") else {
                return "";
            };
            self.in_comment = false;
            code = rest;
        }
        match (code.find("//"), code.find("/*")) {
            (Some(line_comment), block) if block.is_none_or(|block| line_comment < block) => &code[..line_comment],
            (_, Some(block)) => {
                self.in_comment = !code[block + 2..].contains("*/");
                &code[..block]
            }
            _ => code,
        }
    }

    fn follow(&mut self, directive: &str) {
        if directive.starts_with("if") {
            self.depth += 1;
            if directive.contains("__cplusplus") {
                let is_negated = directive.starts_with("ifndef")
                    || ["!defined(__cplusplus", "!defined __cplusplus", "!__cplusplus", "! defined"]
                        .iter()
                        .any(|negation| directive.contains(negation));
                let part = if is_negated { &mut self.c_only } else { &mut self.cpp_only };
                part.get_or_insert(self.depth);
            }
        } else if directive.starts_with("el") {
            if self.cpp_only == Some(self.depth) {
                self.cpp_only = None;
            } else if self.c_only == Some(self.depth) && self.cpp_only.is_none() {
                self.cpp_only = Some(self.depth);
            }
        } else if directive.starts_with("endif") {
            for part in [&mut self.cpp_only, &mut self.c_only] {
                part.take_if(|depth| *depth == self.depth);
            }
            self.depth = self.depth.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_cpp_has_is_cpp() {
        for text in [
            "namespace a { int f(); }\n",
            "#pragma once\n#include <string_view>\n",
            "# include <vector>\n",
            "/* licence */\ntemplate <class T> struct A {};\n",
            "struct A {\n  A() = default;\n};\n",
            "struct A {\n  void f() const override;\n};\n",
            "std::size_t f();\n",
            "#ifndef __cplusplus\n#error\n#endif\nclass A {};\n",
            "#ifdef A\n#endif\n/* one\n two */ class A {};\n",
        ] {
            assert!(is_cpp(text), "{text}");
        }
    }

    #[test]
    fn what_c_understands_is_c() {
        for text in [
            "",
            "#include <stdio.h>\n#include <sys/types.h>\n",
            "/* Licence:\n   using this file is free,\n   class of its own */\nint f(int);\n",
            "int x; /* a comment\nclass of values */\nint y; // std::min\n",
            "#define LOCAL 1 /* override;\n  class */\n",
            "#define PAIR(T) \\\n  template <class T> \\\n  class A\nint f(void);\n",
            "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(int);\n",
            "#if defined(__cplusplus) && !defined(CINTERFACE)\n#if 1\nclass A;\n#endif\nvirtual int f();\n#else\nint f();\n#endif\n",
            "#ifndef __cplusplus\nint f();\n#else\nclass A;\n#endif\nint g();\n",
            "#if !defined(__cplusplus)\nint f();\n#endif\n",
            "#endif\n#else\n",
            "struct class_info { int using_it; };\n",
        ] {
            assert!(!is_cpp(text), "{text}");
        }
    }
}
