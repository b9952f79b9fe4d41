"""Fills the generated parts of a page: the text between `<!-- NAME -->` and `<!-- end of NAME -->` is replaced."""

import argparse
from collections.abc import Mapping
from pathlib import Path


def fill(page: str, parts: Mapping[str, str]) -> str:
    """The page with each part in its place.

    Raises:
        ValueError: if the page does not have exactly one place for a part.
    """
    for name, part in parts.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
        if page.count(begin) != 1 or page.count(end) != 1:
            raise ValueError(f"the page has no place or several places for `{name}`")
        before, _, rest = page.partition(begin)
        page = f"{before}{begin}\n{part.strip()}\n\n{end}{rest.partition(end)[2]}"
    return page


def table(columns: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; bars in cells are escaped."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
    )


def rewrite(pages: Mapping[Path, Mapping[str, str]], *, prog: str, description: str | None) -> None:
    """Run a generator from the command line: rewrite the pages, or with `--check` fail if one would change.

    Args:
        pages: The parts of each page, by name.
        prog: The command, as people type it.
        description: Its help.
    """
    parser = argparse.ArgumentParser(prog=prog, description=description)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--check", action="store_true", help="write nothing; fail on a difference")
    is_check = parser.parse_args().check
    for page, parts in pages.items():
        before = page.read_text(encoding="utf-8")
        after = fill(before, parts)
        if is_check and after != before:
            raise SystemExit(f"`{page.name}` differs from what `{prog}` generates; run it")
        if not is_check:
            page.write_text(after, encoding="utf-8")
