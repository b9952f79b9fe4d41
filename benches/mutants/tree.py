"""A copy of the working tree in which mutants live: with its own environment, so that every process sees them."""

import os
import shutil
import subprocess
import sys
import sysconfig
from datetime import datetime, timezone

from benches.mutants.areas import ROOT

WORK = ROOT / "target" / "mutants"

_COMMAND = "import sys\nfrom codecairn.cli.main import command\nsys.exit(command())\n"


class Tree:
    """One copy, first of what is recorded and then of mutants: to build the core elsewhere takes minutes.

    Each file that is written into it has a time of its own, or else Python would take compiled code for it that was
    made of another text of the same length in the same second.
    """

    def __init__(self, name: str = "tree-1") -> None:
        """Copies what git tracks or would track, as it is now, and the built extension."""
        self.root = WORK / name
        self.python = self.root / ".venv" / "bin" / "python"
        self._moment = 0
        self._copy()
        if not self.python.exists():
            subprocess.run(
                [sys.executable, "-m", "venv", "--without-pip", self.root / ".venv"], check=True
            )
        folder = next((self.root / ".venv" / "lib").glob("python*")) / "site-packages"
        packages = sysconfig.get_path("purelib")
        (folder / "tree.pth").write_text(f"{self.root / 'python'}\n{packages}\n", encoding="utf-8")
        command = self.python.parent / "codecairn"
        command.write_text(f"#!{self.python}\n{_COMMAND}", encoding="utf-8")
        command.chmod(0o755)

    def write(self, path: str, text: str) -> None:
        """Replaces one file."""
        file = self.root / path
        file.write_text(text, encoding="utf-8")
        now = int(datetime.now(timezone.utc).timestamp())
        self._moment = max(self._moment + 1, now)
        os.utime(file, (self._moment, self._moment))

    def restore(self, path: str) -> None:
        """Makes one file what it is in the working tree."""
        self.write(path, (ROOT / path).read_text(encoding="utf-8"))

    def _copy(self) -> None:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split("\0")
        wanted = {path for path in listed if path and (ROOT / path).is_file()}
        wanted |= {
            path.relative_to(ROOT).as_posix() for path in (ROOT / "python").rglob("_native*.so")
        }
        if self.root.is_dir():
            self._remove_others(wanted)
        for path in sorted(wanted):
            source, copy = ROOT / path, self.root / path
            if not copy.is_file() or copy.read_bytes() != source.read_bytes():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, copy)
                shutil.copymode(source, copy)

    def _remove_others(self, wanted: set[str]) -> None:
        for folder in ("python", "tests", "benches", "native"):
            for path in sorted((self.root / folder).rglob("*")):
                name = path.relative_to(self.root).as_posix()
                if path.is_file() and name not in wanted and path.suffix != ".pyc":
                    path.unlink()
