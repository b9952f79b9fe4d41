"""Claude Code's transcripts: one JSON object a line with prompts, answers, and tool calls with their output."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codecairn.errors import FileAccessError
from codecairn.memory.importing.claude_files import project_folder
from codecairn.memory.importing.records import ForeignEvent, Problem, Records, Scene, moment

_OUTSIDE = ("WebFetch", "WebSearch", "mcp__")
_OWN_TEXT = ("<command-name>", "<local-command", "Caveat: The messages below", "<system-reminder>")


def usual_place(home: Path, root: Path) -> Path:
    """Where it keeps a project's transcripts."""
    return project_folder(home, root)


def read(place: Path, scene: Scene) -> Records:
    """Messages and tool calls; text that the host inserted is left out."""
    del scene
    files = [place] if place.is_file() else sorted(place.rglob("*.jsonl"))
    if not files:
        raise FileAccessError(f"there are no transcripts in `{place}`")
    for path in files:
        yield from _Transcript(path).records()


@dataclass(slots=True)
class _Transcript:
    """One file; a tool's use is kept until its result comes."""

    path: Path
    uses: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    def records(self) -> Records:
        try:
            with self.path.open(encoding="utf-8", errors="replace") as file:
                for number, line in enumerate(file, 1):
                    if line.strip():
                        yield from self._line(line, f"{self.path.name} line {number}")
        except OSError as err:
            yield Problem(where=self.path.name, what=f"can't be read: {err.strerror or err}")

    def _line(self, line: str, where: str) -> Records:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            yield Problem(where=where, what="it is no JSON; the line may have been cut off")
            return
        if not isinstance(row, dict):
            yield Problem(where=where, what="it is no object")
            return
        message = row.get("message")
        if (
            row.get("type") not in {"user", "assistant"}
            or row.get("isMeta")
            or not isinstance(message, dict)
        ):
            return
        content = message.get("content")
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if not isinstance(parts, list):
            yield Problem(where=where, what="its message has no content")
            return
        yield from self._parts(
            row, message, [part for part in parts if isinstance(part, dict)], where
        )

    def _parts(
        self,
        row: Mapping[str, Any],
        message: Mapping[str, Any],
        parts: list[Mapping[str, Any]],
        where: str,
    ) -> Iterator[ForeignEvent]:
        for at, part in enumerate(parts):
            kind = part.get("type")
            if kind == "tool_use":
                self.uses[str(part.get("id"))] = part
            elif kind == "tool_result":
                yield self._result(row, part, f"{_key(row, where)}/{at}", where)
            elif kind == "text":
                text = str(part.get("text") or "").strip()
                is_said = text and not (row["type"] == "user" and text.startswith(_OWN_TEXT))
                if is_said:
                    yield _event(
                        row,
                        where,
                        key=f"{_key(row, where)}/{at}",
                        body=text,
                        role=str(row["type"]),
                        model=str(message.get("model") or ""),
                    )

    def _result(
        self, row: Mapping[str, Any], part: Mapping[str, Any], key: str, where: str
    ) -> ForeignEvent:
        use = self.uses.pop(str(part.get("tool_use_id")), {})
        given = use.get("input")
        asked: Mapping[str, Any] = given if isinstance(given, dict) else {}
        tool = str(use.get("name") or "")
        command = (
            asked.get("command")
            or asked.get("pattern")
            or asked.get("url")
            or asked.get("query")
            or ""
        )
        return _event(
            row,
            where,
            key=key,
            body=_text(part.get("content")),
            role="tool",
            tool=tool,
            command=str(command),
            path=str(asked.get("file_path") or asked.get("path") or ""),
            exit_code=1 if part.get("is_error") else None,
            origin="external" if tool.startswith(_OUTSIDE) else None,
        )


def _event(row: Mapping[str, Any], where: str, **fields: Any) -> ForeignEvent:  # noqa: ANN401 - an event's fields
    session = str(row.get("sessionId") or Path(where.split(" line ", maxsplit=1)[0]).stem)
    helper = row.get("agentId") if row.get("isSidechain") else None
    return ForeignEvent(
        session=f"{session}/{helper}" if helper else session,
        parent_session=session if helper else None,
        where=where,
        ts_ms=moment(row.get("timestamp")),
        host="claude-code",
        branch=str(row.get("gitBranch") or ""),
        **fields,
    )


def _key(row: Mapping[str, Any], where: str) -> str:
    return f"claude/{row.get('uuid') or where}"


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return "\n".join(text for text in texts if isinstance(text, str))
