"""The tools: each made from an operation, with what it says and in which sets it is offered."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from codecairn.engine import ProgressCallback
from codecairn.errors import UsageError
from codecairn.mcp import answers, memory_answers
from codecairn.mcp.answers import Answer
from codecairn.mcp.schema import input_schema, values_of
from codecairn.memory_operations import MEMORY_OPERATIONS
from codecairn.operations import OPERATIONS, Doc, Operation, Parameter
from codecairn.types import SearchResult
from codecairn.workspace import Workspace

ToolSet: TypeAlias = Literal["compact", "code", "memory", "all"]
SETS: tuple[ToolSet, ...] = ("compact", "code", "memory", "all")
"""Which tools a server offers. `compact` is what an agent needs in every session, for few tokens."""

Values: TypeAlias = Mapping[str, object]
Run: TypeAlias = Callable[[Workspace, Values, ProgressCallback], Answer]


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool.

    Attributes:
        name: What clients call it.
        group: "code" or "memory".
        text: What a model reads to choose it.
        operations: Whose parameters it takes.
        run: What it does with a workspace and the operation's values, and whom it tells progress.
        without: Parameters that agents are not given.
        optional: Parameters that need not be given here although the operation needs them.
        extra: Parameters of its own.
        is_compact: Whether it is in the compact set.
        is_read_only: Whether it changes nothing but the index.
        needs_index: Whether it waits for the first index.
    """

    name: str
    group: Literal["code", "memory"]
    text: str
    run: Run
    operations: Sequence[Operation] = ()
    without: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    extra: tuple[Parameter, ...] = ()
    is_compact: bool = False
    is_read_only: bool = True
    needs_index: bool = False

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """What it takes."""
        found = {
            parameter.field: replace(
                parameter,
                is_required=parameter.is_required and parameter.field not in self.optional,
            )
            for operation in self.operations
            for parameter in operation.parameters
            if parameter.field not in self.without
        }
        return (*found.values(), *self.extra)

    @cached_property
    def schema(self) -> dict[str, object]:
        """The JSON schema of its arguments."""
        return input_schema(self.parameters)

    def values(self, arguments: Mapping[str, object]) -> dict[str, object]:
        """The operation's values for a call's arguments.

        Raises:
            UsageError: If an argument is not known, is missing, or has a value that it can't have.
        """
        return values_of(self.parameters, arguments)


TOOLS: Mapping[str, Tool]
"""Every tool by name."""


def tools_of(chosen: ToolSet) -> tuple[Tool, ...]:
    """The tools of a set, in the order in which they are listed."""
    if chosen == "compact":
        return tuple(tool for tool in TOOLS.values() if tool.is_compact)
    return tuple(tool for tool in TOOLS.values() if chosen in {"all", tool.group})


_SEARCH_HIDDEN = frozenset({"explain", "refresh", "since", "author"})
_FLAG = Parameter(
    field="", doc=Doc(text=""), value_type=bool, is_list=False, is_required=False, default=False
)


def _flag(name: str, text: str) -> Parameter:
    return replace(_FLAG, field=name, doc=Doc(text=text))


def _answered(operation: Operation, answer: Callable[[Any], Answer], **fixed: object) -> Run:
    """Runs an operation with values that the tool decides, and tells its result."""

    def run(workspace: Workspace, values: Values, _progress: ProgressCallback) -> Answer:
        return answer(operation.run(workspace, **{**values, **fixed}))

    return run


def _similar(workspace: Workspace, values: Values, _progress: ProgressCallback) -> Answer:
    if not values.get("text") and not values.get("place"):
        raise UsageError("nothing to compare with", hint="give `text`, or `place` as FILE:LINE")
    result = OPERATIONS["similar"].run(workspace, **{"place": "", **values})
    assert isinstance(result, SearchResult)
    return answers.code_answer(result)


def _index(workspace: Workspace, values: Values, progress: ProgressCallback) -> Answer:
    if values.get("estimate"):
        return answers.preview_answer(workspace.preview())
    return answers.index_answer(workspace.index(force=bool(values.get("force")), progress=progress))


def _health(workspace: Workspace, values: Values, _progress: ProgressCallback) -> Answer:
    problems = workspace.doctor(repair=bool(values.get("repair")))
    return answers.health_answer(problems, workspace.gc(dry_run=True))


def _code(name: str, operation: str, text: str, **options: Any) -> Tool:  # noqa: ANN401
    """A tool that searches."""
    answer = options.pop("answer", answers.code_answer)
    found = OPERATIONS[operation]
    options.setdefault("run", _answered(found, answer))
    return Tool(
        name=name, group="code", text=text, operations=(found,), needs_index=True, **options
    )


def _memory(
    name: str,
    operation: str,
    text: str,
    answer: Callable[[Any], Answer],
    **options: Any,  # noqa: ANN401
) -> Tool:
    found = MEMORY_OPERATIONS[operation]
    fixed = options.pop("fixed", {})
    return Tool(
        name=name,
        group="memory",
        text=text,
        operations=(found,),
        run=_answered(found, answer, **fixed),
        without=frozenset({*options.pop("without", ()), *fixed}),
        **options,
    )


_ALL = (
    _code(
        "codebase_search",
        "search",
        "Find the code that answers a question about this repository: where something is done, how it works, which "
        "code does X. Ask in words or with names; returns ranked code with paths and lines. Use it before grep unless "
        "you need every occurrence of an exact string.",
        without=frozenset({"explain", "refresh"}),
        is_compact=True,
    ),
    _code(
        "codebase_peek",
        "peek",
        "As `codebase_search`, but only the places, without code: cheap when you will read the files yourself.",
        answer=answers.places_answer,
        without=_SEARCH_HIDDEN,
        is_compact=True,
    ),
    _code(
        "implementation_lookup",
        "define",
        "Where a symbol is defined, with its code: implementation before tests and re-exports.",
        without=_SEARCH_HIDDEN,
        is_compact=True,
    ),
    _code(
        "find_similar",
        "similar",
        "Code that looks like a given piece: duplicates, other implementations, examples to follow.",
        run=_similar,
        without=frozenset({"refresh"}),
        optional=frozenset({"place"}),
        is_compact=True,
    ),
    Tool(
        name="index_codebase",
        group="code",
        text="Bring the index up to date now. Searches do so by themselves; needed after large changes only.",
        run=_index,
        operations=(OPERATIONS["index"],),
        without=frozenset({"wait"}),
        extra=(_flag("estimate", "Only tell what it would do and cost."),),
        is_read_only=False,
    ),
    Tool(
        name="index_status",
        group="code",
        text="What is indexed here, and how far a running index is.",
        run=_answered(OPERATIONS["status"], answers.status_answer),
        is_compact=True,
    ),
    Tool(
        name="index_health_check",
        group="code",
        text="Whether the index is damaged, and what garbage it holds.",
        run=_health,
        extra=(_flag("repair", "Mend what can be mended."),),
        is_read_only=False,
        needs_index=True,
    ),
    Tool(
        name="index_skips",
        group="code",
        text="Files that are not indexed, and why.",
        run=_answered(OPERATIONS["skips"], answers.skips_answer),
        needs_index=True,
    ),
    Tool(
        name="index_metrics",
        group="code",
        text="How often and how fast things were done with the index lately.",
        run=_answered(OPERATIONS["metrics"], answers.metrics_answer),
        operations=(OPERATIONS["metrics"],),
        needs_index=True,
    ),
    Tool(
        name="index_logs",
        group="code",
        text="What was done with the index lately, by every process.",
        run=_answered(OPERATIONS["logs"], answers.logs_answer),
        operations=(OPERATIONS["logs"],),
        needs_index=True,
    ),
    _memory(
        "memory_search",
        "search",
        "What was said, done and decided in this project before: decisions, preferences, errors and their solutions. "
        "Ask it before you decide something that may have been decided already.",
        memory_answers.recalled_answer,
        without=("as_of", "with_history", "all_projects", "with_private", "session", "kinds"),
        is_compact=True,
    ),
    _memory(
        "memory_add",
        "add",
        "Remember a decision, a preference, a rule or a solution for later sessions, in one self-contained sentence.",
        memory_answers.added_answer,
        without=("privacy_tags", "pin", "title", "subject", "predicate"),
        fixed={"origin": "agent"},
        is_compact=True,
        is_read_only=False,
    ),
    _memory(
        "memory_get",
        "get",
        "A remembered fact or event in full, by id.",
        memory_answers.records_answer,
        is_compact=True,
    ),
    _memory(
        "memory_timeline",
        "timeline",
        "What happened around an event, or around the newest event that a fact rests on.",
        memory_answers.timeline_answer,
        without=("with_private",),
    ),
    _memory(
        "memory_list",
        "list",
        "The facts that hold, the newest first.",
        memory_answers.facts_answer,
        without=("with_private", "all_projects"),
    ),
    _memory(
        "memory_update",
        "update",
        "Change a fact; its older version stays in its history.",
        memory_answers.fact_answer,
        without=("pin",),
        is_read_only=False,
    ),
    _memory(
        "memory_forget",
        "forget",
        "Hide a fact that is wrong or outdated.",
        memory_answers.fact_answer,
        is_read_only=False,
    ),
    _memory(
        "memory_session",
        "session",
        "The project's sessions, the newest first.",
        memory_answers.sessions_answer,
    ),
    _memory(
        "memory_status",
        "status",
        "How much is remembered.",
        memory_answers.memory_status_answer,
    ),
)

TOOLS = MappingProxyType({tool.name: tool for tool in _ALL})
