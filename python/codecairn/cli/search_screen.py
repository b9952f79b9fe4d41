"""The screen of a search: which hits people see, how many rows they take, and the notes around them."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from codecairn.cli.output import CUT, Form, Line, note, print_result
from codecairn.cli.terminal import Screen
from codecairn.search.result_notes import freshness_notes

if TYPE_CHECKING:
    from pathlib import Path

    from codecairn.config.settings import Settings
    from codecairn.core.types.hits import Hit, SearchResult

Outline = tuple[tuple[int, str], ...]
"""The line and the signature of each member of a class."""

_ROOMY_HIT_ROWS = 5
"""The rows of each hit, with its place and a blank line, where more are asked for than a screen has room for."""

_MIN_HIT_ROWS = 3
"""A place, one line of code and a blank line."""

_PROMPT_ROWS = 2
"""Rows of a terminal for the command itself, and for the prompt after the answer."""

_OTHER_ROWS = _PROMPT_ROWS + 3
"""Those, and the rows above and below the hits."""


class Source(Protocol):
    """What a screen asks of that which a result is about: a workspace, or one that a node searched."""

    @property
    def root(self) -> "Path": ...  # noqa: D102 - an attribute

    @property
    def settings(self) -> "Settings": ...  # noqa: D102 - an attribute

    def outline(self, hit: "Hit") -> Outline:
        """The members of a class that was found."""
        ...


class SearchScreen:
    """A result, and what of it is printed; it is made while the workspace of the result is open.

    Attributes:
        result: What was found, as programs get it.
        shown: What people see of it.
        outlines: The outline of each hit that is shown; empty where it is no class.
        root: The workspace's root.
        has_limit: Whether the number of results was asked for.
        has_words: Whether the query has words to look for in the hits.
        summary: How to see more; empty if all is shown.
    """

    def __init__(
        self,
        source: Source,
        result: "SearchResult",
        form: Form | None,
        *,
        limit: int | None,
        has_words: bool = True,
    ) -> None:
        self.result = self.shown = result
        self.outlines: tuple[Outline, ...] = ()
        self.root = source.root
        self.has_limit = limit is not None
        self.has_words = has_words
        self.summary = ""
        if form is not None:
            return
        most = len(result) if limit is None and any(hit.spans for hit in result) else limit
        if most is None:
            has_room_for = (Screen.of(sys.stdout).height - _OTHER_ROWS) // _MIN_HIT_ROWS
            most = max(1, min(source.settings.search_screen_limit, has_room_for))
        self.shown = _first_hits(result, most)
        self.outlines = tuple(map(source.outline, self.shown))
        self.summary = _summary(len(self.shown), len(result), source.settings.search_limit)

    def print(
        self, form: Form | None, *, quiet: bool, with_text: bool = True, explain: bool = False
    ) -> None:
        """Print it on standard output, and notes on standard error.

        How to see more stands below the hits on a terminal, and is a note in a pipe.
        """

        def document() -> Mapping[str, object]:
            from codecairn.operations.json_output import search_document

            return search_document(self.result, with_text=with_text, explain=explain)

        def documents() -> Iterable[Mapping[str, object]]:
            from codecairn.operations.json_output import hit_documents

            return hit_documents(self.result, with_text=with_text, explain=explain)

        notes = freshness_notes(self.result if form is not None else self.shown)
        if form is not None:
            lines: list[Line] = []
        elif sys.stdout.isatty():
            below = "" if quiet else self.summary
            rows = 0 if quiet else len(notes)
            lines = list(self._lines(below, rows, with_text=with_text, explain=explain))
        else:
            lines = list(self._lines("", 0, with_text=with_text, explain=explain))
            notes += [self.summary] if self.summary else []
        print_result(form, document=document, documents=documents, lines=lambda: lines, indent=CUT)
        for message in notes:
            note(message, quiet=quiet)

    def _lines(
        self, below: str, note_rows: int, *, with_text: bool, explain: bool
    ) -> Iterator[Line]:
        """The lines for people; `below` them is how to see more."""
        from codecairn.cli.hit_format import HitFormat
        from codecairn.cli.shown_paths import ShownPaths

        screen = Screen.of(sys.stdout)
        rows = screen.height - note_rows - 2 * bool(below)
        rows -= _PROMPT_ROWS if screen.is_terminal else 0
        if self.has_limit:
            rows = max(rows, _ROOMY_HIT_ROWS * len(self.shown))
        shown = HitFormat(
            screen=screen, paths=ShownPaths(self.root), rows=rows, with_text=with_text, explain=explain,
            has_words=self.has_words,
        )  # fmt: skip
        yield from shown.lines(self.shown, self.outlines)
        if below:
            yield ()
            yield ((below, "dim"),)


def _first_hits(result: "SearchResult", most: int) -> "SearchResult":
    hits = result.hits[:most]
    paths = {hit.path for hit in hits}
    stale = tuple(path for path in result.stale if path in paths)
    return replace(result, hits=hits, stale=stale)


def _summary(shown: int, found: int, asked: int) -> str:
    """How many of the hits are shown; there may be more than were found where as many were found as were asked for."""
    if shown >= found:
        return ""
    if found < asked:
        return f"{shown:,} of {found:,} shown; `--limit {found}` shows all"
    return f"{shown:,} shown; `--limit {2 * found}` shows more"
