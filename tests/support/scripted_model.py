"""A local server that plays a language model by script, in the protocols that agents speak.

It calls tools one after another, each as soon as a request offers it, then answers with a fixed text. It records every request.
"""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

Body: TypeAlias = dict[str, Any]
Events: TypeAlias = list[tuple[str, Body]]
Call: TypeAlias = tuple[str, dict[str, Any]]
"""The end of a tool's name, and the arguments."""

_IDLE: dict[str, dict[str, object]] = {
    "WaitForMcpServers": {},
    "exec_command": {"cmd": "sleep 2", "yield_time_ms": 4000},
}
"""Tools of hosts that pass the time, with arguments."""


@dataclass
class ScriptedModel:
    """The model: it makes each of `calls` once, in order, and then says `words`."""

    calls: list[Call]
    url: str = ""
    asked: list[tuple[str, Body]] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    """What came back from each call, as the model was shown it."""
    waits: int = 10
    """How often it does something else first, where hosts ask the model before all servers have started."""

    summary_s: float = 0.0
    """How long a request takes that offers no tools, such as one for a summary."""
    after: str = ""
    """What a request must have before the model calls anything."""
    words: str = "That is all."
    used_tokens: int = 2
    """What the first call is said to have used, in all."""
    _is_due: bool = True

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
        self._is_due = self.after in json.dumps(body)
        if not body.get("tools"):
            time.sleep(self.summary_s)
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

    def receive(self, results: list[str]) -> None:
        """Take the results that a request repeats, and those that are new."""
        if len(results) > len(self.results):
            self.results = results

    def wanted(self, names: list[str]) -> tuple[str, str, dict[str, Any]] | None:
        """The id, the offered name and the arguments of the next call, if its tool is offered."""
        if len(self.results) == len(self.calls) or not self._is_due:
            return None
        tool, arguments = self.calls[len(self.results)]
        name = next((name for name in names if name.endswith(tool)), None)
        return (f"call-{len(self.results) + 1}", name, arguments) if name else None

    def use_tokens(self) -> int:
        """What a call is said to have used, in all."""
        used, self.used_tokens = self.used_tokens, 2
        return used

    def waiting(self, names: list[str]) -> tuple[str, str, dict[str, Any]] | None:
        """What to call meanwhile, if the first tool is not offered yet."""
        idle = next((name for name in names if name in _IDLE), None)
        if self.after or idle is None or self.results or self.waits == 0:
            return None
        self.waits -= 1
        return f"idle-{self.waits}", idle, _IDLE[idle]


def _is_ours(number: object) -> bool:
    """Whether an id is that of a scripted call."""
    return str(number).startswith("call-")


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
    server.receive(
        [
            _text_of(item.get("output"))
            for item in body.get("input", [])
            if str(item.get("type")).endswith("_call_output") and _is_ours(item.get("call_id"))
        ]
    )
    tools: dict[str, tuple[str, Body]] = {}
    for tool in body.get("tools", []):
        if tool.get("type") == "namespace":
            tools |= {inner["name"]: (tool["name"], inner) for inner in tool.get("tools", [])}
        else:
            tools[tool.get("name", "")] = ("", tool)
    call = server.wanted(list(tools)) or server.waiting(list(tools))
    if call is None:
        content = [{"type": "output_text", "text": server.words}]
        item: Body = {"type": "message", "id": "m1", "role": "assistant", "content": content}
    else:
        number, name, arguments = call
        item = {"id": f"f-{number}", "call_id": number, "name": name}
        namespace, tool = tools[name]
        if tool.get("type") == "custom":
            item |= {"type": "custom_tool_call", "input": arguments["input"]}
        else:
            item |= {"type": "function_call", "arguments": json.dumps(arguments)}
        if namespace:
            item["namespace"] = namespace
    used = 2 if call is None else server.use_tokens()
    usage = {"input_tokens": used - 1, "output_tokens": 1, "total_tokens": used}
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
    server.receive(
        [
            _text_of(message.get("content"))
            for message in body.get("messages", [])
            if message.get("role") == "tool"
        ]
    )
    call = server.wanted([tool["function"]["name"] for tool in body.get("tools", [])])
    delta: Body = {"role": "assistant", "content": server.words}
    if call is not None:
        number, name, arguments = call
        function = {"name": name, "arguments": json.dumps(arguments)}
        made = {"index": 0, "id": number, "type": "function", "function": function}
        delta = {"role": "assistant", "tool_calls": [made]}
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    reason = "stop" if call is None else "tool_calls"
    used = 2 if call is None else server.use_tokens()
    usage = {"prompt_tokens": used - 1, "completion_tokens": 1, "total_tokens": used}
    last = {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage}
    first = {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    return [("", {**head, **first}), ("", {**head, **last}), ("done", {})]


def _messages(server: ScriptedModel, body: Body) -> Events | Body:
    """Anthropic's messages, which Claude Code speaks."""
    parts = [
        part
        for message in body.get("messages", [])
        if isinstance(message.get("content"), list)
        for part in message["content"]
    ]
    server.receive(
        [
            _text_of(part.get("content"))
            for part in parts
            if part.get("type") == "tool_result" and _is_ours(part.get("tool_use_id"))
        ]
    )
    offered = [tool.get("name", "") for tool in body.get("tools", [])]
    call = server.wanted(offered) or server.waiting(offered)
    usage = {"input_tokens": 1, "output_tokens": 1}
    block: Body = {"type": "text", "text": server.words}
    if call is not None:
        block = {"type": "tool_use", "id": call[0], "name": call[1], "input": call[2]}
    reason = "end_turn" if call is None else "tool_use"
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
    started, part = block | {"text": ""}, {"type": "text_delta", "text": server.words}
    if call is not None:
        started = block | {"input": {}}
        part = {"type": "input_json_delta", "partial_json": json.dumps(call[2])}
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
    server.receive(
        [
            json.dumps(part["functionResponse"].get("response"))
            for content in body.get("contents", [])
            for part in content.get("parts", [])
            if "functionResponse" in part
        ]
    )
    offered = [
        declared.get("name", "")
        for tool in body.get("tools", [])
        for declared in tool.get("functionDeclarations", [])
    ]
    call = server.wanted(offered)
    part: Body = {"text": server.words}
    if call is not None:
        part = {"functionCall": {"name": call[1], "args": call[2], "id": call[0]}}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    return [("", {"candidates": [candidate], "usageMetadata": usage})]
