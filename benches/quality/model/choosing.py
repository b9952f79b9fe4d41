"""Which of several models is the one to ship, by questions that nothing else is judged by.

Trainings that differ in their seed alone differ in what they rank first by as much as most settings do. The subjects of
commits of repositories that no model was trained on decide: a file's score is its nearest chunk's cosine, and the mean
of NDCG@10 over repositories is what a model gets.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benches.quality import commits
from benches.quality.model import data, vocabulary, words, writing
from benches.quality.model.training import Matrix, Model

TOP = 10


def judge(models: Sequence[Path], questions: Path, programs: Path) -> list[tuple[Path, float]]:
    """The models with their NDCG@10, best first."""
    read = [writing.read(path) for path in models]
    by_model: list[list[float]] = [[] for _ in models]
    for _, checkout, asked in commits.load(questions):
        paths, split = _split(checkout, [each.query for each in asked], programs)
        files, of_chunk = np.unique(paths, return_inverse=True)
        right = [np.isin(files, each.paths) for each in asked]
        for (known, model), gains in zip(read, by_model, strict=True):
            queries, chunks = (
                model.embed(_bags(split, field, known, model)) for field in ("query", "text")
            )
            nearest = np.full((len(files), len(asked)), -1.0, dtype=np.float32)
            np.maximum.at(nearest, of_chunk, chunks @ queries.T)
            gains.append(mean(map(_ndcg, nearest.T, right)))
    return sorted(zip(models, map(mean, by_model), strict=True), key=lambda each: -each[1])


def _split(checkout: Path, queries: list[str], programs: Path) -> tuple[list[str], words.Words]:
    """The path of every chunk, and the words of chunks and queries; the field that a line lacks is empty."""
    found = subprocess.run([programs / "chunks", checkout], stdout=subprocess.PIPE, check=True)
    chunks = [json.loads(line) for line in found.stdout.splitlines()]
    lines = [{"text": chunk["text"], "query": ""} for chunk in chunks]
    lines += [{"text": "", "query": query} for query in queries]
    with tempfile.TemporaryDirectory() as folder:
        split = words.split(
            (json.dumps(line).encode() + b"\n" for line in lines),
            ["text", "query"],
            programs / "words",
            Path(folder) / "split",
        )
    count = len(chunks)
    columns = {
        "text": split.columns["text"].part(0, count),
        "query": split.columns["query"].part(count, len(lines)),
    }
    return [chunk["path"] for chunk in chunks], words.Words(
        vocabulary=split.vocabulary, columns=columns
    )


def _bags(
    split: words.Words, field: str, known: vocabulary.Vocabulary, model: Model
) -> sparse.csr_array:
    return vocabulary.bags(
        split.columns[field],
        known.pieces(split.vocabulary),
        len(model.rows),
        max_tokens=data.MAX_DOCUMENT_TOKENS,
    )


def _ndcg(scores: Matrix, right: NDArray[np.bool_]) -> float:
    """NDCG@10 of one order of files."""
    gains = 1 / np.log2(np.arange(2, TOP + 2))
    best = right[np.argsort(-scores, kind="stable")[:TOP]]
    ideal = gains[: min(TOP, int(right.sum()))].sum()
    return float((gains[: len(best)] * best).sum() / ideal) if ideal else 0.0
