"""`codecairn memory`: every command, for people and as JSON."""

import pytest
from click.testing import CliRunner

from codecairn import Workspace
from codecairn.cli.memory import memory
from support.command import run
from support.repository import Repository


def test_facts_are_added_found_changed_and_forgotten(folder: Repository) -> None:
    root = folder.root
    added = run(
        "memory", "add", "The API listens on 8080", "--type", "project-config", "--json", cwd=root
    )
    id_ = added.document["id"]
    (found,) = run("memory", "search", "api port listens", "--json", cwd=root).document["results"]
    assert (found["id"], found["kind"], found["type"]) == (id_, "fact", "project-config")
    changed = run("memory", "update", id_, "--text", "The API listens on 9090", "--json", cwd=root)
    assert changed.document["version"] == 2
    history = run("memory", "get", id_, "--history", "--json", cwd=root).document["results"]
    assert [version["text"][-4:] for version in history] == ["9090", "8080"]
    assert "9090" in run("memory", "list", cwd=root).out
    assert run("memory", "forget", id_, "--json", cwd=root).document["state"] == "forgotten"
    assert run("memory", "list", "--json", cwd=root).document == {"results": []}
    purged = run("memory", "purge", id_, "--json", cwd=root).document
    assert (purged["events"], purged["facts"], purged["left_in"]) == (0, 1, [])
    assert purged["scanned_bytes"] > 0


def test_what_was_forgotten_is_listed_and_restored(folder: Repository) -> None:
    root = folder.root
    id_ = run("memory", "add", "The API listens on 8080", "--json", cwd=root).document["id"]
    assert run("memory", "restore", id_, cwd=root).code == 2
    run("memory", "forget", id_, cwd=root)
    (hidden,) = run("memory", "list", "--forgotten", "--json", cwd=root).document["results"]
    assert (hidden["id"], hidden["state"]) == (id_, "forgotten")
    restored = run("memory", "restore", id_, "--reason", "it is true", "--json", cwd=root).document
    assert (restored["id"], restored["version"], restored["state"]) == (id_, 2, "live")
    assert run("memory", "list", "--forgotten", "--json", cwd=root).document == {"results": []}
    assert "8080" in run("memory", "list", cwd=root).out
    unknown = run("memory", "restore", "fzzzz", cwd=root)
    assert unknown.code == 2
    assert "there is no fact `fzzzz`" in unknown.err


def test_a_text_is_purged_and_the_files_are_read_again_to_show_it(folder: Repository) -> None:
    run("memory", "add", "The code name is Zanzibar", cwd=folder.root)
    told = run("memory", "purge", "--containing", "zanzibar", cwd=folder.root).out
    assert "removed 0 events and 1 fact" in told
    assert "it is in none of them" in told


def test_why_tells_who_said_it_what_became_of_it_and_where_it_stands(folder: Repository) -> None:
    root = folder.root
    folder.write("app.py", "def retry(times):\n    return times + 1\n")
    added = run("memory", "add", "retry counts up", "--symbol", "app.py::retry", "--json", cwd=root)
    id_ = added.document["id"]
    folder.write("app.py", "def retry(times):\n    return times - 1\n")
    told = run("memory", "why", id_, "--query", "retry counts", cwd=root).out
    for words in ("changed since", "+    return times - 1", "place 1", "made by `add`", "user"):
        assert words in told, told
    document = run("memory", "why", id_, "--json", cwd=root).document
    assert document["standing"]["state"] == "changed"
    outcome = run("memory", "add", "x y z", "--symbol", "app.py::nothing", cwd=root)
    assert outcome.code == 2


def test_an_ambiguous_anchor_is_refused_with_its_candidates(folder: Repository) -> None:
    root = folder.root
    folder.write("a.py", "class A:\n    def run(self): ...\n\n\nclass B:\n    def run(self): ...\n")
    outcome = run("memory", "add", "it runs", "--anchor", "a.py::run", cwd=root)
    assert outcome.code != 0
    assert "`a.py::run` names 2 symbols" in outcome.err
    assert "one of `a.py::A.run`, `a.py::B.run`" in outcome.err
    assert run("memory", "list", "--json", cwd=root).document == {"results": []}
    added = run("memory", "add", "it runs", "--anchor", "a.py:6", "--json", cwd=root).document
    document = run("memory", "why", added["id"], "--json", cwd=root).document
    (anchor,) = document["standing"]["anchors"]
    assert anchor["place"] == "a.py::B.run"


def test_an_ambiguous_anchor_is_asked_about_on_a_terminal(
    folder: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write("a.py", "class A:\n    def run(self): ...\n\n\nclass B:\n    def run(self): ...\n")
    monkeypatch.setattr("codecairn.cli.memory._is_terminal", lambda: True)
    command = ["add", "it runs", "--anchor", "a.py::run", "--path", str(folder.root)]
    outcome = CliRunner().invoke(memory, command, input="2\n")
    assert outcome.exit_code == 0, outcome.output
    with Workspace.open(folder.root) as workspace:
        (fact,) = workspace.memory.list()
        (status,) = workspace.memory.standings(fact)
    assert [looked.place for looked in status.looked] == ["a.py::B.run"]


def test_an_empty_memory_answers_every_question(folder: Repository) -> None:
    for command in (["search", "x"], ["list"], ["session"], ["status"], ["export"]):
        outcome = run("memory", *command, cwd=folder.root)
        assert (outcome.code, outcome.err) == (0, ""), command


def test_mistakes_are_named(folder: Repository) -> None:
    for command in (
        ["get", "nope"],
        ["timeline", "E1"],
        ["add", "<private>x"],
        ["import", "missing.json"],
    ):
        outcome = run("memory", *command, cwd=folder.root)
        assert outcome.code in (1, 2), command
        assert outcome.err.startswith("error: "), command


def test_a_memory_travels_as_a_file(folder: Repository, repository: Repository) -> None:
    run("memory", "add", "日本語も残る", cwd=folder.root)
    text = run("memory", "export", cwd=folder.root).out
    outcome = run("memory", "import", "-", "--json", cwd=repository.root, stdin=text)
    counts = {name: outcome.document[name] for name in ("events", "facts", "skipped")}
    assert counts == {"events": 0, "facts": 1, "skipped": 0}
    assert "日本語も残る" in run("memory", "search", "日本語", cwd=repository.root).out


def test_what_may_contradict_is_named_and_ended_on_a_word(folder: Repository) -> None:
    root = folder.root
    older = run("memory", "add", "The retry limit is three.", "--json", cwd=root).document["id"]
    added = run("memory", "add", "The retry limit is five.", cwd=root)
    assert (
        f"may contradict {older}; `codecairn memory add … --supersedes {older}` ends it"
        in added.out
    )
    newer = added.out.split()[0]
    shown = run("memory", "context", "s", "--part", "static", cwd=root).out
    assert "five" in run("ask", "what is the retry limit?", cwd=root).out
    assert f"differs from {older}" in run("ask", "what is the retry limit?", cwd=root).out
    assert "three" not in run("ask", "what is the retry limit?", cwd=root).out + shown
    again = run(
        "memory", "add", "The retry limit is five.", "--supersedes", older, "--json", cwd=root
    )
    assert (again.document["id"], again.document["ended"]) == (newer, [older])
    assert "differs" not in run("ask", "what is the retry limit?", cwd=root).out


def test_lists_say_of_what_there_is_nothing(folder: Repository) -> None:
    root = folder.root
    run("memory", "add", "The retry limit is three.", cwd=root)
    found = run("memory", "list", "--type", "rule", "--scope", "user", cwd=root)
    assert found.out.strip() == (
        "nothing of the type `rule` and of the scope `user` is remembered; there are facts of: note"
    )
    assert run("memory", "list", "--type", "rule", "--json", cwd=root).document == {"results": []}
