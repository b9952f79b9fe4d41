"""How often `callers` says that no use is known, and how often that is false.

    python -m benches.quality.denials --clones DIR [--only NAME ...] [--count 150] [--seed 1] [--list FILE] [--out FILE]

Of each clone in `--clones`, functions and methods outside of tests are drawn whose name no other symbol has. `callers` is asked for
each, and the text of the checkout is searched for the name as a whole word, as `rg --word-regexp` does: in files of code and
templates, outside of the function's own definition. An answer that no use is known is false where the text has the name; where
the name stands in comments and documentation alone, or nowhere, the function has none. `--list` names every function whose
answer and text differ, for a reader: a local variable of the same name, say, is no use.

The search knows nothing of the index: comments are recognised by Pygments and by the first characters of a line.
"""

import argparse
import json
import random
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, String
from pygments.util import ClassNotFound

from benches.results import Figure, Results
from codecairn import Workspace
from codecairn.core.types.graph import Definition
from codecairn.graph.test_detection import is_in_tests

_ENDINGS = """
md markdown mdx txt text rst adoc asciidoc org tex pod rdoc textile man json jsonc yaml yml toml xml svg csv tsv lock po pot mo ini
cfg conf properties resx csproj props targets sln snap diff patch log sql map css scss sass less styl plist lang
"""

PROSE_AND_DATA = frozenset(_ENDINGS.split())
"""Extensions of files that do not use functions."""

_MAX_FILE_BYTES = 2_000_000
_COMMENT = re.compile(r"^\s*(?:#|//|/\*|\*|--|;|%|<!--)")
"""Beginnings of lines of comment, in languages that Pygments does not know."""

_APART = re.compile(r"^\s*(?:@spec|-spec|@doc|@moduledoc)\b")
"""Types and documentation that stand apart from a function."""

_MIN_NAME_CHARS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer of `callers` for one function, and the uses that its text has."""

    project: str
    title: str
    is_denied: bool
    uses: int
    candidates: int
    unresolved: int
    places: tuple[str, ...]


@dataclass(slots=True)
class Text:
    """The code of a checkout."""

    root: Path
    files: dict[str, str] = field(default_factory=dict)
    comments: dict[str, list[tuple[int, int]] | None] = field(default_factory=dict)
    words: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    @classmethod
    def of(cls, root: Path) -> "Text":
        """The files that git tracks and that are code by their extension."""
        text = cls(root)
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True
        )
        paths = listed.stdout.split("\0") or [""]
        for path in filter(None, paths):
            file = root / path
            extension = path.rpartition("/")[2].rpartition(".")[2].lower()
            if extension in PROSE_AND_DATA or not file.is_file() or file.is_symlink():
                continue
            if file.stat().st_size > _MAX_FILE_BYTES:
                continue
            content = file.read_bytes().decode("utf-8", "replace")
            text.files[path] = content
            for word in set(re.findall(r"\w+", content)):
                text.words[word].add(path)
        return text

    def places(self, name: str, own: Sequence[Definition]) -> Iterator[str]:
        """Where a name stands in code outside of these definitions, as `path:line: code`."""
        for path in sorted(self.words.get(name, ())):
            spans = [(each.start_line, each.end_line) for each in own if each.path == path]
            content = self.files[path]
            for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", content):
                line = content.count("\n", 0, match.start()) + 1
                code = content.splitlines()[line - 1] if line <= len(content.splitlines()) else ""
                inside = any(first <= line <= last for first, last in spans)
                if not inside and not self._is_comment(path, match.start(), code):
                    yield f"{path}:{line}: {code.strip()[:140]}"

    def _is_comment(self, path: str, at: int, code: str) -> bool:
        if path not in self.comments:
            self.comments[path] = _comments(path, self.files[path])
        known = self.comments[path]
        if known is None:
            return bool(_COMMENT.match(code))
        return bool(_APART.match(code)) or any(first <= at < last for first, last in known)


def _comments(path: str, content: str) -> list[tuple[int, int]] | None:
    try:
        lexer = get_lexer_for_filename(path.rpartition("/")[2], stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    # The documentation of Elixir is a value of an attribute.
    documents = (String.Doc, String.Heredoc) if path.endswith((".ex", ".exs")) else (String.Doc,)
    return [
        (at, at + len(value))
        for at, kind, value in lexer.get_tokens_unprocessed(content)
        if (kind in Comment and kind not in Comment.Preproc)
        or any(kind in each for each in documents)
    ]


def draw(
    workspace: Workspace, text: Text, *, count: int, seed: int
) -> list[tuple[Definition, ...]]:
    """Functions and methods with a name of their own, in the files that are searched.

    One that is declared and defined has several definitions.
    """
    engine = workspace.graph.engine(refresh=False)
    named: dict[str, list[Definition]] = defaultdict(list)
    for path in sorted(workspace.paths()):
        if path.rpartition(".")[2].lower() not in PROSE_AND_DATA:
            for each in engine.symbols_in(path):
                named[each.name].append(each)
    unique = [
        tuple(found)
        for name, found in sorted(named.items())
        if len({each.qualified_name for each in found}) == 1
        and all(each.kind in ("function", "method") for each in found)
        and not any(is_in_tests(each) or each.path not in text.files for each in found)
        and re.fullmatch(rf"[^\W\d]\w{{{_MIN_NAME_CHARS - 1},}}", name)
        and not re.fullmatch(r"__\w+__", name)
    ]
    return random.Random(seed).sample(unique, min(count, len(unique)))


def answers(clone: Path, *, count: int, seed: int) -> Iterator[Answer]:
    """Compares the answers of `callers` for functions drawn from a clone with a search of its text."""
    text = Text.of(clone)
    with Workspace.open(clone) as workspace:
        for own in draw(workspace, text, count=count, seed=seed):
            first = own[0]
            name = f"{first.path}:{first.line}:{first.column + 1}"
            found = workspace.graph.callers(name, refresh=False)
            known = len(found.uses), len(found.possible), found.unresolved_count
            yield Answer(
                project=clone.name,
                title=first.title,
                is_denied=not any(known),
                uses=known[0],
                candidates=known[1],
                unresolved=known[2],
                places=tuple(text.places(first.name, own)),
            )


def figures(asked: Sequence[Answer]) -> Iterator[Figure]:
    """The shares of one project, or of all."""
    denied = [each for each in asked if each.is_denied]
    false = [each for each in denied if each.places]
    bare = [each for each in asked if not each.places]
    right = [each for each in bare if each.is_denied]

    def share(measure: str, part: Sequence[Answer], of: Sequence[Answer]) -> Figure:
        value = 100 * len(part) / len(of) if of else 0.0
        return Figure(measure=measure, value=value, unit="%", note=f"{len(part)} of {len(of)}")

    yield share("no use is known", denied, asked)
    yield share("no use is known, and the text has one", false, asked)
    yield share("no use is known, of those without any in the text", right, bare)


def main() -> None:
    """Ask, compare and write the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--clones", type=Path, required=True, help="a folder of indexed clones")
    parser.add_argument("--only", nargs="*", default=(), help="these clones alone")
    parser.add_argument("--count", type=int, default=150, help="functions of each clone")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--list", type=Path, help="where to write the functions to look at, one a line"
    )
    parser.add_argument("--out", type=Path, help="where to write the figures")
    given = parser.parse_args()
    results = Results("How often no use is known, and how often that is false")
    everything: list[Answer] = []
    for clone in sorted(each for each in given.clones.iterdir() if (each / ".git").exists()):
        if given.only and clone.name not in given.only:
            continue
        asked = list(answers(clone, count=given.count, seed=given.seed))
        results.add(figures(asked), subject=clone.name)
        everything += asked
    results.add(figures(everything), subject="all")
    if given.list:
        differing = [each for each in everything if each.is_denied == bool(each.places)]
        lines = (json.dumps({**_row(each), "places": each.places[:5]}) for each in differing)
        given.list.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    if given.out:
        counts = Counter(each.project for each in everything)
        results.write(given.out, asked=dict(counts), seed=given.seed)


def _row(answer: Answer) -> dict[str, object]:
    return {
        "project": answer.project,
        "title": answer.title,
        "is_denied": answer.is_denied,
        "known": [answer.uses, answer.candidates, answer.unresolved],
    }


if __name__ == "__main__":
    main()
