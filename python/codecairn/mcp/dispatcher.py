"""Dispatches tool calls: finds the workspace, waits for its first index, and turns errors into results."""

import difflib
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from codecairn.config.agent_settings import MAX_FIRST_WAIT_MS
from codecairn.core.closeable import Closeable
from codecairn.core.engine import ProgressCallback
from codecairn.errors import Cancelled, CodecairnError, UsageError, disk_full
from codecairn.mcp.answer_bound import bounded
from codecairn.mcp.answers import Answer
from codecairn.mcp.background_index import BackgroundIndex
from codecairn.mcp.tool_table import Tool, own_tools, tools_of
from codecairn.mcp.workspace_scope import WorkspaceScope
from codecairn.paths.user import expanded
from codecairn.workspace.effectiveness import note_answer
from codecairn.workspace.workspace import Workspace
from codecairn.workspace.workspaces import Workspaces

_LOG = logging.getLogger(__name__)

_SHOWS_FILES = frozenset(
    {"codebase_search", "codebase_peek", "implementation_lookup", "find_similar"}
)

WORKSPACE = "workspace"
"""The argument of every tool that names a workspace."""

_WORKSPACE_SCHEMA = {"type": "string", "description": "Another project's folder or name"}


class ToolDispatcher(Closeable):
    """Serves the tools on some workspaces. Thread-safe; close it, or use it as a context manager.

    `scope` decides which workspaces calls may name, whatever a call says; open workspaces in its place are a scope of these
    alone. Calls may name further knowledge bases below `allowed` folders alone.
    """

    def __init__(
        self,
        scope: WorkspaceScope | Sequence[Workspace],
        *,
        chosen: Sequence[str] = ("compact",),
        wait_s: float | None = None,
        in_background: bool = True,
        allowed: Sequence[Path] = (),
    ) -> None:
        self._scope = scope if isinstance(scope, WorkspaceScope) else WorkspaceScope.of(scope)
        self._scope.notify(self.start)
        self._allowed = tuple(folder.resolve() for folder in allowed)
        self._wait_s = wait_s
        self.tools = tuple(
            tool for tool in tools_of(chosen) if self._allowed or not tool.changes_bases
        )
        self._by_name = {tool.name: tool for tool in self.tools}
        self._makes_indexes = in_background and any(tool.group == "code" for tool in self.tools)
        self._indexes: dict[Path, BackgroundIndex] = {}
        self._is_started = self._is_closed = False
        self._lock = threading.Lock()

    def start(self) -> None:
        """Begin to bring the indexes of the default workspaces up to date; returns at once."""
        self._is_started = True
        threading.Thread(target=self._start, name="codecairn-mcp-start", daemon=True).start()

    def _start(self) -> None:
        """A call that needs a workspace reports why there is none."""
        with suppress(CodecairnError):
            for workspace in self._scope.defaults():
                self._index_of(workspace)

    def _index_of(self, workspace: Workspace) -> BackgroundIndex | None:
        """What brings a served workspace up to date; `None` if it is left to the calls."""
        if not (self._makes_indexes and self._scope.is_served(workspace.root)):
            return None
        with self._lock:
            index = self._indexes.get(workspace.root)
            if index is None:
                index = self._indexes[workspace.root] = BackgroundIndex(workspace)
            if self._is_started and not self._is_closed:
                index.start()
            return index

    def close(self) -> None:
        """End what runs in the background, and let go of the stores."""
        with self._lock:
            self._is_closed = True
            indexes = list(self._indexes.values())
        with ExitStack() as stack:
            stack.callback(self._scope.close)
            for index in indexes:
                stack.callback(index.close)

    def schema(self, tool: Tool) -> dict[str, object]:
        """A tool's arguments, and the workspace that a call may name."""
        if tool.group == "other":
            return tool.schema
        properties = tool.schema["properties"]
        assert isinstance(properties, dict)
        return {**tool.schema, "properties": {**properties, WORKSPACE: _WORKSPACE_SCHEMA}}

    def listed(self, *, has_output: bool = True) -> list[dict[str, object]]:
        """The tools as the protocol lists them; with `has_output` for a host that gets documents."""
        return [tool.listed(self.schema(tool), has_output=has_output) for tool in self.tools]

    def tool(self, name: str) -> Tool | None:
        """The tool of this name, if it is offered here."""
        return self._by_name.get(name)

    def why_unknown(self, name: str) -> str:
        """Why there is no tool of this name, and which is meant."""
        if name in own_tools():
            return (
                f"the tool `{name}` is not offered here: ask the user to start the server with "
                "`--tools all`, or to set `mcp.tools`"
            )
        near = difflib.get_close_matches(name[:100], self._by_name, n=1)
        meant = f"did you mean `{near[0]}`? " if near else ""
        return f"there is no tool {name!r:.100}; {meant}there are: {', '.join(self._by_name)}"

    def workspace(self) -> Workspace:
        """The workspace that is meant when a call names none.

        Raises:
            BadWorkspace: If there is none.
        """
        return self._scope.defaults()[0]

    def paths(self) -> tuple[str, ...]:
        """Indexed files of the first workspace, once there is an index.

        Raises:
            NotIndexed: If that takes too long.
        """
        workspace = self.workspace()
        index = self._index_of(workspace)
        if index is not None:
            index.wait(self._patience_s(workspace), is_cancelled=lambda: False)
        return workspace.paths()

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
        values = tool.values(given)
        workspaces = self._meant(tool, named)
        workspace = workspaces[0]
        takes_all = tool.searches_all and len(workspaces) > 1
        if tool.changes_bases and "folder" in values:
            self._require_allowed(str(values["folder"]), workspace)
        for each in workspaces if takes_all else workspaces[:1]:
            early = self._early(each, tool, is_cancelled)
            if early is not None:
                return early
        try:
            answer = tool.run(Workspaces(workspaces) if takes_all else workspace, values, progress)
        except CodecairnError:
            raise
        except Exception as err:
            if full := disk_full(err):
                raise full from err
            _LOG.exception("the tool %s failed", tool.name)
            message = f"an internal error: {type(err).__name__}: {err}"
            raise CodecairnError(
                message, hint="`index_logs` and the server's log tell more"
            ) from err
        if tool.name in _SHOWS_FILES:
            note_answer(workspace, answer.document, answer.text)
        return bounded(answer, is_json=tool.group == "other")

    def _meant(self, tool: Tool, named: object) -> tuple[Workspace, ...]:
        """The workspaces that a call is about."""
        if named is None:
            return self._scope.defaults()
        if not isinstance(named, str):
            raise UsageError(
                f"`{WORKSPACE}` must be of type string, not {named!r:.80}",
                hint="give a project's folder, or its folder's name",
            )
        return (self._scope.named(named, is_changed=not tool.is_read_only),)

    def _early(
        self, workspace: Workspace, tool: Tool, is_cancelled: Callable[[], bool]
    ) -> Answer | None:
        """How far the first index of a workspace is, where a tool needs it and it takes too long."""
        if not (tool.needs_index or tool.name == "index_status"):
            return None
        index = self._index_of(workspace)
        if index is None:
            return None
        wait_s = self._patience_s(workspace) if tool.needs_index else 0.0
        state = index.wait(wait_s, is_cancelled=is_cancelled)
        if state is None:
            return None
        return Answer(
            text=f"The first index of {workspace.root} is being made ({state}). "
            "Ask again in a few seconds, or search by other means meanwhile.",
            document={"indexing": str(state), "done": state.done, "total": state.total},
        )

    def _patience_s(self, workspace: Workspace) -> float:
        """How long a call waits for the first index."""
        if self._wait_s is not None:
            return self._wait_s
        return min(workspace.settings.index_first_wait_ms, MAX_FIRST_WAIT_MS) / 1000

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
