"""Claude Code: `claude -p --output-format stream-json`."""

from collections.abc import Iterator

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

ALLOWED = "mcp__codecairn,Read,Grep,Glob,Bash"
DENIED = "Edit,Write,NotebookEdit,WebFetch,WebSearch"


def arguments(prompt: str, model: str) -> list[str]:
    """Tools that read are allowed, on both sides alike."""
    words = ["-p", prompt, "--output-format", "stream-json", "--verbose"]
    words += ["--allowedTools", ALLOWED, "--disallowedTools", DENIED]
    return [*words, *(["--model", model] if model else [])]


def parse(text: str) -> Transcript:
    """Read the stream: messages of both roles, then one result with the tokens of all models."""
    lines = lines_of(text)
    results = {
        part.get("tool_use_id"): text_of(part.get("content"))
        for part in _parts(lines, "user")
        if part.get("type") == "tool_result"
    }
    looks = tuple(
        Look(
            name=str(part.get("name")),
            arguments=short(part.get("input")),
            result=results.get(part.get("id"), ""),
        )
        for part in _parts(lines, "assistant")
        if part.get("type") == "tool_use"
    )
    ended: Line = next((line for line in reversed(lines) if line.get("type") == "result"), {})
    models = ended.get("modelUsage")
    used = [*models.values()] if isinstance(models, dict) else []
    return Transcript(
        answer=str(ended.get("result") or ""),
        looks=looks,
        tokens_in=total(used, "inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"),
        tokens_cached=total(used, "cacheReadInputTokens"),
        tokens_out=total(used, "outputTokens"),
    )


def _parts(lines: list[Line], role: str) -> Iterator[Line]:
    for line in lines:
        message = line.get("message")
        if line.get("type") == role and isinstance(message, dict):
            content = message.get("content")
            yield from (each for each in content or () if isinstance(each, dict))


PROGRAM = Program(
    command="claude",
    host="claude",
    arguments=arguments,
    parse=parse,
    environment={"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"},
)
