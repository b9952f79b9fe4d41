//! Lists the languages of settings.

use super::row::{Language, settings};

pub(super) const LANGUAGES: &[Language] = &[
    settings(
        "json",
        "JSON",
        &[
            "json",
            "jsonc",
            "json5",
            "jsonl",
            "ndjson",
            "webmanifest",
            "avsc",
            "har",
            "hjson",
            "code-workspace",
            "sublime-project",
            "arb",
            "xctestplan",
            "asmdef",
        ],
    )
    .names(&[
        ".babelrc",
        ".eslintrc",
        ".prettierrc",
        ".jshintrc",
        ".jscsrc",
        ".stylelintrc",
        ".swcrc",
        ".nycrc",
        ".watchmanconfig",
        ".releaserc",
        ".bowerrc",
        ".htmlhintrc",
        ".lintstagedrc",
    ])
    .parsed()
    .comment("//"),
    settings("yaml", "YAML", &["yaml", "yml", "sublime-syntax", "cff", "mir"])
        .names(&[".clang-format", ".clang-tidy", ".clangd", ".gemrc", ".yamllint"])
        .parsed()
        .comment("#"),
    settings("toml", "TOML", &["toml"]).names(&["Pipfile"]).parsed().comment("#"),
    settings(
        "xml",
        "XML",
        &[
            "xml",
            "xsd",
            "xsl",
            "xslt",
            "wsdl",
            "plist",
            "xaml",
            "axaml",
            "csproj",
            "vbproj",
            "fsproj",
            "vcxproj",
            "sqlproj",
            "props",
            "targets",
            "resx",
            "pom",
            "nuspec",
            "storyboard",
            "xib",
            "rng",
            "rss",
            "atom",
            "gpx",
            "kml",
            "ui",
            "glade",
            "xlf",
            "xliff",
            "tmx",
            "tld",
            "jelly",
            "config",
            "manifest",
            "ruleset",
            "iml",
            "launch",
            "urdf",
            "xacro",
            "sdf",
            "dita",
            "fxml",
            "slnx",
        ],
    )
    .names(&["nuget.config", "packages.config", ".classpath", ".project"])
    .parsed(),
    settings("ini", "INI", &["ini", "cfg", "inf", "desktop", "prefs", "url", "lektorproject", "reg"])
        .names(&[
            ".editorconfig",
            ".gitconfig",
            ".gitmodules",
            ".gitattributes",
            ".flake8",
            ".pylintrc",
            "pylintrc",
            ".coveragerc",
            ".npmrc",
            ".hgrc",
            ".wgetrc",
            ".curlrc",
            ".ripgreprc",
        ])
        .aliases(&["dosini", "cfg"])
        .comment("#"),
    settings("properties", "Properties", &["properties", "prop"]).comment("#"),
    settings("conf", "Configuration", &["conf", "cnf", "cf", "rc", "vhost", "nginxconf", "htaccess", "vcl"])
        .names(&[
            ".htaccess",
            "nginx.conf",
            "Caddyfile",
            "CODEOWNERS",
            "crontab",
            ".inputrc",
            ".tmux.conf",
            ".screenrc",
        ])
        .prefixes(&["Caddyfile."])
        .comment("#"),
    settings("ignore", "Ignore rules", &["gitignore"])
        .names(&[
            ".gitignore",
            ".ignore",
            ".dockerignore",
            ".npmignore",
            ".eslintignore",
            ".prettierignore",
            ".codecairnignore",
            ".hgignore",
            ".helmignore",
            ".gcloudignore",
            ".vscodeignore",
            ".rgignore",
            ".fdignore",
            ".stylelintignore",
            ".cfignore",
            ".slugignore",
        ])
        .comment("#"),
    settings("sln", "Solution", &["sln"]).comment("#"),
    settings("ron", "RON", &["ron"]).comment("//"),
    settings("kdl", "KDL", &["kdl"]).comment("//"),
    settings("hocon", "HOCON", &["hocon"]).comment("//"),
    settings("pip", "Requirements", &[])
        .names(&["requirements.txt", "constraints.txt", "MANIFEST.in", "requirements.in"])
        .prefixes(&["requirements-", "requirements_"])
        .comment("#"),
    settings("env", "Environment", &["env"]).comment("#"),
    settings("gettext", "Gettext", &["po", "pot"]).comment("#"),
    settings("strings", "Localised strings", &["strings", "stringsdict"]).comment("//"),
    settings("godot", "Godot resource", &["tscn", "tres", "godot", "import"]).comment(";"),
];
