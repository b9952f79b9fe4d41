"""What a watch goes through when a checkout changes very many files, and when packages are installed: memory, and the end.

python -m benches.python.storms [FILES] [OUT.json]    (20,000 by default; makes its own repository; Linux only)
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benches.results import Figure, Results, default_folder
from codecairn import Workspace

_FILES = 20_000
_PACKAGES = 800
_QUIET_S = 4
_PATIENCE_S = 900


def main() -> None:
    files = int(sys.argv[1]) if len(sys.argv) > 1 else _FILES
    results = Results("A watch under many changes")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "repository"
        _make(root, files)
        with Workspace.open(root) as workspace:
            workspace.index()
        command = [sys.executable, "-m", "codecairn", "watch", "--jsonl", "--quiet"]
        with subprocess.Popen(command, cwd=root, stdout=subprocess.DEVNULL) as watch:
            results.add(_settle(root, "start", watch.pid))
            for _ in range(3):
                for branch in ("other", "main", "other"):
                    _git(root, "checkout", "--quiet", branch)
            results.add(_settle(root, f"nine checkouts of {files:,} files", watch.pid))
            _install(root / "node_modules")
            results.add(_settle(root, f"{_PACKAGES * 25:,} ignored files written", watch.pid))
            _install(root / "vendor")
            written = f"{_PACKAGES * 25:,} files written, in {_PACKAGES:,} folders"
            results.add(_settle(root, written, watch.pid))
            shutil.rmtree(root / "vendor")
            results.add(_settle(root, "and removed again", watch.pid))
            watch.terminate()
        notes = [_compare(root)]
    file = Path(sys.argv[2]) if sys.argv[2:] else default_folder() / "watch-storms.json"
    results.write(file, notes=notes)


def _make(root: Path, files: int) -> None:
    root.mkdir()
    _git(root, "init", "--quiet", "--initial-branch=main")
    (root / ".gitignore").write_text("node_modules/\n", encoding="utf-8")
    for branch in ("main", "other"):
        for number in range(files):
            file = root / f"package{number % 200}" / f"module{number}.py"
            file.parent.mkdir(exist_ok=True)
            text = f"def {branch}_{number}(value):\n    return value + {number}\n"
            file.write_text(text, encoding="utf-8")
        _git(root, "add", "--all")
        _git(root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", branch)
        if branch == "main":
            _git(root, "checkout", "--quiet", "-b", "other")
    _git(root, "checkout", "--quiet", "main")


def _install(folder: Path) -> None:
    """What an installer of packages does: unpacks to a temporary folder, then renames into place."""
    for number in range(_PACKAGES):
        staging = folder / f".staging-{number}"
        for part in range(5):
            (staging / f"lib{part}").mkdir(parents=True)
            for file in range(5):
                text = f"export function of_{number}_{part}_{file}() {{ return {number}; }}\n"
                (staging / f"lib{part}" / f"index{file}.js").write_text(text, encoding="utf-8")
        staging.rename(folder / f"package{number}")


def _settle(root: Path, what: str, process: int) -> list[Figure]:
    """Wait until nothing is left to take in and the watch is quiet, and measure what that took."""
    started_s = time.monotonic()
    before_s, quiet_s = -1.0, 0.0
    while quiet_s < _QUIET_S and time.monotonic() - started_s < _PATIENCE_S:
        time.sleep(1)
        now_s = _cpu_s(process)
        quiet_s = quiet_s + 1 if now_s == before_s else 0.0
        before_s = now_s
    with Workspace.open(root, read_only=True) as reader:
        left = reader.preview()
        behind = len(left.added) + len(left.modified) + len(left.removed)
    taken_s = time.monotonic() - started_s - _QUIET_S
    resident_mb, peak_mb = _memory_mb(process)
    name = f"watch storm: {what}"
    return [
        Figure(measure=f"{name}, until quiet", value=taken_s, unit="s"),
        Figure(measure=f"{name}, files behind", value=behind),
        Figure(measure=f"{name}, resident memory", value=resident_mb, unit="MB"),
        Figure(measure=f"{name}, peak memory", value=peak_mb, unit="MB"),
    ]


def _compare(root: Path) -> str:
    """What a full index finds that the watch did not."""
    with Workspace.open(root) as workspace:
        watched = workspace.status()
        report = workspace.index(force=True)
        after = workspace.status()
        changed = (report.added, report.modified, report.removed, report.renamed)
        problems = workspace.doctor()
    same = (watched.files, watched.chunks, watched.symbols) == (
        after.files,
        after.chunks,
        after.symbols,
    )
    return f"a full index changes {changed}; same counts: {same}; problems: {len(problems)}"


def _git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, check=True)


def _cpu_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return float(fields[11]) + float(fields[12])


def _memory_mb(process: int) -> tuple[float, float]:
    """The resident memory and its peak."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    found = dict(line.split(":", 1) for line in lines if line.startswith(("VmRSS", "VmHWM")))
    resident, peak = (int(found[name].split()[0]) * 1024 / 1e6 for name in ("VmRSS", "VmHWM"))
    return resident, peak


if __name__ == "__main__":
    main()
