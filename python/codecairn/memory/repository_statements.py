"""Statements that come from a repository: their origin, and what their `meta` says of them.

A statement from a repository's files, or from its committed memory, was written by the author of the file, who may be a stranger.
It is shown only where the user trusts the workspace, always with its source, and never at a host that loads the file itself;
the core decides that (`native/crates/memory`, `context/origins`).
"""

from collections.abc import Mapping

from codecairn.core.types.memory import Event, Fact

ORIGIN = "repository"

NOT_OURS: Mapping[str, str] = {"external": "outside", ORIGIN: "this repository"}
"""Origins whose statements are shown as quotations, and where they are quoted from."""

FILE = "file"
"""The name, in a fact's `meta`, of the file that it was drawn from."""

TEAM = "team"
"""The name, in a fact's `meta`, of the record of the team's memory that it came in with."""

TEAM_AUTHOR = "team_author"
"""The name, in a fact's `meta`, of the member of a team who promoted it."""

PARENT = "parent_project"
"""The name, in the `meta` of a record that is shown in a submodule, of the project around it that it is of."""


def of_parent(record: Fact | Event) -> list[str]:
    """The label of a record of the project around a submodule; empty for any other."""
    parent = record.meta.get(PARENT, "")
    return [f"of the parent project {parent}"] if parent else []
