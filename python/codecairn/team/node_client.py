"""Asks the search nodes of a team, one after the other until one answers.

A node gets the question, the repository and the commit, signed by the member. What it answers is bounded, and is text to show: nothing
of it is opened, run or stored.
"""

import http.client
import ipaddress
import json
import random
import socket
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from codecairn.clock import Clock, SystemClock
from codecairn.core.light_dataclass import dataclass
from codecairn.core.text_format import visible
from codecairn.errors import (
    HistoryUnavailable,
    RemoteError,
    RemoteRefused,
    RemoteUnavailable,
    UsageError,
)
from codecairn.team.bounded_exchange import exchange
from codecairn.team.membership import Membership
from codecairn.team.request_signature import new_request

CONNECT_TIMEOUT_S = 2.0
"""How long a node may take to be reached."""

READ_TIMEOUT_S = 30.0
"""How long a node may be silent: more than it waits for a commit before it says so."""

EXCHANGE_S = 60.0
"""How long an answer may take, whatever of it arrives meanwhile; large ones have more time by their size."""

PREPARING_TIMEOUT_S = 900.0
"""How long a node may take to prepare a commit."""

MAX_ANSWER_BYTES = 64 << 20

_HINT = "as in `https://search.example.com:8777`"
_MIN_RETRY_S = 0.2
_MAX_RETRY_S = 10.0
_PREPARING = 202
_SERVER_ERROR = 500
_MAX_MESSAGE = 300
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeAnswer:
    """What a node answered.

    Attributes:
        node: Its address.
        commit: The commit that it is about.
        notes: What else to know.
        document: The rest: `result`, and `outlines` if they were asked for.
    """

    node: str
    commit: str
    notes: tuple[str, ...]
    document: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Address:
    """Where a node is: its address, the host and the port, and whether it has TLS."""

    url: str
    host: str
    port: int
    is_encrypted: bool

    @property
    def name(self) -> str:
        """What the node is called in `Host`."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class _Failed(Exception):
    """A node that can't answer, and why; `error` is what it refused with, if it did."""

    def __init__(self, reason: str, error: RemoteError | HistoryUnavailable | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.error = error


class NodeClient:
    """Asks nodes as one member.

    Args:
        urls: The nodes' addresses; they are asked in random order.
        membership: The member.
        ca_file: A file of certificates to check a node's against; empty for those of the system.
        notify: Called with what keeps a question waiting.
        clock: The source of time.

    Raises:
        UsageError: If an address is none of a node, or the certificates can't be read.
    """

    def __init__(
        self,
        urls: Sequence[str],
        membership: Membership,
        *,
        ca_file: str = "",
        notify: Callable[[str], None] | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._nodes = [*dict.fromkeys(map(_address, urls))]
        if not self._nodes:
            raise UsageError("no node is named", hint=f"give `--node URL`, {_HINT}")
        self._membership = membership
        self._notify = notify
        self._clock = clock or SystemClock()
        self._context = (
            _context(ca_file) if any(each.is_encrypted for each in self._nodes) else None
        )

    def ask(self, operation: str, question: Mapping[str, object]) -> NodeAnswer:
        """The answer of the first node that has one.

        Raises:
            UsageError: If the question is wrong.
            RemoteRefused: If the member may not ask this.
            HistoryUnavailable: If no node has the commit.
            RemoteUnavailable: If no node answers; the message has each node with the reason.
        """
        failures: list[tuple[str, _Failed]] = []
        for node in random.sample(self._nodes, len(self._nodes)):
            try:
                return self._asked(node, f"/v1/{operation}", question)
            except _Failed as err:
                failures.append((node.url, err))
        reasons = "; ".join(f"{url}: {err.reason}" for url, err in failures)
        refused = next((err.error for _, err in failures if err.error is not None), None)
        if refused is not None and len(failures) == 1:
            raise refused
        if refused is not None:
            raise type(refused)(f"no node answers: {reasons}", hint=refused.hint)
        raise RemoteUnavailable(
            f"no node answers: {reasons}",
            hint="`--node off` makes an index here, if this machine may hold one",
        )

    def fetch(self, path: str, *, max_bytes: int, is_right: Callable[[bytes], bool]) -> bytes:
        """The bytes at a path of the first node that has the right ones.

        Raises:
            RemoteUnavailable: If there is no such node; the message has each node with the reason.
        """
        failures = []
        for node in random.sample(self._nodes, len(self._nodes)):
            try:
                status, _, content = self._send(node, "GET", path, b"", max_bytes=max_bytes)
                if status == http.client.OK and is_right(content):
                    return content
                failures.append(f"{node.url}: {_object_failure(status, content)}")
            except _Failed as err:
                failures.append(f"{node.url}: {err.reason}")
        raise RemoteUnavailable(f"no node answers: {'; '.join(failures)}")

    def _asked(self, node: _Address, path: str, question: Mapping[str, object]) -> NodeAnswer:
        """What one node answers, asked again while it prepares the commit."""
        began_s, waited_s = self._clock.monotonic_s(), 0.0
        while True:
            waited = {"waited_s": waited_s} if waited_s else {}
            body = json.dumps({**question, **waited}).encode()
            status, retry_s, document = self._exchange(node, path, body)
            if status == http.client.OK:
                return _answer(node, document)
            if status != _PREPARING:
                raise _failure(status, document)
            if self._notify is not None and not waited_s:
                self._notify(f"{node.url} is preparing this commit")
            time.sleep(retry_s)
            waited_s = self._clock.monotonic_s() - began_s
            if waited_s >= PREPARING_TIMEOUT_S:
                raise _Failed(f"preparing the commit takes longer than {PREPARING_TIMEOUT_S:g} s")

    def _exchange(
        self, node: _Address, path: str, body: bytes
    ) -> tuple[int, float, Mapping[str, Any]]:
        """The status of an answer, when to ask again, and its document."""
        status, headers, content = self._send(node, "POST", path, body, max_bytes=MAX_ANSWER_BYTES)
        document = _document(content)
        if document is None:
            raise _Failed(f"it answers {status} as no node does")
        return status, _seconds(headers.get("Retry-After", "")), document

    def _send(
        self, node: _Address, method: str, path: str, body: bytes, *, max_bytes: int
    ) -> tuple[int, Mapping[str, str], bytes]:
        """The status of an answer, its headers, and its content of at most so many bytes."""
        request = new_request(
            self._membership,
            method=method,
            path=path,
            body=body,
            node=node.name,
            time_s=self._clock.now_ns() // 1_000_000_000,
        )
        headers = {
            "Host": node.name,
            "Content-Type": "application/json",
            "User-Agent": "codecairn",
            "Connection": "close",
            **request.headers(self._membership),
        }
        connection = self._connected(node)
        try:
            response, content = exchange(
                connection, method, path, body, headers,
                max_bytes=max_bytes, exchange_s=EXCHANGE_S, silent_s=READ_TIMEOUT_S,
            )  # fmt: skip
            status, received = response.status, dict(response.headers)
        except (OSError, http.client.HTTPException) as err:
            raise _Failed(_reason(err)) from err
        finally:
            connection.close()
        if len(content) > max_bytes:
            raise _Failed(f"it answers with more than {max_bytes:,} bytes")
        return status, received, content

    def _connected(self, node: _Address) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection
        if node.is_encrypted:
            connection = http.client.HTTPSConnection(
                node.host, node.port, timeout=CONNECT_TIMEOUT_S, context=self._context
            )
        else:
            connection = http.client.HTTPConnection(node.host, node.port, timeout=CONNECT_TIMEOUT_S)
        try:
            connection.connect()
        except (OSError, http.client.HTTPException) as err:
            connection.close()
            raise _Failed(_reason(err)) from err
        return connection


def _address(url: str) -> _Address:
    """A node's address, taken apart.

    Raises:
        UsageError: If it is none, or leads unencrypted to another machine.
    """
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError as err:
        raise UsageError(f"`{url:.200}` is no address of a node", hint=_HINT) from err
    rest = (parts.username, parts.password, parts.query, parts.fragment)
    if parts.scheme not in _PORTS or not host or any(rest) or parts.path not in {"", "/"}:
        raise UsageError(f"`{url:.200}` is no address of a node", hint=_HINT)
    is_encrypted = parts.scheme == "https"
    if not is_encrypted and not _is_loopback(host):
        raise UsageError(
            f"`{url:.200}` leads to another machine, and questions and code would cross unencrypted",
            hint="nodes that others can reach have addresses that begin with `https://`",
        )
    return _Address(
        url=f"{parts.scheme}://{parts.netloc}",
        host=host,
        port=port or _PORTS[parts.scheme],
        is_encrypted=is_encrypted,
    )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _context(ca_file: str) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_file or None)
    except OSError as err:  # `SSLError`, too
        raise UsageError(
            f"the certificates in `{ca_file}` can't be read: {err.strerror or err}",
            hint="correct `node.ca_file`",
        ) from err


def _answer(node: _Address, document: Mapping[str, Any]) -> NodeAnswer:
    notes = document.get("notes")
    return NodeAnswer(
        node=node.url,
        commit=_text(document.get("commit")),
        notes=tuple(map(_text, notes)) if isinstance(notes, list) else (),
        document=document,
    )


def _failure(status: int, document: Mapping[str, Any]) -> _Failed:
    """Why a node does not answer, by the error that it answers with.

    Raises:
        UsageError: If the question is wrong, which every other node would find, too.
    """
    error = document.get("error")
    given = error if isinstance(error, dict) else {}
    message = _text(given.get("message")) or f"it answers {status}"
    hint = _text(given.get("hint"))
    if status == http.client.BAD_REQUEST:
        raise UsageError(message, hint=hint)
    if status >= _SERVER_ERROR:
        return _Failed(message)
    kind = HistoryUnavailable if given.get("kind") == HistoryUnavailable.code else RemoteRefused
    return _Failed(message, kind(message, hint=hint))


def _object_failure(status: int, content: bytes) -> str:
    if status == http.client.OK:
        return "what it has is damaged"
    error = (_document(content) or {}).get("error")
    return (
        _text(error.get("message")) if isinstance(error, dict) else ""
    ) or f"it answers {status}"


def _document(content: bytes) -> dict[str, Any] | None:
    """An object of JSON; `None` if the content is none."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _text(value: object) -> str:
    return visible(value[:_MAX_MESSAGE]) if isinstance(value, str) else ""


def _seconds(text: str) -> float:
    seconds = float(text) if text.isdecimal() and len(text) < 10 else 1.0
    return min(max(seconds, _MIN_RETRY_S), _MAX_RETRY_S)


def _reason(err: Exception) -> str:
    if isinstance(err, ssl.SSLCertVerificationError):
        return f"its certificate is not valid: {err.verify_message}"
    if isinstance(err, socket.timeout):
        return "it does not answer in time"
    if isinstance(err, http.client.HTTPException):
        return "it broke off its answer"
    text = getattr(err, "strerror", None) or str(err)
    return f"it can't be reached: {text}" if text else "it can't be reached"
