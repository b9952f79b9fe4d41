//! Lists the languages of browsers and template engines.

use super::row::{Language, code};

pub(super) const LANGUAGES: &[Language] = &[
    code("javascript", "JavaScript", &["js", "jsx", "mjs", "cjs", "es6", "es", "jsm", "gs", "jscad", "wxs"])
        .names(&["Jakefile"])
        .shebang(&["node", "nodejs", "rhino", "qjs", "gjs"])
        .aliases(&["js", "js2", "jsx", "rjsx"])
        .parsed()
        .comment("//"),
    code("typescript", "TypeScript", &["ts", "mts", "cts"])
        .shebang(&["deno", "ts-node", "tsx", "bun"])
        .aliases(&["ts"])
        .parsed()
        .comment("//"),
    code("tsx", "TSX", &["tsx"]).parsed().comment("//"),
    code("coffeescript", "CoffeeScript", &["coffee", "litcoffee", "cjsx", "iced"])
        .names(&["Cakefile"])
        .shebang(&["coffee"])
        .comment("#"),
    code("livescript", "LiveScript", &["ls"]).shebang(&["lsc"]).comment("#"),
    code("html", "HTML", &["html", "htm", "xhtml", "shtml", "hta"]).parsed(),
    code("vue", "Vue", &["vue"]).parsed(),
    code("svelte", "Svelte", &["svelte"]).parsed(),
    code("astro", "Astro", &["astro"]).parsed(),
    code("css", "CSS", &["css", "pcss", "postcss", "wxss"]).parsed(),
    code("scss", "SCSS", &["scss"]).parsed().comment("//"),
    code("sass", "Sass", &["sass"]).comment("//"),
    code("less", "Less", &["less"]).grammar("scss").comment("//"),
    code("stylus", "Stylus", &["styl"]).comment("//"),
    code("blade", "Blade", &["blade"]).grammar("html"),
    code("erb", "ERB", &["erb", "rhtml", "ejs", "eta"]).grammar("html"),
    code("handlebars", "Handlebars", &["hbs", "handlebars", "mustache"]).grammar("html"),
    code("jinja", "Jinja", &["j2", "jinja", "jinja2", "njk"]),
    code("twig", "Twig", &["twig"]).grammar("html"),
    code("liquid", "Liquid", &["liquid"]).grammar("html"),
    code("razor", "Razor", &["cshtml", "razor", "vbhtml"]).grammar("html"),
    code("heex", "HEEx", &["heex", "eex", "leex"]).grammar("html"),
    code("pug", "Pug", &["pug", "jade"]).comment("//"),
    code("haml", "Haml", &["haml"]).comment("-#"),
    code("slim", "Slim", &["slim"]).comment("/"),
    code("jsp", "Java Server Pages", &["jsp", "jspx", "tag", "ftl", "vm"]).grammar("html"),
    code("qml", "QML", &["qml", "qbs"]).shebang(&["qml", "qmlscene"]).comment("//"),
];
