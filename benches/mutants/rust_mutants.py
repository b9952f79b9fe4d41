"""Mutants of Rust, as cargo-mutants makes them, and the bodies of the functions that they are in."""

import json
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benches.mutants.areas import ROOT
from benches.mutants.mutant import Mutant, make

INSTALL = "cargo install cargo-mutants --locked"


@dataclass(frozen=True, order=True)
class Function:
    """A function that can be mutated, and the text between its braces."""

    path: str
    start: int
    end: int
    name: str
    is_const: bool = False
    """Whether it is evaluated when it is compiled, so that nothing can be switched in it."""

    @property
    def key(self) -> str:
        """What it is known by in a recording."""
        return f"{self.path}:{self.name}"


def rust_mutants(files: Mapping[str, str]) -> tuple[list[Mutant], list[Function]]:
    """All mutants of these files, which come with their areas, and all functions that have one."""
    if not files:
        return [], []
    named = [option for path in files for option in ("--file", path)]
    listed = subprocess.run(
        ["cargo", "mutants", "--list", "--json", *named],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        raise SystemExit(f"cargo-mutants failed; is it installed? `{INSTALL}`\n{listed.stderr}")
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in files}
    mutants, functions = [], set()
    for row in json.loads(listed.stdout):
        text = texts[row["file"]]
        start, end = _offsets(text, row["span"])
        mutants.append(
            make(
                text,
                path=row["file"],
                start=start,
                end=end,
                replacement=row["replacement"],
                area=files[row["file"]],
                function=row["function"]["function_name"] if row["function"] else "",
                operator=re.sub(r"(?<!^)(?=[A-Z])", " ", row["genre"]).lower(),
            )
        )
        if row["function"] and (function := _function(text, row)) is not None:
            functions.add(function)
    return mutants, sorted(functions)


def function_of(mutant: Mutant, functions: list[Function]) -> Function | None:
    """The innermost function whose body has a mutant."""
    having = [
        function
        for function in functions
        if function.path == mutant.path
        and function.start <= mutant.start <= mutant.end <= function.end
    ]
    return min(having, key=lambda function: function.end - function.start, default=None)


def _offsets(text: str, span: Mapping[str, Any]) -> tuple[int, int]:
    lines = text.split("\n")
    both = []
    for side in (span["start"], span["end"]):
        before = sum(len(line) + 1 for line in lines[: side["line"] - 1])
        both.append(before + side["column"] - 1)
    return both[0], both[1]


_TOKEN = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | b?r(?P<fence>\#*)".*?"(?P=fence) | b?"(?:[^"\\]|\\.)*"
    | b?'(?:[^'\\]|\\.[^']*)' | '\w+ | \w+ | \s+ | .""",
    re.VERBOSE | re.DOTALL,
)


def _function(text: str, row: Mapping[str, Any]) -> Function | None:
    start, end = _offsets(text, row["function"]["span"])
    found = body_of(text, start, end)
    if found is None:
        return None
    first, last, is_const = found
    return Function(row["file"], first, last, row["function"]["function_name"], is_const)


def body_of(text: str, start: int, end: int) -> tuple[int, int, bool] | None:
    """Where the body of the function in this span begins and ends, inside its braces; and whether it is `const`."""
    depth, words = 0, list[str]()
    for token in _TOKEN.finditer(text, start, end):
        word = token.group()
        if word in "([":
            depth += 1
        elif word in ")]":
            depth -= 1
        elif word == "{" and depth == 0 and "fn" in words:
            return token.end(), text.rindex("}", start, end), "const" in words[: words.index("fn")]
        elif depth == 0:
            words.append(word)
    return None
