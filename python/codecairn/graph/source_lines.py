"""Lines of files in the state in which they were indexed."""

from codecairn.core.engine import Engine
from codecairn.errors import UsageError


def source_lines(engine: Engine, path: str, first: int, last: int) -> list[str]:
    """The lines from `first` to `last`; blank ones between stretches of code are blank here too."""
    lines: list[str] = []
    at = max(first, 1)
    while at <= last:
        try:
            text, start, end = engine.text_at(path, at)
        except UsageError:  # a blank line, or the end of the file
            lines.append("")
            at += 1
            continue
        chunk = text.split("\n")
        lines += [line.rstrip("\r") for line in chunk[at - start : min(last, end) - start + 1]]
        at = end + 1
    while lines and not lines[-1].strip():
        lines.pop()
    return lines
