"""An agent's program: how it is started for one question, and how its transcript is read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from benches.agents.programs.transcript import Transcript

KEYS = (
    "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN",
    "CODEX_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL", "OPENAI_API_KEY",
    "OPENAI_BASE_URL", "OPENROUTER_API_KEY",
)  # fmt: skip
"""Variables of the user that sign a program in."""


def nothing(_home: Path, _environment: Mapping[str, str]) -> None:
    """No preparation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One agent's program.

    Attributes:
        command: Its name on PATH, or a path.
        host: What `codecairn install` calls it; empty if it has no name there.
        arguments: What follows the name, by prompt and model; an empty model is the user's own choice.
        parse: Reads its output.
        environment: Variables that it always gets.
        prepare: Completes a fresh home, which codecairn may already have been installed in.
        records: Files of its home that complete its output, as a pattern for `Path.glob`.
        takes: The lines of these files that do.
    """

    command: str
    host: str
    arguments: Callable[[str, str], list[str]]
    parse: Callable[[str], Transcript]
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    prepare: Callable[[Path, Mapping[str, str]], None] = nothing
    records: str = ""
    takes: Callable[[str], bool] = bool
