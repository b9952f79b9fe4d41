"""Folders, files and patterns of options, as seen from the folder where a command runs: that of `--path`, or the current one."""

import os
import re
from pathlib import Path
from typing import Any

import click

from codecairn.errors import BadWorkspace
from codecairn.paths.root import resolve_folder

_SPECIAL = re.compile(r"[\\*?\[\]{}!# ]")
"""Characters that have a meaning in a pattern of gitignore."""


def from_here(ctx: click.Context, param: click.Parameter, value: Any) -> Any:  # noqa: ANN401 - click's signature
    """The value of an option whose parameter names a place, in the terms of the workspace.

    Folders and files become absolute. With several workspaces or named knowledge bases they stay relative to the root of each.

    Raises:
        UsageError: If there is no such folder or file.
    """
    if ctx.resilient_parsing or ctx.params.get("several") or ctx.params.get("scopes"):
        return value
    try:
        base = resolve_folder(ctx.params.get("folder") or ctx.params.get("path"))
    except BadWorkspace:
        return value  # opening the workspace reports it
    kind = getattr(param, "place", "")
    if isinstance(value, str):
        return _placed(value, base, kind)
    return tuple(_placed(each, base, kind) for each in value)


def _placed(given: str, base: Path, kind: str) -> str:
    from codecairn.paths.named_entry import require_entry, require_folder
    from codecairn.paths.relative import outside_error
    from codecairn.trust.store_trust import workspace_root

    root = workspace_root(base)
    if kind == "pattern":
        return anchored(given, prefix=base.relative_to(root).as_posix() if base != root else "")
    if not Path(given).is_absolute() and not Path(os.path.normpath(base / given)).is_relative_to(
        root
    ):
        raise outside_error(given, root)
    require = require_folder if kind == "folder" else require_entry
    require(given, base=base, root=root)
    return str(base / given)


def anchored(pattern: str, *, prefix: str) -> str:
    """A pattern of a folder as one of the root, `prefix` being the folder's name in the workspace.

    As in a `.gitignore` of that folder, a pattern with a slash at its beginning or in its middle is relative to the folder:
    `tests/*.py` in `shop` means `/shop/tests/*.py`. One without matches names everywhere, and so does one that begins
    with `**/`. `..` leads to the folder's parent.
    """
    negation = "!" if pattern.startswith("!") else ""
    bare = pattern.removeprefix("!")
    if (
        "/" not in bare.rstrip("/")
        or bare.startswith("**/")
        or (bare.startswith("/") and not prefix)
    ):
        return pattern
    parts = [_SPECIAL.sub(r"\\\g<0>", part) for part in prefix.split("/") if part]
    rest = bare.removeprefix("/").split("/")
    while rest and rest[0] in {".", ".."}:
        if rest.pop(0) == ".." and parts:
            parts.pop()
    return f"{negation}/{'/'.join([*parts, *rest])}"
