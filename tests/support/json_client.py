"""A client that knows only another memory's tools."""

import json
from typing import Any

from mcp import ClientSession

Parameters = dict[str, tuple[set[str], set[str]]]
"""Each tool's parameters: those it needs, and those it takes."""


class JsonClient:
    """Calls tools and reads their text as JSON, as the old clients do."""

    def __init__(self, session: ClientSession) -> None:
        self._session = session

    async def call(self, tool: str, **arguments: object) -> Any:
        """The document of an answer."""
        answer = await self._session.call_tool(tool, arguments)
        assert not answer.is_error, answer.content[0].text  # type: ignore[union-attr]
        return self._document(answer)

    async def fail(self, tool: str, **arguments: object) -> Any:
        """The document of an answer that says what is wrong, which the protocol reports as well."""
        answer = await self._session.call_tool(tool, arguments)
        assert answer.is_error
        return self._document(answer)

    def _document(self, answer: Any) -> Any:
        document = json.loads(answer.content[0].text)
        assert answer.structured_content == document
        return document


def check_parameters(tools: Any, expected: Parameters) -> None:
    """Hold the tools that are listed against those that a client knows."""
    assert [tool.name for tool in tools] == [*expected]
    for tool in tools:
        needed, taken = expected[tool.name]
        assert set(tool.input_schema.get("required", ())) == needed, tool.name
        assert needed | taken <= set(tool.input_schema["properties"]), tool.name
