//! Lists functional and logic languages, Lisps and proof assistants.

use super::row::{Language, code};

pub(super) const LANGUAGES: &[Language] = &[
    code("haskell", "Haskell", &["hs", "hs-boot", "hsc", "lhs"])
        .shebang(&["runhaskell", "runghc", "stack"])
        .parsed()
        .comment("--"),
    code("ocaml", "OCaml", &["ml", "mll", "mly", "mlp", "eliom"])
        .shebang(&["ocaml", "ocamlrun", "ocamlscript"])
        .parsed()
        .comment("(*"),
    code("ocaml_interface", "OCaml interface", &["mli", "eliomi"]).parsed().comment("(*"),
    code("reason", "Reason", &["re", "rei"]).comment("//"),
    code("rescript", "ReScript", &["res", "resi"]).comment("//"),
    code("elm", "Elm", &["elm"]).parsed().comment("--"),
    code("purescript", "PureScript", &["purs"]).comment("--"),
    code("elixir", "Elixir", &["ex", "exs"]).shebang(&["elixir"]).parsed().comment("#"),
    code("erlang", "Erlang", &["erl", "hrl", "escript", "xrl", "yrl"])
        .names(&["rebar.config", "rebar.config.lock", "Emakefile"])
        .shebang(&["escript"])
        .parsed()
        .comment("%"),
    code("gleam", "Gleam", &["gleam"]).comment("//"),
    code("clojure", "Clojure", &["clj", "cljs", "cljc", "edn", "cljd", "bb", "boot"])
        .shebang(&["clojure", "bb"])
        .parsed()
        .comment(";"),
    code("fennel", "Fennel", &["fnl"]).shebang(&["fennel"]).comment(";"),
    code("hy", "Hy", &["hy"]).shebang(&["hy"]).comment(";"),
    code("commonlisp", "Common Lisp", &["lisp", "lsp", "cl", "asd", "ny"])
        .shebang(&["sbcl", "clisp", "ecl"])
        .aliases(&["lisp", "common-lisp"])
        .comment(";"),
    code("emacslisp", "Emacs Lisp", &["el"])
        .names(&[".emacs", "Cask"])
        .shebang(&["emacs"])
        .aliases(&["emacs-lisp", "elisp", "lisp-interaction"])
        .comment(";"),
    code("scheme", "Scheme", &["scm", "ss", "sld", "sls", "sps"])
        .shebang(&["guile", "csi", "chez", "gosh", "scheme"])
        .comment(";"),
    code("racket", "Racket", &["rkt", "rktd", "rktl", "scrbl"]).shebang(&["racket"]).comment(";"),
    code("nix", "Nix", &["nix"]).shebang(&["nix-instantiate"]).parsed().comment("#"),
    code("prolog", "Prolog", &["prolog", "plt", "yap"]).shebang(&["swipl", "yap"]).comment("%"),
    code("coq", "Coq", &["coq"]).comment("(*"),
    code("lean", "Lean", &["lean"]).comment("--"),
    code("agda", "Agda", &["agda", "lagda"]).comment("--"),
    code("idris", "Idris", &["idr", "lidr"]).comment("--"),
    code("isabelle", "Isabelle", &["thy"]),
    code("sml", "Standard ML", &["sml", "sig", "fun"]).comment("(*"),
    code("tlaplus", "TLA+", &["tla"]).comment("\\*"),
    code("roc", "Roc", &["roc"]).shebang(&["roc"]).comment("#"),
    code("unison", "Unison", &["u"]).comment("--"),
];
