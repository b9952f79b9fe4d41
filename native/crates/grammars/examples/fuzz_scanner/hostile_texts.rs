//! Makes texts out of forms that a scanner keeps state for, with delimiters, depths and counts around its limits.

/// Lengths and counts at which a byte, a buffer or a stack is full.
const SIZES: [usize; 38] = [
    0, 1, 2, 3, 7, 8, 15, 16, 17, 24, 25, 31, 32, 63, 64, 126, 127, 128, 129, 204, 205, 254, 255, 256, 257, 300, 510,
    511, 512, 513, 1016, 1017, 1018, 1019, 1020, 1023, 1024, 1025,
];

/// Stands for a delimiter in a form; all of one form are equal.
const DELIMITER: char = '§';

/// The longest text in bytes.
const MAX_TEXT: usize = 48 << 10;

/// Opening and closing delimiters of all languages.
const PAIRS: [(&str, &str); 24] = [
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("{\n", "}\n"),
    ("\"#{", "}\""),
    ("\"${", "}\""),
    ("$(", ")"),
    ("`", "`"),
    ("<a>", "</a>"),
    ("<§>", "</§>"),
    ("{{", "}}"),
    ("(*", "*)"),
    ("/*", "*/"),
    ("{-", "-}"),
    ("f\"{", "}\""),
    ("$\"{", "}\""),
    ("\"\\(", ")\""),
    ("> ", "\n"),
    ("- ", "\n"),
    ("1. ", "\n"),
    ("%w(", ")"),
    ("{§|", "|§}"),
    ("#\"", "\"#"),
    ("[=[", "]=]"),
];

/// Forms of single grammars: heredocs, raw strings, tags, quotes.
const FORMS: [(&str, &[&str]); 34] = [
    ("astro", &["<§>", "</§>", "---\n§\n---\n", "<§ a={b}>", "<script>§</script>", "<!--§-->", "{`§`}"]),
    (
        "bash",
        &[
            "cat <<§\na $b\n§\n",
            "cat <<-'§'\n\ta\n\t§\n",
            "cat <<§ <<B\n§\nB\n",
            "<<\"§\"\n",
            "cat <<\\§\n$(cat <<§\n§\n)\n",
            "[[ a =~ §( ]]\n",
            "case a in @(§|b)) ;; esac\n",
            "${a#§}",
            "$'§'",
        ],
    ),
    ("cmake", &["#[§[a]§]\n", "set(a [§[b]§])\n", "#[==[\n", "[====[a]====]"]),
    ("cpp", &["R\"§(a)§\"", "u8R\"§(", ")§\"", "LR\"§(a\n)§\";\n"]),
    (
        "csharp",
        &[
            "$\"{a}§\"",
            "$@\"{a}\"\"\"",
            "$$\"\"\"\n{{a}}\n\"\"\"",
            "\"\"\"§\"\"\"",
            "$\"{$\"{",
            "$$$$\"\"\"{{{{",
            "#if §\n",
        ],
    ),
    ("dart", &["'''$§'''", "\"${a}\"", "r'§'", "/*§*/", "@a(§)", "'${'"]),
    ("dockerfile", &["RUN <<§ <<B\na\n§\nB\n", "COPY <<-'§' a\n§\n", "# escape=`\n", "FROM §\n", "RUN a \\\n  b\n"]),
    ("elixir", &["~s(§)", "~S\"\"\"\n§\n\"\"\"", "\"#{a}\"", "'''\n§\n'''", "~w[§]a", ":\"§\""]),
    ("elm", &["\"\"\"§\"\"\"", "let\n  §=\n", "case a of\n  §->\n", "{-§-}", "[glsl|§|]"]),
    ("gdscript", &["if a:\n\t§\n", "\"\"\"§\"\"\"", "r\"§\"", "func a():\n  pass\n", "match a:\n\t§:\n"]),
    ("groovy", &["\"${§}\"", "\"\"\"§\"\"\"", "/§/", "$/§/$", "'''§'''"]),
    (
        "haskell",
        &[
            "[§|a|]",
            "where\n  §=b\n",
            "do\n §\n",
            "{-#§#-}",
            "let {a=§}",
            "case a of\n  §->b\n",
            "#if §\n#endif\n",
            "if | §->",
        ],
    ),
    ("hcl", &["a = <<§\n${b}\n§\n", "a = <<-§\n%{if a}\n§\n", "\"${\"", "\"%{§}\"", "a = \"${<<§\n§\n}\"\n"]),
    (
        "html",
        &["<§>", "</§>", "<script>§</script>", "<!--§-->", "<§ a='b'/>", "<style>§</style>", "<p><div>", "<li><li>"],
    ),
    ("javascript", &["`§${a}`", "/§/g", "<!--§-->", "<§>{a}</§>", "a ? b\n:c", "a\n++b"]),
    ("julia", &["\"\"\"§\"\"\"", "`§`", "§\"a\"", "#=§=#", "\"$(a)\"", "```§```"]),
    ("kotlin", &["\"\"\"§\"\"\"", "\"${§}\"", "/*§*/", "a\n?.b", "import §.*\n", "\"\"\"\"\"\"\"\""]),
    ("lua", &["[§[a]§]", "[==[§]==]", "--[====[\n]====]", "[[§]]", "[=", "]=]"]),
    (
        "markdown",
        &[
            "> §",
            "- §\n",
            "```§\na\n```\n",
            "~~~~\n",
            "<§>\n",
            "1. a\n",
            "    §\n",
            "|a|\n|-|\n|§|\n",
            "[§]: b\n",
            "---\n§\n---\n",
            "+++\n§\n+++\n",
            "<!--§\n",
            "\t- a\n",
            "* ",
            "999999999. a\n",
        ],
    ),
    ("matlab", &["%{\n§\n%}\n", "'§'", "\"§\"", "a...\nb", "!§\n", "[a 'b']", "cd §\n", "{1, ...\n2}"]),
    ("nix", &["''§${a}''", "\"${\"", "''$''", "\"§\"", "'' ''\\n"]),
    ("ocaml", &["{§|a|§}", "{%§ b|a|b}", "(*{§|*)|§}*)", "\"§\\\n\"", "(*\"§\"*)", "# 1 \"§\"\n", "'\\''"]),
    (
        "perl",
        &[
            "<<§;\na $b\n§\n",
            "<<~'§';\n a\n §\n",
            "q§a§",
            "qq{$a{b}}",
            "s{§}{a}e",
            "m/$x[",
            "\"@{[ \"",
            "y/§/a/",
            "=pod\n§\n=cut\n",
            "__END__\n",
            "format =\n",
            "qw(§)",
            "\"$a->[",
            "<§>",
            "<<\"§\", <<B;\n§\nB\n",
        ],
    ),
    (
        "php",
        &["<?php\n", "<<<§\na {$b}\n§;\n", "<<<'§'\na\n§\n", "<<<\"§\"\n", "?>§<?php ", "\"{$a[", "`§`", "<<<§\n${a}"],
    ),
    ("powershell", &["@\"\n§\n\"@\n", "@'\n§\n'@\n", "\"$(§)\"", "<#§#>", "a `\n b"]),
    (
        "python",
        &["f'{§}'", "if a:\n\t§\n", "rb'''§'''", "f\"{a:{b}}\"", "f'{f\"{", "\\\n", "except*", "\"\"\"§\"\"\"", "t'{'"],
    ),
    ("r", &["r\"§(a)§\"", "R'---[a]---'", "r\"-{", "{\n§\n}", "if (a) b\nelse c", "`§`", "a[[b]]", "function(a)\n"]),
    (
        "ruby",
        &[
            "a = <<§\nb #{c}\n§\n",
            "f(<<~'§', <<-B)\n§\nB\n",
            "<<§\n",
            "%w(§ (b))",
            "%q<<§>>",
            "\"#{<<§}\"\n§\n",
            "/§#{a}/x",
            ":\"§#{b}\"",
            "%i[§]",
            "`§`",
            "a ? b :c",
            "__END__\n",
            "=begin\n§\n=end\n",
            "?§",
            "%(#{%(",
        ],
    ),
    ("rust", &["r#\"§\"#", "r§\"a\"§", "br##\"", "/*§*/", "/// §\n", "1.§", "\"§\\", "//!\n", "cr#\"a\"#"]),
    (
        "scala",
        &[
            "\"\"\"§\"\"\"",
            "s\"${§}\"",
            "if a then\n  §\n",
            "a match\n case §=>\n",
            "/*§*/",
            "<§>a</§>",
            "object a:\n",
            "f\"\"\"$a",
        ],
    ),
    ("sql", &["$§$a$§$", "$$§$$", "E'§'", "/*§*/", "$a$ $b$ $a$", "--§\n"]),
    (
        "swift",
        &[
            "#\"§\"#",
            "##\"\\##(a)\"##",
            "\"\"\"\n§\n\"\"\"",
            "#§\"a\"#",
            "/*§*/",
            "a\n  .b",
            "\"\\(§)\"",
            "#/§/#",
            "#if §\n",
            "@§",
        ],
    ),
    ("toml", &["\"\"\"§\"\"\"", "'''§'''", "[§]\n", "\"\"\"\"\"\"\"\"", "a = 1\n"]),
    (
        "yaml",
        &[
            "a: |\n  §\n",
            "a: >-9\n",
            "- - §",
            "? §\n: a\n",
            "&§ a",
            "*§",
            "!<§>",
            "'§'",
            "\"§\\\n\"",
            "--- |\n",
            "%YAML 1.2\n",
            "{a: [",
            "a:\r",
            "%TAG !§! a\n",
        ],
    ),
];

/// Grammars whose scanner has the forms of another.
const LIKE: [(&str, &str); 8] = [
    ("apex", "rust"),
    ("ocaml_interface", "ocaml"),
    ("scss", "css"),
    ("svelte", "html"),
    ("tsx", "javascript"),
    ("typescript", "javascript"),
    ("vue", "html"),
    ("xml", "html"),
];

/// Makes one text after another, always the same of equal seeds.
pub(crate) struct Generator {
    state: u64,
    forms: Vec<&'static str>,
    seeds: Vec<String>,
    prefix: &'static str,
}

impl Generator {
    pub(crate) fn new(grammar: &str, seed: u64, seeds: Vec<String>) -> Self {
        let grammar = LIKE.iter().find(|(id, _)| *id == grammar).map_or(grammar, |(_, like)| like);
        let forms = FORMS.iter().find(|(id, _)| *id == grammar).map_or(Vec::new(), |(_, forms)| forms.to_vec());
        let prefix = if grammar == "php" { "<?php\n" } else { "" };
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, forms, seeds, prefix }
    }

    /// A number below `end`, which is not 0 (xorshift).
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as usize % end
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// A text of some parts, half of them damaged afterwards.
    pub(crate) fn text(&mut self) -> String {
        let mut text = String::from(if self.below(8) == 0 { "" } else { self.prefix });
        for _ in 0..=self.below(5) {
            let part = self.part();
            if text.len() + part.len() <= MAX_TEXT {
                text += &part;
            }
        }
        if self.below(2) == 0 {
            for _ in 0..=self.below(6) {
                text = self.damaged(&text);
            }
        }
        text.truncate(text.floor_char_boundary(MAX_TEXT));
        text
    }

    fn part(&mut self) -> String {
        match self.below(8) {
            0 => self.seed(),
            1 => self.nested(),
            2 => self.indented(),
            3 => self.noise(),
            4 => {
                let (form, count) = (self.form(), self.count());
                form.repeat(count.min(MAX_TEXT / form.len().max(1)))
            }
            5 => {
                // Opened without end, each by a delimiter of its own.
                let forms: Vec<String> = (0..self.below(12)).map(|_| self.form()).collect();
                forms.iter().map(|form| form.lines().next().unwrap_or_default()).collect::<Vec<_>>().join(" ") + "\n"
            }
            _ => self.form(),
        }
    }

    fn count(&mut self) -> usize {
        if self.below(3) == 0 { self.pick(&SIZES) } else { self.below(12) }
    }

    /// A form with a delimiter of some length.
    fn form(&mut self) -> String {
        let form = if self.forms.is_empty() || self.below(8) == 0 {
            let (open, close) = self.pick(&PAIRS);
            format!("{open}§{close}")
        } else {
            let forms = std::mem::take(&mut self.forms);
            let form = self.pick(&forms).to_owned();
            self.forms = forms;
            form
        };
        let delimiter = self.delimiter();
        form.replace(DELIMITER, &delimiter)
    }

    fn delimiter(&mut self) -> String {
        let letter =
            self.pick(&["A", "A", "a", "_", "é", "#", "=", "-", " ", "0", "𝒜", "\0", "\t", "x-", ":", "\"", "$"]);
        let length = if self.below(3) == 0 { 1 + self.below(4) } else { self.pick(&SIZES) };
        letter.repeat(length)
    }

    fn nested(&mut self) -> String {
        let (open, close) = self.pick(&PAIRS);
        let delimiter = self.delimiter();
        let [open, close] = [open, close].map(|part| part.replace(DELIMITER, &delimiter));
        let inner = if self.below(2) == 0 { self.form() } else { String::new() };
        let depth = self.count().min(MAX_TEXT / 2 / open.len().max(1));
        let closed = if self.below(2) == 0 { depth } else { self.below(depth + 1) };
        open.repeat(depth) + &inner + &close.repeat(closed)
    }

    /// Lines that are indented deeper and deeper, or by any number of columns.
    fn indented(&mut self) -> String {
        let line = self.form();
        let line = line.lines().next().unwrap_or_default();
        let line = &line[..line.floor_char_boundary(24)];
        let (lines, step, unit) = (self.count(), 1 + self.below(3), self.pick(&[" ", "\t", "  "]));
        let mut text = String::new();
        for number in 0..lines {
            let depth = if self.below(16) == 0 { self.pick(&SIZES) } else { number * step };
            text += &unit.repeat(depth.min(1100));
            text += line;
            text += self.pick(&["\n", "\n", "\n", ":\n", " do\n", " =\n", "\r\n", " ->\n", " {\n"]);
            if text.len() > MAX_TEXT {
                break;
            }
        }
        text
    }

    fn noise(&mut self) -> String {
        let signs = [
            "\"", "'", "`", "$", "{", "}", "(", ")", "[", "]", "<", ">", "#", "%", "/", "\\", "\n", " ", "|", "-", "=",
            "~", "@", ":", ";", "a", "EOF", "0", "é", "\u{feff}", "\0", "\r", "\t", "*", "!", "?", ".", ",",
            "\u{2028}",
        ];
        (0..self.count()).map(|_| self.pick(&signs)).collect()
    }

    /// Some lines of a source.
    fn seed(&mut self) -> String {
        if self.seeds.is_empty() {
            return self.form();
        }
        let number = self.below(self.seeds.len());
        let count = self.seeds[number].lines().count().max(1);
        let (from, length) = (self.below(count), 1 + self.below(40));
        self.seeds[number].split_inclusive('\n').skip(from).take(length).collect()
    }

    /// The text with a piece removed, repeated, moved or put in.
    fn damaged(&mut self, text: &str) -> String {
        let at = text.floor_char_boundary(self.below(text.len() + 1));
        let length = if self.below(4) == 0 { self.pick(&SIZES) } else { self.below(9) };
        let end = text.floor_char_boundary((at + length).min(text.len()));
        let (before, piece, after) = (&text[..at], &text[at..end], &text[end..]);
        match self.below(5) {
            0 => format!("{before}{after}"),
            1 => {
                let count = self.count().min(MAX_TEXT / piece.len().max(1));
                format!("{before}{}{after}", piece.repeat(count))
            }
            2 => format!("{before}{}{after}", self.form()),
            3 => format!("{before}{}{piece}{after}", self.noise()),
            _ => before.to_owned(),
        }
    }
}
