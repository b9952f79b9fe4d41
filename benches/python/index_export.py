"""Measure an exported index: how large its parts are, and what adopting them costs compared with indexing the files.

    python -m benches.python.index_export FOLDER [FOLDER ...] [--repeats N] [--out FILE]

Each folder is copied first and never written. Processor time is that of all threads from opening the store to the end of the
run, in a process of its own, without the start of the interpreter; kinds of runs take turns, and medians are compared.
"""

import argparse
import json
import os
import pickle
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benches.results import Figure, Results, default_folder, spread
from codecairn.core.engine import Engine
from codecairn.core.index_transfer import ExportedSegment, IndexTransfer, Numbering
from codecairn.core.options import EngineOptions

_LEFT_OUT = (".git", ".venv", "target", "__pycache__", "site-packages", "dist-packages", "*.so")
_KINDS = ("full", "records", "segments")
_NAMES = ("full index", "records alone", "records and segments")
_TIMES = tuple(f"{name}, processor time" for name in _NAMES)
_EDITED = 3


def main() -> None:
    """Measure, print and write; as a child, do one run."""
    parser = argparse.ArgumentParser(prog="python -m benches.python.index_export")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--repeats", type=int, default=5, help="runs of each kind (default 5)")
    parser.add_argument("--out", type=Path, help="the file of the results")
    parser.add_argument("--kind", choices=_KINDS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.kind is not None:
        root, store, parts = options.folders
        sys.stdout.write(json.dumps(_run_here(options.kind, root, store, parts)))
        return
    results = Results("An exported index")
    medians = []
    with tempfile.TemporaryDirectory(prefix="codecairn-export-") as temporary:
        for folder in options.folders:
            copy = Path(temporary) / "copies" / folder.resolve().name
            shutil.copytree(folder, copy, symlinks=True, ignore=shutil.ignore_patterns(*_LEFT_OUT))
            figures = list(_figures(copy, Path(temporary), repeats=options.repeats))
            results.add(figures, subject=folder.resolve().name)
            medians.append({figure.measure: figure.value for figure in figures})
    results.add(
        _shares({name: sum(each[name] for each in medians) for name in _TIMES}), subject="all"
    )
    results.write(options.out or default_folder() / "index-export.json")


def _figures(root: Path, temporary: Path, *, repeats: int) -> Iterator[Figure]:
    origin, parts_file = temporary / f"{root.name}-origin", temporary / f"{root.name}-parts"
    engine = _engine(root, origin)
    report = engine.index(force=False, progress=None)
    note = f"{report.files} files, {report.size_bytes} bytes, {report.chunks} chunks"
    transfer = IndexTransfer(engine)
    begun = time.process_time()
    contents = transfer.contents()
    pack = transfer.records([(content.digest, content.language) for content in contents])
    packed_s = time.process_time() - begun
    numbering, segments = transfer.numbering(), transfer.segments()
    exported_s = time.process_time() - begun
    parts_file.write_bytes(pickle.dumps(((pack,), numbering, segments)))
    yield Figure(measure="packing records, processor time", value=packed_s, unit="s", note=note)
    yield Figure(measure="packing everything, processor time", value=exported_s, unit="s")
    sizes = {"records": len(pack), "numbering": sum(len(part.data) for part in numbering)}
    for kind in dict.fromkeys(segment.kind for segment in segments):
        sizes[f"segments ({kind})"] = sum(len(each.data) for each in segments if each.kind == kind)
    for name, size in sizes.items():
        yield Figure(measure=f"bytes of {name}", value=size, unit="B")
    seconds: dict[str, list[float]] = {kind: [] for kind in _KINDS}
    for _ in range(repeats):
        for kind in _KINDS:
            seconds[kind].append(_run_in_child(kind, root, temporary / "store", parts_file))
    times = dict(zip(_TIMES, (seconds[kind] for kind in _KINDS), strict=True))
    yield from (spread(name, found, "s") for name, found in times.items())
    yield from _shares({name: statistics.median(found) for name, found in times.items()})
    known = {pack} | {part.data for part in numbering} | {part.data for part in segments}
    yield from _delta(root, engine, known, {content.digest for content in contents})
    engine.close()


def _shares(times: Mapping[str, float]) -> Iterator[Figure]:
    """What parts of a full index the times are."""
    for name, time_name in zip(_NAMES, _TIMES, strict=True):
        share = 100 * times[time_name] / times[_TIMES[0]]
        yield Figure(measure=f"{name}, share of a full index", value=share, unit="%")


def _delta(root: Path, engine: Engine, known: set[bytes], digests: set[bytes]) -> Iterator[Figure]:
    """What three edited files add."""
    files = sorted(root.rglob("*.py"), key=lambda file: (-file.stat().st_size, file))
    for file in files[len(files) // 4 :: max(1, len(files) // 8)][:_EDITED]:
        text = file.read_text(encoding="utf-8", errors="replace")
        file.write_text(text.replace("return", "return not", 2), encoding="utf-8")
    engine.index(force=False, progress=None)
    transfer = IndexTransfer(engine)
    new = [content for content in transfer.contents() if content.digest not in digests]
    pack = transfer.records([(content.digest, content.language) for content in new])
    fresh = {part.data for part in transfer.numbering()} - known
    fresh |= {part.data for part in transfer.segments()} - known
    note = f"{len(new)} files above the median, two places in each"
    size = len(pack) + sum(map(len, fresh))
    yield Figure(measure="bytes of new parts after three edits", value=size, unit="B", note=note)


def _run_in_child(kind: str, root: Path, store: Path, parts: Path) -> float:
    shutil.rmtree(store, ignore_errors=True)
    command = [sys.executable, "-m", "benches.python.index_export", "--kind", kind]
    arguments = [str(root), str(store), str(parts)]
    done = subprocess.run([*command, *arguments], capture_output=True, check=True, env=os.environ)
    found: dict[str, float] = json.loads(done.stdout)
    return found["processor_s"]


def _run_here(kind: str, root: Path, store: Path, parts: Path) -> dict[str, float]:
    packs: Sequence[bytes]
    numbering: Sequence[Numbering]
    segments: Sequence[ExportedSegment]
    packs, numbering, segments = pickle.loads(parts.read_bytes())
    begun = time.process_time()
    engine = _engine(root, store)
    if kind == "full":
        report = engine.index(force=False, progress=None)
    else:
        transfer = IndexTransfer(engine)
        if kind == "segments":
            transfer.adopt(numbering, segments)
        report = transfer.index(packs, progress=None)
        assert report.parsed == 0, report
    engine.close()
    return {"processor_s": time.process_time() - begun}


def _engine(root: Path, store: Path) -> Engine:
    options = EngineOptions(
        root=root, store=store, embedder="static", outside=None, include=(), exclude=(),
        read_only=False, writer="bench", user_ignore=None,
    )  # fmt: skip
    return Engine(options)


if __name__ == "__main__":
    main()
