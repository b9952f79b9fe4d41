"""What hooks take from the module below `os` says what `os` says, and their log stays small."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from codecairn.hooks import os_subset, state

PATHS = (
    "", "/", "//", "///a", "a", "a/", "/a", "/a/b", "/a//b", "/a/./b", "/a/../b", "a/..", "~", "~/x", "~root/x", "~x",
    "/a/b/", "//a/b", ".", "..", "/.", "a//", "//a//", "/a/..",
)  # fmt: skip

_ASKED = """
import sys
folder, paths = sys.argv[1], sys.argv[2:]
package = type(sys)("codecairn")
package.__path__ = [folder]
sys.modules["codecairn"] = package
from codecairn.hooks import state, os_subset
assert "os" not in sys.modules, "the real one is what takes long"
from codecairn.hooks.fast_json import dumps
found = [[each(path) for each in (os_subset.dirname, os_subset.expanduser, os_subset.normpath)] for path in paths]
joined = [os_subset.join(left, right, "x") for left in paths for right in paths]
text = dumps([found, joined, os_subset.environment(), os_subset.variable("HOME"), os_subset.variable("NO_SUCH")])
os_subset.os.write(1, text.encode())
os_subset.leave(0)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="hooks take `os` itself there")
@pytest.mark.parametrize("home", ["/home/ann", "/", "", "/home/ann/", None])
def test_paths_and_variables_are_those_of_os(
    home: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRANGE", os.fsdecode(b"a\xffb"))
    if home is None:
        monkeypatch.delenv("HOME")
    else:
        monkeypatch.setenv("HOME", home)
    folder = Path(os_subset.__file__).parents[1]
    process = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _ASKED, str(folder), *PATHS],
        stdout=subprocess.PIPE, check=True, env=dict(os.environ),
    )  # fmt: skip
    found = [[os.path.dirname(p), os.path.expanduser(p), os.path.normpath(p)] for p in PATHS]  # noqa: PTH111, PTH120
    joined = [os.path.join(left, right, "x") for left in PATHS for right in PATHS]  # noqa: PTH118
    expected = [found, joined, dict(os.environ), home or "", ""]
    assert json.loads(process.stdout) == expected


def test_log_of_hooks_stays_bounded() -> None:
    for _ in range(600):
        state.log("x" * 1_900)
    sizes = [file.stat().st_size for file in Path(state.folder()).glob("log*")]
    assert len(sizes) == 2
    assert max(sizes) < 300_000
