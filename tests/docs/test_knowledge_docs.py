"""The page on knowledge bases, several workspaces and blame does what it says."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from codecairn.config.settings import SETTINGS
from codecairn.search.commit_filter import MAX_FILES, MAX_S
from support.command import run
from support.repository import SMALL_PROJECT, Repository

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "knowledge.md").read_text(encoding="utf-8")


@pytest.fixture
def shop(repository: Repository, tmp_path: Path) -> Repository:
    """What the page speaks of: a shop, its handbook, an orchard."""
    repository.write_all(SMALL_PROJECT)
    repository.commit("first")
    handbook = Repository.make(tmp_path / "handbook")
    handbook.write("refunds.md", "# Refunds\n\nHow refunds are paid: by transfer, in a month.\n")
    handbook.write("src/tool.py", "def stamp_parcel(parcel):\n    return parcel\n")
    handbook.commit("first")
    Repository.make(tmp_path / "orchard").write("trees.py", "def pick_apples():\n    return 12\n")
    return repository


def _commands() -> list[tuple[str, list[str]]]:
    """Each command of the page, and the lines that it is said to print."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif line:
                found[-1][1].append(line)
    return found


def test_commands_print_what_the_page_says(shop: Repository) -> None:
    commands = _commands()
    assert len(commands) >= 12
    day = shop.git("log", "-1", "--format=%cs")
    for command, said in commands:
        program, *arguments = shlex.split(command.replace("2099-01-01", day))
        assert program == "codecairn"
        done = run(*arguments, cwd=shop.root)
        assert done.code == 0, (command, done.err)
        for line in said:
            assert line in done.out, (command, done.out)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_programs_run(shop: Repository, number: int) -> None:
    for root in (shop.root, shop.root.parent / "orchard"):
        assert run("index", cwd=root).code == 0
    program = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[number]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=shop.root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert ("orchard", "orchard", "docs")[number] in done.stdout.split()[0]


def test_settings_and_bounds_are_the_codes() -> None:
    named = set(re.findall(r"`((?:knowledge|search)\.[a-z_]+)", PAGE)) - {"knowledge.search("}
    assert named <= {*SETTINGS, "knowledge.search"}
    assert f"up to {MAX_FILES} files or {MAX_S:.0f} seconds" in PAGE
