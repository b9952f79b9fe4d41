"""The model of `native/crates/memory/src/salience/model.rs`: whether a sentence is worth remembering, and as what.

Logistic regressions over hashed words, form and meaning: one for "worth remembering", fitted on all sentences, and one for each
kind, fitted on those that are. Each corpus counts alike; a ridge penalty keeps words that were seen seldom near 0.
"""

import struct
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize

from benches.memory.salience.corpora import KINDS, Sentence

WEIGHTS = Path("native/crates/memory/weights/salience.bin")
SLOTS = 1 << 14
FORM = 24
_MAGIC = b"CAIRNSAL"
_VERSION = 1
_STEPS = 127

PENALTY_WORDS = 2.0
PENALTY_DENSE = 2.0
MEANING_SCALE = 2.0
CORPUS_WEIGHTS = {"scripts": 2.0, "cases": 1.0, "explicit": 0.3, "histories": 0.3}
"""Scripts are nearest to how people work; of histories only a part was read with care."""

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """Weights by output, the first of which is "worth remembering": slots, form of all, form of users, meaning."""

    outputs: NDArray[np.float64]

    def log_odds(self, rows: sparse.csr_matrix) -> Vector:
        """The logarithms of the odds that sentences are worth remembering."""
        scores: Vector = rows @ self.outputs[0]
        return scores


def matrix(sentences: Sequence[Sentence]) -> sparse.csr_matrix:
    """The features of sentences, a row each."""
    slots, values, ends = [], [], [0]
    for sentence in sentences:
        for slot, value in sentence.slots:
            slots.append(slot)
            values.append(value)
        ends.append(len(slots))
    words = sparse.csr_matrix((values, slots, ends), shape=(len(sentences), SLOTS))
    dense = np.array([sentence.dense for sentence in sentences])
    form, meaning = dense[:, :FORM], dense[:, FORM:] * MEANING_SCALE
    is_user = np.array([[sentence.role == "user"] for sentence in sentences])
    rest = sparse.csr_matrix(np.hstack([form, form * is_user, meaning]))
    return sparse.hstack([words, rest]).tocsr()


def fit(
    sentences: Sequence[Sentence], rows: sparse.csr_matrix, *, with_kinds: bool = True
) -> Model:
    """The most probable model of these sentences."""
    is_kept = np.array([bool(sentence.kind) for sentence in sentences])
    weights = corpus_weights(sentences)
    outputs = [_regression(rows, is_kept, weights)]
    kept = np.flatnonzero(is_kept)
    for kind in KINDS if with_kinds else ():
        is_kind = np.array([sentences[at].kind == kind for at in kept.tolist()])
        outputs.append(_regression(rows[kept], is_kind, np.ones(len(kept))))
    return Model(outputs=np.array(outputs))


def corpus_weights(sentences: Sequence[Sentence]) -> Vector:
    """How much each sentence counts: corpora count as their weights say, whatever their size; 1 on average."""
    counts = Counter(sentence.corpus for sentence in sentences)
    weights = np.array([CORPUS_WEIGHTS[each.corpus] / counts[each.corpus] for each in sentences])
    scaled: Vector = weights * len(sentences) / weights.sum()
    return scaled


def _regression(rows: sparse.csr_matrix, wanted: NDArray[np.bool_], weights: Vector) -> Vector:
    penalty = np.full(rows.shape[1], PENALTY_WORDS)
    penalty[SLOTS:] = PENALTY_DENSE
    penalty[SLOTS] = 0.0
    columns = rows.T.tocsr()

    def loss(values: Vector) -> tuple[float, Vector]:
        scores = rows @ values
        losses = np.logaddexp(0, np.where(wanted, -scores, scores))
        slope = columns @ (weights * (1 / (1 + np.exp(-scores)) - wanted))
        ridge = penalty * values
        return float((weights * losses).sum() + ridge @ values / 2), slope + ridge

    start = np.zeros(rows.shape[1])
    found: Vector = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 400}).x
    return found


def write(file: Path, model: Model) -> None:
    """Write the weights as the core reads them, eight bits each."""
    outputs, width = model.outputs.shape
    dimensions = width - SLOTS - 2 * FORM
    header = struct.pack("<8s5I", _MAGIC, _VERSION, SLOTS, FORM, dimensions, outputs)
    parts = [header]
    for values in model.outputs:
        scaled = values.copy()
        scaled[SLOTS + 2 * FORM :] *= MEANING_SCALE
        for part in (scaled[:SLOTS], scaled[SLOTS:]):
            scale = float(np.abs(part).max()) / _STEPS or 1.0
            steps = np.rint(part / scale).astype(np.int8)
            parts += [struct.pack("<f", scale), steps.tobytes()]
    file.write_bytes(b"".join(parts))
