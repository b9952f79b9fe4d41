"""BM25 of whole files: the peer for questions about files."""

from collections.abc import Iterator
from pathlib import Path

from benches.public.bm25 import Bm25
from benches.quality.lines.answers import Reply, Shown, render
from benches.quality.lines.bm25 import WINDOW, terms, windows
from benches.quality.lines.checkouts import texts
from codecairn.graph.test_detection import is_test_path

PLACES = 10
_ENDINGS = """
py pyi js jsx ts tsx java kt go rs rb php c h cc cpp hpp cs scala swift ex exs lua
"""
CODE = frozenset(_ENDINGS.split())


class WholeFiles:
    """Ranks the files of code that are no tests, which is in favour of this peer; shows each file's best 30 lines."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.refresh()

    def refresh(self) -> None:
        """Read all files again."""
        self._texts = dict(self._code())
        split = {path: " ".join(terms(f"{path} {text}")) for path, text in self._texts.items()}
        self._index = Bm25(split)

    def ask(self, query: str) -> Reply:
        """The best window of each of the best files."""
        wanted = " ".join(terms(query))
        places = [
            Shown(path=path, start_line=first, end_line=last, score=score)
            for path, score in self._index.ranked(wanted, PLACES)
            for first, last in (self._window(path, wanted),)
        ]
        return render(places, self._texts)

    def close(self) -> None:
        """Nothing is kept open."""

    def _code(self) -> Iterator[tuple[str, str]]:
        for path, text in texts(self._root).items():
            if path.rpartition(".")[2] in CODE and not is_test_path(path):
                yield path, text

    def _window(self, path: str, wanted: str) -> tuple[int, int]:
        lines = self._texts[path].split("\n")
        spans = [each[1:] for each in windows({path: self._texts[path]}, WINDOW)]
        parts = {
            f"{first:09}": " ".join(terms("\n".join(lines[first - 1 : last])))
            for first, last in spans
        }
        best = Bm25(parts).ranked(wanted, 1)
        return spans[[*parts].index(best[0][0])] if best else spans[0]
