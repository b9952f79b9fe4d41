"""Filters hits by the commits that changed their lines, over as many candidates as that takes."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from codecairn.config.setting import MAX_NUMBER
from codecairn.core.types.hits import Hit
from codecairn.core.types.provenance import Blame
from codecairn.errors import HistoryUnavailable
from codecairn.paths.workspace_files import require_without_links
from codecairn.search.blame import FileBlame, blame_of

MAX_FILES = 200
"""Files that one search asks git about at most."""

MAX_S = 20.0
"""How long one search goes on asking git."""

_DEEPER = 3
"""How many times as many candidates are looked at where those so far were too few."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which commits count: all that is given must hold."""

    author: str = ""
    commit: str = ""
    since_s: int | None = None
    until_s: int | None = None

    def takes(self, blame: Blame) -> bool:
        """Whether this commit counts."""
        name = f"{blame.author} <{blame.email}>".casefold()
        return (
            blame.commit.startswith(self.commit)
            and self.author.casefold() in name
            and (self.since_s is None or blame.time_s >= self.since_s)
            and (self.until_s is None or blame.time_s <= self.until_s)
        )


@dataclass(kw_only=True)
class Blames:
    """Asks git about the files of one search, within bounds. `notes` gather what could not be asked."""

    root: Path
    max_files: int = MAX_FILES
    max_seconds: float = MAX_S
    notes: list[str] = field(default_factory=list)
    _known: dict[str, FileBlame | None] = field(default_factory=dict)
    _begun_s: float = field(default_factory=time.monotonic)
    _failure: HistoryUnavailable | None = None
    _is_cut: bool = False

    @property
    def is_spent(self) -> bool:
        """Whether nothing more is to be asked."""
        late = time.monotonic() - self._begun_s > self.max_seconds
        return late or len(self._known) >= self.max_files

    def of(self, path: str) -> FileBlame | None:
        """Who changed each line of a file; `None` if git can't say, which is noted once."""
        if path not in self._known:
            try:
                self._known[path] = self._blame(path)
            except HistoryUnavailable as err:
                self._known[path] = None
                if self._failure is None:
                    self.notes.append(err.message)
                self._failure = err
        return self._known[path]

    def _blame(self, path: str) -> FileBlame:
        """Git runs in the file's folder, so no folder on the way may be a link that leads out of the workspace."""
        try:
            return blame_of(require_without_links(self.root, self.root / path))
        except OSError:
            return FileBlame(())

    def shown(self, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """The hits, each with who changed it last, as far as git may be asked."""
        return tuple(
            hit
            if hit.blame is not None or (known := self._of_shown(hit.path)) is None
            else replace(hit, blame=known.of(hit.start_line, hit.end_line))
            for hit in hits
        )

    def _of_shown(self, path: str) -> FileBlame | None:
        """As `of`, but nothing where git is not to be asked any more, which is noted once."""
        if path in self._known or not self.is_spent:
            return self.of(path)
        if not self._is_cut:
            self._is_cut = True
            self.notes.append(
                f"git was asked about {len(self._known):,} files; who changed the other results last is not known"
            )
        return None

    def narrowed(
        self,
        ask: Callable[[int], Sequence[Hit]],
        wanted: Wanted,
        *,
        limit: int,
        others: Callable[[Hit], Iterable[Hit]] = lambda _hit: (),
    ) -> tuple[Hit, ...]:
        """The best hits with a line that a wanted commit changed last.

        More candidates are asked for until there are enough. Where a file's best place does not fit, `others` gives
        further ones in it.

        Raises:
            HistoryUnavailable: If git could not say it of a single file.
        """
        depth, looked_at = min(limit * 2, MAX_NUMBER), 0
        kept: list[Hit] = []
        while True:
            found = ask(depth)
            for hit in found[looked_at:]:
                if len(kept) >= limit:
                    return tuple(kept)
                if self.is_spent and hit.path not in self._known:
                    self.notes.append(
                        f"only the best {len(self._known):,} files were asked for their commits; others may fit, too: "
                        "narrow the search by `--dir`, `--glob` or `--lang`"
                    )
                    return tuple(kept)
                fitting = self._fitting(hit, wanted, others)
                if fitting is not None:
                    kept.append(fitting)
            looked_at = len(found)
            if len(found) < depth or len(kept) >= limit:
                break
            depth = min(depth * _DEEPER, MAX_NUMBER)
        if self._failure is not None and all(known is None for known in self._known.values()):
            raise self._failure
        return tuple(kept)

    def _fitting(
        self, hit: Hit, wanted: Wanted, others: Callable[[Hit], Iterable[Hit]]
    ) -> Hit | None:
        """The hit, or another place in its file, with the newest commit in it that is wanted."""
        known = self.of(hit.path)
        if known is None or not any(
            line is not None and wanted.takes(line) for line in known.lines
        ):
            return None
        blame = known.of(hit.start_line, hit.end_line, wanted=wanted.takes)
        if blame is not None:
            return replace(hit, blame=blame)
        for other in others(hit):
            blame = known.of(other.start_line, other.end_line, wanted=wanted.takes)
            if blame is not None:
                return replace(other, blame=blame, score=hit.score)
        return None
