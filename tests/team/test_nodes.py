"""Search nodes: answers equal those of an index made in place, whatever happens to the cache, to a node, or to what it reads from."""

import shutil
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.nodes import NodeTeam
from support.team_people import People

QUESTIONS = (
    ("search", "where are tokens verified", "-n", "20"),
    ("search", "total price of a basket", "--explain"),
    ("search", "how are goods returned", "--tokens", "400"),
    ("search", "token", "--lang", "python", "--dir", "shop", "--context", "2"),
    ("search", "token", "--blame"),
    ("search", "basket", "--since", "2 weeks ago", "--author", "t"),
    ("peek", "basket"),
    ("define", "verify_token"),
    ("define", "Basket"),
)


@pytest.fixture
def team(acme: People) -> Iterator[NodeTeam]:
    """The team, after ann has published the first commit."""
    made = NodeTeam(acme)
    made.people("ann", "index", "--publish", "shop")
    yield made
    made.close()


def _has_index(team: NodeTeam, name: str = "bob") -> bool:
    return any((team.people.home(name) / "data" / "stores").glob("*/index.db"))


def test_two_nodes_answer_as_an_index_made_in_place_and_the_client_holds_none(
    team: NodeTeam,
) -> None:
    nodes = [team.node("node1"), team.node("node2")]
    commit = team.upstream.git("rev-parse", "HEAD")
    for words in QUESTIONS:
        expected = team.local(commit, *words)
        for node in nodes:
            assert team.people("bob", *words, "--node", node.url) == expected
    assert not _has_index(team)
    assert all(node.status()["commits"] == 1 for node in nodes)
    assert not any("could not use" in node.log.read_text() for node in nodes)


def test_a_cache_that_was_removed_cut_or_changed_is_filled_again(team: NodeTeam) -> None:
    node = team.node("node1")
    first = team.upstream.git("rev-parse", "HEAD")
    words = QUESTIONS[0]
    expected = team.local(first, *words)
    assert team.people("bob", *words, "--node", node.url) == expected
    objects = [each for each in (node.folder / "objects").rglob("*") if each.is_file()]
    assert len(objects) > 3
    for number, file in enumerate(sorted(objects)):
        content = file.read_bytes()
        file.write_bytes(content[: len(content) // 2] if number % 2 else content[:-1] + b"x")
    node.stop()
    for commits in node.folder.glob("*/commits"):
        shutil.rmtree(commits)
    node.start()
    assert team.people("bob", *words, "--node", node.url) == expected
    assert "could not use" not in node.log.read_text()
    node.stop()
    shutil.rmtree(node.folder)
    node.start()
    assert team.people("bob", *words, "--node", node.url) == expected


def test_a_cache_that_is_removed_while_the_node_runs_is_made_again(team: NodeTeam) -> None:
    node = team.node("node1")
    commit = team.upstream.git("rev-parse", "HEAD")
    for words in QUESTIONS[:3]:
        expected = team.local(commit, *words)
        for part in ("*/commits", "*/mirror", "objects", "*"):
            assert team.people("bob", *words, "--node", node.url) == expected
            for each in node.folder.glob(part):
                if each.is_dir():
                    shutil.rmtree(each)
        assert team.people("bob", *words, "--node", node.url) == expected


def test_files_of_a_commit_that_were_changed_on_the_nodes_disk_are_checked_out_again(
    team: NodeTeam,
) -> None:
    node = team.node("node1")
    commit = team.upstream.git("rev-parse", "HEAD")
    words = QUESTIONS[0]
    expected = team.local(commit, *words)
    assert team.people("bob", *words, "--node", node.url) == expected
    node.stop()
    (tree,) = node.folder.glob("*/commits/*/tree")
    (tree / "shop/tokens.py").write_text("def verify_token(): ...\n")
    (tree / "more.py").write_text("where = 'are tokens verified'\n")
    node.start()
    assert team.people("bob", *words, "--node", node.url) == expected


@pytest.mark.parametrize("part", ["mirror", "mirror/.git/objects", "mirror/.git/HEAD"])
def test_a_mirror_that_was_removed_or_damaged_is_fetched_again(team: NodeTeam, part: str) -> None:
    node = team.node("node1")
    words = QUESTIONS[0]
    assert team.people("bob", *words, "--node", node.url)["results"]
    node.stop()
    (damaged,) = node.folder.glob(f"*/{part}")
    if damaged.is_dir():
        shutil.rmtree(damaged)
    else:
        damaged.unlink()
    commit = team.push({"shop/new.py": "def newly_made():\n    return 1\n"})
    node.start()
    team.follow(commit)
    expected = team.local(commit, *words)
    assert team.people("bob", *words, "--node", node.url) == expected


def test_a_commit_that_was_pushed_later_is_fetched_and_a_branch_is_the_newest(
    team: NodeTeam, capsys: pytest.CaptureFixture[str]
) -> None:
    node = team.node("node1")
    old = team.upstream.git("rev-parse", "HEAD")
    words = ("search", "newly made thing")
    before = team.people("bob", *words, "--node", node.url)
    new = team.push({"shop/new.py": "def newly_made():\n    return 1\n"})
    assert team.people("bob", *words, "--node", node.url) == before
    found = team.people("bob", *words, "--node", node.url, "--branch", "main")
    assert found == team.local(new, *words)
    assert found["results"][0]["path"] == "shop/new.py"
    team.people.lines("bob", *words, "--node", node.url, "--branch", "main")
    assert f"answered for `main` at {new[:12]}, and not for {old[:12]}" in team.people.complained
    team.follow(new)
    assert team.people("bob", *words, "--node", node.url) == team.local(new, *words)


def test_what_differs_here_or_was_not_pushed_is_named(team: NodeTeam) -> None:
    node = team.node("node1")
    bob = team.people.clone("bob")
    bob.write("shop/tokens.py", "changed = 1\n")
    bob.write("added.py", "added = 1\n")
    team.people.lines("bob", "search", "token", "--node", node.url)
    assert "note: 2 changed files are not in this answer" in team.people.complained
    commit = bob.commit("not pushed")
    refused = team.people("bob", "search", "token", "--node", node.url, code=1)["error"]
    assert refused["kind"] == "history-unavailable"
    assert f"commit {commit[:12]} is on no branch that was pushed" in refused["message"]
    assert "--branch" in refused["hint"]


def test_branches_that_were_removed_or_moved_by_force_are_followed(team: NodeTeam) -> None:
    node = team.node("node1")
    side = team.push({"side.py": "def on_a_side():\n    return 1\n"}, branch="side")
    team.follow(side, branch="side")
    words = ("search", "on a side", "--node", node.url)
    assert team.people("bob", *words) == team.local(side, *words[:2], branch="side")
    team.people.clone("ann").git("reset", "--quiet", "--hard", "HEAD~1")
    moved = team.push({"other.py": "def elsewhere():\n    return 2\n"}, branch="side")
    found = team.people("bob", *words, "--branch", "side")
    assert found == team.local(moved, *words[:2], branch="side")
    refused = team.people("bob", *words, code=1)["error"]
    assert refused["kind"] == "history-unavailable"
    team.upstream.git("branch", "-D", "side")
    refused = team.people("bob", *words, "--branch", "side", code=1)["error"]
    assert "no branch `side`" in refused["message"]


def test_without_the_object_store_a_node_answers_and_says_so(team: NodeTeam) -> None:
    node = team.node("node1")
    first = team.upstream.git("rev-parse", "HEAD")
    words = QUESTIONS[0]
    expected = team.local(first, *words)
    team.people("bob", *words, "--node", node.url)
    commit = team.push({"shop/new.py": "def newly_made():\n    return 1\n"})
    shutil.move(team.people.folder / "objects", team.people.folder / "away")
    assert team.people("bob", *words, "--node", node.url) == expected
    team.people.lines("bob", *words, "--node", node.url)
    assert "could not use the shared index" not in team.people.complained
    team.follow(commit)
    assert team.people("bob", *words, "--node", node.url) == team.local(commit, *words)
    team.people.lines("bob", *words, "--node", node.url)
    assert "the node could not use the shared index" in team.people.complained


def test_least_recently_used_commits_make_room(team: NodeTeam) -> None:
    node = team.node("node1", "--cache-size", "1M")
    commits = [team.upstream.git("rev-parse", "HEAD")]
    commits += [
        team.push({f"shop/new{number}.py": f"def newly_{number}():\n    return {number}\n"})
        for number in range(3)
    ]
    words = ("search", "newly")
    for commit in [*commits, *reversed(commits)]:
        team.follow(commit)
        assert team.people("bob", *words, "--node", node.url) == team.local(commit, *words)
    kept = [each.name for each in node.folder.glob("*/commits/*") if not each.name.startswith(".")]
    assert commits[0] in kept
    assert len(kept) < len(commits)


def test_people_see_classes_as_the_signatures_of_their_members(team: NodeTeam) -> None:
    node = team.node("node1")
    shown = team.people.lines("bob", "define", "Basket", "--node", node.url)
    team.local(team.upstream.git("rev-parse", "HEAD"), "define", "Basket")
    assert shown == team.people.lines("ann", "define", "Basket")


def test_settings_name_nodes_and_only_the_users_own_do(team: NodeTeam) -> None:
    node = team.node("node1")
    home = team.people.home("bob")
    (home / "config.toml").write_text(f'[node]\nurls = ["{node.url}"]\n')
    expected = team.local(team.upstream.git("rev-parse", "HEAD"), *QUESTIONS[0])
    assert team.people("bob", *QUESTIONS[0]) == expected
    assert not _has_index(team)
    bob = team.people.clone("bob")
    bob.write(".codecairn.toml", '[node]\nurls = ["http://127.0.0.1:1"]\n')
    refused = team.people("bob", *QUESTIONS[0], code=2)["error"]
    assert refused["kind"] == "config"
    assert "node.urls" in refused["message"]
    (bob.root / ".codecairn.toml").unlink()
    assert team.people("bob", *QUESTIONS[0], "--node", "off") == expected
    assert _has_index(team)


def test_a_workspace_of_no_team_is_searched_here_and_refused_where_a_node_is_named(
    team: NodeTeam, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob = team.people.clone("bob")
    bob.git("remote", "set-url", "origin", "https://git.example.com/other/other.git")
    monkeypatch.setenv("CODECAIRN_NODE_URLS", "http://127.0.0.1:1")
    assert team.people("bob", *QUESTIONS[0])["results"]
    refused = team.people("bob", *QUESTIONS[0], "--node", "http://127.0.0.1:1", code=2)["error"]
    assert "is no repository that you have a grant for" in refused["message"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--node", "http://search.example.com:8777"), "leads to another machine"),
        (("--node", "https://ann:x@search.example.com"), "is no address of a node"),
        (("--node", "ftp://127.0.0.1"), "is no address of a node"),
        (("--node", "https://127.0.0.1:99999"), "is no address of a node"),
        (("--branch", "main"), "is for nodes"),
        (("--node", "http://127.0.0.1:1", "--workspace", "."), "answers for one workspace"),
        (("--node", "http://127.0.0.1:1", "--in", "all"), "has no knowledge bases"),
    ],
)
def test_what_can_not_be_asked_is_refused_before_a_node_is(
    team: NodeTeam, words: tuple[str, ...], message: str
) -> None:
    assert message in team.people("bob", "search", "token", *words, code=2)["error"]["message"]


def test_the_next_node_is_asked_and_each_that_is_gone_is_named(team: NodeTeam) -> None:
    node = team.node("node1")
    gone = "http://127.0.0.1:1"
    expected = team.local(team.upstream.git("rev-parse", "HEAD"), *QUESTIONS[0])
    for _ in range(6):  # in random order
        assert team.people("bob", *QUESTIONS[0], "--node", f"{gone},{node.url}") == expected
    node.kill()
    refused = team.people("bob", *QUESTIONS[0], "--node", f"{gone},{node.url}", code=1)["error"]
    assert refused["kind"] == "remote-unavailable"
    assert f"{gone}: it can't be reached" in refused["message"]
    assert f"{node.url}: it can't be reached" in refused["message"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals stop no process there")
def test_a_node_that_says_nothing_any_more_is_given_up(
    team: NodeTeam, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped, node = team.node("node1"), team.node("node2")
    expected = team.local(team.upstream.git("rev-parse", "HEAD"), *QUESTIONS[0])
    monkeypatch.setattr("codecairn.team.node_client.READ_TIMEOUT_S", 2.0)
    assert team.people("bob", *QUESTIONS[0], "--node", node.url) == expected
    assert stopped.process is not None
    stopped.process.send_signal(signal.SIGSTOP)
    for _ in range(5):  # in random order
        words = (*QUESTIONS[0], "--node", f"{stopped.url},{node.url}")
        assert team.people("bob", *words) == expected
    refused = team.people("bob", *QUESTIONS[0], "--node", stopped.url, code=1)["error"]
    assert f"{stopped.url}: it does not answer in time" in refused["message"]


def test_a_node_that_is_ended_ends_and_its_folder_serves_one_node(team: NodeTeam) -> None:
    node = team.node("node1")
    second = team.run(
        "node1", "node", "--listen", "127.0.0.1:0", "--clone", f"shop={team.upstream.root}"
    )
    assert second.code == 1
    assert "another node uses" in second.err
    assert node.stop() in {0, -signal.SIGTERM}


@pytest.fixture
def slow_ssh(team: NodeTeam) -> tuple[Path, dict[str, str]]:
    """A program in the place of ssh, which runs the other side here; the file that has how many seconds it takes to begin."""
    program, delay = team.people.folder / "bin" / "ssh", team.people.folder / "delay"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\nfor last; do :; done\nsleep "$(cat {delay})"\nexec sh -c "$last"\n'
    )
    program.chmod(0o755)
    delay.write_text("0")
    return delay, {"GIT_SSH_COMMAND": str(program)}


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell script")
def test_a_commit_that_takes_long_is_waited_for_and_others_are_answered_meanwhile(
    team: NodeTeam, slow_ssh: tuple[Path, dict[str, str]]
) -> None:
    delay, environment = slow_ssh
    source = f"ssh://git@git.example.com{team.upstream.root}"
    node = team.node("node1", source=source, environment=environment)
    first = team.upstream.git("rev-parse", "HEAD")
    words = QUESTIONS[0]
    assert team.people("bob", *words, "--node", node.url) == team.local(first, *words)
    node.stop()
    node.start(wait_s=0.5)
    assert team.people("bob", *words, "--node", node.url) == team.local(first, *words)
    new = team.push({"shop/new.py": "def newly_made():\n    return 1\n"})
    delay.write_text("4")
    with ThreadPoolExecutor(3) as pool:
        asked = [
            pool.submit(team.run, "bob", *words, "--json", "--node", node.url, "--branch", "main")
            for _ in range(3)
        ]
        time.sleep(1)
        assert team.run("bob", *words, "--json", "--node", node.url).code == 0
        assert not any(each.done() for each in asked)
        answers = [each.result() for each in asked]
    expected = team.local(new, *words)
    assert [each.document for each in answers] == [expected] * 3
    assert all(f"{node.url} is preparing this commit" in each.err for each in answers)


def test_objects_of_many_fetches_are_packed(team: NodeTeam, tmp_path: Path) -> None:
    config = tmp_path / "gitconfig"
    config.write_text("[gc]\n\tautoPackLimit = 3\n[fetch]\n\tunpackLimit = 1\n")
    node = team.node("node1", environment={"GIT_CONFIG_GLOBAL": str(config)})
    words = ("search", "newly", "--node", node.url, "--branch", "main")
    for number in range(8):
        new = team.push(
            {f"shop/new{number}.py": f"def newly_{number}(): ...\n"}, is_published=False
        )
        team.people("bob", *words)
    (packs,) = node.folder.glob("*/mirror/.git/objects/pack")
    assert len([*packs.glob("*.pack")]) <= 4
    assert team.people("bob", *words) == team.local(new, *words[:2])


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell script")
def test_without_git_what_is_known_is_answered(
    team: NodeTeam, slow_ssh: tuple[Path, dict[str, str]]
) -> None:
    _, environment = slow_ssh
    source = f"ssh://git@git.example.com{team.upstream.root}"
    node = team.node("node1", source=source, environment=environment)
    first = team.upstream.git("rev-parse", "HEAD")
    words = QUESTIONS[0]
    expected = team.local(first, *words)
    assert team.people("bob", *words, "--node", node.url) == expected
    new = team.push({"shop/new.py": "def newly_made():\n    return 1\n"})
    away = team.upstream.root.with_name("away")
    team.follow(new)
    team.upstream.root.rename(away)
    refused = team.people("bob", *words, "--node", node.url, code=1)["error"]
    assert refused["kind"] == "remote-unavailable"
    assert "can't ask git for commits" in refused["message"]
    assert team.people("bob", *words, "--node", node.url, "--branch", "main") == expected
    team.people.lines("bob", *words, "--node", node.url, "--branch", "main")
    assert "the node could not ask git for newer commits" in team.people.complained
    away.rename(team.upstream.root)
    assert team.people("bob", *words, "--node", node.url) == team.local(new, *words)
