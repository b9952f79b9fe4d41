"""From trained rows to the file that is compiled in, and back."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import numpy as np

from benches.quality.model.training import Matrix, Model
from benches.quality.model.vocabulary import Vocabulary

_ALIGNMENT = 64


def write(
    words: Vocabulary, model: Model, name: str, max_tokens: int, program: Path, to: Path
) -> None:
    """Write a model file with the core's example `weights`, which rounds each row to 8 bits."""
    rows = model.rows * model.weights[:, None]
    # Only directions count; this keeps the scales near one over 127.
    rows /= np.linalg.norm(rows, axis=1).mean()
    with tempfile.TemporaryDirectory() as folder:
        word_file, row_file = Path(folder) / "words", Path(folder) / "rows"
        word_file.write_text("\n".join(words.words) + "\n", encoding="utf-8")
        rows.astype("<f4").tofile(row_file)
        sizes = [str(rows.shape[1]), str(max_tokens)]
        subprocess.run([program, name, *sizes, word_file, row_file, to], check=True)


def read(path: Path) -> tuple[Vocabulary, Model]:
    """The vocabulary and the rounded rows of a model file. The core's `embed/format.rs` defines the format."""
    data = path.read_bytes()
    dimensions, count, _bits, _most, name, text = np.frombuffer(data[12:36], dtype="<u4").tolist()
    end = _ALIGNMENT

    def section(length: int) -> bytes:
        nonlocal end
        start = -(-end // _ALIGNMENT) * _ALIGNMENT
        end = start + length
        return data[start:end]

    section(name)
    ends = np.frombuffer(section(count * 4), dtype="<u4").tolist()
    letters = section(text)
    scales = np.frombuffer(section(count * 4), dtype="<f4")
    values = np.frombuffer(section(count * dimensions), dtype=np.int8).reshape(count, dimensions)
    starts = [0, *ends[:-1]]
    words = [letters[a:b].decode() for a, b in zip(starts, ends, strict=True)]
    rows: Matrix = values.astype(np.float32) * scales[:, None]
    ones = np.ones(count, dtype=np.float32)
    return Vocabulary(words=words), Model(rows=rows, weights=ones)
