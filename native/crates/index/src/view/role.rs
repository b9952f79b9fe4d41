//! Determines the roles of a file in its repository (test, example, barrel, …) by the words of its path.

/// The roles that lower the rank of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent marks, not a state")]
pub struct Role {
    /// Tests, specifications, fixtures.
    pub test: bool,
    /// Examples, documentation, manuals, benchmarks.
    pub example: bool,
    /// Files that mostly re-export definitions of others: `__init__.py`, `index.ts`, `mod.rs`.
    pub barrel: bool,
    /// Declarations without bodies: `.d.ts`, `.pyi`.
    pub declaration: bool,
    /// For a platform that is not usual for servers: one of several variants of a file.
    pub platform: bool,
    /// Legacy code: deprecated parts, first versions, compatibility layers.
    pub legacy: bool,
    /// Copied in from elsewhere, or put together from other files: builds, amalgamations, minified scripts.
    pub copied: bool,
}

/// Folders of tests, and files of these names.
const TESTS: [&str; 10] =
    ["test", "tests", "__tests__", "spec", "specs", "testing", "testdata", "fixtures", "__mocks__", "e2e"];

/// Folders of examples, documentation and benchmarks.
const EXAMPLES: [&str; 17] = [
    "example",
    "examples",
    "_examples",
    "sample",
    "samples",
    "demo",
    "demos",
    "doc",
    "docs",
    "docs_src",
    "documentation",
    "man",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "playground",
];

/// Platforms that servers seldom run on.
const PLATFORMS: [&str; 26] = [
    "win",
    "win32",
    "win64",
    "windows",
    "winapi",
    "msvc",
    "darwin",
    "macos",
    "osx",
    "ios",
    "android",
    "wasm",
    "wasm32",
    "wasi",
    "emscripten",
    "freebsd",
    "openbsd",
    "netbsd",
    "dragonfly",
    "sunos",
    "solaris",
    "illumos",
    "aix",
    "haiku",
    "cygwin",
    "uefi",
];

/// Words for code that is on its way out.
const OUTDATED: [&str; 10] =
    ["v0", "v1", "deprecated", "deprecation", "deprecations", "legacy", "compat", "compatibility", "old", "obsolete"];

/// Folders of what was copied in or put together.
const COPIES: [&str; 16] = [
    "vendor",
    "vendored",
    "_vendor",
    "thirdparty",
    "third_party",
    "third-party",
    "deps",
    "node_modules",
    "dist",
    "single_include",
    "single-include",
    "amalgamate",
    "amalgamated",
    "amalgamation",
    "generated",
    "__generated__",
];

impl Role {
    /// The role of the file at `path`.
    pub fn of(path: &str) -> Self {
        let lower = path.to_ascii_lowercase();
        let name = path.rsplit('/').next().unwrap_or(path);
        Self {
            test: is_test(path),
            example: path.split('/').any(|part| EXAMPLES.contains(&part)),
            barrel: is_barrel(name),
            declaration: [".d.ts", ".d.cts", ".d.mts", ".pyi", ".mli", ".hs-boot"]
                .iter()
                .any(|end| name.ends_with(end)),
            platform: lower.split(['/', '.', '_', '-']).any(|word| PLATFORMS.contains(&word)),
            legacy: lower.split(['/', '_']).any(|word| OUTDATED.contains(&before_dot(word))),
            copied: is_copied(&lower),
        }
    }
}

fn is_test(path: &str) -> bool {
    let is_marked = |before_dot: &str| {
        let ends_in_word = |word: &str| {
            before_dot.strip_suffix(word).is_some_and(|rest| rest.ends_with(|letter: char| letter.is_ascii_lowercase()))
        };
        ["_test", ".test", "_spec", ".spec"].iter().any(|mark| before_dot.ends_with(mark))
            || ["Test", "Tests", "Spec"].iter().any(|word| ends_in_word(word))
    };
    path.split('/').any(|part| TESTS.contains(&part) || part.starts_with("test_") || part.starts_with("conftest"))
        || path.match_indices('.').any(|(dot, _)| is_marked(&path[..dot]))
        || path.rsplit_once('.').is_some_and(|(_, extension)| extension == "bats")
}

fn is_barrel(name: &str) -> bool {
    let is_index = || {
        let extension = name.strip_prefix("index.")?;
        let script = extension.strip_prefix("d.").unwrap_or(extension);
        let script = script.strip_prefix(['c', 'm']).unwrap_or(script);
        Some(matches!(script, "js" | "jsx" | "ts" | "tsx"))
    };
    matches!(name, "__init__.py" | "__init__.pyi" | "package-info.java" | "mod.rs" | "lib.rs")
        || is_index() == Some(true)
}

fn is_copied(lower: &str) -> bool {
    let mut folders = lower.rsplit('/').skip(1);
    let is_bundle = || {
        let script = [".js", ".cjs", ".mjs"].iter().find_map(|end| lower.strip_suffix(end))?;
        let rest = script.strip_suffix("min").or_else(|| script.strip_suffix("bundle"))?;
        Some(rest.ends_with(['.', '_', '-']))
    };
    folders.any(|folder| COPIES.contains(&folder)) || is_bundle() == Some(true)
}

fn before_dot(word: &str) -> &str {
    word.split('.').next().unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_tell_roles() {
        for path in ["tests/unit/a.py", "src/user_test.go", "lib/__tests__/a.js", "src/FooTest.java", "a/test_b.py"] {
            assert!(Role::of(path).test, "{path}");
        }
        for path in ["src/cartSpec.js", "a/conftest.py", "fixtures/a.txt", "cart.spec.ts", "check.bats"] {
            assert!(Role::of(path).test, "{path}");
        }
        for path in ["src/attest.py", "src/contest/latest.rs", "src/tester.go", "aTest/b.rs", "Test.java"] {
            assert!(!Role::of(path).test, "{path}");
        }
        assert!(Role::of("examples/a.rs").example);
        assert!(Role::of("pkg/__init__.py").barrel);
        assert!(Role::of("src/index.d.ts").barrel && Role::of("src/index.d.ts").declaration);
        assert!(Role::of("index.mjs").barrel && !Role::of("index.py").barrel && !Role::of("src/index/a.js").barrel);
        for path in ["src/win/tty.c", "process/windows.rs", "net_darwin.go", "Sources/iOS/View.swift"] {
            assert!(Role::of(path).platform, "{path}");
        }
        for path in ["src/unix/tty.c", "ui/window.rs", "winner.py"] {
            assert!(!Role::of(path).platform, "{path}");
        }
        for path in ["pydantic/v1/main.py", "src/deprecated/decorator.py", "lib/_compat.py"] {
            assert!(Role::of(path).legacy, "{path}");
        }
        assert!(!Role::of("api/v2/compatible.go").legacy);
        for path in
            ["vendor/github.com/x/y.sh", "dist/esm/axios.js", "single_include/nlohmann/json.hpp", "js/jquery.min.js"]
        {
            assert!(Role::of(path).copied, "{path}");
        }
        for path in ["src/distance/bundler.rs", "src/Symfony/Bundle/Kernel.php", "auth/external/token.py"] {
            assert!(!Role::of(path).copied, "{path}");
        }
        assert_eq!(Role::of("src/session.rs"), Role::default());
    }
}
