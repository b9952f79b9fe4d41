"""Shared by the tool sets: JSON results, labels of their clients, times, and the user of a memory."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, TypeAlias

from codecairn.core.engine import ProgressCallback
from codecairn.core.types.memory import Event, Fact, Recalled
from codecairn.errors import CodecairnError, UsageError
from codecairn.mcp.answers import Answer
from codecairn.mcp.tool import Tool, Values
from codecairn.memory.memory import Memory
from codecairn.operations.operation import Parameter
from codecairn.workspace.workspace import Workspace

Document: TypeAlias = dict[str, Any]

LABEL = "label"
"""Where a record keeps what its client called its project or group; a record without one belongs to the workspace."""

DEEP = 5
"""How many times more is looked at than is asked for, where labels leave some of it out."""


def json_answer(document: Document, *, is_error: bool = False) -> Answer:
    """A document as these clients read it: JSON in the text."""
    text = json.dumps(document, ensure_ascii=False)
    return Answer(text=text, document=document, is_error=is_error)


def json_tool(
    name: str,
    text: str,
    make: Callable[[Workspace, Values], Document],
    parameters: Sequence[Parameter],
    *,
    failed: Callable[[str], Document],
    **options: Any,  # noqa: ANN401
) -> Tool:
    """A tool that answers in JSON, errors included, which are marked in the protocol as well."""

    def run(workspace: Workspace, values: Values, _progress: ProgressCallback) -> Answer:
        return json_answer(make(workspace, values))

    def fail(err: CodecairnError) -> Answer:
        said = f"{err.message} ({err.hint})" if err.hint else err.message
        return json_answer(failed(said), is_error=True)

    return Tool(
        name=name,
        group="other",
        text=text,
        run=run,
        extra=tuple(parameters),
        failed=fail,
        **options,
    )


def text_of(values: Values, name: str) -> str:
    """A parameter that is text; empty if it is not given."""
    return str(values.get(name) or "")


def number_of(values: Values, name: str, usual: int) -> int:
    """A parameter that is a number."""
    value = values.get(name)
    return value if isinstance(value, int) else usual


def texts_of(values: Values, name: str) -> tuple[str, ...]:
    """A parameter that is a list of texts."""
    value = values.get(name)
    return tuple(str(each) for each in value) if isinstance(value, list | tuple) else ()


def iso(ms: int | None) -> str | None:
    """A moment in ISO 8601, UTC."""
    if ms is None:
        return None
    return datetime.fromtimestamp(ms / 1000, tz=timezone.utc).isoformat()


def record_of(found: Recalled) -> Fact | Event:
    """The fact or the event that was found."""
    record = found.fact if found.fact is not None else found.event
    assert record is not None
    return record


def is_labelled(memory: Memory, record: Fact | Event, labels: Sequence[str]) -> bool:
    """Whether a record belongs to one of these labels: what has none belongs to all of the workspace's."""
    label = _label(memory, record) if labels else ""
    return not label or label in labels


def label_of(memory: Memory, record: Fact | Event) -> str:
    """What its client called its project or group; the project's name if it came another way."""
    return _label(memory, record) or record.project


def _label(memory: Memory, record: Fact | Event) -> str:
    """A record's own label, or that of the events that a fact was drawn from."""
    label = record.meta.get(LABEL, "")
    if label or isinstance(record, Event):
        return label
    events = (memory.engine().event(f"E{seq}") for seq in record.sources)
    return next((event.meta[LABEL] for event in events if event and LABEL in event.meta), "")


def labels_meta(label: str, **more: str) -> Mapping[str, str]:
    """The metadata of a record from such a client."""
    return {name: value for name, value in {LABEL: label, **more}.items() if value}


def own_fact(memory: Memory, id_: str) -> Fact:
    """A fact of this project, or of the user.

    Raises:
        UsageError: If there is none of this id here.
    """
    (record,) = memory.get(id_)
    if not isinstance(record, Fact) or record.project not in {memory.status().project, "user"}:
        raise UsageError(f"there is no fact `{id_}` in this project")
    return record
