"""A repository that names a program."""

import pytest

from attack.hostile import CHANGED, Hostile
from codecairn import Workspace
from support.repository import SMALL_PROJECT, Repository


@pytest.fixture
def hostile(repository: Repository) -> Hostile:
    made = Hostile(repository.root)
    made.program.write_text(f"#!/bin/sh\n: > {made.trace}\nexit 1\n")
    made.program.chmod(0o755)
    made.write_all(SMALL_PROJECT)
    made.commit("first", author="Ann <ann@example.com>")
    made.git("switch", "--quiet", "--create", "feature")
    with Workspace.open(made.root) as workspace:
        workspace.memory.add("Baskets hold items and their prices")
    made.write("shop/basket.py", CHANGED)
    made.commit("on a branch")
    made.git("switch", "--quiet", "main")
    made.write("shop/tokens.py", SMALL_PROJECT["shop/tokens.py"].replace("prove", "show"))
    made.write("shop/basket.py", CHANGED.replace("2 *", "3 *"))
    made.commit("second")
    with Workspace.open(made.root) as workspace:
        workspace.index()
    made.write("shop/basket.py", CHANGED.replace("2 *", "4 *"))
    made.write("shop/new.py", "def new():\n    return 1\n")
    return made
