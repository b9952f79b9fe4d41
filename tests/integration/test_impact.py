"""What changes reach: of the working tree, of branches, of pull requests, of files and symbols."""

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codecairn import (
    HistoryUnavailable,
    PullRequestUnavailable,
    UsageError,
    Workspace,
)
from codecairn.core.types.graph_analysis import Impact
from support.graph_project import GRAPH_PROJECT
from support.repository import Repository

CHANGED_HELPER = GRAPH_PROJECT["shop/base.py"].replace("return number + 1", "return number + 2")


@pytest.fixture
def project(repository: Repository) -> Repository:
    repository.write_all(GRAPH_PROJECT)
    repository.commit()
    return repository


@pytest.fixture
def workspace(project: Repository) -> Iterator[Workspace]:
    with Workspace.open(project.root) as opened:
        yield opened


def _touched(found: Impact) -> list[str]:
    return [symbol.qualified_name for symbol in found.touched]


def _dependents(found: Impact) -> dict[str, int]:
    return {each.definition.qualified_name: each.distance for each in found.dependents}


def test_nothing_changed_reaches_nothing(workspace: Workspace) -> None:
    found = workspace.graph.impact()
    assert (found.risk, found.touched, found.dependents, found.files) == ("LOW", (), (), ())


def test_changed_line_touches_its_symbol_and_what_depends_on_it(
    workspace: Workspace, project: Repository
) -> None:
    project.write("shop/base.py", CHANGED_HELPER)
    found = workspace.graph.impact()
    assert found.files == ("shop/base.py",)
    assert _touched(found) == ["helper"]
    assert _dependents(found) == {"Child.step": 1, "verify": 1, "login": 2, "test_login": 3}
    assert [test.name for test in found.tests] == ["test_login"]
    assert "index: branch main" in found.index
    assert found.communities


def test_decorator_and_what_documents_a_symbol_belong_to_it(
    workspace: Workspace, project: Repository
) -> None:
    text = "import functools\n\n\ndef one():\n    return 1\n\n\n{}def two():\n    return 2\n"
    project.write("shop/marked.py", text.format("@functools.cache\n"))
    project.write(
        "store/more.go",
        'package store\n\n// Old words.\nfunc More() string {\n\treturn Save("x")\n}\n',
    )
    project.commit()
    project.write("shop/marked.py", text.format("@functools.lru_cache\n"))
    project.write(
        "store/more.go",
        'package store\n\n// New words.\nfunc More() string {\n\treturn Save("x")\n}\n',
    )
    assert _touched(workspace.graph.impact()) == ["two", "More"]
    project.write("shop/marked.py", text.format("def new():\n    return 3\n\n\n@functools.cache\n"))
    assert _touched(workspace.graph.impact()) == ["new", "More"]


def test_new_file_that_git_does_not_know_counts(workspace: Workspace, project: Repository) -> None:
    project.write("shop/late.py", "def late():\n    return 1\n")
    assert _touched(workspace.graph.impact()) == ["late"]


def test_deleted_file_is_told_as_not_indexed(workspace: Workspace, project: Repository) -> None:
    (project.root / "web/cart.ts").unlink()
    found = workspace.graph.impact()
    assert found.not_indexed == ("web/cart.ts",)
    assert any("not have" in note for note in found.notes)


def test_branch_that_is_not_checked_out_is_indexed_from_git_s_objects(
    workspace: Workspace, project: Repository
) -> None:
    project.git("switch", "--quiet", "--create", "feature")
    project.write(
        "shop/late.py", "from shop.base import helper\n\n\ndef late():\n    return helper(1)\n"
    )
    project.write("shop/base.py", CHANGED_HELPER)
    (project.root / "main.go").unlink()
    tip = project.commit()
    project.git("switch", "--quiet", "main")
    project.write(
        "shop/dirty.py", "from shop.base import helper\n\n\ndef dirty():\n    return helper(2)\n"
    )
    project.write("store/store.go", GRAPH_PROJECT["store/store.go"].replace("clean", "scrub"))
    found = workspace.graph.impact("feature")
    assert _touched(found) == ["helper", "late"]
    assert set(_dependents(found)) == {"Child.step", "verify", "login", "test_login"}
    assert found.index == f"index: {tip[:12]}, made from git's objects"
    assert found.not_indexed == ("main.go",)
    assert (project.root / "shop/dirty.py").exists()
    assert not (project.root / "shop/late.py").exists()
    assert "dirty" in _dependents(workspace.graph.impact(symbol="helper"))
    assert workspace.graph.impact("feature") == found


def test_branch_that_can_t_be_indexed_is_laid_on_the_index(
    workspace: Workspace, project: Repository
) -> None:
    project.git("switch", "--quiet", "--create", "feature")
    project.write("shop/base.py", CHANGED_HELPER)
    project.commit()
    project.git("switch", "--quiet", "main")
    moved = GRAPH_PROJECT["shop/base.py"].replace(
        '"""Baskets."""\n', '"""Baskets."""\n\nX = 1\nY = 2\n'
    )
    project.write("shop/base.py", moved)
    project.commit()
    workspace.index()
    with Workspace.open(project.root, read_only=True) as reading:
        found = reading.graph.impact("feature", refresh=False)
    assert _touched(found) == ["helper"]
    assert "feature is not checked out" in found.index
    assert _dependents(found)["login"] == 2


def test_own_branch_is_compared_with_the_default_branch(
    workspace: Workspace, project: Repository
) -> None:
    project.git("switch", "--quiet", "--create", "feature")
    project.write("shop/base.py", CHANGED_HELPER)
    project.commit()
    found = workspace.graph.impact("feature")
    assert "parts from main" in found.compared
    assert _touched(found) == ["helper"]


def test_commit_of_our_history_tells_what_changed_since(
    workspace: Workspace, project: Repository
) -> None:
    project.write("shop/base.py", CHANGED_HELPER)
    project.commit()
    project.write("web/cart.ts", GRAPH_PROJECT["web/cart.ts"].replace("round(", "1 + round("))
    found = workspace.graph.impact("HEAD~1")
    assert _touched(found) == ["helper", "total"]
    assert found.subject == "changes since HEAD~1"


def test_file_and_symbol_can_be_asked_about_without_a_change(workspace: Workspace) -> None:
    by_file = workspace.graph.impact(files=["store/store.go"])
    assert _touched(by_file) == ["Save", "clean"]
    assert _dependents(by_file) == {"main": 1}
    by_folder = workspace.graph.impact(files=["store"])
    assert by_folder.touched == by_file.touched
    by_symbol = workspace.graph.impact(symbol="clean")
    assert _dependents(by_symbol) == {"Save": 1, "main": 2}


def test_risk_names_its_reasons(workspace: Workspace, project: Repository) -> None:
    assert workspace.graph.impact(symbol="login").risk == "LOW"
    untested = workspace.graph.impact(symbol="clean")
    assert untested.risk == "MEDIUM"
    assert "no test is known to reach it" in untested.reasons
    users = "".join(
        f"\n\ndef user_{number}():\n    return helper({number})\n" for number in range(25)
    )
    project.write("shop/users.py", f"from shop.base import helper\n{users}")
    high = workspace.graph.impact(symbol="helper")
    assert high.risk == "HIGH"
    assert [hub.definition.name for hub in high.hubs] == ["helper"]


def _used(repository: Repository, *, users: int, is_tested: bool) -> None:
    """A symbol that so many others use, and a test where it is to have one."""
    repository.write("lamps.py", "def burn(lamp):\n    return lamp\n")
    bodies = "".join(f"\n\ndef user_{at}(lamp):\n    return burn(lamp)\n" for at in range(users))
    repository.write("users.py", f"from lamps import burn\n{bodies}")
    if is_tested:
        repository.write(
            "tests/test_lamps.py",
            "from lamps import burn\n\n\ndef test_burn():\n    assert burn(1)\n",
        )


@pytest.mark.parametrize(
    ("users", "is_tested", "risk"),
    [
        (0, True, "LOW"),
        (0, False, "MEDIUM"),
        (1, True, "LOW"),
        (1, False, "MEDIUM"),
        (4, True, "LOW"),
        (5, True, "MEDIUM"),
        (6, True, "MEDIUM"),
        (19, True, "MEDIUM"),
        (20, True, "MEDIUM"),
        (21, True, "HIGH"),
        (20, False, "MEDIUM"),
        (21, False, "HIGH"),
    ],
)
def test_risk_grows_with_the_dependents_outside_of_tests(
    folder: Repository, users: int, is_tested: bool, risk: str
) -> None:
    """A test that depends on a change is no dependent that makes it risky: it is what lowers the risk."""
    _used(folder, users=users, is_tested=is_tested)
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.impact(symbol="burn", hub_threshold=1_000)
    depends = "1 symbol outside of tests depends" if users == 1 else f"{users} symbols outside"
    assert found.reasons[0].startswith(depends)
    assert len(found.dependents) == users + is_tested
    assert (found.risk, found.hubs) == (risk, ())
    assert ("no test is known to reach it" in found.reasons) is not is_tested


@pytest.mark.parametrize(
    ("threshold", "hubs", "risk"),
    [(4, {"burn", "shine"}, "HIGH"), (5, {"burn"}, "MEDIUM"), (6, set[str](), "LOW")],
)
def test_hubs_raise_the_risk(folder: Repository, threshold: int, hubs: set[str], risk: str) -> None:
    """`burn` has five users, one of them a test, and `shine` has four."""
    _used(folder, users=4, is_tested=True)
    folder.write("lamps.py", "def burn(lamp):\n    return lamp\n\n\ndef shine(lamp):\n    pass\n")
    calls = "".join(f"    shine({at})\n\n\ndef test_{at}():\n" for at in range(4))
    text = f"from lamps import shine\n\n\ndef test_shine():\n{calls}    pass\n"
    folder.write("tests/test_shine.py", text)
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.impact(files=["lamps.py"], hub_threshold=threshold)
    assert {hub.definition.name for hub in found.hubs} == hubs
    assert found.risk == risk


@pytest.mark.parametrize(
    ("limits", "is_taken"),
    [
        ({"max_depth": 1, "hub_threshold": 1}, True),
        ({"max_depth": 2**70, "hub_threshold": 2**70}, True),
        ({"max_depth": 0}, False),
        ({"max_depth": -1}, False),
        ({"hub_threshold": 0}, False),
        ({"hub_threshold": -1}, False),
    ],
)
def test_limits_of_an_impact_have_a_least_value_and_no_greatest(
    folder: Repository, limits: dict[str, int], is_taken: bool
) -> None:
    _used(folder, users=1, is_tested=False)
    with Workspace.open(folder.root) as workspace:
        if is_taken:
            assert _dependents(workspace.graph.impact(symbol="burn", **limits)) == {"user_0": 1}
        else:
            with pytest.raises(UsageError, match=r"is (0|-1)$"):
                workspace.graph.impact(symbol="burn", **limits)


def test_other_branches_that_touch_the_same_are_named(
    workspace: Workspace, project: Repository
) -> None:
    for branch, old, new in (
        ("same-symbol", "return number + 1", "return number + 3"),
        ("same-file", "return 4", "return 5"),
    ):
        project.git("switch", "--quiet", "--create", branch, "main")
        project.write("shop/base.py", GRAPH_PROJECT["shop/base.py"].replace(old, new))
        project.commit()
    project.git("switch", "--quiet", "main")
    project.write("shop/base.py", CHANGED_HELPER)
    found = {each.branch: each for each in workspace.graph.impact(conflicts=True).conflicts}
    assert set(found) == {"same-symbol", "same-file"}
    assert [symbol.name for symbol in found["same-symbol"].symbols] == ["helper"]
    assert found["same-file"].symbols == ()
    assert found["same-file"].files == ("shop/base.py",)


def _fake_gh(folder: Path, answers: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A program called `gh` that answers `pr view` and `pr diff`."""
    folder.mkdir()
    told = folder / "answers.json"
    told.write_text(json.dumps(answers), encoding="utf-8")
    script = folder / "gh"
    script.write_text(
        f"#!{sys.executable}\nimport json, sys\n"
        f"answers = json.load(open({str(told)!r}))\n"
        "key = sys.argv[2]\n"
        "if key not in answers: sys.exit('no such pull request')\n"
        "print(answers[key])\n",
        encoding="utf-8",
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_pull_request_is_read_with_gh_and_its_commits_if_they_are_here(
    workspace: Workspace, project: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.git("remote", "add", "origin", "git@github.com:ann/shop.git")
    base = project.git("rev-parse", "HEAD")
    project.git("switch", "--quiet", "--create", "feature")
    project.write("shop/base.py", CHANGED_HELPER)
    tip = project.commit()
    diff = project.git("diff", base, tip)
    project.git("switch", "--quiet", "main")
    view = {"number": 7, "title": "Add two", "headRefName": "feature", "baseRefOid": base}
    _fake_gh(
        tmp_path / "here",
        {"view": json.dumps({**view, "headRefOid": tip}), "diff": ""},
        monkeypatch,
    )
    found = workspace.graph.impact(pr=7)
    assert found.subject == "pull request #7 (feature: Add two)"
    assert _touched(found) == ["helper"]
    elsewhere = {"view": json.dumps({**view, "headRefOid": "0" * 40}), "diff": diff}
    _fake_gh(tmp_path / "elsewhere", elsewhere, monkeypatch)
    far = workspace.graph.impact(pr=7)
    assert _touched(far) == ["helper"]
    assert "as GitHub tells" in far.compared


def test_pull_request_without_gh_or_unknown_to_it_says_what_to_do(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fake_gh(tmp_path / "fails", {}, monkeypatch)
    with pytest.raises(PullRequestUnavailable, match=r"no remote of .* on GitHub"):
        workspace.graph.impact(pr=9)
    monkeypatch.setenv("GH_REPO", "ann/shop")
    with pytest.raises(PullRequestUnavailable, match="no such pull request"):
        workspace.graph.impact(pr=9)
    git = shutil.which("git")
    assert git is not None
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "git").symlink_to(git)
    monkeypatch.setenv("PATH", str(alone))
    with pytest.raises(PullRequestUnavailable, match="was not found") as caught:
        workspace.graph.impact(pr=9)
    assert "codecairn impact BRANCH" in caught.value.hint


def test_bad_questions_say_what_is_wrong(workspace: Workspace, folder: Repository) -> None:
    for call in (
        lambda: workspace.graph.impact("no-such-branch"),
        lambda: workspace.graph.impact("--output=x"),
        lambda: workspace.graph.impact("main", symbol="helper"),
        lambda: workspace.graph.impact(files=["nothing.py"]),
    ):
        with pytest.raises(UsageError):
            call()
    folder.write("a.py", "def a():\n    return 1\n")
    with Workspace.open(folder.root) as without_git, pytest.raises(HistoryUnavailable):
        without_git.graph.impact()


def test_repository_without_a_commit_says_so(repository: Repository) -> None:
    repository.write_all(GRAPH_PROJECT)
    with Workspace.open(repository.root) as workspace:
        with pytest.raises(HistoryUnavailable, match="nothing was committed yet"):
            workspace.graph.impact()
        assert workspace.graph.impact(symbol="helper").touched
