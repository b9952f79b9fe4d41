//! Lists languages that an interpreter runs, shells and numeric environments among them.

use super::row::{Language, code};

pub(super) const LANGUAGES: &[Language] = &[
    code("python", "Python", &["py", "pyi", "pyw", "py3", "pyt", "gyp", "gypi", "xsh", "rpy"])
        .names(&["SConstruct", "SConscript", "wscript", ".pythonrc", "Snakefile", "DEPS"])
        .shebang(&["python", "pypy", "xonsh", "uv", "sage"])
        .parsed()
        .comment("#"),
    code("cython", "Cython", &["pyx", "pxd", "pxi"]).grammar("python").comment("#"),
    code(
        "ruby",
        "Ruby",
        &["rb", "rbw", "rake", "gemspec", "ru", "podspec", "thor", "jbuilder", "rabl", "builder", "rbi"],
    )
    .names(&[
        "Gemfile",
        "Rakefile",
        "Vagrantfile",
        "Podfile",
        "Brewfile",
        "Guardfile",
        "Capfile",
        "Fastfile",
        "Appfile",
        "Dangerfile",
        "Berksfile",
        "Thorfile",
        "Steepfile",
        "Deliverfile",
        "Puppetfile",
        ".irbrc",
        ".pryrc",
    ])
    .shebang(&["ruby", "jruby", "rake", "macruby", "rbx"])
    .parsed()
    .comment("#"),
    code("php", "PHP", &["php", "phtml", "php3", "php4", "php5", "php7", "php8", "phps", "ctp"])
        .names(&[".php_cs", ".php_cs.dist"])
        .shebang(&["php"])
        .parsed()
        .comment("//"),
    code("lua", "Lua", &["lua", "luau", "nse", "rockspec", "wlua", "pd_lua"])
        .names(&[".luacheckrc"])
        .shebang(&["lua", "luajit", "texlua", "luau"])
        .parsed()
        .comment("--"),
    code("perl", "Perl", &["pl", "pm", "t", "psgi", "plx", "ph", "al"])
        .names(&["Makefile.PL", "Rexfile", "cpanfile", "ack", ".latexmkrc", "latexmkrc"])
        .shebang(&["perl"])
        .parsed()
        .comment("#"),
    code("raku", "Raku", &["raku", "rakumod", "rakutest", "p6", "pm6", "pl6"]).shebang(&["raku", "perl6"]).comment("#"),
    code("bash", "Shell", &["sh", "bash", "zsh", "ksh", "bats", "command", "ebuild", "eclass", "envrc", "zsh-theme"])
        .names(&[
            ".bashrc",
            ".bash_profile",
            ".bash_aliases",
            ".bash_logout",
            ".profile",
            ".zshrc",
            ".zshenv",
            ".zprofile",
            ".zlogin",
            ".zlogout",
            ".kshrc",
            "bashrc",
            "zshrc",
            "PKGBUILD",
            "APKBUILD",
            "gradlew",
            ".xinitrc",
            ".xprofile",
            ".login",
        ])
        .shebang(&["sh", "bash", "zsh", "ksh", "dash", "ash", "mksh", "bats"])
        .aliases(&["sh", "shell", "shell-script", "zsh", "ksh"])
        .parsed()
        .comment("#"),
    code("fish", "Fish", &["fish"]).shebang(&["fish"]).comment("#"),
    code("nushell", "Nushell", &["nu"]).shebang(&["nu"]).comment("#"),
    code("csh", "C shell", &["csh", "tcsh"]).names(&[".cshrc", ".tcshrc"]).shebang(&["csh", "tcsh"]).comment("#"),
    code("powershell", "PowerShell", &["ps1", "psm1", "psd1"]).shebang(&["pwsh"]).parsed().comment("#"),
    code("batch", "Batch", &["bat", "cmd"]).aliases(&["dosbatch"]).comment("REM"),
    code("tcl", "Tcl", &["tcl", "adp", "tm", "sdc", "xdc"]).shebang(&["tclsh", "wish", "expect"]).comment("#"),
    code("awk", "AWK", &["awk", "gawk", "mawk"]).shebang(&["awk", "gawk", "mawk", "nawk"]).comment("#"),
    code("sed", "sed", &["sed"]).shebang(&["sed", "gsed"]).comment("#"),
    code("gdscript", "GDScript", &["gd"]).parsed().comment("#"),
    code("julia", "Julia", &["jl"]).shebang(&["julia"]).parsed().comment("#"),
    code("r", "R", &["r", "rsx"]).names(&[".Rprofile"]).shebang(&["rscript", "r", "littler"]).parsed().comment("#"),
    code("matlab", "MATLAB", &["matlab"]).shebang(&["octave"]).aliases(&["octave"]).parsed().comment("%"),
    code("mathematica", "Wolfram Language", &["wl", "wls", "mt"]).shebang(&["wolframscript"]),
    code("stata", "Stata", &["do", "ado", "mata"]).comment("*"),
    code("vim", "Vim script", &["vim", "vimrc", "vmb"])
        .names(&[".vimrc", ".gvimrc", "vimrc", "gvimrc"])
        .aliases(&["viml"])
        .comment("\""),
    code("applescript", "AppleScript", &["applescript"]).shebang(&["osascript"]).comment("--"),
    code("autohotkey", "AutoHotkey", &["ahk"]).comment(";"),
    code("janet", "Janet", &["janet"]).shebang(&["janet"]).comment("#"),
    code("wren", "Wren", &["wren"]).comment("//"),
    code("squirrel", "Squirrel", &["nut"]).comment("//"),
    code("smalltalk", "Smalltalk", &["st"]).shebang(&["gst"]),
    code("robot", "Robot Framework", &["robot", "resource"]).comment("#"),
    code("gherkin", "Gherkin", &["feature"]).comment("#"),
];
