"""The project's pages as tests read them: their commands, their links, and what they name between backticks."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click

ROOT = Path(__file__).parents[2]

PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
}
"""Every page for users, by name."""

_BLOCK = re.compile(r"^```(console|sh)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def shell_lines(text: str) -> Iterator[tuple[str, list[str]]]:
    """The commands of a page, without prompts and comments, each with the output that is shown below it."""
    for language, body in _BLOCK.findall(text):
        found: list[tuple[str, list[str]]] = []
        for line in body.splitlines():
            if language == "sh" or line.startswith("$ "):
                said = re.sub(r"(^|\s)# .*$", "", line.removeprefix("$ ")).strip()
                if said:
                    found.append((said, []))
            elif line.strip():
                found[-1][1].append(line)
        yield from found


def spans(text: str) -> list[str]:
    """The text between single backticks outside of blocks."""
    outside = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", outside.replace("\\|", "|"))


def programs(text: str) -> list[list[str]]:
    """Every call of codecairn that a page names, in words, in blocks and between backticks."""
    lines = [line for line, _ in shell_lines(text)] + spans(text)
    parts = [part.strip() for line in lines for part in re.split(r"\s(?:\||&&|<)\s", line)]
    return [shlex.split(part, posix=True)[1:] for part in parts if part.startswith("codecairn ")]


def missing(words: list[str]) -> str:
    """What of a call of codecairn does not exist, if something does not."""
    from codecairn.cli.app import app

    command: click.Command = app
    rest = list(words)
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        name = rest.pop(0)
        # `a|b` stands for either, and `WORD` for any.
        names = [name] if name.isupper() else name.split("|")
        found = [command.get_command(click.Context(command), each) for each in names]
        if name.isupper():
            return ""
        if None in found:
            return name
        assert found[0] is not None
        command = found[0]
    if command.context_settings.get("ignore_unknown_options"):
        return ""
    known = {each for option in command.params for each in (*option.opts, *option.secondary_opts)}
    known |= {"--help", "-h"}
    return next(
        (
            word
            for word in rest
            if word.startswith("-") and word != "-" and word.split("=")[0] not in known
        ),
        "",
    )
