//! The table of the compiled grammars. It names constants of the grammar crates, so it needs no unsafe code.

use std::sync::OnceLock;

use tree_sitter_language::LanguageFn;

use crate::Grammar;
use crate::bounded_scanner::{Language, Untrusted, always, bounded, ruby};

/// A grammar with a bounded scanner: the function that checks a saved state, and whether the scanner is given column 0 at
/// the end of the text.
macro_rules! entry {
    ($id:literal, $language:expr) => {
        entry!($id, $language, always, false)
    };
    ($id:literal, $language:expr, $is_whole:ident, $is_line_start_at_end:literal) => {{
        struct This;

        impl Untrusted for This {
            const ORIGINAL: LanguageFn = $language;
            const IS_WHOLE: fn(&[u8]) -> bool = $is_whole;
            const IS_LINE_START_AT_END: bool = $is_line_start_at_end;

            fn copy() -> &'static OnceLock<Language> {
                static COPY: OnceLock<Language> = OnceLock::new();
                &COPY
            }
        }

        Grammar { id: $id, language: bounded::<This>() }
    }};
}

/// Sorted by id, which `grammar` relies on.
pub(crate) static GRAMMARS: [Grammar; 54] = [
    entry!("apex", tree_sitter_sfapex::apex::LANGUAGE),
    entry!("astro", tree_sitter_astro_next::LANGUAGE),
    entry!("bash", tree_sitter_bash::LANGUAGE),
    entry!("c", tree_sitter_c::LANGUAGE),
    entry!("clojure", tree_sitter_clojure_orchard::LANGUAGE),
    entry!("cmake", tree_sitter_cmake::LANGUAGE),
    entry!("cpp", tree_sitter_cpp::LANGUAGE),
    entry!("csharp", tree_sitter_c_sharp::LANGUAGE),
    entry!("css", arborium_css::language()),
    entry!("dart", tree_sitter_dart::LANGUAGE),
    entry!("dockerfile", tree_sitter_containerfile::LANGUAGE),
    entry!("elixir", tree_sitter_elixir::LANGUAGE),
    entry!("elm", tree_sitter_elm::LANGUAGE),
    entry!("erlang", tree_sitter_erlang::LANGUAGE),
    entry!("gdscript", tree_sitter_gdscript::LANGUAGE),
    entry!("go", tree_sitter_go::LANGUAGE),
    entry!("graphql", tree_sitter_graphql::LANGUAGE),
    entry!("groovy", dekobon_tree_sitter_groovy::LANGUAGE),
    entry!("haskell", tree_sitter_haskell::LANGUAGE),
    entry!("hcl", tree_sitter_hcl::LANGUAGE),
    entry!("html", tree_sitter_html::LANGUAGE),
    entry!("java", tree_sitter_java::LANGUAGE),
    entry!("javascript", tree_sitter_javascript::LANGUAGE),
    entry!("json", tree_sitter_json::LANGUAGE),
    entry!("julia", tree_sitter_julia::LANGUAGE),
    entry!("kotlin", tree_sitter_kotlin_ng::LANGUAGE),
    entry!("lua", tree_sitter_lua::LANGUAGE),
    entry!("make", tree_sitter_make::LANGUAGE),
    entry!("markdown", tree_sitter_md::LANGUAGE),
    entry!("matlab", tree_sitter_matlab::LANGUAGE),
    entry!("nix", tree_sitter_nix::LANGUAGE),
    entry!("objc", tree_sitter_objc::LANGUAGE),
    entry!("ocaml", tree_sitter_ocaml::LANGUAGE_OCAML),
    entry!("ocaml_interface", tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE),
    entry!("perl", arborium_perl::language(), always, true),
    entry!("php", tree_sitter_php::LANGUAGE_PHP),
    entry!("powershell", tree_sitter_powershell::LANGUAGE),
    entry!("proto", tree_sitter_proto::LANGUAGE),
    entry!("python", tree_sitter_python::LANGUAGE),
    entry!("r", tree_sitter_r::LANGUAGE),
    entry!("ruby", tree_sitter_ruby::LANGUAGE, ruby, false),
    entry!("rust", tree_sitter_rust::LANGUAGE),
    entry!("scala", tree_sitter_scala::LANGUAGE),
    entry!("scss", arborium_scss::language()),
    entry!("sql", tree_sitter_sequel::LANGUAGE),
    entry!("svelte", tree_sitter_svelte_ng::LANGUAGE),
    entry!("swift", tree_sitter_swift::LANGUAGE),
    entry!("toml", tree_sitter_toml_ng::LANGUAGE),
    entry!("tsx", tree_sitter_typescript::LANGUAGE_TSX),
    entry!("typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT),
    entry!("vue", tree_sitter_vue_next::LANGUAGE),
    entry!("xml", tree_sitter_xml::LANGUAGE_XML),
    entry!("yaml", tree_sitter_yaml::LANGUAGE),
    entry!("zig", tree_sitter_zig::LANGUAGE),
];
