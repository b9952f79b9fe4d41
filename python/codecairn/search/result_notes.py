"""What is said about a search result besides its hits, with the same text on all surfaces."""

from typing import TYPE_CHECKING

from codecairn.core.engine import translation

if TYPE_CHECKING:
    from codecairn.core.types.hits import SearchResult

_OBSTACLES = {
    "read-only": "because the store can't be written",
    "disk-full": "because the disk that holds the store is full",
}


def freshness_notes(result: "SearchResult") -> list[str]:
    """The notes on a result: what else was searched for, no hits, stale or unchecked files, another writer."""
    notes = list(result.notes)
    if translated := translation(result.query):
        language, words = translated
        notes.append(f"read as {language}, also searched for: {' '.join(words)}")
    if not result.hits:
        notes.append("nothing found")
    if result.stale:
        notes.append(f"changed since they were indexed: {', '.join(result.stale)}")
    if result.locked:
        notes.append("another process is indexing, newer changes may be missing")
    elif result.unchecked:
        files = "file is" if result.unchecked == 1 else "files are"
        why = _OBSTACLES.get(result.obstacle, "for lack of time; run `codecairn index`")
        notes.append(f"{result.unchecked:,} {files} unchecked {why}")
    return notes
