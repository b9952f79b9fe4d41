"""The audit of the grammars' external scanners: what reading `serialize`, `deserialize` and `scan` of each gave.

Bytes are those of the saved state, for which tree-sitter has 1,024. Crates and versions are in the `README.md` of the
grammars. Read again whatever changes with an update.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """One grammar: the layout of its state, how its scanner bounds that, what was found, and what mends it."""

    language: str
    is_written_by_hand: bool
    state: str
    bound: str
    length_bytes: str
    assertions: str
    finding: str
    mend: str


WRAPPER = "the wrapper of all scanners"


def _none(language: str) -> Audited:
    return Audited(
        language=language, is_written_by_hand=False, state="", bound="", length_bytes="", assertions="",
        finding="no scanner", mend="",
    )  # fmt: skip


def _stateless(language: str) -> Audited:
    return Audited(
        language=language, is_written_by_hand=True, state="none", bound="writes nothing", length_bytes="", assertions="none",
        finding="sound", mend="",
    )  # fmt: skip


def _row(
    language: str, state: str, bound: str, *, lengths: str = "none", asserts: str = "none", finding: str = "sound",
    mend: str = "",
) -> Audited:  # fmt: skip
    return Audited(
        language=language, is_written_by_hand=True, state=state, bound=bound, length_bytes=lengths, assertions=asserts,
        finding=finding, mend=mend,
    )  # fmt: skip


def _tags(language: str) -> Audited:
    return _row(
        language,
        "two counts of 16 bits; each open tag a byte, custom ones also their name",
        "checked before each tag; tags that do not fit are restored as empty ones",
        lengths="a name's, cut to 255 with the name",
        finding="sound; each token visits all open tags, which the guard against depth bounds",
    )


AUDIT = (
    _none("apex"),
    _tags("astro"),
    _row(
        "bash", "four bytes; each heredoc three marks, a length of 32 bits, its delimiter",
        "checked before each heredoc; returns 0 beyond, which empties the state in the middle of a heredoc",
        lengths="the number of heredocs: at most 145 pass the check", asserts="size == length; each array access",
        finding="heredocs of the state before stay in the list, as a shorter one does not cut it: wrong trees, no fault",
    ),
    _none("c"), _none("clojure"),
    _row("cmake", "a struct of fixed size", "fixed"),
    _row(
        "cpp", "the delimiter of a raw string, 4 bytes a letter", "16 letters, checked while it is read",
        asserts="length is a multiple of 4",
    ),
    _row(
        "csharp", "two bytes; each interpolation four", "checked, at most 255",
        lengths="counts of dollars, braces and quotes, cut to 8 bits", asserts="size == length; array_back",
        finding="256 dollars count as 0: wrong trees, no fault",
    ),
    _stateless("css"),
    _row("dart", "a mark and a column", "fixed"),
    _row(
        "dockerfile", "six bytes; each heredoc with a zero byte", "checked before each; ten heredocs of 510 bytes",
        finding="letters are cut to 8 bits: wrong trees, no fault",
    ),
    _stateless("elixir"),
    _row(
        "elm", "a run of endings, a length of 32 bits, an indentation a byte",
        "checked two bytes short, but the loop ends at 1,024", lengths="the run, cut to 255", asserts="size == length",
        finding="indentations are cut to 8 bits: wrong trees, no fault",
    ),
    _stateless("erlang"),
    _row(
        "gdscript", "delimiters a byte each, indentations a byte each", "the loop ends at 1,024",
        lengths="the number of delimiters, cut to 255 with them", asserts="size == length",
        finding="indentations are cut to 8 bits: wrong trees, no fault",
    ),
    _none("go"), _none("graphql"), _stateless("groovy"),
    _row(
        "haskell", "a struct of fixed size; each layout context eight bytes", "checked; returns 0 beyond",
        finding="reads the saved struct in place, where it need not be aligned",
    ),
    _row(
        "hcl", "a count of 32 bits; each context a kind, a length of 32 bits and a delimiter",
        "127 contexts and delimiters of 127 bytes, then 1,024; returns 0 beyond", asserts="size == length",
    ),
    _tags("html"),
    _none("java"), _stateless("javascript"), _none("json"), _stateless("julia"), _stateless("kotlin"),
    _row(
        "lua", "the closing bracket and a level", "fixed", lengths="the level, cut to 8 bits",
        finding="`[` with 256 signs `=` is taken for one with none: wrong trees, no fault",
    ),
    _none("make"),
    _row(
        "markdown", "five bytes; each open block four", "at most 254 blocks; further ones are dropped",
        lengths="columns, cut to 8 bits", asserts="realloc succeeds",
    ),
    _row("matlab", "five bytes", "fixed"),
    _stateless("nix"), _none("objc"),
    _row(
        "ocaml", "a mark; the letters of a quoted string's name", "checked",
        finding="of each letter's four bytes one is saved, the rest is read from memory as it was: wrong trees, no fault",
    ),
    _row("ocaml_interface", "as of ocaml", "checked", finding="as of ocaml"),
    _row(
        "perl", "quotes of twelve bytes each; the state of a heredoc", "none: 255 quotes are 3,060 bytes",
        lengths="the number of quotes, cut to 255 with them", finding="more than 81 open quotes overwrite the parser; "
        "one that looks for the next line by its column, which the text's end has not, never ends",
        mend=f"{WRAPPER}, where the end is the start of a line",
    ),
    _row(
        "php", "each heredoc a mark, a length of 32 bits and its word, 4 bytes a letter",
        "checked before each; returns 0 beyond", lengths="the number of heredocs: at most 203 pass the check",
        asserts="size == length",
    ),
    _stateless("powershell"), _none("proto"),
    _row(
        "python", "two bytes; delimiters a byte each, indentations two each", "checked for one byte of two",
        lengths="the number of delimiters, cut to 255 with them", asserts="each array access",
        finding="writes 1,025 bytes, which aborts the parser", mend=WRAPPER,
    ),
    _row("r", "three bytes; a count of 32 bits, scopes a byte each", "1,017 scopes, checked when one is opened"),
    _row(
        "ruby", "literals of five bytes; each heredoc three marks, a length of 8 bits and its word",
        "checked two bytes short", lengths="a word's, cut to 8 bits without the word", asserts="size == length; each array access",
        finding="a word of 256 letters and more is restored as something else, which ends the process by an assertion; "
        "one of 1,019 is written a byte beyond the buffer",
        mend=f"{WRAPPER}, and a state whose heredocs take more than 259 bytes is not kept",
    ),
    _row("rust", "the number of hashes", "fixed", lengths="the hashes, cut to 8 bits"),
    _row("scala", "five numbers of 16 bits; indentations two bytes each", "checked; returns 0 beyond"),
    _stateless("scss"),
    _row(
        "sql", "a tag with a zero byte", "checked; returns 0 beyond",
        finding="the tag of the state before is not freed: lost memory, bounded by the size of a text",
    ),
    _tags("svelte"),
    _row(
        "swift", "the number of hashes, 32 bits", "fixed",
        finding="restores a number of 128 and more with its sign: wrong trees, no fault; a reset keeps the number; "
        "reads beyond its table behind a directive that a NUL or the text's end follows",
        mend="the text that is parsed has no NUL and ends with a line",
    ),
    _stateless("toml"), _stateless("tsx"), _stateless("typescript"),
    _tags("vue"),
    _row(
        "xml", "two counts of 32 bits; each open tag its name", "checked before each tag",
        lengths="a name's, cut to 255 with the name",
        finding="saving takes the names from the open tags, so it is correct once: tree-sitter restores before each scan",
    ),
    _row(
        "yaml", "five numbers of 16 bits; each block two", "checked for one byte of four", asserts="size == length",
        finding="writes up to 1,026 bytes, which aborts the parser", mend=WRAPPER,
    ),
    _none("zig"),
)  # fmt: skip
"""All grammars, by their ids."""
