"""A memory of a project of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.memory.memory import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    root = tmp_path / "project"
    root.mkdir()
    with Workspace.open(root) as workspace:
        yield workspace.memory
