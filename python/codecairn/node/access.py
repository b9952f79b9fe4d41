"""Decides who gets an answer of a node: members who signed the request and have a grant for the repository at this moment.

Nothing of the decision is kept: the team's database is asked before each answer. Connections to it are.
"""

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime, timezone
from typing import TypeVar

from codecairn.clock import Clock
from codecairn.errors import CodecairnError, RemoteError, RemoteUnavailable, UsageError
from codecairn.replication.deadline import Deadline
from codecairn.team.administration import refresh, team_connection
from codecairn.team.catalog import Catalog
from codecairn.team.membership import Membership
from codecairn.team.request_signature import NodeRequest

CLOCK_TOLERANCE_S = 300
"""How far a request's time may be from the node's, in either direction."""

MAX_NONCES = 200_000
"""Requests within the tolerance that are remembered: 20 MB; more are refused."""

MAX_NONCES_OF_MEMBER = 50_000
"""Those of one member, so that none takes the room of all."""

DATABASE_TIMEOUT_S = 10.0
"""How long a grant may take to be looked up."""

_REFRESH_INTERVAL_S = 1.0
"""Between two looks for members who are not known yet, as anyone can send made-up names."""

_MAX_CONNECTIONS = 8
_NO_REPOSITORY = "0" * 32

_Result = TypeVar("_Result")


class Refusal(Exception):
    """Why a node does not answer: the status of HTTP, and an error as every surface shows it.

    Attributes:
        status: The status.
        kind: The stable name of the class of failure.
        message: What happened.
        hint: What to do about it.
        retry_after_s: When to ask again; 0 for no advice.
    """

    def __init__(
        self, status: int, kind: str, message: str, hint: str = "", *, retry_after_s: int = 0
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.message = message
        self.hint = hint
        self.retry_after_s = retry_after_s


def no_grant() -> Refusal:
    """The one answer for a repository that is not there, and for one that the member has no grant for."""
    return Refusal(
        403,
        "remote-refused",
        "this node has no such repository, or you have no grant for it",
        "`codecairn team status` shows your grants; an administrator of the repository gives them",
    )


class Access:
    """Checks requests. Safe for several threads.

    Args:
        membership: The node's own.
        names: What the node is called in requests: hosts with ports.
        clock: The source of time.
    """

    def __init__(self, membership: Membership, names: frozenset[str], *, clock: Clock) -> None:
        self._membership = membership
        self._names = names
        self._clock = clock
        self._lock = threading.Lock()
        self._refresh_lock = threading.Lock()
        self._refreshed_s = -_REFRESH_INTERVAL_S
        self._nonces: OrderedDict[tuple[str, str], int] = OrderedDict()
        self._nonces_of: Counter[str] = Counter()
        self._idle: list[tuple[ExitStack, Catalog]] = []

    def require_member(self, request: NodeRequest | None) -> str:
        """The member who signed a request that was not seen before.

        Raises:
            Refusal: If there is none.
        """
        unsigned = Refusal(
            401,
            "remote-refused",
            "the request is not signed by a member of this node's team",
            "ask with `codecairn search --node URL` in a clone of a repository of the team",
        )
        if request is None:
            raise unsigned
        if request.node not in self._names:
            raise Refusal(
                421,
                "usage",
                f"this node is not `{request.node}`",
                "ask by a name that the node was started with: `codecairn node --name`",
            )
        now_s = self._clock.now_ns() // 1_000_000_000
        self._require_near(request.time_s, now_s)
        key = self._key_of(request.member)
        if key is None:
            raise unsigned
        try:
            request.require_signed(self._membership.team_id, key)
        except RemoteError as err:
            raise unsigned from err
        self._require_new(request.member, request.nonce, request.time_s, now_s)
        return request.member

    def require_grant(self, member: str, repository_id: str | None) -> None:
        """Refuse a member who has no grant for a repository at this moment; `None` is one that is not there.

        Raises:
            Refusal: If there is none, or it can't be looked up.
        """
        id_ = repository_id or _NO_REPOSITORY
        try:
            may_read = self._in_time(
                lambda: self._asked(lambda catalog: catalog.may_read(id_, member))
            )
        except CodecairnError as err:
            raise _unchecked(err) from err
        if repository_id is None or not may_read:
            raise no_grant()

    def close(self) -> None:
        """Close the connections that are not in use."""
        with self._lock:
            idle, self._idle = self._idle, []
        for stack, _ in idle:
            stack.close()

    def _require_near(self, time_s: int, now_s: int) -> None:
        apart_s = abs(time_s - now_s)
        if apart_s > CLOCK_TOLERANCE_S:
            now = datetime.fromtimestamp(now_s, tz=timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
            raise Refusal(
                401,
                "remote-refused",
                f"the request was signed {apart_s:,} seconds away from this node's time, which is {now}",
                "set the clock of this machine, or the node's",
            )

    def _require_new(self, member: str, nonce: str, time_s: int, now_s: int) -> None:
        with self._lock:
            while self._nonces:
                oldest, expires_s = next(iter(self._nonces.items()))
                if expires_s >= now_s:
                    break
                del self._nonces[oldest]
                self._nonces_of[oldest[0]] -= 1
            if (member, nonce) in self._nonces:
                raise Refusal(401, "remote-refused", "the request was answered before")
            if len(self._nonces) >= MAX_NONCES or self._nonces_of[member] >= MAX_NONCES_OF_MEMBER:
                raise Refusal(503, "remote-unavailable", "too many requests", retry_after_s=10)
            # One from the future is within the tolerance for longer, and so are those that came after it.
            expires_s = max(time_s, now_s) + CLOCK_TOLERANCE_S
            self._nonces[member, nonce] = expires_s
            self._nonces_of[member] += 1

    def _key_of(self, member: str) -> bytes | None:
        """The signing key of a member who was introduced by a trusted one; `None` if there is none."""
        known = self._membership.known_keys.get(member)
        if known is not None:
            return known
        with self._refresh_lock:
            now_s = self._clock.monotonic_s()
            is_due = now_s - self._refreshed_s >= _REFRESH_INTERVAL_S
            if member not in self._membership.known_keys and is_due:
                self._refreshed_s = now_s
                try:
                    self._membership = self._in_time(lambda: refresh(self._membership))
                except CodecairnError as err:
                    raise _unchecked(err) from err
        return self._membership.known_keys.get(member)

    def _in_time(self, work: Callable[[], _Result]) -> _Result:
        """What the database answers within `DATABASE_TIMEOUT_S`: a connection whose server stopped waits without limit otherwise.

        Raises:
            RemoteUnavailable: If it does not.
        """
        ends_s = self._clock.monotonic_s() + DATABASE_TIMEOUT_S
        try:
            return Deadline(remote="", clock=self._clock, ends_s=ends_s).run(work)
        except RemoteUnavailable as err:
            if self._clock.monotonic_s() < ends_s:
                raise
            message = f"the team's database does not answer within {DATABASE_TIMEOUT_S:g} s"
            raise RemoteUnavailable(message) from err

    def _asked(self, question: Callable[[Catalog], _Result]) -> _Result:
        """What the database answers. A connection that was kept may be dead by now: then it is asked by a new one."""
        with self._lock:
            kept = self._idle.pop() if self._idle else None
        if kept is not None:
            try:
                return self._answer(*kept, question)
            except RemoteUnavailable:
                self.close()  # the others died with it
        stack = ExitStack()
        _, catalog = stack.enter_context(team_connection(self._membership))
        return self._answer(stack, catalog, question)

    def _answer(
        self, stack: ExitStack, catalog: Catalog, question: Callable[[Catalog], _Result]
    ) -> _Result:
        try:
            answer = question(catalog)
        except BaseException:
            stack.close()
            raise
        with self._lock:
            if len(self._idle) < _MAX_CONNECTIONS:
                self._idle.append((stack, catalog))
                return answer
        stack.close()
        return answer


def _unchecked(err: CodecairnError) -> Refusal:
    return Refusal(
        503,
        "remote-unavailable",
        f"this node can't check grants: {err.message}",
        err.hint if isinstance(err, UsageError) else "ask another node, or later",
        retry_after_s=5,
    )
