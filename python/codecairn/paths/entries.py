"""The names of all entries of the user's data folder. What is not listed here is not ours.

`docs/explanation/privacy.md` has a row for each, and `uninstall --all --data` removes them. Others may write to the same folder, as
`CODECAIRN_HOME` can name any.
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from types import MappingProxyType

INSTALLATIONS = "installations.json"
"""The list of files that installations changed."""

DATA_ENTRIES: Mapping[str, str] = MappingProxyType(
    {
        "stores": "indexes, a folder for each workspace",
        "overlays": "copies of indexes that could not be written where they lie",
        "summaries": "the hashed word stems of each indexed workspace, with counts",
        "memory.db": "the memory: events of agents' sessions, and facts",
        "memory.db-wal": "the memory's write-ahead log, as SQLite keeps it",
        "memory.db-shm": "an index of that log",
        "memory.db.spool": "events that wait until the memory can be written",
        "memory.db.costs.jsonl": "what language models have cost",
        "memory.db.embedding-costs.jsonl": "what the memory's embedder has cost",
        "memory.db.queries": "cached vectors of questions to the memory",
        "memory.db.work.lock": "the lock of the one process that reads sessions",
        "memory.db.graph.json": "when a graph was asked last, and the hashes of the words of that question",
        "memory.db.drain.lock": "the lock of the one process that sends events to backends",
        "programs": "folders in which agents' programs read sessions, while they do",
        "knowledge": "lists of knowledge bases, a file for each workspace",
        "remotes": "grants for shared indexes, with their keys",
        "hooks": "what hooks keep between calls, and their log",
        INSTALLATIONS: "files of hosts that `install` changed, and what was in them before",
        "codecairn-hook": "what hosts start at each event",
        "codecairn-command": "what hosts start as a server",
        "serve-*.html": "the page that leads a browser to `codecairn serve`, until it is open",
        "node": "commits, indexes and sealed objects that `codecairn node` answers from: a cache",
        "team": "the teams that you belong to: connections, keys, keys of repositories",
        "crashes": "texts that ended a process while they were parsed, as hashes",
        "trust.json": "the workspaces that you trust",
        "key": "the key that signs what codecairn writes inside workspaces",
        "workspace-stores": "the indexes that were made inside workspaces",
    }
)
"""The names, and what each is."""

MEMORY_SUFFIXES = (
    "",
    "-wal",
    "-shm",
    "-journal",
    ".spool",
    ".costs.jsonl",
    ".embedding-costs.jsonl",
    ".queries",
    ".work.lock",
    ".drain.lock",
    ".graph.json",
)
"""The files next to a memory at a path of the user's own."""


def is_own_entry(name: str) -> bool:
    """Whether an entry of the data folder with this name is ours.

    Beside the names that are listed: what a repair set aside of the memory (`memory.db-…`, `memory.db.…`), and files that
    were being written when their process ended (`.trust.json.…`).
    """
    if name.startswith("."):
        return any(fnmatchcase(name, f".{entry}.*") for entry in DATA_ENTRIES)
    is_unfinished_key = fnmatchcase(name, "key." + "[0-9a-f]" * 16)
    is_listed = any(fnmatchcase(name, entry) for entry in DATA_ENTRIES)
    return is_listed or is_unfinished_key or fnmatchcase(name, "memory.db[.-]*")
