"""Recall, precision and F1 of lines that were seen against the marked ones: of files, of blocks, of lines.

As ContextBench's evaluation has it, a file counts if any of its lines does, and a block if any of the lines in it does. Recall
is 1 where nothing is marked, precision is 1 where nothing was seen. Its tables show the mean over tasks, of F1 too.
"""

from collections.abc import Iterator, Mapping

from benches.public.contextbench.blocks import touched

GRAINS = ("file", "block", "line")

Lines = Mapping[str, set[int] | frozenset[int]]
"""Line numbers by path."""


def scores(seen: Lines, gold: Lines, files: Mapping[str, str]) -> Iterator[tuple[str, float]]:
    """The nine measures by name, such as `block recall`.

    Args:
        seen: The lines that were shown.
        gold: The marked lines.
        files: The text of each file by its path.
    """
    parts, wanted = _parts(seen, files), _parts(gold, files)
    for grain in GRAINS:
        both = len(parts[grain] & wanted[grain])
        recall = both / len(wanted[grain]) if wanted[grain] else 1.0
        precision = both / len(parts[grain]) if parts[grain] else 1.0
        total = recall + precision
        yield f"{grain} recall", recall
        yield f"{grain} precision", precision
        yield f"{grain} F1", 2 * recall * precision / total if total else 0.0


def _parts(lines: Lines, files: Mapping[str, str]) -> dict[str, frozenset[object]]:
    return {
        "file": frozenset(path for path, numbers in lines.items() if numbers),
        "block": frozenset(
            (path, block)
            for path, numbers in lines.items()
            for block in touched(path, files.get(path, ""), numbers)
        ),
        "line": frozenset((path, line) for path, numbers in lines.items() for line in numbers),
    }
