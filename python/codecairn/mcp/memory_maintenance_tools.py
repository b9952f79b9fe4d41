"""The tools on sessions and on the memory as a whole; compact sets leave them out, as they import much."""

from codecairn.core.engine import ProgressCallback
from codecairn.errors import UsageError
from codecairn.mcp import memory_answers
from codecairn.mcp.answers import Answer
from codecairn.mcp.memory_admin import ADMIN_TOOL
from codecairn.mcp.memory_tools import BY_AGENT, memory_tool
from codecairn.mcp.tool import Values, parameter
from codecairn.operations.maintenance_operations import MAINTENANCE_OPERATIONS
from codecairn.operations.memory_operations import MEMORY_OPERATIONS
from codecairn.operations.record_operations import RECORD_OPERATIONS
from codecairn.workspace.workspace import Workspace


def _session(workspace: Workspace, values: Values, _progress: ProgressCallback) -> Answer:
    given = dict(values)
    action = given.pop("action", "list")
    session = given.get("session")
    if action in {"summarise", "end"} and not session:
        raise UsageError("which session?", hint="give its `id`; without an action they are listed")
    if action == "summarise":
        made = MAINTENANCE_OPERATIONS["summarise"].run(workspace, session=session)
        return memory_answers.facts_answer(made)
    if action == "end":
        ended = RECORD_OPERATIONS["end"].run(workspace, session=session, **BY_AGENT)
        return memory_answers.recorded_answer(ended)
    if action == "export":
        document = memory_answers.exported(
            workspace.memory,
            str(session) if session else None,
            anonymise=bool(given.get("anonymise", True)),
            most_events=int(str(given.get("max_events", 1_000))),
            most_facts=int(str(given.get("max_facts", 500))),
        )
        return Answer(text=memory_answers.as_text(document), document=document)
    given = {name: given[name] for name in ("session", "limit") if name in given}
    return memory_answers.sessions_answer(MEMORY_OPERATIONS["session"].run(workspace, **given))


MAINTENANCE_TOOLS = (
    memory_tool(
        "memory_session",
        MEMORY_OPERATIONS["session"],
        "The project's sessions, the newest first; one of them in detail, summarised, ended, or exported.",
        memory_answers.sessions_answer,
        run=_session,
        extra=(
            parameter(
                "action",
                "What to do.",
                choices=("list", "summarise", "end", "export"),
                default="list",
            ),
            parameter(
                "anonymise",
                "An export without e-mail addresses, users' folders and long hexadecimal numbers; true if not given.",
                value_type=bool,
                default=True,
            ),
            parameter("max_events", "Of an export, the newest.", value_type=int, minimum=1),
            parameter("max_facts", "Of an export, the newest.", value_type=int, minimum=1),
        ),
        is_read_only=False,
        is_open_world=True,
    ),
    memory_tool(
        "memory_init",
        MAINTENANCE_OPERATIONS["init"],
        "Extract first facts from the project's files, commits and index; when repeated, only from what changed.",
        memory_answers.init_answer,
        is_read_only=False,
        is_idempotent=True,
        is_open_world=True,
    ),
    ADMIN_TOOL,
)
