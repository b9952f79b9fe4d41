"""Codex: `codex exec --json`."""

from collections.abc import Mapping
from pathlib import Path

from benches.agents.programs.program import Program
from benches.agents.programs.transcript import (
    Line,
    Look,
    Transcript,
    lines_of,
    short,
    text_of,
    total,
)

_ENDED = "item.completed"


def arguments(prompt: str, model: str) -> list[str]:
    """Commands may read alone. Hooks are trusted, as a person trusts them once with `/hooks`."""
    words = ["exec", "--json", "--skip-git-repo-check", "--sandbox", "read-only"]
    words += ["--dangerously-bypass-hook-trust", *(["--model", model] if model else [])]
    return [*words, prompt]


def parse(text: str) -> Transcript:
    """Read the events: items that were completed, and the counts of each turn."""
    lines = lines_of(text)
    items = [
        item
        for line in lines
        if line.get("type") == _ENDED and isinstance(item := line.get("item"), dict)
    ]
    said = [str(item.get("text")) for item in items if item.get("type") == "agent_message"]
    turns = [line for line in lines if line.get("type") == "turn.completed"]
    return Transcript(
        answer=said[-1] if said else "",
        looks=tuple(look for item in items if (look := _look(item)) is not None),
        tokens_in=total(turns, "usage.input_tokens"),
        tokens_cached=total(turns, "usage.cached_input_tokens"),
        tokens_out=total(turns, "usage.output_tokens"),
    )


def _look(item: Line) -> Look | None:
    kind = str(item.get("type"))
    if kind == "command_execution":
        result = str(item.get("aggregated_output") or "")
        return Look(name=kind, arguments=short(item.get("command")), result=result)
    if kind == "mcp_tool_call":
        result = text_of(item.get("result")) or text_of(item.get("error"))
        name = f"{item.get('server')}.{item.get('tool')}"
        return Look(name=name, arguments=short(item.get("arguments")), result=result)
    if kind in {"web_search", "file_change", "collab_tool_call"}:
        return Look(name=kind, arguments=short(item.get("query") or item), result="")
    return None


def prepare(home: Path, environment: Mapping[str, str]) -> None:
    """Settings that are not there yet are an empty file: Codex wants its folder."""
    del environment
    folder = home / ".codex"
    folder.mkdir(exist_ok=True)
    (folder / "config.toml").touch()


PROGRAM = Program(command="codex", host="codex", arguments=arguments, parse=parse, prepare=prepare)
