"""The model and how it learns: rows of words, added up, so that a query is near its document and far from others.

A text is Σ ln(1 + count) · weight · row over its words, scaled to length one. The loss is the cross entropy of each pair
against all other documents of its batch and of each document against all other queries (InfoNCE, van den Oord et
al., "Representation learning with contrastive predictive coding", 2018). Gradients are written out; Adam moves
only the rows that a batch has met.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

# Share of the steps over which the rate rises; then it falls to its last share.
WARM_UP = 0.05
LAST_SHARE = 0.02

Matrix: TypeAlias = NDArray[np.float32]
Indices: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to train."""

    epochs: float = 3
    batch: int = 1536
    # Pairs of one repository that are together in a batch; its other documents are the hardest to tell apart.
    together: int = 192
    row_rate: float = 3e-3
    weight_rate: float = 5e-3
    temperature: float = 0.03
    # How often a word of the query is taken out of its document, and a word out of the query.
    mask: float = 0.3
    word_dropout: float = 0.1
    seed: int = 1


@dataclass(slots=True, kw_only=True)
class Model:
    """Rows and weights of words."""

    rows: Matrix
    weights: NDArray[np.float32]

    def embed(self, bags: sparse.csr_array) -> Matrix:
        """The vectors of counted texts."""
        weighted = sparse.csr_array(
            (np.log1p(bags.data), bags.indices, bags.indptr), shape=bags.shape
        )
        return unit(weighted @ (self.rows * self.weights[:, None]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Counted queries and documents, row by row, with the repository and the file of each."""

    queries: sparse.csr_array
    documents: sparse.csr_array
    repositories: NDArray[np.uint32]
    files: NDArray[np.uint32]

    def taken(self, chosen: Indices) -> Pairs:
        """Some of the pairs."""
        return Pairs(
            queries=self.queries[chosen],
            documents=self.documents[chosen],
            repositories=self.repositories[chosen],
            files=self.files[chosen],
        )


@dataclass(slots=True)
class _Adam:
    """Adam (Kingma and Ba, 2015) on the rows that have a gradient."""

    values: NDArray[np.float32]
    rate: float
    first: NDArray[np.float32] = field(init=False)
    second: NDArray[np.float32] = field(init=False)

    def __post_init__(self) -> None:
        self.first, self.second = np.zeros_like(self.values), np.zeros_like(self.values)

    def step(self, at: Indices, gradient: NDArray[np.float32], share: float, number: int) -> None:
        first = self.first[at] * 0.9 + 0.1 * gradient
        second = self.second[at] * 0.99 + 0.01 * gradient * gradient
        self.first[at], self.second[at] = first, second
        rate = self.rate * share * np.sqrt(1 - 0.99**number) / (1 - 0.9**number)
        self.values[at] -= rate * first / (np.sqrt(second) + 1e-9)


def train(model: Model, pairs: Pairs, options: Options) -> None:
    """Train in place. Equal pairs, options and libraries give equal rows."""
    rng = np.random.default_rng(options.seed)
    steps = int(options.epochs * (pairs.queries.shape[0] // options.batch))
    row_adam = _Adam(model.rows, options.row_rate)
    weight_adam = _Adam(model.weights, options.weight_rate)
    losses: list[float] = []
    for number, chosen in enumerate(_batches(pairs, options, rng, steps), start=1):
        share = min(1.0, number / (WARM_UP * steps)) * max(LAST_SHARE, 1 - number / steps)
        queries, documents = _drop(pairs.queries[chosen], pairs.documents[chosen], options, rng)
        used = np.unique(np.concatenate([queries.indices, documents.indices])).astype(np.int64)
        rows, weights = model.rows[used], model.weights[used]
        query_side = _Side(_narrowed(queries, used), rows, weights)
        document_side = _Side(_narrowed(documents, used), rows, weights)
        files = pairs.files[chosen]
        loss, to_query, to_document = contrast(
            query_side.vectors,
            document_side.vectors,
            files[:, None] == files[None, :],
            options.temperature,
        )
        losses.append(loss)
        query_rows, query_weights = query_side.backward(to_query)
        document_rows, document_weights = document_side.backward(to_document)
        row_adam.step(used, query_rows + document_rows, share, number)
        weight_adam.step(used, query_weights + document_weights, share, number)
        if number % 100 == 0 or number == steps:
            print(f"step {number} of {steps}: loss {np.mean(losses[-100:]):.4f}", flush=True)


def contrast(
    queries: Matrix, documents: Matrix, spared: NDArray[np.bool_], temperature: float
) -> tuple[float, Matrix, Matrix]:
    """The loss of a batch and its gradients.

    Those `spared` off the diagonal are no counterexamples: documents of the query's own file, of which any may be right.
    """
    count = len(queries)
    scores = (queries @ documents.T) / temperature
    diagonal = np.arange(count)
    own = scores[diagonal, diagonal].copy()
    scores[spared] = -np.inf
    scores[diagonal, diagonal] = own
    pull = np.zeros_like(scores)
    loss = 0.0
    for axis in (0, 1):
        shares = np.exp(scores - scores.max(axis=axis, keepdims=True))
        shares /= shares.sum(axis=axis, keepdims=True)
        loss -= float(np.log(shares[diagonal, diagonal] + 1e-12).mean()) / 2
        pull += shares
    pull[diagonal, diagonal] -= 2
    pull /= 2 * count * temperature
    return loss, pull @ documents, pull.T @ queries


class _Side:
    """One side of a batch: forward, and back to rows and weights."""

    def __init__(self, bags: sparse.csr_array, rows: Matrix, weights: NDArray[np.float32]) -> None:
        self._bags, self._rows, self._weights = bags, rows, weights
        sums = bags @ (rows * weights[:, None])
        self._lengths = np.linalg.norm(sums, axis=1, keepdims=True) + 1e-9
        self.vectors = sums / self._lengths

    def backward(self, gradient: Matrix) -> tuple[Matrix, NDArray[np.float32]]:
        along = (gradient * self.vectors).sum(axis=1, keepdims=True)
        to_sums = (gradient - along * self.vectors) / self._lengths
        to_words = self._bags.T @ to_sums
        return to_words * self._weights[:, None], (to_words * self._rows).sum(axis=1)


def unit(vectors: Matrix) -> Matrix:
    """Scaled to length one."""
    lengths: Matrix = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / (lengths + 1e-9)


def _batches(
    pairs: Pairs, options: Options, rng: np.random.Generator, steps: int
) -> Iterator[Indices]:
    """Batches of groups from one repository each."""
    made = 0
    while made < steps:
        groups: list[Indices] = []
        for repository in np.unique(pairs.repositories):
            own = rng.permutation(np.flatnonzero(pairs.repositories == repository))
            groups += [own[i : i + options.together] for i in range(0, len(own), options.together)]
        order = np.concatenate([groups[i] for i in rng.permutation(len(groups))])
        for start in range(0, len(order) - options.batch + 1, options.batch):
            if made == steps:
                return
            made += 1
            yield order[start : start + options.batch]


def _drop(
    queries: sparse.csr_array,
    documents: sparse.csr_array,
    options: Options,
    rng: np.random.Generator,
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Counts as logarithms, without some words of the queries, and without some that both sides share."""
    queries.data = np.log1p(queries.data)
    documents.data = np.log1p(documents.data)
    width = queries.shape[1]
    if options.mask:
        query_rows = np.repeat(np.arange(queries.shape[0]), np.diff(queries.indptr))
        document_rows = np.repeat(np.arange(documents.shape[0]), np.diff(documents.indptr))
        query_keys = query_rows * width + queries.indices
        shared = np.isin(document_rows * width + documents.indices, query_keys, kind="sort")
        documents.data[shared & (rng.random(len(shared)) < options.mask)] = 0
    if options.word_dropout:
        queries.data[rng.random(len(queries.data)) < options.word_dropout] = 0
    return queries, documents


def _narrowed(bags: sparse.csr_array, used: Indices) -> sparse.csr_array:
    """The bags over the used rows alone."""
    columns = np.searchsorted(used, bags.indices).astype(np.int32)
    return sparse.csr_array((bags.data, columns, bags.indptr), shape=(bags.shape[0], len(used)))
