//! Determines the roles of a file in its repository (test, example, barrel, …) by matching its path against fixed
//! patterns.

use std::sync::LazyLock;

use regex::Regex;

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

static TEST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?:^|/)(?:tests?|__tests__|spec|specs|testing|testdata|fixtures|__mocks__|e2e)(?:/|$)",
        r"|(?:^|/)(?:test_|conftest)|_test\.|[a-z]Tests?\.|\.test\.|\.spec\.|[a-z]Spec\.|_spec\.|\.bats$",
    ))
});
static EXAMPLE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:^|/)(?:examples?|_examples|samples?|demos?|docs?|docs_src|documentation|man|bench|benches|benchmarks?|playground)(?:/|$)",
    )
});
static BARREL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?:^|/)(?:__init__\.pyi?|package-info\.java|index\.(?:d\.)?[cm]?[jt]sx?|mod\.rs|lib\.rs)$")
});
static DECLARATION: LazyLock<Regex> = LazyLock::new(|| pattern(r"\.(?:d\.[cm]?ts|pyi|mli|hs-boot)$"));
static PLATFORM: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?:^|[/._-])(?:win|win32|win64|windows|winapi|msvc|darwin|macos|osx|ios|android|wasm|wasm32|wasi|emscripten",
        r"|freebsd|openbsd|netbsd|dragonfly|sunos|solaris|illumos|aix|haiku|cygwin|uefi)(?:[/._-]|$)",
    ))
});
static LEGACY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?:^|[/_])(?:v[01]|deprecated|deprecations?|legacy|compat|compatibility|old|obsolete)(?:[/._]|$)")
});
static COPIED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?:^|/)(?:vendor|vendored|_vendor|third[_-]?party|deps|node_modules",
        r"|dist|single[_-]include|amalgamat(?:e|ed|ion)|generated|__generated__)/",
        r"|[._-]min\.[cm]?js$|[._-]bundle\.[cm]?js$",
    ))
});

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("invariant: the pattern is a constant and valid")
}

impl Role {
    /// The role of the file at `path`.
    pub fn of(path: &str) -> Self {
        let lower = path.to_ascii_lowercase();
        Self {
            test: TEST.is_match(path),
            example: EXAMPLE.is_match(path),
            barrel: BARREL.is_match(path),
            declaration: DECLARATION.is_match(path),
            platform: PLATFORM.is_match(&lower),
            legacy: LEGACY.is_match(&lower),
            copied: COPIED.is_match(&lower),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_tell_roles() {
        for path in ["tests/unit/a.py", "src/user_test.go", "lib/__tests__/a.js", "src/FooTest.java", "a/test_b.py"] {
            assert!(Role::of(path).test, "{path}");
        }
        for path in ["src/attest.py", "src/contest/latest.rs", "src/tester.go"] {
            assert!(!Role::of(path).test, "{path}");
        }
        assert!(Role::of("examples/a.rs").example);
        assert!(Role::of("pkg/__init__.py").barrel);
        assert!(Role::of("src/index.d.ts").barrel && Role::of("src/index.d.ts").declaration);
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
