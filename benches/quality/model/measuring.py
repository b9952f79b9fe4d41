"""How well queries of repositories that were never seen find their documents.

A query's document is among up to 400 of the same kind from the same repository. *Masked* takes every word of the
query out of all documents first: what is still found is found by meaning, which is what the model is for.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benches.quality.model.data import Data
from benches.quality.model.training import Model

CANDIDATES = 400
# Masking makes the documents anew for each query.
MASKED_QUERIES = 60
FEWEST = 20


def mean_reciprocal_ranks(
    model: Model, data: Data, held_out: frozenset[str]
) -> dict[str, tuple[float, float]]:
    """By kind of pair: the mean over repositories, plain and masked."""
    rng = np.random.default_rng(5)
    found: dict[str, list[tuple[float, float]]] = {}
    for number, repository in enumerate(data.repositories):
        if repository not in held_out:
            continue
        for kind_number, kind in enumerate(data.kinds):
            of_kind = (data.pairs.repositories == number) & (data.kind_of == kind_number)
            chosen = rng.permutation(np.flatnonzero(of_kind))[:CANDIDATES]
            if len(chosen) >= FEWEST:
                pairs = data.pairs.taken(chosen)
                vectors = model.embed(pairs.queries)
                plain = _ranks(vectors @ model.embed(pairs.documents).T)
                masked = _masked(model, pairs.queries, pairs.documents)
                found.setdefault(kind, []).append((float(plain.mean()), float(masked.mean())))
    return {kind: _means(values) for kind, values in found.items()}


def _means(values: list[tuple[float, float]]) -> tuple[float, float]:
    plain, masked = np.array(values).mean(axis=0).tolist()
    return plain, masked


def _masked(
    model: Model, queries: sparse.csr_array, documents: sparse.csr_array
) -> NDArray[np.float64]:
    scores = []
    vectors = model.embed(queries)
    count = min(MASKED_QUERIES, queries.shape[0])
    for query in range(count):
        own = queries.indices[queries.indptr[query] : queries.indptr[query + 1]]
        left = np.where(np.isin(documents.indices, own), 0, documents.data)
        bags = sparse.csr_array((left, documents.indices, documents.indptr), shape=documents.shape)
        scores.append(model.embed(bags) @ vectors[query])
    return _ranks(np.array(scores))


def _ranks(scores: NDArray[np.float32]) -> NDArray[np.float64]:
    """One over the place of each row's own column."""
    own = scores[np.arange(len(scores)), np.arange(len(scores))]
    places: NDArray[np.int64] = (scores > own[:, None]).sum(axis=1) + 1
    return 1 / places
