"""Private members of JavaScript and TypeScript are found by their names, whose sign is no separator."""

import pytest

from codecairn import Workspace
from codecairn.core.requests import DefineRequest
from codecairn.errors import UsageError
from support.repository import Repository

_SCRIPT = """export class P {
  #count = 0;
  #bump() { this.#count++; return 1; }
  static #make() { return new P(); }
  bump() { return this.#bump(); }
}
"""


@pytest.mark.parametrize("path", ["priv.js", "priv.ts"])
@pytest.mark.parametrize(
    ("name", "line"),
    [("#bump", 3), ("P.#bump", 3), ("P##bump", 3), ("#make", 4), ("#count", 2), ("P#bump", 5)],
)
def test_private_members_are_defined(folder: Repository, path: str, name: str, line: int) -> None:
    folder.write_all({path: _SCRIPT})
    with Workspace.open(folder.root) as workspace:
        workspace.index()
        hit = next(iter(workspace.define(DefineRequest(name))))
        assert (hit.path, hit.start_line) == (path, line)


def test_uses_of_private_members_are_listed(folder: Repository) -> None:
    folder.write_all({"priv.js": _SCRIPT})
    with Workspace.open(folder.root) as workspace:
        uses = workspace.graph.uses("#bump")
        assert [(place.line, place.role) for place in uses.places] == [
            (3, "definition"),
            (5, "method_call"),
        ]
        with pytest.raises(UsageError, match="no plain name"):
            workspace.graph.uses("P#bump")
