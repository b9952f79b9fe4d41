"""Where training starts: rows that know English already.

all-MiniLM-L6-v2 (Apache-2.0) has a table of 30,522 word pieces with 384 values each. A word begins as the mean of its
pieces' rows, without the mean of all, turned so that the first dimensions hold most. Only that table is read; the
transformer above it was tried on each word and gained nothing.
"""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import numpy as np

from benches.quality.model.training import Matrix, unit

_TABLE = "embeddings.word_embeddings.weight"


def rows(words: list[str], folder: Path, dimensions: int) -> Matrix:
    """Rows of length one for `words`; `folder` has `vocab.txt` and `model.safetensors`."""
    lines = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    numbers = {piece: number for number, piece in enumerate(lines)}
    table = read_table(folder / "model.safetensors", _TABLE)
    means = np.zeros((len(words), table.shape[1]), dtype=np.float32)
    for index, word in enumerate(words):
        found = pieces(word, numbers)
        if found:
            means[index] = table[found].mean(axis=0)
    means -= means.mean(axis=0)
    values, axes = np.linalg.eigh((means.T @ means).astype(np.float64))
    longest = axes[:, np.argsort(-values)[:dimensions]]
    # An eigenvector's sign is the library's choice: the largest part is made positive.
    longest *= np.sign(longest[np.abs(longest).argmax(axis=0), np.arange(longest.shape[1])])
    return unit(means @ longest.astype(np.float32))


def pieces(word: str, numbers: dict[str, int]) -> list[int]:
    """The pieces of a word, greedily from the left; none for a word that cannot be cut."""
    plain = "".join(
        c for c in unicodedata.normalize("NFD", word) if unicodedata.category(c) != "Mn"
    )
    found: list[int] = []
    start = 0
    while start < len(plain):
        for end in range(len(plain), start, -1):
            number = numbers.get(plain[start:end] if start == 0 else "##" + plain[start:end])
            if number is not None:
                found.append(number)
                start = end
                break
        else:
            return []
    return found


def read_table(path: Path, name: str) -> Matrix:
    """One tensor of float32 in a safetensors file: a length, a JSON header, the data."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        tensor = json.loads(file.read(length))[name]
        first, last = tensor["data_offsets"]
        file.seek(8 + length + first)
        data = np.frombuffer(file.read(last - first), dtype="<f4")
    table: Matrix = data.reshape(tensor["shape"])
    return table
