"""The provenance of hits: the last commit that changed them, and the knowledge base that they come from."""

from codecairn.core.light_dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Blame:
    """Who changed some lines last: the newest commit among them, or that there is none yet.

    Attributes:
        commit: Its id in full; empty for lines that were not committed yet.
        author: Who wrote it.
        email: Their address.
        date: When it was committed, as ISO 8601 with the committer's time zone; empty without a commit.
        summary: The first line of its message.
        time_s: The same moment in seconds since 1970; 0 without a commit.
        written_s: When it was written first, which a rebase keeps.
        commits: How many commits the lines come from, this one included.
        is_boundary: Whether history begins with it, as in a shallow clone: the lines may be older.
    """

    commit: str
    author: str
    email: str
    date: str
    summary: str
    time_s: int
    written_s: int = 0
    commits: int = 1
    is_boundary: bool = False

    @property
    def line(self) -> str:
        """All of it in one line: commit, author, day, what the commit is about."""
        if not self.commit:
            return "not committed yet"
        return f"{self.commit[:10]} {self.author}, {self.date[:10]}: {self.summary}"


NOT_COMMITTED = Blame(
    commit="", author="", email="", date="", summary="not committed yet", time_s=0, commits=0
)
"""Of lines that no commit has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeBase:
    """A further folder that is searched with a workspace.

    Attributes:
        name: What it is called.
        path: The folder, absolute.
        source: Who named it: "workspace" (`codecairn knowledge add`) or "settings" (`knowledge.bases`).
    """

    name: str
    path: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseState:
    """The state of a knowledge base; `problem` is the reason why it can't be searched, empty if it can."""

    name: str
    path: str
    source: str
    store: str
    files: int = 0
    chunks: int = 0
    indexed_at_ns: int = 0
    problem: str = ""
