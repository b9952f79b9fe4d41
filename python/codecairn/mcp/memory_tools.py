"""The tools on facts and events of the memory."""

from collections.abc import Callable
from typing import Any

from codecairn.core.engine import ProgressCallback
from codecairn.errors import UsageError
from codecairn.mcp import memory_answers
from codecairn.mcp.answers import Answer
from codecairn.mcp.tool import Tool, Values, answered, parameter
from codecairn.operations.memory_operations import MEMORY_OPERATIONS
from codecairn.operations.operation import Operation
from codecairn.operations.record_operations import RECORD_OPERATIONS
from codecairn.workspace.workspace import Workspace

BY_AGENT = {"origin": "agent"}
"""Records of a tool call have the agent's origin, whatever the agent claims."""


def memory_tool(
    name: str,
    operation: Operation,
    text: str,
    answer: Callable[[Any], Answer],
    **options: Any,  # noqa: ANN401
) -> Tool:
    """A tool of an operation on the memory; what is `fixed` is not for its caller to say."""
    fixed = options.pop("fixed", {})
    options.setdefault("run", answered(operation, answer, **fixed))
    return Tool(
        name=name,
        group="memory",
        text=text,
        operations=(operation,),
        without=frozenset({*options.pop("without", ()), *fixed}),
        **options,
    )


def _record(workspace: Workspace, values: Values, _progress: ProgressCallback) -> Answer:
    origin = "tool" if values.get("role") == "tool" else "agent"
    run = RECORD_OPERATIONS["record"].run
    return memory_answers.recorded_answer(run(workspace, **values, origin=origin))


def _get(workspace: Workspace, values: Values, _progress: ProgressCallback) -> Answer:
    ids = [values["id"]] if "id" in values else []
    several = values.get("ids")
    ids += list(several) if isinstance(several, tuple) else []
    if not ids:
        raise UsageError("nothing to show", hint="give `id`, or `ids`")
    run = MEMORY_OPERATIONS["get"].run
    history = bool(values.get("history"))
    records = [each for id_ in ids for each in run(workspace, id=id_, history=history)]
    return memory_answers.records_answer(records)


def _update(workspace: Workspace, values: Values, _progress: ProgressCallback) -> Answer:
    """As an agent: what a person wrote or pinned is changed by a person."""
    given = dict(values)
    id_ = str(given.pop("id"))
    return memory_answers.fact_answer(workspace.memory.engine().update(id_, given | BY_AGENT))


MEMORY_TOOLS = (
    memory_tool(
        "memory_search",
        MEMORY_OPERATIONS["search"],
        "Recall what was decided, preferred, tried and solved in this project. Ask it before you decide something that may "
        "have been decided already.",
        memory_answers.recalled_answer,
        title="Search the memory",
        compact={"query": "", "limit": "", "since": "`2w` or `2026-03-01`"},
    ),
    memory_tool(
        "memory_add",
        MEMORY_OPERATIONS["add"],
        "Remember a decision, a preference, a rule or a solution for later sessions. "
        'Example: {"text": "Sessions expire after 30 minutes, as the auditors asked", "type": "decision"}',
        memory_answers.added_answer,
        title="Remember a fact",
        compact={
            "text": "One sentence that is clear by itself",
            "type": "`decision`, `preference`, `rule`, `error-solution`, `task`, `note`, …",
            "scope": "`project` (default), `user`, `branch`, `session`",
            "anchor": "Code it is about: `src/app.py:12` or a name",
            "supersedes": "Ids of facts it replaces",
        },
        fixed=BY_AGENT,
        is_idempotent=True,
        is_read_only=False,
    ),
    memory_tool(
        "memory_get",
        MEMORY_OPERATIONS["get"],
        "Show remembered facts and events in full.",
        memory_answers.records_answer,
        run=_get,
        optional=frozenset({"id"}),
        extra=(parameter("ids", "Several of them.", is_list=True),),
        title="Show memories",
        compact={"ids": "As other tools show them", "history": "With older versions"},
    ),
    memory_tool(
        "memory_why",
        MEMORY_OPERATIONS["why"],
        "Why something is remembered: who said it, on what it rests, whether its code is still the same, when it was shown; "
        "with a question, also its score, what that is made of, and whether the gate lets it through.",
        memory_answers.why_answer,
    ),
    memory_tool(
        "memory_timeline",
        MEMORY_OPERATIONS["timeline"],
        "What happened around an event, or around the newest event that a fact rests on.",
        memory_answers.timeline_answer,
    ),
    memory_tool(
        "memory_list",
        MEMORY_OPERATIONS["list"],
        "The facts that hold, the newest first. `scope` user is what is known of the person.",
        memory_answers.facts_answer,
        without=("forgotten",),
    ),
    memory_tool(
        "memory_update",
        MEMORY_OPERATIONS["update"],
        "Change a fact; its older version stays in its history.",
        memory_answers.fact_answer,
        run=_update,
        without=("pin",),
        is_idempotent=True,
        is_read_only=False,
    ),
    memory_tool(
        "memory_forget",
        MEMORY_OPERATIONS["forget"],
        "Hide a fact that is wrong or outdated.",
        memory_answers.fact_answer,
        is_destructive=True,
        is_idempotent=True,
        is_read_only=False,
    ),
    memory_tool(
        "memory_notes",
        RECORD_OPERATIONS["notes"],
        "Keep one text under each of some keys: a plan, a checklist, what comes next.",
        memory_answers.facts_answer,
        fixed=BY_AGENT,
        is_destructive=True,
        is_idempotent=True,
        is_read_only=False,
    ),
    memory_tool(
        "memory_context",
        MEMORY_OPERATIONS["context"],
        "What is put before an agent of a session: at its start, beside a prompt, after a compaction.",
        memory_answers.context_answer,
        is_read_only=False,
    ),
    memory_tool(
        "memory_record",
        RECORD_OPERATIONS["record"],
        "Record what happened in a session, for hosts without hooks.",
        memory_answers.recorded_answer,
        run=_record,
        without=("origin",),
        is_read_only=False,
    ),
)
