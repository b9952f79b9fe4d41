"""Files of pairs as counted words, ready for training."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benches.quality.model import vocabulary, words
from benches.quality.model.training import Pairs
from benches.quality.model.vocabulary import Vocabulary

MAX_QUERY_TOKENS = 64
MAX_DOCUMENT_TOKENS = 400
# A word of a query says more about which words are asked for than one of the much longer documents.
QUERY_SHARE = 3
MIN_QUERY_ROWS = 2
MIN_DOCUMENT_ROWS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """Pairs with the vocabulary that they are counted over, and what each pair is."""

    vocabulary: Vocabulary
    pairs: Pairs
    kinds: list[str]
    repositories: list[str]
    kind_of: NDArray[np.uint32]


@dataclass(slots=True)
class _Numbers:
    """Numbers for names, in order of first use."""

    names: dict[str, int]
    given: list[int]

    def add(self, name: str) -> None:
        self.given.append(self.names.setdefault(name, len(self.names)))

    def array(self) -> NDArray[np.uint32]:
        return np.array(self.given, dtype=np.uint32)


def load(folder: Path, program: Path, output: Path, *, size: int, held_out: frozenset[str]) -> Data:
    """Count every pair of a folder. The words are chosen from pairs of repositories that are not held out."""
    kinds, repositories, files = (_Numbers({}, []) for _ in range(3))

    def lines() -> Iterator[bytes]:
        for path in sorted(folder.glob("*.jsonl")):
            with path.open("rb") as file:
                for line in file:
                    row = json.loads(line)
                    kinds.add(row["kind"])
                    repositories.add(row["repository"])
                    files.add(f"{row['repository']}:{row['path']}")
                    yield line

    split = words.split(lines(), ["query", "document"], program, output)
    groups = repositories.array()
    held = {repositories.names[name] for name in held_out if name in repositories.names}
    chosen = _choose(split, groups, held, size)
    pieces = chosen.pieces(split.vocabulary)
    width = len(chosen.words)
    queries, documents = (
        vocabulary.bags(split.columns[field], pieces, width, max_tokens=most)
        for field, most in (("query", MAX_QUERY_TOKENS), ("document", MAX_DOCUMENT_TOKENS))
    )
    pairs = Pairs(queries=queries, documents=documents, repositories=groups, files=files.array())
    usable = np.flatnonzero(
        (np.diff(queries.indptr) >= MIN_QUERY_ROWS)
        & (np.diff(documents.indptr) >= MIN_DOCUMENT_ROWS)
    )
    return Data(
        vocabulary=chosen,
        pairs=pairs.taken(usable),
        kinds=list(kinds.names),
        repositories=list(repositories.names),
        kind_of=kinds.array()[usable],
    )


def _choose(
    split: words.Words, groups: NDArray[np.uint32], held: set[int], size: int
) -> Vocabulary:
    """The words in the most texts, if more than one repository has them."""
    count = len(split.vocabulary)
    texts = np.zeros(count)
    spread = np.zeros(count, dtype=np.int64)
    for field, share in (("document", 1), ("query", QUERY_SHARE)):
        column = split.columns[field]
        in_texts, in_groups = vocabulary.word_counts(column, count, groups, without=held)
        texts += share * in_texts
        spread = np.maximum(spread, in_groups)
    return vocabulary.choose(split.vocabulary, texts, spread, size=size)
