"""A shop with a handbook next to it, which is its knowledge base."""

from pathlib import Path

import pytest

from codecairn import Workspace
from support.repository import SMALL_PROJECT, Repository

REFUNDS = (
    "# Refunds\n\nHow refunds are paid: by transfer, within a month after the goods came back.\n"
)


@pytest.fixture
def shop(repository: Repository) -> Repository:
    """The workspace."""
    repository.write_all(SMALL_PROJECT)
    repository.write(".gitignore", "vendor/\n")
    repository.write("vendor/lib/solver.py", "def solve_equation(x):\n    return x\n")
    repository.commit()
    return repository


@pytest.fixture
def handbook(tmp_path: Path) -> Repository:
    """A folder of documents next to it."""
    root = tmp_path / "handbook"
    root.mkdir()
    made = Repository(root)
    made.write("refunds.md", REFUNDS)
    made.write("src/tool.py", "def stamp_parcel(parcel):\n    return parcel\n")
    return made


@pytest.fixture
def both(shop: Repository, handbook: Repository) -> Repository:
    """The workspace, with the documents as a knowledge base."""
    with Workspace.open(shop.root) as workspace:
        workspace.knowledge.add(str(handbook.root))
    return shop
