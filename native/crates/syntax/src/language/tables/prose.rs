//! Lists the formats of text for people.

use super::row::{Language, text};

pub(super) const LANGUAGES: &[Language] = &[
    text("text", "Text", &["txt", "text", "me", "readme", "1st", "nfo"])
        .names(&[
            "README",
            "LICENSE",
            "LICENCE",
            "COPYING",
            "AUTHORS",
            "CHANGELOG",
            "CHANGES",
            "NEWS",
            "INSTALL",
            "TODO",
            "NOTICE",
            "MAINTAINERS",
        ])
        .aliases(&["txt", "fundamental"]),
    text("markdown", "Markdown", &["md", "markdown", "mdown", "mkd", "mkdn", "mdwn", "ronn", "livemd", "mdc"])
        .names(&["contents.lr"])
        .aliases(&["md", "gfm"])
        .parsed(),
    text("mdx", "MDX", &["mdx"]).grammar("markdown"),
    text("rmarkdown", "R Markdown", &["rmd", "qmd"]).grammar("markdown"),
    text("rst", "reStructuredText", &["rst", "rest"]).aliases(&["restructuredtext"]).comment(".."),
    text("asciidoc", "AsciiDoc", &["adoc", "asciidoc"]).comment("//"),
    text("org", "Org", &["org", "org_archive"]).comment("#"),
    text("latex", "LaTeX", &["tex", "ltx", "sty", "dtx", "ins", "latex", "bbx", "cbx", "lbx"])
        .aliases(&["tex", "plaintex", "context"])
        .comment("%"),
    text("typst", "Typst", &["typ"]).comment("//"),
    text("texinfo", "Texinfo", &["texi", "texinfo", "txi"]).comment("@c"),
    text("man", "Manual page", &["1", "2", "3", "4", "5", "6", "7", "8", "9", "man", "roff", "nroff", "mdoc", "ms"])
        .aliases(&["nroff", "troff"])
        .comment(".\\\""),
    text("pod", "Pod", &["pod"]),
    text("textile", "Textile", &["textile"]),
    text("wiki", "MediaWiki", &["mediawiki", "wiki"]),
    text("creole", "Creole", &["creole", "rdoc"]),
    text("mermaid", "Mermaid", &["mmd", "mermaid"]).comment("%%"),
    text("plantuml", "PlantUML", &["puml", "plantuml", "iuml", "wsd"]).comment("'"),
    text("dot", "Graphviz", &["dot", "gv"]).comment("//"),
    text("http", "HTTP requests", &["http"]).comment("#"),
];
