"""Texts as arrays of word numbers, split by the core's own tokenizer."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.uint32]
Places: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """The words of many texts, one text after the other."""

    words: Numbers
    ends: Places

    def __len__(self) -> int:
        return len(self.ends)

    def lengths(self) -> Places:
        """How many words each text has."""
        return np.diff(self.ends, prepend=0)

    def part(self, first: int, last: int) -> Column:
        """The texts `first..last`."""
        start = int(self.ends[first - 1]) if first else 0
        end = int(self.ends[last - 1]) if last else 0
        return Column(words=self.words[start:end], ends=self.ends[first:last] - start)


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Columns of texts over one list of words."""

    vocabulary: list[str]
    columns: dict[str, Column]


def split(lines: Iterable[bytes], fields: list[str], program: Path, output: Path) -> Words:
    """Split the fields of JSON lines into words; `program` is the core's example `words`."""
    with subprocess.Popen([program, output, *fields], stdin=subprocess.PIPE) as process:
        assert process.stdin
        for line in lines:
            process.stdin.write(line)
        process.stdin.close()
    if process.returncode:
        raise RuntimeError(f"{program} failed")
    return read(fields, output)


def read(fields: list[str], output: Path) -> Words:
    """What `split` has written before."""
    columns = {
        field: Column(
            words=np.fromfile(f"{output}.{field}.words", dtype="<u4"),
            ends=np.fromfile(f"{output}.{field}.ends", dtype="<u8").astype(np.int64),
        )
        for field in fields
    }
    text = Path(f"{output}.vocabulary").read_text(encoding="utf-8")
    return Words(vocabulary=text.splitlines(), columns=columns)
