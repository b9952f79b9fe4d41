"""Results of the memory: frozen data without a reference to the database that it came from.

Times are milliseconds since 1970, UTC.
"""

from collections.abc import Mapping, Sequence

from codecairn.core.light_dataclass import dataclass

FACT_TYPES = (
    "decision",
    "preference",
    "rule",
    "task",
    "project-brief",
    "project-config",
    "architecture",
    "architecture-pattern",
    "tech-context",
    "product-context",
    "active-context",
    "progress",
    "error-solution",
    "learned-pattern",
    "discovery",
    "session-summary",
    "note",
    "file-activity",
    "conversation",
)
"""What sorts of statements facts are."""

SCOPES = ("user", "project", "branch", "session")
"""For whom a fact may hold."""

CONTEXT_PARTS = ("static", "volatile", "compaction")
"""What a context can be asked for."""

CONTEXT_FORMS = ("markdown", "xml", "json")
"""The forms of a context."""

ORIGINS = ("external", "repository", "tool", "agent", "user")
"""Where content comes from, the least trusted first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownItem:
    """A version of something that was shown to an agent."""

    id: str
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """What was shown to an agent at once.

    Attributes:
        placement: "static", "volatile" or "compaction".
        hash: The hash of its text.
        items: What it showed.
        tokens: About how many tokens it had.
        seq: The last event of the log when it was made.
        ts_ms: When.
    """

    placement: str
    hash: str
    items: tuple[ShownItem, ...]
    tokens: int
    seq: int
    ts_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What to put before an agent.

    Attributes:
        placement: Which part it is, one of `CONTEXT_PARTS`.
        text: The text; empty if there is nothing to show.
        tokens: About how many tokens it has.
        items: What it shows.
        is_repeated: Whether it is the same bytes as before.
    """

    placement: str
    text: str
    tokens: int
    items: tuple[ShownItem, ...]
    is_repeated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """One time that something was shown to an agent.

    Attributes:
        session: Its session.
        seq: The last event of the log then.
        placement: "static", "volatile" or "compaction".
        ts_ms: When.
    """

    session: str
    seq: int
    placement: str
    ts_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One version of a typed statement.

    Attributes:
        id: What it is called, in all its versions.
        version: Counted from 1.
        project: The project's name; "user" for what holds everywhere.
        scope: For whom it holds.
        type: What sort it is.
        title: A few words.
        text: The statement.
        tags: Words to find it by.
        subject: What it is about; with `predicate`, where one thing has one value at a time.
        predicate: See `subject`.
        origin: Its origin.
        maker: How it was made: "add", "rule", "model", "import", "init".
        confidence: How sure its maker was, from 0 to 1.
        is_pinned: Ended or aged only by an explicit call.
        is_private: Shown only to those who ask for private records.
        state: "live", "superseded", "forgotten" or "replaced".
        branch: The git branch that was checked out.
        commit: The commit that was checked out.
        valid_from_ms: Since when it holds.
        invalid_at_ms: Until when it held.
        superseded_by: The fact that ended it.
        recorded_ms: When this version was written.
        retracted_ms: When the next version took its place, or it was forgotten.
        expires_ms: When it stops being shown.
        reason: Why this version was made, or why it ended.
        sources: Numbers of the events that it rests on.
        meta: Anything else, by name.
    """

    id: str
    version: int
    project: str
    scope: str
    type: str
    title: str
    text: str
    tags: tuple[str, ...]
    subject: str
    predicate: str
    origin: str
    maker: str
    confidence: float
    is_pinned: bool
    is_private: bool
    state: str
    branch: str
    commit: str
    valid_from_ms: int
    invalid_at_ms: int | None
    superseded_by: str | None
    recorded_ms: int
    retracted_ms: int | None
    expires_ms: int | None
    reason: str
    sources: tuple[int, ...]
    meta: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactConflicts:
    """How facts get along that would be shown together; all by id.

    Attributes:
        rivals: The older facts of the same type and scope that each may contradict.
        hidden: The facts that are left out: of two, the older one, unless it is pinned or of an origin that is trusted more.
        marks: A mark for each that is shown and may contradict others.
    """

    rivals: Mapping[str, Sequence[str]]
    hidden: Sequence[str]
    marks: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One entry of the log. `E<seq>` is what it is called; the smaller the `priority`, the more it matters."""

    seq: int
    key: str
    project: str
    session: str
    ts_ms: int
    hook: str
    category: str
    priority: int
    role: str
    title: str
    body: str
    tool: str
    command: str
    path: str
    exit_code: int | None
    tags: tuple[str, ...]
    branch: str
    commit: str
    is_private: bool
    origin: str
    raw_bytes: int
    redactions: int
    meta: Mapping[str, str]

    @property
    def id(self) -> str:
        """What it is called."""
        return f"E{self.seq}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A symbol, file or line in its state when a fact about it was recorded; its hashes ignore blanks and its own name.

    Attributes:
        path: The file, relative to the root with `/`.
        name: The symbol's qualified name; of a line its number then; of a file empty.
        kind: The symbol's kind, "file" or "line".
        body_hash: Hash of its code without comments and layout.
        signature_hash: Hash of its signature.
        body: Its text, for a diff.
    """

    path: str
    name: str
    kind: str = ""
    body_hash: str = ""
    signature_hash: str = ""
    body: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchoredDefinition:
    """A definition of a file as an anchor, with its lines, counted from 1."""

    anchor: Anchor
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What became of an anchor's symbol.

    Attributes:
        state: "fresh", "changed", "moved", "orphan", or "unchecked": it is not where it was, and no index that is as new
            as the files says where it may be.
        was: The symbol as it was.
        now: The symbol as it is; absent where it is not found.
        place: Where it was, as it is shown: `path::Symbol`, `path:line` or `path`.
        is_signature_changed: Whether what it takes and gives is another.
        diff: The first changed lines of a changed symbol, marked `-` and `+`; none if its text is not known.
    """

    state: str
    was: Anchor
    now: Anchor | None
    place: str
    is_signature_changed: bool
    diff: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorStatus:
    """The status of a fact against the current code and branch.

    Attributes:
        looked: What became of the code that it speaks of.
        branch: "" if it holds everywhere, "here", "merged", "gone" (a branch that exists no more) or "unmerged".
    """

    looked: tuple[Looked, ...] = ()
    branch: str = ""

    @property
    def state(self) -> str:
        """The worst of the anchors' states; "" without an anchor."""
        order = ("fresh", "moved", "unchecked", "changed", "orphan")
        return max((each.state for each in self.looked), key=order.index, default="")

    @property
    def is_stale(self) -> bool:
        """Whether the code that it speaks of is no longer what it was: then it is shown with a mark."""
        return self.state in {"changed", "orphan"}

    @property
    def is_marked(self) -> bool:
        """Whether it is shown with a mark: its code is not known to be what it was."""
        return self.is_stale or self.state == "unchecked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Why something is remembered, and why it is found.

    Attributes:
        id: What it is called.
        versions: All versions of a fact, the newest first; none for an event.
        sources: The events that it rests on, or the event itself.
        standing: Its state with regard to the current code and branch.
        shown: When it was shown to agents.
        rank: Its place among the answers to the query that was given, from 1; absent if the gate keeps it back.
        found: What its score is made of, whether the gate keeps it back or not.
    """

    id: str
    versions: tuple[Fact, ...]
    sources: tuple[Event, ...]
    standing: AnchorStatus
    shown: tuple[Exposure, ...]
    rank: int | None = None
    found: "Recalled | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """Something remembered: a fact or an event.

    Attributes:
        id: What it is called.
        score: How well it answers; comparable within one answer.
        lexical: What its words score.
        cosine: How alike the meanings are, from -1 to 1.
        evidence: How likely it answers at all, from 0 to 1; comparable between questions.
        known: The share of the question's words, by rarity, that are known at all,
        named: the share of its names that are,
        covered: and the share that occurs in it or around it.
        signals: What its score is the weighted sum of, by name.
        fact: The fact, or
        event: the event.
        standing: The fact's state with regard to the current code and branch.
    """

    id: str
    score: float
    lexical: float
    cosine: float
    evidence: float
    known: float
    named: float
    covered: float
    signals: Mapping[str, float]
    fact: Fact | None
    event: Event | None
    standing: AnchorStatus = AnchorStatus()

    @property
    def is_quoted(self) -> bool:
        """Whether its origin is external: it is quoted, never given as an instruction."""
        inner = self.fact if self.fact is not None else self.event
        return inner is not None and inner.origin == "external"

    @property
    def version(self) -> int:
        """Which version of it; an event has one."""
        return self.fact.version if self.fact is not None else 1

    @property
    def text(self) -> str:
        """What is remembered."""
        if self.fact is not None:
            return self.fact.text
        return self.event.body or self.event.title if self.event is not None else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """The log around one event, in order."""

    before: tuple[Event, ...]
    anchor: Event
    after: tuple[Event, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The events of one agent's run; `root` is the first session of its line."""

    id: str
    project: str
    parent: str | None
    root: str
    host: str
    model: str
    title: str
    status: str
    started_ms: int
    ended_ms: int | None
    turns: int
    events: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What became of an event.

    Attributes:
        seq: Its number; absent while it waits, if it was there already, or if privacy forbids it.
        is_kept: Whether it is kept. False if its privacy forbids it, or if it was made of records that are removed since.
        is_waiting: Whether it lies safely aside until the database can be written.
        facts: Ids of the facts that were drawn from it.
    """

    seq: int | None
    is_kept: bool
    is_waiting: bool
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What became of a fact.

    Attributes:
        id: What it is called; of the older one if the same was held already, or less of it.
        is_new: Whether it was new.
        is_waiting: Whether it lies safely aside until the database can be written.
        is_version: Whether it is the next version of an older fact.
        ended: Ids of the facts that it ended.
        may_contradict: Ids of facts that it may contradict and that go on holding; the newest is shown with a mark.
    """

    id: str
    is_new: bool
    is_waiting: bool
    is_version: bool = False
    ended: tuple[str, ...] = ()
    may_contradict: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    """How much was removed for good.

    Attributes:
        events: How many events.
        facts: How many facts, with all their versions.
        scanned_bytes: For a text: bytes of all files that were read afterwards to look for it.
        left_in: Files that hold it still, as something else than events and facts contains it.
    """

    events: int
    facts: int
    scanned_bytes: int = 0
    left_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """How much an import brought; `skipped` was there already, or may not be kept."""

    events: int
    facts: int
    skipped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryStatus:
    """How much is remembered, and where.

    Attributes:
        path: The database.
        bytes: Its size, with its log.
        project: The project's name; empty if nothing is known of it yet.
        projects: Projects that something is known of.
        sessions: The project's sessions.
        events: The project's events.
        facts: Facts that hold here, the user's own included.
        types: The same by type.
        past_facts: Facts that were superseded, forgotten or replaced.
        jobs: Jobs that wait or run.
        dead_jobs: Jobs that failed for good.
        waiting: Records that lie aside until the database can be written.
        ignored: Files among those of the workspace that this user did not write, and that are not read.
        embedding: The provider that embeds the memory, and how far it has come; `None` without one.
        hint: How to get back a memory that the folder may have lost; empty if there is none.
    """

    path: str
    bytes: int
    project: str
    projects: int
    sessions: int
    events: int
    facts: int
    types: tuple[tuple[str, int], ...]
    past_facts: int
    jobs: int
    dead_jobs: int
    waiting: int
    ignored: int = 0
    embedding: "MemoryEmbeddingStatus | None" = None
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEmbeddingStatus:
    """The provider that embeds the memory, and how far it has come.

    Attributes:
        space: The vector space: provider, model and dimensions.
        destination: Where texts are sent.
        texts: The project's facts and what users and agents said, equal ones once; what is private is not counted.
        embedded: Those that have a vector.
        pending: Those that wait for one; until then the built-in model's vector is used.
        refused: Those of them that the provider refused; they are tried again last.
        tokens: Tokens charged so far, over all projects.
        micro_usd: Their price in millionths of a dollar, as far as it is known.
        problem: Why the settings can't be used; empty if they can.
    """

    space: str
    destination: str
    texts: int = 0
    embedded: int = 0
    pending: int = 0
    refused: int = 0
    tokens: int = 0
    micro_usd: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteVectorCounts:
    """How many of a project's texts may be sent to a provider, have its vector, and were refused."""

    texts: int
    embedded: int
    refused: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedSentence:
    """A sentence of a turn, as the model of what is worth remembering sees it.

    Attributes:
        text: The sentence.
        probability: How probably it is worth remembering, from 0 to 1.
        slots: Its hashed words, as slots and values.
        dense: Its form, and the direction of its meaning.
    """

    text: str
    probability: float
    slots: Sequence[tuple[int, float]]
    dense: Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Something remembered that may answer a prompt.

    Attributes:
        hit: The fact or the event.
        likelihood: The probability that it answers, from 0 to 1; comparable between prompts.
        sentence: The sentence of it that answers.
        features: What the probability was computed from, by name.
    """

    hit: Recalled
    likelihood: float
    sentence: str
    features: Mapping[str, float]
