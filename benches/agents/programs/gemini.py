"""Gemini CLI: `gemini -o stream-json`.

The stream shows results as a screen does, and nothing for a file that was read. They are taken from the session's record in the
home folder, whose lines with calls are kept below the stream.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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


def arguments(prompt: str, model: str) -> list[str]:
    """All tools are allowed: without that it offers no commands."""
    words = ["--skip-trust", "--approval-mode", "yolo", "-o", "stream-json"]
    return [*words, *(["--model", model] if model else []), "-p", prompt]


def parse(text: str) -> Transcript:
    """Read the stream, and results from the record below it."""
    lines = lines_of(text)
    results = {
        str(line.get("tool_id")): text_of(line.get("output"))
        for line in lines
        if line.get("type") == "tool_result"
    }
    results |= _recorded(lines)
    looks, said = [], ""
    for line in lines:
        if line.get("type") == "tool_use":
            said = ""
            name, number = str(line.get("tool_name")), str(line.get("tool_id"))
            look = Look(
                name=name, arguments=short(line.get("parameters")), result=results.get(number, "")
            )
            looks.append(look)
        elif line.get("type") == "message" and line.get("role") == "assistant":
            said += str(line.get("content") or "")
    ended = [line for line in lines if line.get("type") == "result"]
    read, everything = (total(ended, f"stats.{name}_tokens") for name in ("input", "total"))
    return Transcript(
        answer=said,
        looks=tuple(looks),
        tokens_in=read,
        tokens_cached=total(ended, "stats.cached"),
        tokens_out=None if read is None or everything is None else everything - read,
    )


def _recorded(lines: list[Line]) -> dict[str, str]:
    """The results as the model was shown them, by the id of the call."""
    calls: list[Mapping[str, Any]] = [call for line in lines for call in line.get("toolCalls", ())]
    found = {}
    for call in calls:
        parts = [part.get("functionResponse") for part in call.get("result") or ()]
        responses = [part.get("response") for part in parts if isinstance(part, dict)]
        found[str(call.get("id"))] = "\n".join(
            text_of(each) or json.dumps(each, ensure_ascii=False) for each in responses
        )
    return found


def prepare(home: Path, environment: Mapping[str, str]) -> None:
    """Choose the way of signing in, which it asks for on a screen."""
    file = home / ".gemini" / "settings.json"
    file.parent.mkdir(exist_ok=True)
    document = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    if "GEMINI_API_KEY" in environment:
        document.setdefault("security", {}).setdefault("auth", {"selectedType": "gemini-api-key"})
    document.setdefault("general", {})["enableAutoUpdate"] = False
    file.write_text(json.dumps(document), encoding="utf-8")


PROGRAM = Program(
    command="gemini",
    host="gemini",
    arguments=arguments,
    parse=parse,
    prepare=prepare,
    records=".gemini/tmp/*/chats/*.jsonl",
    takes=lambda line: '"toolCalls"' in line,
)
