"""The tools for any program that lets a model call functions: their schemas in the providers' formats, and `call`.

    from codecairn.integrations.functions import Functions

    with Functions.open("path/to/repo") as functions:
        tools = functions.schemas("openai")              # or "openai-responses", "anthropic", "gemini"
        print(functions.call("codebase_search", {"query": "where are tokens verified"}))

They are those of the MCP server, made from the same table.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from codecairn.core.closeable import Closeable
from codecairn.core.nearest import did_you_mean
from codecairn.errors import UsageError
from codecairn.mcp.answers import Answer
from codecairn.mcp.dispatcher import ToolDispatcher
from codecairn.mcp.tool_sets import named_sets
from codecairn.mcp.tool_table import Tool, tools_of
from codecairn.workspace.workspace import Workspace

Style: TypeAlias = Literal["openai", "openai-responses", "anthropic", "gemini"]


def _function(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.text, "parameters": tool.schema}


STYLES: Mapping[str, Callable[[Tool], dict[str, Any]]] = MappingProxyType(
    {
        "openai": lambda tool: {"type": "function", "function": _function(tool)},
        "openai-responses": lambda tool: {"type": "function", **_function(tool), "strict": False},
        "anthropic": lambda tool: {
            "name": tool.name,
            "description": tool.text,
            "input_schema": tool.schema,
        },
        "gemini": _function,
    }
)
"""How each provider writes a function. Gemini takes them as one tool: `{"function_declarations": schemas}`."""


_FORM = 'such as {"query": "…"}'


class Functions(Closeable):
    """The tools on one workspace. Thread-safe; close it, or use it as a context manager."""

    def __init__(self, workspace: Workspace, *, chosen: str = "compact") -> None:
        self._dispatcher = ToolDispatcher(
            [workspace], chosen=named_sets(chosen), in_background=False
        )
        self._chosen = chosen

    @classmethod
    def open(cls, path: str | Path = ".", *, chosen: str = "compact") -> "Functions":
        """The tools of a set, or of several joined by commas, on the workspace that a path lies in.

        Raises:
            BadWorkspace: If it is no folder.
            UsageError: If there is no such set.
        """
        return cls(Workspace.open(path), chosen=chosen)

    def close(self) -> None:
        """Let go of the workspace."""
        self._dispatcher.close()

    def schemas(self, style: Style = "openai") -> list[dict[str, Any]]:
        """The tools' schemas."""
        return schemas(style, chosen=self._chosen)

    def call(self, name: str, arguments: Mapping[str, object] | str = "") -> str:
        """The text of a tool's result for the model; `arguments` may be the JSON text that a model wrote.

        Raises:
            CodecairnError: If it can't; the message and the hint are for the model.
        """
        return self.answer(name, arguments).text

    def answer(self, name: str, arguments: Mapping[str, object] | str = "") -> Answer:
        """As `call`, with the result as a JSON document, too."""
        if self._dispatcher.tool(name) is None:
            names = [tool.name for tool in self._dispatcher.tools]
            hint = did_you_mean(name, names) or f"there are: {', '.join(names)}"
            raise UsageError(f"there is no tool `{name:.100}`", hint=hint)
        return self._dispatcher.call(name, _read(arguments))


def schemas(style: Style = "openai", *, chosen: str = "compact") -> list[dict[str, Any]]:
    """The schemas of the tools of a set.

    Raises:
        UsageError: If there is no such style, or no such set.
    """
    if style not in STYLES:
        raise UsageError(f"there is no style `{style}`", hint=f"there are: {', '.join(STYLES)}")
    # Which folders are searched is not a model's to say here.
    offered = (tool for tool in tools_of(named_sets(chosen)) if not tool.changes_bases)
    written = [STYLES[style](tool) for tool in offered]
    return [*json.loads(json.dumps(written))]  # copies: callers may change them


def call(name: str, arguments: Mapping[str, object] | str = "", *, path: str | Path = ".") -> str:
    """One call of any tool on the workspace that a path lies in; `Functions` keeps it open for several."""
    with Functions.open(path, chosen="all") as functions:
        return functions.call(name, arguments)


def _read(arguments: Mapping[str, object] | str) -> Mapping[str, object]:
    if not isinstance(arguments, str):
        return arguments
    try:
        found = json.loads(arguments or "{}")
    except ValueError as err:
        raise UsageError(f"the arguments are no JSON: {err}", hint=_FORM) from err
    if not isinstance(found, dict):
        raise UsageError("the arguments are no JSON object", hint=_FORM)
    return found
