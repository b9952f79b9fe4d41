"""Other ways to find lines: windows by BM25 and by keywords and semble, rendered as our server renders; codegraph."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benches.quality.lines.answers import Reply, Shown, render
from benches.quality.lines.bm25 import K1, WINDOW, B, terms, windows
from benches.quality.lines.checkouts import texts
from benches.quality.lines.codegraph import CodeGraph

PLACES = 10
_KEYWORD_WINDOW = 20


class Windows:
    """Ranks windows of lines by BM25, as the package `bm25s` computes it; ties go to the first by path and line."""

    size = WINDOW

    def __init__(self, root: Path) -> None:
        self._root = root
        self.refresh()

    def refresh(self) -> None:
        """Read all files again."""
        self._texts = texts(self._root)
        self._places = windows(self._texts, self.size)
        split = {path: text.split("\n") for path, text in self._texts.items()}
        self._read(
            [terms("\n".join(split[path][first - 1 : last])) for path, first, last in self._places]
        )

    def ask(self, query: str) -> Reply:
        """The best windows."""
        scores = self._scores(terms(query))
        best = np.argsort(-scores, kind="stable")[:PLACES]
        return render(
            [
                Shown(path=path, start_line=first, end_line=last, score=float(scores[at]))
                for at in best
                if scores[at] > 0
                for path, first, last in (self._places[at],)
            ],
            self._texts,
        )

    def close(self) -> None:
        """Nothing is kept open."""

    def _read(self, documents: list[list[str]]) -> None:
        import bm25s

        self._index: Any = bm25s.BM25(k1=K1, b=B)
        self._index.index(documents or [["-"]], show_progress=False)

    def _scores(self, wanted: list[str]) -> Any:  # noqa: ANN401 - an array
        known = [term for term in wanted if term in self._index.vocab_dict]
        return self._index.get_scores(known) if known else np.zeros(len(self._places))


class Keywords(Windows):
    """Ranks windows of 20 lines by how many distinct words of the query they have; ties go to the first."""

    size = _KEYWORD_WINDOW

    def _read(self, documents: list[list[str]]) -> None:
        self._words = [frozenset(document) for document in documents]

    def _scores(self, wanted: list[str]) -> Any:  # noqa: ANN401 - an array
        keywords = {term for term in wanted if len(term) > 2}
        return np.array([len(keywords & words) for words in self._words], dtype=float)


class Semble:
    """The package `semble` with its own ranking but without vectors: a stub stands for its model, which weighs nothing."""

    dim = 4

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self.refresh()

    def encode(self, texts: list[str], **_options: object) -> Any:  # noqa: ANN401 - an array
        """The same vector for every text."""
        return np.ones((len(texts), self.dim), dtype=np.float32)

    def refresh(self) -> None:
        """Index everything again."""
        from semble.index.create import create_index_from_path

        self._texts = texts(self._root)
        self._words, self._vectors, self._chunks, _ = create_index_from_path(
            self._root, model=self, display_root=self._root
        )

    def ask(self, query: str) -> Reply:
        """The best chunks."""
        from semble.search import search

        found = search(
            query, self, self._vectors, self._words, self._chunks, PLACES, alpha=0.0, rerank=True
        )
        return render(
            [
                Shown(
                    path=each.chunk.file_path,
                    start_line=each.chunk.start_line,
                    end_line=each.chunk.end_line,
                    score=float(each.score),
                )
                for each in found
            ],
            self._texts,
        )

    def close(self) -> None:
        """Nothing is kept open."""


PEERS: Mapping[str, Callable[[Path], Any]] = {
    "bm25-windows": Windows,
    "codegraph": CodeGraph,
    "keywords": Keywords,
    "semble": Semble,
}
