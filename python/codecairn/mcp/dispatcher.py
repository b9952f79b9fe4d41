"""Dispatches tool calls: finds the workspace, waits for its first index, and turns errors into results."""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from codecairn.config.agent_settings import MAX_FIRST_WAIT_MS
from codecairn.core.closeable import Closeable
from codecairn.core.engine import ProgressCallback
from codecairn.errors import Cancelled, CodecairnError, UsageError
from codecairn.mcp.answers import Answer
from codecairn.mcp.background_index import BackgroundIndex
from codecairn.mcp.tool_table import Tool, own_tools, tools_of
from codecairn.paths.user import expanded
from codecairn.workspace.effectiveness import note_answer
from codecairn.workspace.workspace import Workspace
from codecairn.workspace.workspaces import Workspaces

_LOG = logging.getLogger(__name__)

_SHOWS_FILES = frozenset(
    {"codebase_search", "codebase_peek", "implementation_lookup", "find_similar"}
)

WORKSPACE = "workspace"
"""The argument that names one of several workspaces."""


class ToolDispatcher(Closeable):
    """Serves the tools on some workspaces. Thread-safe; close it, or use it as a context manager.

    Only the folders that the server was started with, and the knowledge bases that their user named, can be asked about,
    whatever a call says. Calls may name further knowledge bases below `allowed` folders alone.
    """

    def __init__(
        self,
        workspaces: Sequence[Workspace],
        *,
        chosen: Sequence[str] = ("compact",),
        wait_s: float | None = None,
        in_background: bool = True,
        allowed: Sequence[Path] = (),
    ) -> None:
        self._workspaces = {str(workspace.root): workspace for workspace in workspaces}
        self._together = Workspaces(workspaces)
        self._allowed = tuple(folder.resolve() for folder in allowed)
        self._first = workspaces[0]
        self._wait_s = _wait_s(self._first) if wait_s is None else wait_s
        self.tools = tuple(
            tool for tool in tools_of(chosen) if self._allowed or not tool.changes_bases
        )
        self._by_name = {tool.name: tool for tool in self.tools}
        makes_index = in_background and any(tool.group == "code" for tool in self.tools)
        self._readiness = {
            root: BackgroundIndex(workspace)
            for root, workspace in self._workspaces.items()
            if makes_index
        }

    def start(self) -> None:
        """Begin to bring the indexes up to date."""
        for readiness in self._readiness.values():
            readiness.start()

    def close(self) -> None:
        """End what runs in the background, and let go of the stores."""
        with ExitStack() as stack:
            for workspace in self._workspaces.values():
                stack.callback(workspace.close)
            for readiness in self._readiness.values():
                stack.callback(readiness.close)

    def schema(self, tool: Tool) -> dict[str, object]:
        """A tool's arguments; with several workspaces one of them can be named."""
        if len(self._workspaces) == 1:
            return tool.schema
        properties = tool.schema["properties"]
        assert isinstance(properties, dict)
        named = {
            "type": "string",
            "enum": list(self._workspaces),
            "description": "Which workspace.",
        }
        return {**tool.schema, "properties": {**properties, WORKSPACE: named}}

    def listed(self) -> list[dict[str, object]]:
        """The tools as the protocol lists them."""
        return [
            {
                "name": tool.name,
                "description": tool.text,
                "inputSchema": self.schema(tool),
                **({"annotations": {"readOnlyHint": True}} if tool.is_read_only else {}),
            }
            for tool in self.tools
        ]

    def knows(self, name: str) -> bool:
        """Whether a tool is offered here."""
        return name in self._by_name

    def workspace(self, name: object = None) -> Workspace:
        """The workspace of this root or with this folder name; the first one without a name.

        Raises:
            UsageError: If there is none.
        """
        if name is None:
            return self._first
        for root, workspace in self._workspaces.items():
            if name in {root, workspace.root.name}:
                return workspace
        raise UsageError(
            f"there is no workspace {name!r:.200}", hint=f"there are: {', '.join(self._workspaces)}"
        )

    def paths(self) -> tuple[str, ...]:
        """Indexed files of the first workspace, once there is an index.

        Raises:
            NotIndexed: If that takes too long.
        """
        readiness = self._readiness.get(str(self._first.root))
        if readiness is not None:
            readiness.wait(self._wait_s, is_cancelled=lambda: False)
        return self._first.paths()

    def call(
        self,
        name: str,
        arguments: Mapping[str, object],
        *,
        progress: ProgressCallback = lambda _phase, _done, _total: None,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> Answer:
        """Run a tool. `progress` may raise `Cancelled` to end a long call.

        Raises:
            CodecairnError: If it can't; the message and the hint are for the model.
        """
        tool = self._by_name.get(name) or own_tools()[name]
        try:
            return self._answer(tool, arguments, progress, is_cancelled)
        except CodecairnError as err:
            if tool.failed is None or isinstance(err, Cancelled):
                raise
            return tool.failed(err)

    def _answer(
        self,
        tool: Tool,
        arguments: Mapping[str, object],
        progress: ProgressCallback,
        is_cancelled: Callable[[], bool],
    ) -> Answer:
        given = dict(arguments)
        named = given.pop(WORKSPACE, None)
        workspace = self.workspace(named)
        takes_all = tool.searches_all and named is None and len(self._workspaces) > 1
        values = tool.values(given)
        if tool.changes_bases and "folder" in values:
            self._require_allowed(str(values["folder"]), workspace)
        for root in self._workspaces if takes_all else [str(workspace.root)]:
            early = self._early(root, tool, is_cancelled)
            if early is not None:
                return early
        try:
            answer = tool.run(self._together if takes_all else workspace, values, progress)
        except CodecairnError:
            raise
        except Exception as err:
            _LOG.exception("the tool %s failed", tool.name)
            message = f"an internal error: {type(err).__name__}: {err}"
            raise CodecairnError(
                message, hint="`index_logs` and the server's log tell more"
            ) from err
        if tool.name in _SHOWS_FILES:
            note_answer(workspace, answer.document)
        return answer

    def _early(self, root: str, tool: Tool, is_cancelled: Callable[[], bool]) -> Answer | None:
        """How far the first index of a workspace is, where a tool needs it and it takes too long."""
        readiness = self._readiness.get(root)
        if readiness is None or not (tool.needs_index or tool.name == "index_status"):
            return None
        wait_s = self._wait_s if tool.needs_index else 0.0
        state = readiness.wait(wait_s, is_cancelled=is_cancelled)
        if state is None:
            return None
        return Answer(
            text=f"The first index of {root} is being made ({state}). "
            "Ask again in a few seconds, or search by other means meanwhile.",
            document={"indexing": str(state), "done": state.done, "total": state.total},
        )

    def _require_allowed(self, given: str, workspace: Workspace) -> None:
        """Refuse a folder that the server was not started with; links are resolved first."""
        try:
            folder = (workspace.root / expanded(Path(given))).resolve()
        except (OSError, RuntimeError, ValueError) as err:
            raise UsageError(f"{given!r:.200} is no folder") from err
        if not any(folder == allowed or allowed in folder.parents for allowed in self._allowed):
            raise UsageError(
                f"this server may not read `{folder}`",
                hint="the user can allow it: `codecairn knowledge add FOLDER`, or `codecairn mcp --allow FOLDER`",
            )


def _wait_s(workspace: Workspace) -> float:
    """How long a call waits for the first index, by the settings of the first workspace."""
    return min(workspace.settings.index_first_wait_ms, MAX_FIRST_WAIT_MS) / 1000
