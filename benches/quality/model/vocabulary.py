"""Which words get a row, and what becomes of the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benches.quality.model.words import Column, Numbers, Places

# As in the core's `static_model.rs`.
MIN_PIECE_BYTES = 3
_BLOCK = 40_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The words that have rows, sorted by their bytes."""

    words: list[str]

    def pieces(self, known: list[str]) -> Pieces:
        """The rows of each word of a list."""
        rows_of = {word.encode(): row for row, word in enumerate(self.words)}
        longest = max(map(len, rows_of))
        starts, rows = [0], []
        for word in known:
            rows += _pieces(word.encode(), rows_of, longest)
            starts.append(len(rows))
        return Pieces(starts=np.array(starts, dtype=np.int64), rows=np.array(rows, dtype=np.int32))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """The vocabulary rows of every word number."""

    starts: Places
    rows: NDArray[np.int32]


def choose(
    known: list[str],
    document_counts: NDArray[np.float64],
    repository_counts: NDArray[np.int64],
    *,
    size: int,
    min_repositories: int = 2,
) -> Vocabulary:
    """The `size` words in the most documents that are not one repository's own."""
    weights = np.where(repository_counts >= min_repositories, document_counts, 0)
    kept = [
        known[i]
        for i in np.argsort(-weights, kind="stable")[: size * 2]
        if weights[i] > 0 and _is_wanted(known[i])
    ]
    return Vocabulary(words=sorted(kept[:size], key=str.encode))


def _is_wanted(word: str) -> bool:
    """Long numbers say nothing."""
    return not (word.isdigit() and len(word) > 4)


def _pieces(word: bytes, rows_of: dict[bytes, int], longest: int) -> list[int]:
    """A word's own row, or those of its pieces, cut greedily from the left."""
    if word in rows_of:
        return [rows_of[word]]
    rows, start = [], 0
    while start < len(word):
        for end in range(min(len(word), start + longest), start + MIN_PIECE_BYTES - 1, -1):
            row = rows_of.get(word[start:end])
            if row is not None:
                rows.append(row)
                start = end
                break
        else:
            start += 1
            while start < len(word) and word[start] & 0xC0 == 0x80:
                start += 1
    return rows


def bags(column: Column, pieces: Pieces, width: int, *, max_tokens: int) -> sparse.csr_array:
    """Texts by rows: how often each vocabulary row is met among a text's first `max_tokens`."""
    blocks = [
        _bags(column.part(first, min(first + _BLOCK, len(column))), pieces, width, max_tokens)
        for first in range(0, len(column), _BLOCK)
    ]
    return sparse.vstack(blocks, format="csr") if len(blocks) > 1 else blocks[0]


def _bags(column: Column, pieces: Pieces, width: int, max_tokens: int) -> sparse.csr_array:
    text = np.repeat(np.arange(len(column)), column.lengths())
    starts, ends = pieces.starts[column.words], pieces.starts[column.words + 1]
    counts = ends - starts
    total = int(counts.sum())
    before = np.cumsum(counts) - counts
    rows = pieces.rows[np.repeat(starts - before, counts) + np.arange(total)]
    text = np.repeat(text, counts)
    first = np.searchsorted(text, np.arange(len(column)))
    kept = np.arange(total) - first[text] < max_tokens
    keys, met = np.unique(text[kept] * width + rows[kept], return_counts=True)
    indptr = np.searchsorted(keys, np.arange(len(column) + 1) * width)
    return sparse.csr_array(
        (met.astype(np.float32), (keys % width).astype(np.int32), indptr.astype(np.int64)),
        shape=(len(column), width),
    )


def word_counts(
    column: Column, words: int, groups: Numbers, *, without: set[int]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """In how many texts, and in how many groups of texts, each word is. A group's texts follow each other."""
    documents = np.zeros(words)
    in_groups = np.zeros(words, dtype=np.int64)
    for group in np.unique(groups):
        if int(group) in without:
            continue
        of_group = np.flatnonzero(groups == group)
        part = column.part(int(of_group[0]), int(of_group[-1]) + 1)
        keys = np.unique(np.repeat(np.arange(len(part)), part.lengths()) * words + part.words)
        found = np.bincount(keys % words, minlength=words)
        documents += found
        in_groups += found > 0
    return documents, in_groups
