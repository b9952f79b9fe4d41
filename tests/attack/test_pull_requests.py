"""What `gh` is given, and which programs are taken for `gh` and `git`."""

import os
import shutil
import signal
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from attack.hostile import ON_POSIX, Hostile, executing, lives
from codecairn import Workspace
from codecairn.errors import CodecairnError, PullRequestUnavailable
from codecairn.graph import pull_requests
from codecairn.graph.pull_requests import name_of_address

pytestmark = ON_POSIX


def test_programs_of_the_workspace_are_not_taken_for_git(
    hostile: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though `PATH` names their folder, as an activated environment of the project does."""
    hostile.git("remote", "add", "origin", "https://github.com/ann/shop")
    planted = hostile.root / "env/bin"
    planted.mkdir(parents=True)
    for name in ("git", "gh"):
        shutil.copy(hostile.program, planted / name)
    monkeypatch.setenv("PATH", f"{planted}{os.pathsep}{os.environ['PATH']}")
    assert list(executing(hostile)) == []
    with Workspace.open(hostile.root) as workspace, suppress(CodecairnError):
        workspace.graph.impact(pr=7)
    assert not hostile.was_executed()
    hostile.plain_git("status")
    assert hostile.was_executed()


ANSWERING_GH = """\
#!/bin/sh
{ pwd; echo "$@"; env; } >> {said}
git status >/dev/null 2>&1
echo '{}'
"""


def test_gh_is_given_the_name_of_the_repository_and_a_neutral_folder(
    hostile: Hostile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the git that it starts would read the repository's configuration, and its token might go anywhere."""
    said = tmp_path / "said"
    gh = tmp_path / "programs/gh"
    gh.parent.mkdir()
    gh.write_text(ANSWERING_GH.replace("{said}", str(said)))
    gh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{gh.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("GH_ENTERPRISE_TOKEN", "for-our-server")
    monkeypatch.setenv("GIT_DIR", str(hostile.root / ".git"))
    monkeypatch.setenv("GH_PAGER", str(hostile.program))
    monkeypatch.chdir(hostile.root)
    hostile.git("config", "core.fsmonitor", str(hostile.program))
    hostile.git("remote", "add", "origin", "ssh://git@git.example.com:22/ann/shop.git")
    with Workspace.open(hostile.root) as workspace:
        workspace.graph.impact(pr=7)
        assert not hostile.was_executed()
        first = said.read_text()
        monkeypatch.setenv("GH_HOST", "git.example.com")
        said.unlink()
        workspace.graph.impact(pr=7)
    assert not first.startswith(str(hostile.root))
    assert "pr view 7 --json" in first
    assert "--repo git.example.com/ann/shop" in first
    assert "for-our-server" not in first
    assert "GIT_DIR" not in first
    assert "GH_PAGER" not in first
    assert "for-our-server" in said.read_text(), "the server that the user named gets it"


LEAVING_GH = """\
#!/bin/sh
{start} sleep 600 {output} &
echo $! > {started}
echo '{"title": "found"}'
"""


@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(),
    reason="Linux's /proc tells a zombie from a running process",
)
@pytest.mark.parametrize(
    ("start", "output", "ends"), [("", ">/dev/null 2>&1", True), ("", "", True), ("setsid", "", False)]
)  # fmt: skip
def test_what_gh_leaves_neither_stays_nor_holds_a_call_up(
    hostile: Hostile,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    start: str,
    output: str,
    ends: bool,
) -> None:
    """Except what starts a session of its own, which can't be reached."""
    started, gh = tmp_path / "started", tmp_path / "programs" / "gh"
    gh.parent.mkdir()
    script = LEAVING_GH.replace("{start}", start).replace("{output}", output)
    gh.write_text(script.replace("{started}", str(started)))
    gh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{gh.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("GH_REPO", "github.com/ann/shop")
    monkeypatch.setattr(pull_requests, "_TIMEOUT_S", 2)
    try:
        if output:
            assert "found" in pull_requests._gh(hostile.root, "pr", "view")
        else:
            with pytest.raises(PullRequestUnavailable, match="does not answer"):
                pull_requests._gh(hostile.root, "pr", "view")
        for _ in range(100 if ends else 1):
            if not lives(int(started.read_text())):
                break
            threading.Event().wait(0.1)
        assert lives(int(started.read_text())) != ends
    finally:
        with suppress(ProcessLookupError):
            os.kill(int(started.read_text()), signal.SIGKILL)


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://github.com/ann/shop", "github.com/ann/shop"),
        ("https://ann:secret@github.com/ann/shop.git", "github.com/ann/shop"),
        ("git@github.com:ann/shop.git", "github.com/ann/shop"),
        ("github.com:ann/shop", "github.com/ann/shop"),
        ("ssh://git@GitHub.com:22/ann/shop.js.git/", "github.com/ann/shop.js"),
        ("git://github.com/ann/.github", "github.com/ann/.github"),
        ("https://github.com/-ann/shop", ""),
        ("https://github.com/ann/--web", ""),
        ("https://github.com/ann/shop/more", ""),
        ("https://-host/ann/shop", ""),
        ("ext::sh -c evil", ""),
        ("file:///srv/ann/shop", ""),
        ("../shop", ""),
        ("git@github.com:ann/shop\n--web", ""),
        ("", ""),
    ],
)
def test_name_on_github_is_made_of_plain_addresses_alone(address: str, name: str) -> None:
    assert name_of_address(address) == name
