"""Who may see the page: links that work once, and the sessions of the browsers that opened one.

Everything is kept in memory and ends with the server. A link lets in one browser, once, so it is handed over and never listed.
"""

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from codecairn.loopback.serving import new_secret

MAX_LINKS = 8
"""Links that may wait to be opened; the oldest one ends for a further one."""

MAX_SESSIONS = 32
"""Browsers at once; the one that was seen least recently is signed out for a further one."""

MAX_UNDO = 20
"""Changes of a session that can still be undone."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence on the result of a change, shown once on the next page.

    Attributes:
        text: The sentence.
        undo: The key of the change, if it can be undone.
        is_error: Whether the change failed.
    """

    text: str
    undo: str = ""
    is_error: bool = False


@dataclass(slots=True)
class Session:
    """One browser.

    Attributes:
        csrf: The token that each change must carry.
        project: The key of the project that was shown last.
        notices: What the next page reports.
        undo: What undoes a change, by its key: the names and the arguments of the reverse changes.
    """

    csrf: str = field(default_factory=new_secret)
    project: str = ""
    notices: list[Notice] = field(default_factory=list)
    undo: "OrderedDict[str, object]" = field(default_factory=OrderedDict)

    def keep_undo(self, reverse: object) -> str:
        """Keep what undoes a change; returns its key."""
        key = new_secret()
        self.undo[key] = reverse
        while len(self.undo) > MAX_UNDO:
            self.undo.popitem(last=False)
        return key


class Sessions:
    """The links and the sessions of one server. Thread-safe."""

    def __init__(self, port: int) -> None:
        self.cookie = f"codecairn-{port}"
        """The name of the cookie: cookies do not tell ports apart, so that of a second server needs another name."""
        self._links: OrderedDict[bytes, None] = OrderedDict()
        self._sessions: OrderedDict[bytes, Session] = OrderedDict()
        self._lock = threading.Lock()

    def new_link(self) -> str:
        """A token that lets one browser in, once."""
        token = new_secret()
        with self._lock:
            self._links[_digest(token)] = None
            while len(self._links) > MAX_LINKS:
                self._links.popitem(last=False)
        return token

    def is_waiting(self, token: str) -> bool:
        """Whether a link is known and was not used."""
        with self._lock:
            return _digest(token) in self._links

    def open(self, token: str) -> str | None:
        """Use a link up; returns the secret of a new session, `None` if the link is unknown or was used."""
        with self._lock:
            if _digest(token) not in self._links:
                return None
            del self._links[_digest(token)]
            secret = new_secret()
            self._sessions[_digest(secret)] = Session()
            while len(self._sessions) > MAX_SESSIONS:
                self._sessions.popitem(last=False)
            return secret

    def session(self, secret: str) -> Session | None:
        """The session of a cookie's value."""
        with self._lock:
            digest = _digest(secret)
            found = self._sessions.get(digest)
            if found is not None:
                self._sessions.move_to_end(digest)
            return found

    def end(self, secret: str) -> None:
        """Sign a browser out."""
        with self._lock:
            self._sessions.pop(_digest(secret), None)


def _digest(secret: str) -> bytes:
    """Secrets are looked up by digest, so the time of a look-up says nothing about their bytes."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()
