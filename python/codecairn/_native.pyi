"""The Rust core. Every call that takes longer than a blink releases the GIL and can be interrupted by Ctrl-C."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, final

from codecairn.core.requests import DefineRequest, SearchRequest, SimilarRequest

__all__ = [
    "MAX_PLACES", "Definition", "Engine", "Freshness", "GarbageReport", "Graph", "Hit", "HitSpan", "IndexPreview", "IndexReport",
    "IndexTransfer", "Memory", "Mention", "NativeError", "OutsideState", "Problem", "Skip", "Status", "Use", "conflicts", "contained",
    "contradiction_features", "copy_store", "crash_log_fault", "error_kinds", "git_common_root", "git_excludes", "git_folders",
    "git_head", "hook", "hook_event", "hook_hosts", "hook_reply", "hooks_claimed", "hooks_folder", "hooks_log", "hooks_sweep",
    "hosts_loading", "is_rule_file", "is_store_sealed", "languages", "make_user_key", "memory_words", "pseudonym", "redacted",
    "rescue_store", "seal_store", "stemmed_words", "tracked_below", "translation",
]  # fmt: skip

MAX_PLACES: Final[int]

@final
class Engine:
    """One opened store of one workspace. Thread-safe; close it, or let it be collected."""

    def __new__(
        cls,
        root: str | Path,
        store: str | Path,
        *,
        embedder: str,
        include: Sequence[str],
        exclude: Sequence[str],
        read_only: bool,
        writer: str,
        user_ignore: str | Path | None = None,
        outside: tuple[str, int] | None = None,
        scip: str = "",
        vector_method: str = "auto",
    ) -> Engine:
        """Open a store. `root`: the workspace; `store`: the folder of `index.db` (made unless `read_only`); `embedder`: "static" or
        "feature-hash"; `outside`: name and dimensions of the space of remote vectors; `writer`: this process, for messages;
        `include`, `exclude`: gitignore patterns, with `include` only what matches is indexed, a negated `exclude` takes in ignored
        files; `user_ignore`: git's excludes, last; `vector_method`: auto, exact, sketch or hnsw.
        Raises StoreTooNew, StoreDamaged, StoreReadOnly, NotIndexed (`read_only` without a store).
        """

    def index_tree(
        self,
        branch: str,
        head: str,
        base: str,
        files: list[tuple[str, bytes]],
        removed: list[str],
    ) -> IndexReport:
        """Make an index of a branch that is not checked out: `base`, an indexed one, with other files."""

    def indexed_head(self, branch: str) -> str | None: ...
    def is_indexed(self) -> bool:
        """Whether a catalog of the current branch was ever published. Cheap: one row."""

    def index(
        self,
        *,
        force: bool,
        progress: Callable[[str, int, int], None] | None,
        paths: Sequence[str] | None = None,
    ) -> IndexReport:
        """Bring the current branch up to date.
        `progress(phase, done, total)` with phase in scanning, indexing, finishing. With `paths` only they, and what
        lies below them, are looked at, unless the branch, its commit or an ignore file changed.
        """

    def writer(self) -> str | None:
        """Who is writing to the store right now, in words."""

    def folders(self, folder: str) -> list[str]:
        """`folder` ("" for the root) and those below it that are not ignored, sorted."""

    def is_walked(self, path: str, *, is_dir: bool) -> bool:
        """Whether a change of this entry may matter to the index."""

    def preview(self) -> IndexPreview: ...
    def refresh(self, *, budget_ms: int | None) -> Freshness:
        """Look at the files, index what changed as far as the budget allows. Never raises Locked: says "locked"."""

    def search(
        self,
        request: SearchRequest,
        *,
        ranking: str,
        fusion: str,
        text: bool,
        vector: bytes | None = None,
    ) -> list[Hit]:
        """Ranked places, best first; `ranking`: "model" or "fusion"; `fusion`: "rrf" or "weighted".

        `vector` (float32, little-endian) is the query's in the outside space; it is of no effect before that is used.
        The limits of a request must be numbers, its kinds and languages ids, and its folders relative to the root.
        """

    def similar(
        self,
        request: SimilarRequest,
        *,
        own_place: tuple[str, int, int] | None,
        vector: bytes | None = None,
    ) -> list[Hit]:
        """Places that look like the text; `own_place` is a (path, first line, last line) not to return."""

    def text_at(self, path: str, line: int) -> tuple[str, int, int]:
        """Text and lines of the chunk at this place."""

    def define(self, request: DefineRequest) -> list[Hit]:
        """Where symbols of this name are defined."""

    def check(self, paths: Sequence[str]) -> list[str]:
        """For each path "fresh", "stale" or "missing", by looking at the file's state on disk."""

    def status(self) -> Status:
        """The state of the index."""

    def skips(self) -> list[Skip]:
        """Every file of the current branch that is not indexed, sorted by path."""

    def paths(self) -> list[str]:
        """Indexed paths of the current branch, sorted."""

    def stem_counts(self) -> list[tuple[str, int]]:
        """Each stem of the index with the number of texts that have its terms, summed over the terms."""

    def verify(self) -> list[Problem]:
        """What is wrong with the store."""

    def repair(self) -> list[Problem]:
        """Repair what can be; returns what was found, with `repaired` set."""

    def collect_garbage(self, *, dry_run: bool) -> GarbageReport:
        """Remove what no branch refers to."""

    def unreached(self) -> tuple[int, int]:
        """How many contents there are, and how many of them no branch leads to that git has."""

    def waiting_hashes(self) -> list[bytes]:
        """The hashes (16 bytes) of the branch's texts that wait for a vector of the outside space."""

    def waiting_texts(self, hashes: Sequence[bytes]) -> list[tuple[bytes, str]]:
        """What these texts say, by hash; those that wait no longer are left out."""

    def deliver(
        self,
        vectors: Sequence[tuple[bytes, bytes]],
        failures: Sequence[tuple[bytes, str]],
        spending: tuple[int, int, int, int],
    ) -> int:
        """Take in vectors (float32, little-endian) and failures by hash in one transaction; returns vectors kept.

        `spending`: requests, texts, tokens, millionths of a US dollar. Raises Locked, InvalidArgument.
        """

    def add_spending(self, name: str, spending: tuple[int, int, int, int]) -> None:
        """Put down what was paid for a query's vector or a reranking. Raises Locked."""

    def spending(self) -> list[tuple[str, int, int, int, int]]:
        """What was paid so far, by vector space or reranker: requests, texts, tokens, millionths of a US dollar."""

    def publish_vectors(self) -> None:
        """Make the vectors that were taken in visible to searches."""

    def start_draining(self) -> bool:
        """Take the right to have texts embedded; `False` if another process has it."""

    def stop_draining(self) -> None:
        """Give the right back. Doing so twice is fine."""

    def uses_outside(self) -> bool:
        """Whether searches use the outside space."""

    def outside_state(self) -> OutsideState:
        """How far the vectors of the outside space have come."""

    def close(self) -> None:
        """Let go of the store. Closing twice is fine."""

@final
class Hit:
    """One result."""

    path: Final[str]
    start_line: Final[int]
    end_line: Final[int]
    kind: Final[str]
    name: Final[str]
    language: Final[str]
    score: Final[float]
    confidence: Final[float | None]
    text: Final[str]
    context_start_line: Final[int]
    breadcrumb: Final[str]
    contributions: Final[list[tuple[str, float, float]]]
    spans: Final[list[HitSpan]]

@final
class HitSpan:
    start_line: Final[int]
    end_line: Final[int]
    kind: Final[str]
    name: Final[str]
    probability: Final[float]
    shown: Final[list[tuple[int, int]]]
    ways: Final[list[list[tuple[int, int]]]]
    text: Final[str]
    contributions: Final[list[tuple[str, float, float]]]

@final
class IndexReport:
    """What one run of indexing did."""

    branch: Final[str]
    files: Final[int]
    added: Final[int]
    modified: Final[int]
    removed: Final[int]
    renamed: Final[int]
    unchanged: Final[int]
    parsed: Final[int]
    reused: Final[int]
    rejected: Final[int]
    chunks: Final[int]
    new_chunks: Final[int]
    embedded: Final[int]
    pending: Final[int]
    skipped: Final[int]
    bytes: Final[int]
    seconds: Final[float]
    diagnostics: Final[int]
    crashed: Final[list[tuple[str, str]]]

@final
class IndexPreview:
    """What indexing would do."""

    branch: Final[str]
    added: Final[list[str]]
    modified: Final[list[str]]
    removed: Final[list[str]]
    unchanged: Final[int]
    bytes: Final[int]
    chunks: Final[int]
    texts: Final[int]
    tokens: Final[int]

@final
class Freshness:
    """How far a refresh came."""

    @property
    def state(self) -> str:
        """ "fresh", "partial", "locked" or "read-only"."""

    @property
    def changed(self) -> int:
        """Files brought up to date."""

    @property
    def unchecked(self) -> int:
        """Files known to have changed but not indexed yet, or not looked at."""

    seconds: Final[float]

@final
class Status:
    """The state of the index."""

    branch: Final[str]
    head: Final[str]
    format: Final[int]
    generation: Final[int]
    files: Final[int]
    blobs: Final[int]
    chunks: Final[int]
    texts: Final[int]
    vectors: Final[int]
    pending: Final[int]
    symbols: Final[int]
    branches: Final[list[tuple[str, int]]]
    @property
    def languages(self) -> list[tuple[str, int, int]]:
        """(id, files, bytes)."""

    skipped: Final[list[tuple[str, int]]]
    coarse: Final[int]
    unparsed: Final[list[str]]
    crashed: Final[list[tuple[str, str]]]
    lossy: Final[list[str]]
    store_bytes: Final[int]
    segments: Final[int]
    embedder: Final[str]
    dimensions: Final[int]
    indexed_at_ns: Final[int]
    @property
    def indexing(self) -> str:
        """The writer at work, or empty."""

    @property
    def notes(self) -> list[str]:
        """What is worth knowing about how the store was opened."""

@final
class Skip:
    """A file that is not indexed, and why."""

    path: Final[str]
    reason: Final[str]
    detail: Final[str]

@final
class OutsideState:
    """How far the vectors of the outside space have come."""

    texts: Final[int]
    pending: Final[int]
    failures: Final[list[str]]
    is_active: Final[bool]

@final
class Problem:
    """Something wrong with the store."""

    code: Final[str]
    detail: Final[str]
    repaired: Final[bool]

@final
class GarbageReport:
    """What nothing refers to any more."""

    branches: Final[int]
    worktrees: Final[int]
    blobs: Final[int]
    chunks: Final[int]
    vectors: Final[int]
    files: Final[int]
    bytes: Final[int]

@final
class Memory:
    """One project's view of the memory. Records are JSON."""

    def __new__(cls, path: str | Path, root: str | Path, options: str) -> Memory: ...
    def record(self, event: str) -> tuple[int | None, bool, bool, list[str]]: ...
    def add(self, fact: str) -> str: ...
    def update(self, id: str, change: str) -> str: ...
    def forget(self, id: str, reason: str) -> str: ...
    def withdraw(self, id: str, reason: str) -> str: ...
    def restore(self, id: str, reason: str) -> str: ...
    def purge(self, selection: str) -> str: ...
    def outbox(self, sink: str, command: str) -> str: ...
    def removals(self) -> int: ...
    def verify(self) -> list[str]: ...
    def rescue(self) -> str: ...
    def supersede(self, by: str, ids: str, reason: str) -> str: ...
    def replace_provisional(self, events: list[int], by: list[str]) -> str: ...
    def anchors(self, ids: str) -> str: ...
    def anchor(self, id: str, anchors: str, *, place: int | None) -> None: ...
    def definitions_in(self, path: str) -> str: ...
    def file_anchor(self, path: str) -> str: ...
    def line_anchor(self, path: str, line: int) -> str: ...
    def look(self, anchor: str, elsewhere: list[str]) -> str: ...
    def shown(self, id: str, limit: int) -> str: ...
    def recall(self, query: str, options: str) -> str: ...
    def describe(self, text: str, role: str, before: str) -> str: ...
    def answers(self, prompt: str, options: str) -> str: ...
    def list(self, filter: str, limit: int) -> str: ...
    def fact(self, id: str) -> str: ...
    def event(self, id: str) -> str: ...
    def events(
        self, *, session: str | None, before: int | None, with_private: bool, limit: int
    ) -> str: ...
    def talk(self, since: int, until: int, key: str | None, private: bool, limit: int) -> str: ...
    def timeline(self, id: str, *, before: int, after: int, with_private: bool) -> str: ...
    def sessions(self, *, limit: int) -> str: ...
    def session(self, id: str) -> str: ...
    def note_injection(self, injection: str) -> bool: ...
    def context(
        self,
        request: str,
        *,
        elsewhere: Callable[[str, str, str], tuple[Sequence[str], bool]],
        embed: Callable[[str], str | None],
    ) -> str: ...
    def has_drifted(self, session: str, prompt: str, *, before: int | None) -> bool: ...
    def injections(self, session: str) -> str: ...
    def project(self) -> str: ...
    def projects(self) -> str: ...
    def adopt_project(self, number: int) -> str: ...
    def part_project(self) -> str: ...
    def status(self) -> str: ...
    def texts_without_vector(self, space: str) -> Sequence[bytes]: ...
    def texts_to_embed(self, hashes: Sequence[bytes]) -> Sequence[tuple[bytes, str]]: ...
    def put_remote_vectors(
        self, space: str, dimensions: int, vectors: Sequence[tuple[bytes, bytes | None]]
    ) -> int: ...
    def has_remote_vectors(self, space: str) -> bool: ...
    def remote_vector_counts(self, space: str) -> str: ...
    def tidy(self) -> bool: ...
    def export_json(self, *, with_private: bool) -> str: ...
    def import_json(self, document: str) -> str: ...
    def close(self) -> None: ...

@final
class Definition:
    """A definition at its place; `line` and `column` are those of its name."""

    path: Final[str]
    line: Final[int]
    column: Final[int]
    start_line: Final[int]
    end_line: Final[int]
    name: Final[str]
    qualified_name: Final[str]
    kind: Final[str]

@final
class Use:
    """A use of a definition at its place."""

    path: Final[str]
    line: Final[int]
    column: Final[int]
    name: Final[str]
    kind: Final[str]
    how: Final[str]
    is_resolved: Final[bool]
    confidence: Final[float]
    source: Final[Definition | None]
    targets: Final[list[Definition]]
    declared: Final[tuple[int, int] | None]

@final
class Mention:
    """An occurrence of a name."""

    path: Final[str]
    line: Final[int]
    column: Final[int]
    role: Final[str]
    how: Final[str | None]
    targets: Final[list[Definition]]

@final
class Graph:
    """The code graph of an engine's branch. Definitions are named by (path, line, column of the name).
    Raises InvalidArgument for a path that is not indexed, or where nothing is defined at a place.
    """

    def __new__(cls, engine: Engine) -> Graph: ...
    def uses_in(self, path: str) -> list[Use]: ...
    def symbols(self, name: str) -> list[Definition]: ...
    def symbols_in(self, path: str, lines: list[tuple[int, int]]) -> list[Definition]: ...
    def uses_of(self, places: list[tuple[str, int, int]]) -> list[Use]: ...
    def unresolved_uses(
        self, places: list[tuple[str, int, int]], limit: int
    ) -> tuple[list[Use], int]:
        """The likeliest `limit` places of the names of the definitions that could not be resolved, and how many there are."""

    def uses_by(self, places: list[tuple[str, int, int]]) -> list[Use]: ...
    def occurrences(self, name: str) -> list[Mention]: ...
    def rarest_word_lines(self, words: list[str], max_bytes: int) -> tuple[str, int] | None: ...
    def way(
        self, source: list[tuple[str, int, int]], target: list[tuple[str, int, int]], depth: int
    ) -> list[Definition]: ...
    def reached(
        self, places: list[tuple[str, int, int]], direction: str, depth: int
    ) -> list[tuple[Definition, int]]:
        """`direction`: "callers", "callees" or "both"; with the distance, nearest first."""

    def reach(
        self,
        files: list[tuple[str, list[tuple[int, int]] | None]],
        symbols: list[tuple[str, int, int]],
        *,
        branch: str | None,
        depth: int,
        hub_threshold: int,
        most_looked_up: int,
    ) -> tuple[
        list[Definition],
        list[str],
        list[tuple[Definition, int]],
        list[Use],
        tuple[list[Use], int],
        list[tuple[int, int, int, float]],
        list[tuple[str, int]],
    ]:
        """What a change of these lines, or else of these symbols, reaches.

        Symbols touched, files not indexed, dependents with distance, uses at the top of files and candidates, the first
        unresolved uses by their names with the count of all, hubs as (place among the touched, users, used, importance), and
        communities as (label, symbols reached).
        """

    def state(self) -> tuple[str, int, int]:
        """The branch, the state of the index and the SCIP index that answer: others whenever an answer may differ."""

    def evidence(self) -> tuple[str, str, tuple[int, int, int], str]:
        """The SCIP index's file, its indexer, files (decided, changed, missing), and what is wrong with it."""

    def survey(
        self,
    ) -> tuple[
        list[tuple[Definition, float, int]],
        list[tuple[int, int, int, int]],
        list[list[int]],
        list[tuple[int, str]],
    ]:
        """Nodes with importance and community, links as (from, to, bits of kinds, uses), cycles, communities' labels."""

def memory_words() -> list[list[str]]: ...
def conflicts(claims: str) -> str: ...
def contradiction_features(newer: str, older: str) -> dict[str, float]: ...
def redacted(text: str) -> tuple[str, int, int]: ...
def pseudonym(name: str) -> str: ...
def contained(text: str, *, at_start: bool) -> str: ...
def hosts_loading(file: str) -> list[str]: ...
def stemmed_words(query: str) -> list[tuple[str, str]]: ...
def translation(text: str) -> tuple[str, list[str]] | None: ...
def hook(
    agent: str,
    event: str,
    raw: bytes,
    *,
    happened_ms: int,
    is_late: bool,
    resolve: Callable[[str], str],
    recorded: Callable[[], object],
) -> tuple[str, tuple[str, str] | None]:
    """Serve one event of a host: its answer, and what to start after it as (kind, root). Logs its errors, and raises none."""

def hook_event(agent: str, event: str, payload: bytes) -> str | None: ...
def hook_reply(agent: str, event: str, context: str) -> str: ...
def hook_hosts() -> list[str]: ...
def hooks_claimed(*parts: str, within_s: float) -> bool: ...
def hooks_folder() -> str: ...
def hooks_log(message: str) -> None: ...
def hooks_sweep(sub: str, *, older_s: float) -> None: ...

@final
class IndexTransfer:
    """One export of an engine's index, or the import of one. All parts of an export are of one state of the index.
    Raises InvalidArgument once the index was changed since the first part.
    """

    def __new__(cls, engine: Engine) -> IndexTransfer: ...
    def format(self) -> str: ...
    def contents(self, branch: str | None) -> list[tuple[str, bytes, str]]:
        """Path, BLAKE3 of the decoded text and language of each file, by path. Raises NotIndexed."""

    def records(self, wanted: list[tuple[bytes, str]]) -> bytes: ...
    def numbering(self) -> list[tuple[int, int, bytes]]:
        """First document, number of documents and packed chunks of each part."""

    def segments(self) -> list[tuple[str, int, int, bytes]]:
        """The same of each segment after its kind: "lexical", or "vector:" with the model."""

    def adopt(
        self, numbering: list[tuple[int, int, bytes]], segments: list[tuple[str, int, int, bytes]]
    ) -> int:
        """The number of documents. Raises PartDamaged, and InvalidArgument if the store has documents."""

    def index(
        self, packs: list[bytes], progress: Callable[[str, int, int], None] | None
    ) -> IndexReport: ...

class NativeError(Exception):
    """Raised for every failure of the core; `args` begins with (kind, message), the kind one of `error_kinds()`."""

def copy_store(source: Path, target: Path) -> None:
    """Make the store in `target` from the one in `source`, unless there is one."""

def rescue_store(store: Path, *, salvaging: bool) -> tuple[Path, int]: ...  # place, kept rows
def error_kinds() -> list[str]: ...
def languages() -> list[tuple[str, str, bool]]: ...  # id, name, has a grammar
def git_head(root: str | Path) -> tuple[str, str]: ...  # branch or "@<sha>" or "", commit or ""
def is_store_sealed(store: str | Path, key: str | Path) -> bool | None:
    """Whether the folder of a store is signed by the key in a file: None if there is no folder."""

def seal_store(store: str | Path, key: str | Path) -> None:
    """Makes the folder of a store, unless it is there, and signs it with the key in a file, made if there is none."""

def make_user_key(key: str | Path) -> None: ...
def tracked_below(folder: str | Path) -> list[str] | None:
    """The paths below a folder that git tracks, relative to it; None if git's index can't be read."""

def crash_log_fault() -> str | None: ...
def git_excludes() -> Path | None: ...
def git_folders(root: str | Path) -> tuple[Path, Path] | None:
    """(folder of this worktree's own git state, folder that all worktrees share), if there is a repository."""

def is_rule_file(path: str) -> bool: ...
def git_common_root(root: str | Path) -> Path | None:
    """The main worktree's root when `root` lies in a linked worktree, else None."""
