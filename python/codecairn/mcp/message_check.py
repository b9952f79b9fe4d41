"""Answers lines that are no messages of the protocol, each with what is wrong and how it is written right.

The SDK drops such a line without an answer, or answers `Invalid request parameters`, and a host waits for it in vain. `CheckedInput` lies
below the SDK and the handshake, so both get messages alone. A check costs one parse of the line, in time linear in its length.
"""

import io
import json
from collections.abc import Mapping
from typing import Any, TextIO

MAX_DEPTH = 100
"""How deep a message may nest; the SDK's parser ends at some two hundred."""

PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602

_CALL = '{"name": "codebase_search", "arguments": {"query": "who verifies tokens"}}'
_PROMPT = '{"name": "search", "arguments": {"query": "who verifies tokens"}}'
_READ = '{"uri": "codecairn://file/src/app.py"}'


class CheckedInput(io.TextIOBase):
    """The lines of a stream that are messages; the others are answered on `writing`."""

    def __init__(self, reading: TextIO, writing: TextIO) -> None:
        self._reading, self._writing = reading, writing

    def readline(self, _size: int = -1, /) -> str:  # type: ignore[override]
        """The next line that is a message; empty at the end."""
        while line := self._reading.readline():
            if line.isspace():
                continue
            error = error_of(line)
            if error is None:
                return line
            self._writing.write(json.dumps(error, separators=(",", ":")) + "\n")
            self._writing.flush()
        return ""


def error_of(line: str) -> dict[str, Any] | None:
    """The answer to a line that is no message; `None` if it is one, or may be."""
    try:
        message = json.loads(line)
    except RecursionError:
        return _error(None, PARSE_ERROR, f"the message is nested deeper than {MAX_DEPTH} levels")
    except ValueError as err:
        return _error(
            None, PARSE_ERROR, f"a line is not JSON: {err}; write each message on one line"
        )
    if not isinstance(message, dict):
        wrong = "a batch is not taken: write each on a line of its own"
        wrong = (
            wrong if isinstance(message, list) else "a message must be an object of JSON-RPC 2.0"
        )
        return _error(None, INVALID_REQUEST, wrong)
    id_ = message["id"] if _is_id(message.get("id")) else None
    problem = _problem(message) or _problem_of_text(line, message)
    if problem:
        return _error(id_, INVALID_REQUEST, problem)
    problem = _problem_of_params(message)
    return _error(id_, INVALID_PARAMS, problem) if problem else None


def _problem(message: Mapping[str, Any]) -> str:
    if message.get("jsonrpc") != "2.0":
        return '`jsonrpc` must be "2.0"'
    if "method" not in message:
        is_response = "id" in message and ("result" in message or "error" in message)
        return "" if is_response else "`method` is missing"
    if not isinstance(message["method"], str):
        return "`method` must be a string"
    if "id" in message and not _is_id(message["id"]):
        return "`id` must be a string or an integer; a notification has none"
    return ""


def _problem_of_text(line: str, message: object) -> str:
    """What the SDK's parser refuses although it is JSON."""
    if line.count("[") + line.count("{") > MAX_DEPTH and _depth(message) > MAX_DEPTH:
        return f"the message is nested deeper than {MAX_DEPTH} levels: give flat arguments"
    if "\\u" in line:
        try:
            json.dumps(message, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            return "a text has half a surrogate pair: write the whole character"
    return ""


def _problem_of_params(message: Mapping[str, Any]) -> str:
    """What is wrong with the parameters of a request; a notification has no answer, so it is not looked at."""
    method, params = message.get("method"), message.get("params")
    if method is None or "id" not in message:
        return ""
    if params is not None and not isinstance(params, dict):
        return f"`params` of {method!r:.100} must be an object"
    given, problem = params or {}, ""
    if method == "tools/call":
        problem = _unless(given, name=str, arguments=dict, example=_CALL)
    elif method == "prompts/get":
        problem = _unless(given, name=str, arguments=dict, example=_PROMPT)
        values = (given.get("arguments") or {}).values() if not problem else ()
        if not all(isinstance(value, str) for value in values):
            problem = "the arguments of a prompt must be strings"
    elif method == "resources/read":
        problem = _unless(given, uri=str, example=_READ)
    elif method.endswith("/list") and not isinstance(given.get("cursor"), str | None):
        problem = (
            "`cursor` must be a string that an earlier answer gave; without one, all is listed"
        )
    return problem


def _unless(given: Mapping[str, Any], *, example: str, **types: type) -> str:
    """The first parameter that is not of its type; the first one of all is required."""
    words: Mapping[type, str] = {str: "a string", dict: "an object"}
    for at, (name, wanted) in enumerate(types.items()):
        value = given.get(name)
        if not isinstance(value, wanted) and (at == 0 or value is not None):
            return f"`{name}` must be {words[wanted]}: {example}"
    return ""


def _is_id(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _depth(value: object) -> int:
    """How deep a value nests, counted without recursion and no further than needed."""
    depth, level = 0, [value]
    while level and depth <= MAX_DEPTH:
        inner: list[object] = []
        for each in level:
            if isinstance(each, dict):
                inner += each.values()
            elif isinstance(each, list):
                inner += each
        depth, level = depth + 1, inner
    return depth


def _error(id_: object, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": message}}
