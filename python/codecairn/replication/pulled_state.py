"""What a store has taken from a shared index, in a file of the store: it is gone with the store, as it must be."""

import json
import os
from contextlib import suppress
from pathlib import Path

from codecairn.core.light_dataclass import dataclass
from codecairn.paths.atomic_write import write_atomically
from codecairn.paths.workspace_files import read_regular

FILE = "pulled.json"
_MAX_BYTES = 4 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PulledState:
    """What was pulled last.

    Attributes:
        repository: The id of the shared index; empty if nothing was pulled.
        manifest: The SHA-256 of its manifest.
        packs: The first objects of the packs whose records were taken.
    """

    repository: str = ""
    manifest: str = ""
    packs: frozenset[str] = frozenset()


def read_state(store: Path, repository: str) -> PulledState:
    """What a store has taken from a repository's shared index. What can't be read is taken again, which costs time only."""
    file = store / FILE
    if os.path.lexists(file):
        with suppress(OSError, ValueError, RecursionError, KeyError, TypeError):
            row = json.loads(read_regular(file, max_bytes=_MAX_BYTES))
            if row["repository"] == repository:
                return PulledState(
                    repository=repository,
                    manifest=str(row["manifest"]),
                    packs=frozenset(map(str, row["packs"])),
                )
    return PulledState()


def write_state(store: Path, state: PulledState) -> None:
    """Put down what a store has taken. Where that can't be written, it is taken again by the next pull."""
    document = {
        "repository": state.repository,
        "manifest": state.manifest,
        "packs": sorted(state.packs),
    }
    with suppress(OSError):
        write_atomically(store / FILE, json.dumps(document).encode())
