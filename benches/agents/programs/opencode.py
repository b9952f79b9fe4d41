"""OpenCode: `opencode run --format json`."""

from collections.abc import Mapping
from typing import Any

from benches.agents.programs.program import Program
from benches.agents.programs.transcript import Look, Transcript, lines_of, short, text_of, total

_INPUT = ("tokens.input", "tokens.cache.read", "tokens.cache.write")


def arguments(prompt: str, model: str) -> list[str]:
    """A model is `provider/name`."""
    return ["run", "--format", "json", *(["--model", model] if model else []), prompt]


def parse(text: str) -> Transcript:
    """Read the parts of messages; the answer is the text of the last message."""
    parts: list[Mapping[str, Any]] = [
        part for line in lines_of(text) if isinstance(part := line.get("part"), dict)
    ]
    said = [part for part in parts if part.get("type") == "text"]
    last = said[-1].get("messageID") if said else None
    steps = [part for part in parts if part.get("type") == "step-finish"]
    return Transcript(
        answer="\n".join(str(part.get("text")) for part in said if part.get("messageID") == last),
        looks=tuple(_look(part) for part in parts if part.get("type") == "tool"),
        tokens_in=total(steps, *_INPUT),
        tokens_cached=total(steps, "tokens.cache.read"),
        tokens_out=total(steps, "tokens.output", "tokens.reasoning"),
    )


def _look(part: Mapping[str, Any]) -> Look:
    state = part.get("state")
    state = state if isinstance(state, dict) else {}
    return Look(
        name=str(part.get("tool")),
        arguments=short(state.get("input")),
        result=text_of(state.get("output")) or text_of(state.get("error")),
    )


PROGRAM = Program(
    command="opencode",
    host="opencode",
    arguments=arguments,
    parse=parse,
    environment={
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_PERMISSION": '{"edit": "deny", "webfetch": "deny", "websearch": "deny"}',
    },
)
