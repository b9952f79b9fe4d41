"""The tools on knowledge bases."""

from collections.abc import Sequence

from codecairn.core.engine import ProgressCallback
from codecairn.core.types.provenance import BaseState, KnowledgeBase
from codecairn.mcp.answers import Answer, rows_answer
from codecairn.mcp.tool import Tool, Values, answered
from codecairn.operations.json_output import plain_document
from codecairn.operations.knowledge_operations import KNOWLEDGE_OPERATIONS
from codecairn.workspace.workspace import Workspace


def bases_answer(states: Sequence[BaseState]) -> Answer:
    """The knowledge bases, a line each."""
    lines = [
        f"{state.name}: {state.path}, {state.problem or f'{state.files:,} files'}"
        for state in states
    ]
    rows = [plain_document(state) for state in states]
    return rows_answer(lines, rows, empty="there are no knowledge bases")


def _add(workspace: Workspace, values: Values, progress: ProgressCallback) -> Answer:
    name = values.get("name")
    base = workspace.knowledge.add(str(values["folder"]), name=None if name is None else str(name))
    report = workspace.knowledge.workspace_of(base.name).index(progress=progress)
    text = f"added {base.name}: {base.path}, {report.files:,} files, {report.chunks:,} chunks"
    document: dict[str, object] = {"base": plain_document(base), "index": plain_document(report)}
    return Answer(text=text, document=document)


def _removed(base: KnowledgeBase) -> Answer:
    return Answer(text=f"removed {base.name}: {base.path}", document=plain_document(base))


KNOWLEDGE_TOOLS = (
    Tool(
        name="list_knowledge_bases",
        group="code",
        text="Further folders that searches look into: documents, libraries, other repositories. `in` names one.",
        run=answered(KNOWLEDGE_OPERATIONS["list"], bases_answer),
        operations=(KNOWLEDGE_OPERATIONS["list"],),
    ),
    Tool(
        name="add_knowledge_base",
        group="code",
        text="Let searches look into a further folder; only below folders that the server was allowed.",
        run=_add,
        operations=(KNOWLEDGE_OPERATIONS["add"],),
        is_read_only=False,
        changes_bases=True,
    ),
    Tool(
        name="remove_knowledge_base",
        group="code",
        text="Stop searches from looking into a folder; nothing in it is touched.",
        run=answered(KNOWLEDGE_OPERATIONS["remove"], _removed),
        operations=(KNOWLEDGE_OPERATIONS["remove"],),
        without=frozenset({"purge"}),
        is_read_only=False,
        is_destructive=True,
        changes_bases=True,
    ),
)
