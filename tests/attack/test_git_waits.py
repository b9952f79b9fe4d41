"""A repository in which git would wait without an end: it is refused or ended, and no git outlives a call or a process of ours."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import codecairn
from attack.hostile import Hostile, lives
from codecairn import SearchFilters, Workspace
from codecairn.core import call_time, git_waits
from codecairn.core import git as git_module
from codecairn.core.call_time import one_call
from codecairn.core.git import git, start
from codecairn.core.git_waits import _content
from codecairn.errors import HistoryUnavailable

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="looks into Linux's /proc"
)

LAUNCH = Path(codecairn.__file__).parent / "launch.py"
PATTERNS = ("*a" * 40 + "\n") * 3_000
SUBJECT = "shop/" + "a" * 60 + ".py"


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not refused at once ends soon."""
    monkeypatch.setattr(git_module, "TIMEOUT_S", 4)
    monkeypatch.setattr(call_time, "TIMEOUT_S", 4)


def children(parent: int) -> set[int]:
    """The processes named git that a process started and that live."""
    found = set()
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            try:
                name, _, rest = (each / "stat").read_text().partition("(")[2].rpartition(")")
            except OSError:
                continue
            state, ancestor = rest.split()[:2]
            if name == "git" and int(ancestor) == parent and state != "Z":
                found.add(int(each.name))
    return found


@pytest.fixture
def _no_child_is_left() -> Iterator[None]:
    yield
    assert not children(os.getpid())


def _pipe(hostile: Hostile, path: str) -> Path:
    place = hostile.root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    return place


REFUSED = (
    ".git/HEAD", ".git/config.worktree", ".git/info/attributes", ".git/info/exclude", ".git/packed-refs", ".git/shallow",
    ".git/objects/info/alternates", ".git/info/grafts", ".git/index", ".gitattributes", ".gitignore", ".mailmap",
)  # fmt: skip


@pytest.mark.usefixtures("_no_child_is_left")
@pytest.mark.parametrize("path", REFUSED)
def test_repository_with_a_pipe_is_refused_with_its_name(hostile: Hostile, path: str) -> None:
    pipe = _pipe(hostile, path)
    with pytest.raises(HistoryUnavailable, match="is a pipe") as caught:
        git(hostile.root / "shop", "diff", "HEAD")
    assert str(pipe) in caught.value.message


@pytest.mark.usefixtures("_no_child_is_left")
@pytest.mark.parametrize(
    "included",
    [
        '[include]\n\tpath = "pipe"\n', "[include] path=pipe\n", "[includeIf \"gitdir:/\"]\n PATH = ../.git/pipe ; x\n",
        '[include]\n\tpath = p"ip"e\n', "[include]path = pi\\\npe\r\n", '[a "]#"]\n[Include]\n # x\n x = "#" \n path="pipe" # y\n',
        "[include]\npath = pipe\0\n", "[include]\npath = nest/../missing\npath = nest/more\npath = nest/../nest/more\n",
    ],
)  # fmt: skip
def test_settings_that_include_a_pipe_are_refused(hostile: Hostile, included: str) -> None:
    _pipe(hostile, ".git/pipe")
    hostile.write(".git/nest/more", "[include]\n path = ../pipe\n")
    hostile.write(".git/more", included)
    hostile.git("config", "include.path", "more")
    with (
        Workspace.open(hostile.root) as workspace,
        pytest.raises(HistoryUnavailable, match="is a pipe"),
    ):
        workspace.graph.impact()


@pytest.mark.usefixtures("_no_child_is_left")
@pytest.mark.parametrize("target", ["/dev/zero", "/dev/tty"])
def test_settings_that_are_a_device_are_refused(hostile: Hostile, target: str) -> None:
    hostile.git("config", "include.path", target)
    with pytest.raises(HistoryUnavailable, match="is a device"):
        git(hostile.root, "diff", "HEAD")


def test_settings_that_include_nothing_are_read(hostile: Hostile) -> None:
    hostile.git("config", "include.path", "/dev/null")
    hostile.git("config", "--add", "include.path", "no-such-file")
    assert git(hostile.root, "rev-parse", "HEAD")


@pytest.mark.parametrize(
    "settings", ['[mergetool "x"]\n\tpath = ', "[include]\n\tpaths = ", "[include]\n[x] path = ", "# [include]\n path = "]
)  # fmt: skip
def test_paths_that_are_not_included_are_no_reason(hostile: Hostile, settings: str) -> None:
    pipe = _pipe(hostile, ".git/pipe")
    file = hostile.root / ".git" / "config"
    file.write_text(f"{settings}{pipe}\n{file.read_text()}")
    assert git(hostile.root, "rev-parse", "HEAD")


def test_settings_that_include_each_other_are_read_once(
    hostile: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"circle-{number}" for number in range(20)]
    for name in names:
        including = "".join(f"[include] path = ../.git/{each}\n" for each in [*names, "config"])
        hostile.write(f".git/{name}", including)
    hostile.git("config", "include.path", names[0])
    read = []
    monkeypatch.setattr(git_waits, "_content", lambda file: read.append(file) or _content(file))
    assert not git_waits.endless_file(hostile.root)
    assert len(read) < 30


@pytest.mark.parametrize(
    ("count", "length", "reason"),
    [(150, 1, "more than 100 files"), (11, 100_000, "more than 1,048,576 bytes")],
)
def test_settings_that_include_very_much_are_refused(
    hostile: Hostile, count: int, length: int, reason: str
) -> None:
    for number in range(count):
        including = f"[include] path = part-{number + 1}\n"
        hostile.write(f".git/part-{number}", including + "#" * length)
    hostile.git("config", "include.path", "part-0")
    assert reason in git_waits.endless_file(hostile.root)


def test_settings_of_a_linked_worktree_are_looked_at(hostile: Hostile) -> None:
    other = hostile.root.parent / "other"
    hostile.git("worktree", "add", "--quiet", str(other), "feature")
    assert git(other, "rev-parse", "HEAD")
    _pipe(hostile, ".git/packed-refs")
    with pytest.raises(HistoryUnavailable, match="packed-refs` is a pipe"):
        git(other, "rev-parse", "HEAD")


@pytest.mark.usefixtures("_no_child_is_left")
def test_pipe_as_global_excludes_is_not_opened(hostile: Hostile) -> None:
    hostile.git("config", "core.excludesFile", str(_pipe(hostile, ".git/pipe")))
    with Workspace.open(hostile.root) as workspace:
        assert {"total_price", "new"} <= {each.name for each in workspace.graph.impact().touched}


@pytest.mark.usefixtures("_no_child_is_left")
@pytest.mark.parametrize("file", [".gitignore", ".git/info/exclude", "shop/.gitignore"])
def test_patterns_that_take_git_without_an_end_do_not_hold_impact_up(
    hostile: Hostile, file: str
) -> None:
    hostile.write(file, PATTERNS)
    hostile.write(SUBJECT, "def newest():\n    return 1\n")
    unhurried = {"search.refresh_budget_ms": 60_000}
    with Workspace.open(hostile.root, settings=unhurried) as workspace:
        assert {"newest", "new"} <= {each.name for each in workspace.graph.impact().touched}


@pytest.mark.usefixtures("_no_child_is_left")
def test_attributes_that_take_git_without_an_end_are_an_error(hostile: Hostile) -> None:
    hostile.write(SUBJECT, "def newest():\n    return 1\n")
    hostile.commit("long name")
    hostile.write(SUBJECT, "def newest():\n    return 2\n")
    hostile.write(".gitattributes", PATTERNS.replace("\n", "b x\n"))
    with (
        Workspace.open(hostile.root) as workspace,
        pytest.raises(HistoryUnavailable, match="git timed out after 4 s"),
    ):
        workspace.graph.impact()


@pytest.mark.usefixtures("_no_child_is_left")
@pytest.mark.parametrize("filters", [{"author": "Ann"}, {"blame": True}])
def test_history_with_a_pipe_does_not_hold_a_search_up(
    hostile: Hostile, filters: dict[str, object]
) -> None:
    _pipe(hostile, ".mailmap")
    with Workspace.open(hostile.root) as workspace:
        if "blame" in filters:
            assert workspace.search("total price", filters=SearchFilters(blame=True)).hits
        else:
            with pytest.raises(HistoryUnavailable, match="is a pipe"):
                workspace.search("total price", filters=SearchFilters(author="Ann"))


@pytest.mark.usefixtures("_no_child_is_left")
def test_file_of_names_that_the_settings_name_is_not_read(hostile: Hostile) -> None:
    hostile.git("config", "mailmap.file", str(_pipe(hostile, ".git/pipe")))
    with Workspace.open(hostile.root) as workspace:
        for filters in (SearchFilters(author="Ann"), SearchFilters(blame=True)):
            assert workspace.search("total price", filters=filters).hits
    plain = ["git", "log", "-1", "--author=Ann"]
    with pytest.raises(subprocess.TimeoutExpired):  # else the test holds nothing
        subprocess.run(plain, cwd=hostile.root, capture_output=True, timeout=2, check=False)


@pytest.mark.usefixtures("_no_child_is_left")
def test_all_gits_of_a_call_have_one_time(
    hostile: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_module, "TIMEOUT_S", 1)
    monkeypatch.setattr(call_time, "TIMEOUT_S", 1)
    waiting = ("cat-file", "--batch")
    with one_call():
        with (
            start(hostile.root, *waiting, is_fed=True) as first,
            pytest.raises(HistoryUnavailable, match="timed out after 1 s"),
        ):
            list(first.chunks(timeout_s=20))
        started = []
        monkeypatch.setattr(git_module, "ProcessGroup", lambda *given, **_: started.append(given))
        with one_call(), pytest.raises(HistoryUnavailable, match="timed out after 1 s"):
            start(hostile.root, *waiting, is_fed=True)
        assert not started
    monkeypatch.undo()
    assert git(hostile.root, "rev-parse", "HEAD")


def test_only_waiting_for_git_takes_of_the_time_of_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = [100.0]
    monkeypatch.setattr(call_time.time, "monotonic", lambda: now_s[0])
    with one_call():
        time = call_time.call_time()
        now_s[0] += 60
        with time.waiting():
            now_s[0] += 1
            with one_call(), call_time.call_time().waiting():
                now_s[0] += 1
                assert time.left_s() == 2
        now_s[0] += 60
        assert time.left_s() == 2
    assert call_time.call_time().left_s() == float("inf")


def test_history_that_could_not_be_read_is_told(hostile: Hostile) -> None:
    with Workspace.open(hostile.root) as workspace:
        assert not workspace.graph.impact(symbol="total_price").notes
        pipe = _pipe(hostile, ".mailmap")
        (note,) = workspace.graph.impact(symbol="total_price").notes
    assert "files that changed together are not known" in note
    assert f"`{pipe}` is a pipe" in note


@pytest.fixture
def waiting(hostile: Hostile) -> Iterator[tuple["subprocess.Popen[bytes]", set[int]]]:
    """A command of ours and its git, which waits for a pipe that is not looked for."""
    _pipe(hostile, "shop/.gitattributes")
    command = [sys.executable, "-I", "-S", str(LAUNCH), "impact"]
    process = subprocess.Popen(
        command, cwd=hostile.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    gits: set[int] = set()
    for _ in range(600):
        before, gits = gits, children(process.pid)
        if before & gits and all("diff" in _command(each) for each in gits):
            break
        threading.Event().wait(0.1)
    yield process, gits
    process.kill()
    process.communicate()
    for each in filter(lives, gits):
        os.kill(each, signal.SIGKILL)


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_git_ends_with_the_process_that_started_it(
    waiting: tuple["subprocess.Popen[bytes]", set[int]], number: signal.Signals
) -> None:
    process, gits = waiting
    assert gits, "git did not wait: the test holds nothing"
    process.send_signal(number)
    process.wait()
    for _ in range(100):
        if not any(map(lives, gits)):
            return
        threading.Event().wait(0.1)
    pytest.fail("git lives on")
