"""The protocol on the official SDK: lists, calls, prompts and resources.

A host waits until `initialize` is answered, so modules that this does not need are imported afterwards.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

import anyio
import anyio.to_thread
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from codecairn.errors import Cancelled, CodecairnError
from codecairn.mcp.error_text import error_text
from codecairn.mcp.handshake import INSTRUCTIONS, NAME, takes_documents
from codecairn.mcp.lazy_dispatcher import LazyToolDispatcher
from codecairn.version import VERSION

if TYPE_CHECKING:
    from codecairn.mcp.dispatcher import ToolDispatcher
    from codecairn.mcp.tool import Tool
    from codecairn.operations.prompts import Prompt

_AT_ONCE = 8
"""Calls that are worked on at a time; others wait for their turn."""

_BETWEEN_REPORTS_S = 0.2

_Result = TypeVar("_Result")
Context = ServerRequestContext[Any, Any]


def make_server(dispatcher: LazyToolDispatcher) -> Server[Any]:
    """A server of the protocol that serves this dispatcher. It holds no state of its own."""
    return _Handlers(dispatcher).server()


def serve_streams(dispatcher: LazyToolDispatcher, reading: TextIO, writing: TextIO) -> None:
    """Serve a host over two streams of lines, until the first of them ends."""
    server = make_server(dispatcher)
    lines, out = anyio.wrap_file(reading), anyio.wrap_file(writing)

    async def run() -> None:
        async with stdio_server(lines, out) as (messages, answers):
            await server.run(messages, answers, server.create_initialization_options())

    anyio.run(run)


class _Handlers:
    def __init__(self, dispatcher: LazyToolDispatcher) -> None:
        self._dispatcher = dispatcher
        self._limiter: anyio.CapacityLimiter | None = None

    def server(self) -> Server[Any]:
        server: Server[Any] = Server(
            NAME,
            version=VERSION,
            instructions=INSTRUCTIONS,
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            on_list_prompts=self.list_prompts,
            on_get_prompt=self.get_prompt,
            on_list_resources=self.list_resources,
            on_list_resource_templates=self.list_templates,
            on_read_resource=self.read_resource,
        )
        server.add_notification_handler(
            "notifications/initialized", types.NotificationParams, self.prepare
        )
        return server

    async def prepare(self, _ctx: Context, _params: object) -> None:
        """The host is ready, and indexing starts. The first call that needs a failed index reports the error."""
        with suppress(CodecairnError):
            await self._in_thread(self._dispatcher.opened)

    async def list_tools(self, ctx: Context, _params: object) -> types.ListToolsResult:
        """The tools of the chosen sets."""
        dispatcher = await self._opened()
        tools = dispatcher.listed(has_output=_takes_documents(ctx))
        return types.ListToolsResult.model_validate({"tools": tools})

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Run a tool; an error is a result, too, which the model can act on."""
        dispatcher = await self._opened()
        tool = dispatcher.tool(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, dispatcher.why_unknown(params.name))
        ended = threading.Event()
        has_document = _takes_documents(ctx)
        last_s, loop = 0.0, asyncio.get_running_loop()

        def progress(phase: str, done: int, total: int) -> None:
            nonlocal last_s
            if ended.is_set():
                message = "the call was cancelled"
                raise Cancelled(message)
            now_s = time.monotonic()
            if now_s - last_s >= _BETWEEN_REPORTS_S:
                last_s = now_s
                report = ctx.session.report_progress(done, total or None, phase)
                asyncio.run_coroutine_threadsafe(
                    report, loop
                )  # who works does not wait for who listens

        def call() -> types.CallToolResult:
            try:
                answer = dispatcher.call(
                    params.name,
                    params.arguments or {},
                    progress=progress,
                    is_cancelled=ended.is_set,
                )
            except CodecairnError as err:
                return _failed(err, tool, has_document=has_document)
            return types.CallToolResult(
                content=[types.TextContent(text=answer.text)],
                structured_content=answer.document if has_document else None,
                is_error=answer.is_error,
            )

        try:
            return await self._in_thread(call)
        finally:
            ended.set()

    async def list_prompts(self, _ctx: Context, _params: object) -> types.ListPromptsResult:
        """The prompts."""
        from codecairn.operations.prompts import PROMPTS

        return types.ListPromptsResult(prompts=[_described(prompt) for prompt in PROMPTS.values()])

    async def get_prompt(
        self, _ctx: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """A prompt, filled in."""
        from codecairn.operations.prompts import PROMPTS

        prompt = PROMPTS.get(params.name)
        if prompt is None:
            there_are = f"there are: {', '.join(PROMPTS)}"
            raise MCPError(
                types.INVALID_PARAMS, f"there is no prompt {params.name!r:.100}; {there_are}"
            )
        value = (params.arguments or {}).get(prompt.argument, "")
        if prompt.is_required and not value.strip():
            raise MCPError(
                types.INVALID_PARAMS,
                f"the argument `{prompt.argument}` is missing: {prompt.argument_text}",
            )
        said = types.TextContent(text=prompt.filled(value))
        return types.GetPromptResult(
            description=prompt.text, messages=[types.PromptMessage(role="user", content=said)]
        )

    async def list_resources(self, _ctx: Context, _params: object) -> types.ListResourcesResult:
        """The facts that hold."""
        dispatcher = await self._opened()
        from codecairn.mcp import resources

        found = await self._in_thread(lambda: resources.listed(dispatcher))
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    uri=each.uri, name=each.name, description=each.text, mime_type=each.mime_type
                )
                for each in found
            ]
        )

    async def list_templates(
        self, _ctx: Context, _params: object
    ) -> types.ListResourceTemplatesResult:
        """How files and facts are addressed."""
        from codecairn.mcp import resources

        files = types.ResourceTemplate(
            uri_template=resources.FILES,
            name="file",
            description="An indexed file of the workspace.",
        )
        facts = types.ResourceTemplate(
            uri_template=resources.FACTS,
            name="memory",
            description="A fact or event of the memory.",
        )
        return types.ListResourceTemplatesResult(resource_templates=[files, facts])

    async def read_resource(
        self, _ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """The content of a resource."""
        dispatcher, uri = await self._opened(), str(params.uri)
        from codecairn.mcp import resources

        try:
            text = await self._in_thread(lambda: resources.read(dispatcher, uri))
        except CodecairnError as err:
            raise MCPError(types.INVALID_PARAMS, error_text(err).text) from err
        contents = types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)
        return types.ReadResourceResult(contents=[contents])

    async def _opened(self) -> "ToolDispatcher":
        try:
            return await self._in_thread(self._dispatcher.opened)
        except CodecairnError as err:
            raise MCPError(types.INTERNAL_ERROR, error_text(err).text) from err

    async def _in_thread(self, work: Callable[[], _Result]) -> _Result:
        """Work that blocks; a cancelled call does not wait for its end."""
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(_AT_ONCE)
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._limiter)


def _takes_documents(ctx: Context) -> bool:
    client = ctx.session.client_params
    return takes_documents(client.client_info.name if client is not None else None)


def _failed(err: CodecairnError, tool: "Tool", *, has_document: bool) -> types.CallToolResult:
    found = error_text(err, usual_hint=tool.usage)
    document = {"error": found.code, "message": found.message, "hint": found.hint}
    return types.CallToolResult(
        content=[types.TextContent(text=found.text)],
        structured_content=document if has_document else None,
        is_error=True,
    )


def _described(prompt: "Prompt") -> types.Prompt:
    arguments = [
        types.PromptArgument(
            name=prompt.argument, description=prompt.argument_text, required=prompt.is_required
        )
    ]
    return types.Prompt(
        name=prompt.name,
        description=prompt.text,
        arguments=arguments if prompt.argument else None,
    )
