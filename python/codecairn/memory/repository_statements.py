"""Statements that come from a repository: which ones, how they are marked, and which hosts read them by themselves.

A statement from a repository's files, or from its committed memory, was written by the author of the file, who may be a stranger.
It is injected only where the user trusts the workspace, always with its source, and never at a host that loads the file itself.
The core's `FactFilter` applies the same rules.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

ORIGIN = "repository"

NOT_OURS: "Mapping[str, str]" = {"external": "outside", ORIGIN: "this repository"}
"""Origins whose statements are shown as quotations, and where they are quoted from."""

FILE = "file"
"""The name, in a fact's `meta`, of the file that it was drawn from."""

TEAM = "team"
"""The name, in a fact's `meta`, of the record of the team's memory that it came in with."""

LOADED_BY_HOST: "Mapping[str, tuple[str, ...]]" = {
    # AGENTS.md since 2.1.277
    "claude": ("CLAUDE.md", "AGENTS.md", ".claude/CLAUDE.md", ".claude/rules/*"),
    "codex": ("AGENTS.md",),
    "opencode": ("AGENTS.md", "CLAUDE.md"),  # the first of them that exists
    "gemini": ("GEMINI.md",),
    "cursor": ("AGENTS.md", "CLAUDE.md", ".cursorrules", ".cursor/rules/*"),
    "hermes": ("AGENTS.md", "CLAUDE.md"),  # the first of them that exists
}
"""The instruction files that a host reads by itself, as each host documents; a final `*` stands for all files of a folder."""


def is_of_repository(origin: str, maker: str, meta: "Mapping[str, str]") -> bool:
    """Whether a statement is the repository's own, and no person made it theirs.

    Memories of the version before know no such origin: there it shows by how the fact was made.
    """
    return origin == ORIGIN or (origin != "user" and (maker == "init" or TEAM in meta))


def mark_of(origin: str, maker: str, meta: "Mapping[str, str]") -> str:
    """The mark of a statement whose origin must be known; empty for any other."""
    if origin == "external":
        return "quoted from outside"
    if not is_of_repository(origin, maker, meta):
        return ""
    if meta.get(FILE):
        return f"from this repository's {meta[FILE]}"
    return (
        "from this repository's shared memory" if TEAM in meta else "from this repository's files"
    )


def withheld(*, trusts: bool, host: str) -> "dict[str, Any]":
    """What a filter of facts leaves out before an agent of this host."""
    return {
        "without_repository": not trusts,
        "without_files": list(LOADED_BY_HOST.get(host, ())),
    }


def is_withheld(row: "Mapping[str, Any]", *, trusts: bool, host: str) -> bool:
    """Whether a fact, as the core gives it, is left out by that."""
    is_repository = is_of_repository(row["origin"], row["maker"], row["meta"])
    return (is_repository and not trusts) or _is_loaded(row["meta"].get(FILE, ""), host)


def hosts_loading(file: str) -> "frozenset[str]":
    """The hosts that read a file of the repository by themselves."""
    return frozenset(host for host in LOADED_BY_HOST if _is_loaded(file, host))


def _is_loaded(file: str, host: str) -> bool:
    return any(
        file.startswith(name[:-1]) if name.endswith("*") else file == name
        for name in LOADED_BY_HOST.get(host, ())
    )
