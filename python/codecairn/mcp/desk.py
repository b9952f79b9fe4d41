"""Calls of tools: the workspace they are about, the wait for its first index, and errors as answers."""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack

from codecairn.closing import Closing
from codecairn.engine import ProgressCallback
from codecairn.errors import Cancelled, CodecairnError, UsageError
from codecairn.mcp.answers import Answer
from codecairn.mcp.readiness import WAIT_S, Readiness
from codecairn.mcp.tools import Tool, own_tools, tools_of
from codecairn.workspace import Workspace

_LOG = logging.getLogger(__name__)

WORKSPACE = "workspace"
"""The argument that names one of several workspaces."""


class Desk(Closing):
    """Serves the tools on some workspaces. Thread-safe; close it, or use it as a context manager.

    Only the folders that the server was started with can be asked about, whatever a call says.
    """

    def __init__(
        self,
        workspaces: Sequence[Workspace],
        *,
        chosen: Sequence[str] = ("compact",),
        wait_s: float = WAIT_S,
        in_background: bool = True,
    ) -> None:
        self._workspaces = {str(workspace.root): workspace for workspace in workspaces}
        self._first = workspaces[0]
        self._wait_s = wait_s
        self.tools = tools_of(chosen)
        self._by_name = {tool.name: tool for tool in self.tools}
        makes_index = in_background and any(tool.group == "code" for tool in self.tools)
        self._readiness = {
            root: Readiness(workspace)
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
        """What a tool says. `progress` may raise `Cancelled` to end a long one.

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
        workspace = self.workspace(given.pop(WORKSPACE, None))
        values = tool.values(given)
        readiness = self._readiness.get(str(workspace.root))
        if readiness is not None and (tool.needs_index or tool.name == "index_status"):
            wait_s = self._wait_s if tool.needs_index else 0.0
            state = readiness.wait(wait_s, is_cancelled=is_cancelled)
            if state is not None:
                return Answer(
                    text=f"The first index of {workspace.root} is being made ({state}). "
                    "Ask again in a few seconds, or search by other means meanwhile.",
                    document={
                        "indexing": str(state),
                        "done": state.done,
                        "total": state.total,
                    },
                )
        try:
            return tool.run(workspace, values, progress)
        except CodecairnError:
            raise
        except Exception as err:
            _LOG.exception("the tool %s failed", tool.name)
            message = f"an internal error: {type(err).__name__}: {err}"
            raise CodecairnError(
                message, hint="`index_logs` and the server's log tell more"
            ) from err
