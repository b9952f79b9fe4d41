"""A local server that plays a language model by script, in the protocols that agents speak.

It calls one tool of codecairn as soon as a request offers it, then answers with a fixed text. It records every request.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

Body: TypeAlias = dict[str, Any]
Events: TypeAlias = list[tuple[str, Body]]

_IDLE: dict[str, dict[str, object]] = {
    "WaitForMcpServers": {},
    "exec_command": {"cmd": "sleep 2", "yield_time_ms": 4000},
}
"""Tools of hosts that pass the time, with arguments."""


@dataclass
class ScriptedModel:
    """The model: it wants `tool` called with `arguments`, once."""

    tool: str
    arguments: dict[str, object]
    url: str = ""
    asked: list[tuple[str, Body]] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    """What came back from the tool, as the model was shown it."""
    waits: int = 10
    """How often it does something else first, where hosts ask the model before all servers have started."""

    @contextmanager
    def running(self) -> Iterator["ScriptedModel"]:
        """Serve until the block ends."""
        http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        http.daemon_threads = True
        self.url = f"http://127.0.0.1:{http.server_address[1]}"
        threading.Thread(target=http.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield self
        finally:
            http.shutdown()
            http.server_close()

    def answer(self, path: str, body: Body) -> Events | Body:
        """The events of a streamed answer, or a whole one."""
        self.asked.append((path, body))
        if path.endswith("/responses"):
            return _responses(self, body)
        if path.endswith("/chat/completions"):
            return _chat(self, body)
        if path.endswith("/messages"):
            return _messages(self, body)
        if "generateContent" in path or "streamGenerateContent" in path:
            return _gemini(self, body)
        if path.endswith("/count_tokens"):
            return {"input_tokens": 10}
        return {"data": [], "models": []}

    def wanted(self, names: list[str]) -> str | None:
        """The offered name of the tool that is to be called, unless it was called already."""
        if self.results:
            return None
        return next((name for name in names if name.endswith(self.tool)), None)

    def waiting(self, names: list[str]) -> tuple[str, dict[str, object]] | None:
        """What to call meanwhile, if ours is not offered yet."""
        idle = next((name for name in names if name in _IDLE), None)
        if idle is None or self.results or self.waits == 0:
            return None
        self.waits -= 1
        return idle, _IDLE[idle]


def _handler(server: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send({"data": [], "models": []})

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            try:
                body = json.loads(raw or b"{}")
            except ValueError:
                body = {}
            self._send(server.answer(self.path.partition("?")[0], body))

        def _send(self, answer: Events | Body) -> None:
            is_stream = isinstance(answer, list)
            self.send_response(200)
            kind = "text/event-stream" if is_stream else "application/json"
            self.send_header("Content-Type", kind)
            self.end_headers()
            if isinstance(answer, dict):
                self.wfile.write(json.dumps(answer).encode())
                return
            for name, data in answer:
                line = "[DONE]" if name == "done" else json.dumps(data)
                head = f"event: {name}\n" if name not in {"", "done"} else ""
                self.wfile.write(f"{head}data: {line}\n\n".encode())

        def log_message(self, *_args: object) -> None:
            """Keep quiet."""

    return Handler


def _text_of(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(_text_of(part) for part in content)
    if isinstance(content, dict):
        return _text_of(
            content.get("text") or content.get("content") or content.get("output") or ""
        )
    return ""


def _responses(server: ScriptedModel, body: Body) -> Events:
    """OpenAI's Responses, which Codex speaks."""
    server.results += [
        _text_of(item.get("output"))
        for item in body.get("input", [])
        if item.get("type") == "function_call_output" and item.get("call_id") == "call-1"
    ]
    names: list[tuple[str, str]] = []
    for tool in body.get("tools", []):
        if tool.get("type") == "namespace":
            names += [(tool["name"], inner["name"]) for inner in tool.get("tools", [])]
        else:
            names.append(("", tool.get("name", "")))
    called = next((pair for pair in names if pair[1].endswith(server.tool)), None)
    idle = server.waiting([name for _, name in names]) if called is None else None
    if idle is not None:
        item: Body = {
            "type": "function_call",
            "id": f"f{server.waits}",
            "call_id": f"idle-{server.waits}",
            "name": idle[0],
            "arguments": json.dumps(idle[1]),
        }
    elif called is None or server.results:
        content = [{"type": "output_text", "text": "That is all."}]
        item = {"type": "message", "id": "m1", "role": "assistant", "content": content}
    else:
        item = {
            "type": "function_call",
            "id": "f1",
            "call_id": "call-1",
            "name": called[1],
            "arguments": json.dumps(server.arguments),
        }
        if called[0]:
            item["namespace"] = called[0]
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    response = {"id": "r1", "output": [item], "usage": usage, "status": "completed"}
    return [
        ("response.created", {"type": "response.created", "response": {"id": "r1"}}),
        (
            "response.output_item.done",
            {"type": "response.output_item.done", "output_index": 0, "item": item},
        ),
        ("response.completed", {"type": "response.completed", "response": response}),
    ]


def _chat(server: ScriptedModel, body: Body) -> Events:
    """OpenAI's chat completions, which OpenCode speaks with most providers."""
    server.results += [
        _text_of(message.get("content"))
        for message in body.get("messages", [])
        if message.get("role") == "tool"
    ]
    name = server.wanted([tool["function"]["name"] for tool in body.get("tools", [])])
    delta: Body = {"role": "assistant", "content": "That is all."}
    if name is not None:
        function = {"name": name, "arguments": json.dumps(server.arguments)}
        call = {"index": 0, "id": "call-1", "type": "function", "function": function}
        delta = {"role": "assistant", "tool_calls": [call]}
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    reason = "stop" if name is None else "tool_calls"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    last = {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage}
    first = {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    return [("", {**head, **first}), ("", {**head, **last}), ("done", {})]


def _messages(server: ScriptedModel, body: Body) -> Events | Body:
    """Anthropic's messages, which Claude Code speaks."""
    for message in body.get("messages", []):
        content = message.get("content")
        for part in content if isinstance(content, list) else []:
            if part.get("type") == "tool_result" and part.get("tool_use_id") == "toolu_1":
                server.results.append(_text_of(part.get("content")))
    offered = [tool.get("name", "") for tool in body.get("tools", [])]
    name, arguments, number = server.wanted(offered), server.arguments, "toolu_1"
    idle = server.waiting(offered) if name is None else None
    if idle is not None:
        (name, arguments), number = idle, f"toolu_idle_{server.waits}"
    usage = {"input_tokens": 1, "output_tokens": 1}
    block: Body = {"type": "text", "text": "That is all."}
    if name is not None:
        block = {"type": "tool_use", "id": number, "name": name, "input": arguments}
    reason = "end_turn" if name is None else "tool_use"
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "scripted"),
        "content": [block],
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": usage,
    }
    if not body.get("stream"):
        return message
    started, part = block | {"text": ""}, {"type": "text_delta", "text": "That is all."}
    if name is not None:
        started = block | {"input": {}}
        part = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
    events: list[Body] = [
        {
            "type": "message_start",
            "message": message | {"content": [], "stop_reason": None},
        },
        {"type": "content_block_start", "index": 0, "content_block": started},
        {"type": "content_block_delta", "index": 0, "delta": part},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": reason, "stop_sequence": None},
            "usage": usage,
        },
        {"type": "message_stop"},
    ]
    return [(event["type"], event) for event in events]


def _gemini(server: ScriptedModel, body: Body) -> Events:
    """Google's content generation, which Gemini CLI speaks."""
    for content in body.get("contents", []):
        for part in content.get("parts", []):
            if "functionResponse" in part:
                server.results.append(json.dumps(part["functionResponse"].get("response")))
    offered = [
        declared.get("name", "")
        for tool in body.get("tools", [])
        for declared in tool.get("functionDeclarations", [])
    ]
    name = server.wanted(offered)
    part: Body = {"text": "That is all."}
    if name is not None:
        part = {"functionCall": {"name": name, "args": server.arguments, "id": "call-1"}}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    return [("", {"candidates": [candidate], "usageMetadata": usage})]
