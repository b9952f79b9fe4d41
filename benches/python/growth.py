"""How time and memory grow with the size of a repository: full indexes of ever more of its folders.

python -m benches.python.growth FOLDER --home SCRATCH --json OUT.json     (measures; the folder is not written)
python -m benches.python.growth --json OUT.json --plot OUT.png            (draws what was measured; needs matplotlib)
"""

import argparse
import json
import shutil
from itertools import accumulate
from pathlib import Path
from typing import Any

from benches.python.processes import codecairn, measure
from benches.results import Figure, head, save

STEPS = (
    ("kernel", "mm", "block", "crypto"),
    ("fs",),
    ("net", "sound"),
    ("include",),
    ("Documentation", "tools"),
    ("arch",),
    ("*",),
)
"""Folders of Linux's source; each step adds some to those before."""

_TITLE = "Growth with the size of a repository"
_MEASURES = (
    ("wall_s", "full index", "s"),
    ("processor_s", "full index, processor time", "s"),
    ("peak_mb", "peak memory", "MB"),
    ("store_mb", "store on disk", "MB"),
)


def main() -> None:
    """Measure or draw."""
    parser = argparse.ArgumentParser(prog="python -m benches.python.growth")
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--home", type=Path)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--steps", type=int, default=len(STEPS))
    options = parser.parse_args()
    if options.folder is not None:
        if options.home is None:
            parser.error("--home is wanted for the stores")
        _measure(options.folder, options.home, options.json, options.steps)
    if options.plot is not None:
        _draw(_steps(options.json), options.plot)


def _measure(folder: Path, home: Path, out: Path, steps: int) -> None:
    points = _steps(out)
    for folders in list(accumulate(STEPS))[len(points) : steps]:
        include = "*" if "*" in folders else ",".join(f"/{name}/" for name in folders)
        environment = {
            "CODECAIRN_HOME": str(home),
            "CODECAIRN_SCOPE": "global",
            "CODECAIRN_INCLUDE": include,
        }
        shutil.rmtree(home, ignore_errors=True)
        run = measure(codecairn("index", ".", "--json"), cwd=folder, environment=environment)
        report = json.loads(run.out)
        store = sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
        points.append(
            {
                "folders": include,
                "files": report["files"],
                "chunks": report["chunks"],
                "source_mb": report["size_bytes"] / 1e6,
                "wall_s": run.wall_s,
                "processor_s": run.processor_s,
                "peak_mb": run.peak_bytes / 1e6,
                "store_mb": store / 1e6,
            }
        )
        print(json.dumps(points[-1]), flush=True)
        figures = [figure.rounded().row() for point in points for figure in _figures(point)]
        save(out, head(_TITLE) | {"figures": figures, "steps": points})
    shutil.rmtree(home, ignore_errors=True)


def _steps(file: Path) -> list[dict[str, Any]]:
    """The steps that were measured, so that a run goes on after its last one."""
    if not file.exists():
        return []
    steps: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["steps"]
    return steps


def _figures(point: dict[str, Any]) -> list[Figure]:
    return [
        Figure(
            measure=f"linux growth, {point['files']:,} files: {name}", value=point[key], unit=unit
        )
        for key, name, unit in _MEASURES
    ]


def _draw(points: list[dict[str, float]], out: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    files = [point["files"] / 1000 for point in points]
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.6))
    shown = (
        ("processor_s", "processor time of a full index, s"),
        ("peak_mb", "peak resident memory, MB"),
        ("store_mb", "store (line) and source (dashed), MB"),
    )
    for axis, (key, title) in zip(axes, shown, strict=True):
        axis.plot(files, [point[key] for point in points], marker="o", color="#1f6f8b")
        if key == "store_mb":
            axis.plot(files, [point["source_mb"] for point in points], "--", color="#99a8b2")
        axis.set_xlabel("files, thousands")
        axis.set_title(title, fontsize=10)
        axis.set_xlim(left=0)
        axis.set_ylim(bottom=0)
        axis.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(out, dpi=110)


if __name__ == "__main__":
    main()
