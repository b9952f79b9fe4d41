//! Groups languages into families with the same rules of name resolution.

/// Languages whose definitions can be used from one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Family {
    Python,
    /// JavaScript, TypeScript, and languages that embed them.
    Script,
    Go,
    Rust,
    /// Java, Kotlin, Scala, Groovy.
    Jvm,
    CSharp,
    Php,
    Ruby,
    /// C, C++, Objective-C and their like.
    C,
    Swift,
    Lua,
    Elixir,
    Shell,
    Other,
}

impl Family {
    /// The family of a language, by its id.
    pub(super) fn of(language: &str) -> Self {
        match language {
            "python" => Self::Python,
            "javascript" | "typescript" | "tsx" | "jsx" | "vue" | "svelte" | "astro" | "html" => Self::Script,
            "go" => Self::Go,
            "rust" => Self::Rust,
            "java" | "kotlin" | "scala" | "groovy" => Self::Jvm,
            "csharp" => Self::CSharp,
            "php" => Self::Php,
            "ruby" => Self::Ruby,
            "c" | "cpp" | "objc" | "cuda" | "metal" => Self::C,
            "swift" => Self::Swift,
            "lua" | "luau" => Self::Lua,
            "elixir" => Self::Elixir,
            "bash" | "zsh" => Self::Shell,
            _ => Self::Other,
        }
    }

    /// Whether a bare name inside a type may be a member of it.
    pub(super) fn members_are_bare(self) -> bool {
        matches!(self, Self::Jvm | Self::CSharp | Self::C | Self::Swift | Self::Ruby)
    }

    /// Whether an unqualified name inside a method resolves to members of the type's body, without inheritance.
    pub(super) fn sees_class_scope(self) -> bool {
        !matches!(self, Self::Python | Self::Script | Self::Php | Self::Go | Self::Rust)
    }

    /// Whether constants and fields are called as functions are.
    pub(super) fn calls_constants(self) -> bool {
        !matches!(self, Self::Jvm | Self::CSharp | Self::Swift | Self::Ruby | Self::Php | Self::Lua)
    }

    /// Whether types are declared: one that the project does not define is a library's, and so is what its members return.
    pub(super) fn declares_types(self) -> bool {
        matches!(self, Self::Go | Self::Jvm | Self::CSharp | Self::Swift)
    }

    /// Whether a local variable is unknown before its declaration.
    pub(super) fn declares_first(self) -> bool {
        matches!(self, Self::Go | Self::Rust | Self::Jvm | Self::CSharp | Self::C | Self::Swift)
    }

    /// Whether a member that is read is a call only if a property computes it.
    pub(super) fn reads_members(self) -> bool {
        matches!(self, Self::Python | Self::Script)
    }

    /// Whether files of one folder see one another's definitions.
    pub(super) fn folder_is_package(self) -> bool {
        matches!(self, Self::Go | Self::Jvm)
    }

    /// Whether every definition is visible everywhere by its full name.
    pub(super) fn is_global(self) -> bool {
        matches!(
            self,
            Self::CSharp | Self::Php | Self::Ruby | Self::C | Self::Swift | Self::Elixir | Self::Shell | Self::Other
        )
    }

    /// Whether a type's members may be defined away from it, in another file.
    pub(super) fn members_are_spread(self) -> bool {
        matches!(
            self,
            Self::Go | Self::Rust | Self::C | Self::CSharp | Self::Ruby | Self::Swift | Self::Jvm | Self::Lua
        )
    }
}

/// The words of a language for the object that a method is called on.
pub(super) fn is_own_object(language: &str, word: &str) -> bool {
    match word {
        "self" => !matches!(
            language,
            "apex"
                | "c"
                | "cpp"
                | "csharp"
                | "cuda"
                | "dart"
                | "elixir"
                | "go"
                | "groovy"
                | "java"
                | "kotlin"
                | "metal"
        ),
        "this" => !matches!(language, "elixir" | "go" | "lua" | "luau" | "objc" | "python" | "ruby" | "rust" | "swift"),
        _ => is_own_type(language, word),
    }
}

/// The words of a language for the type around them.
pub(super) fn is_own_type(language: &str, word: &str) -> bool {
    match word {
        "Self" => matches!(language, "php" | "python" | "rust" | "swift"),
        "static" => language == "php",
        _ => false,
    }
}

/// The words of a language for the bases of the type around them.
pub(super) fn is_base(language: &str, word: &str) -> bool {
    match word {
        "super" => !matches!(language, "csharp" | "go" | "php" | "rust"),
        "base" => language == "csharp",
        "parent" => language == "php",
        _ => false,
    }
}

/// The words that a language calls, or makes an instance of, for the type around them: `Self(…)`, `new self`, `this(…)`.
pub(super) fn is_called_own_type(language: &str, word: &str) -> bool {
    match word {
        "self" => language == "php",
        "this" => is_own_object(language, word),
        _ => is_own_type(language, word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_belong_to_their_languages() {
        for (language, word, expected) in [
            ("java", "self", (false, false, false)),
            ("java", "this", (true, true, false)),
            ("elixir", "self", (false, false, false)),
            ("php", "self", (true, true, false)),
            ("php", "parent", (false, false, true)),
            ("python", "parent", (false, false, false)),
            ("python", "self", (true, false, false)),
            ("csharp", "base", (false, false, true)),
            ("kotlin", "base", (false, false, false)),
            ("rust", "Self", (true, true, false)),
        ] {
            let found = (is_own_object(language, word), is_called_own_type(language, word), is_base(language, word));
            assert_eq!(found, expected, "{language} {word}");
        }
    }
}
