"""A small TypeScript project with the SCIP index that a real indexer made of it."""

import os
import shutil
from pathlib import Path

SHOP = Path(__file__).parents[1] / "fixtures" / "scip" / "shop"
INDEX = "index.scip"
SOURCES = ("src/goods.ts", "src/index.ts", "src/price.ts", "src/till.ts")
WRITTEN_S = 1_700_000_000
"""When the sources were written; the index is later, as it was."""


def write_shop(root: Path, *, folder: str = "", with_index: bool = True) -> None:
    """Put the project into a folder, the sources older than the index."""
    place = root / folder
    shutil.copytree(SHOP, place, dirs_exist_ok=True)
    for file in place.rglob("*"):
        if file.is_file() and ".git" not in file.parts:
            os.utime(file, (WRITTEN_S, WRITTEN_S))
    if with_index:
        write_index(place)
    else:
        (place / INDEX).unlink()


def write_index(place: Path, content: bytes | None = None) -> None:
    """Put an index next to the sources, later than they are: the indexer's, unless another is given."""
    file = place / INDEX
    file.write_bytes((SHOP / INDEX).read_bytes() if content is None else content)
    os.utime(file, (WRITTEN_S + 60, WRITTEN_S + 60))
