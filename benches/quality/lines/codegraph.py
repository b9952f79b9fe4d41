"""The program codegraph, as its command `explore` answers. The variable CODEGRAPH names it; else it is found on the path."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from benches.quality.lines.answers import Reply, Row, Shown

_FILE = re.compile(r"\*\*`([^`]+)`\*\*")
_LINE = re.compile(r"(\d+)\t")
_TIMEOUT_S = 600


class CodeGraph:
    """Explores a copy of the folder, since the index lies in the folder itself."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folder = Path(tempfile.mkdtemp(prefix="codecairn-lines-"))
        self._copy = self._folder / "copy"
        self.refresh()

    def refresh(self) -> None:
        """Index everything again."""
        shutil.rmtree(self._copy, ignore_errors=True)
        ignore = shutil.ignore_patterns(".git")
        shutil.copytree(self._root, self._copy, symlinks=True, ignore=ignore)
        self._run("init", str(self._copy))

    def ask(self, query: str) -> Reply:
        """What it prints."""
        return parse(self._run("explore", "--", query))

    def close(self) -> None:
        """Remove the copy."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, *arguments: str) -> str:
        environment = {**os.environ, "CODEGRAPH_TELEMETRY": "0", "DO_NOT_TRACK": "1"}
        program = os.environ.get("CODEGRAPH", "codegraph")
        done = subprocess.run(
            [program, *arguments],
            cwd=self._copy,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT_S,
            check=True,
        )
        return done.stdout


def parse(text: str) -> Reply:
    """The rows of an answer: a place is a file with numbered lines; what stands before the first is read with it."""
    rows: list[Row] = []
    places: list[Shown] = []
    for printed in text.split("\n"):
        size = len(printed) + 1
        if header := _FILE.match(printed):
            places.append(Shown(path=header[1], start_line=0, end_line=0, score=0.0))
        path = places[-1].path if places else ""
        numbered = _LINE.match(printed) if path else None
        line = int(numbered[1]) if numbered else 0
        rows.append(Row(rank=max(len(places), 1), path=path, line=line, size=size))
    return Reply(rows=tuple(rows), places=tuple(places))
