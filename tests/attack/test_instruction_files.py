"""What a repository says of itself: attributed to it, and put before agents only where the user trusts the workspace."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from codecairn import Workspace
from codecairn.errors import FileAccessError
from codecairn.memory.initialise.files import MAX_CHARS, project_files
from codecairn.memory.team import record_file
from codecairn.trust.registry import distrust, trust
from hooks.fixtures import context_of, hooked, looked_after
from support.repository import SMALL_PROJECT, Repository

SECRET = "Always deploy with the outside folder's key"
RULE = "Never delete the tide tables without asking the harbour mistress"
BRIEF = "Tides tells sailors of the whole coast when the water is high."
PROMPT = "may I delete the tide tables without asking the harbour mistress?"


@pytest.fixture
def clone(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A small project that was cloned: with instructions to agents, a README and a line of a team's memory."""
    monkeypatch.setenv("CODECAIRN_HOOKS_BACKGROUND", "false")
    repository.write_all(SMALL_PROJECT)
    repository.write("AGENTS.md", f"# Rules\n\n- {RULE}.\n")
    repository.write("README.md", f"# Tides\n\n{BRIEF}\n")
    repository.commit("first")
    return repository


def _initialised(clone: Repository) -> None:
    with Workspace.open(clone.root) as workspace:
        workspace.memory.upkeep.initialise()


def _shared(text: str, **more: Any) -> str:
    """A line of a team's memory, as a stranger may have written it."""
    kind = "rule"
    mark = json.dumps([kind, text, "", ""], ensure_ascii=False).encode()
    id_ = hashlib.sha256(mark).hexdigest()[:20]
    return json.dumps({"id": id_, "type": kind, "text": text, "origin": "user", "at_ms": 1} | more)


def _opened(clone: Repository, agent: str, session: str) -> str:
    event = {"cursor": "sessionStart"}.get(agent, "SessionStart")
    payload = {
        "session_id": session,
        "cwd": str(clone.root),
        "hook_event_name": event,
        "source": "startup",
    }
    return context_of(hooked(agent, event, payload, cwd=clone.root))


def _asked(clone: Repository, agent: str, session: str) -> str:
    event = {"gemini": "BeforeAgent"}.get(agent, "UserPromptSubmit")
    payload = {
        "session_id": session,
        "cwd": str(clone.root),
        "hook_event_name": event,
        "prompt": PROMPT,
    }
    return context_of(hooked(agent, event, payload, cwd=clone.root))


def test_statements_of_files_are_the_repository_s_and_say_which_file(clone: Repository) -> None:
    _initialised(clone)
    with Workspace.open(clone.root) as workspace:
        facts = {fact.type: fact for fact in workspace.memory.list()}
    assert {fact.origin for fact in facts.values()} == {"repository"}
    assert (facts["rule"].meta["file"], facts["project-brief"].meta["file"]) == (
        "AGENTS.md",
        "README.md",
    )


def test_nothing_of_a_clone_is_put_before_an_agent_unasked(clone: Repository) -> None:
    looked_after(clone)
    for agent in ("claude", "codex", "gemini"):
        for text in (_opened(clone, agent, f"s-{agent}"), _asked(clone, agent, f"s-{agent}")):
            assert RULE not in text
            assert BRIEF not in text
    with Workspace.open(clone.root) as workspace:
        for part in ("static", "volatile", "compaction"):
            text = workspace.memory.context("s", PROMPT, part=part).text
            assert RULE not in text
            assert BRIEF not in text


def test_trusted_workspace_s_words_are_shown_as_the_repository_s(clone: Repository) -> None:
    trust(clone.root)
    looked_after(clone)
    with Workspace.open(clone.root) as workspace:
        text = workspace.memory.context("s", part="static").text
    assert RULE in text
    assert "from this repository's AGENTS.md" in text
    assert BRIEF in text
    opened = _opened(clone, "gemini", "s-gemini")
    assert RULE in opened
    assert "from this repository's AGENTS.md" in opened


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_host_that_loads_the_file_is_not_told_it_again(clone: Repository, agent: str) -> None:
    trust(clone.root)
    looked_after(clone)
    opened = _opened(clone, agent, "s-1")
    assert BRIEF in opened
    assert RULE not in opened + _asked(clone, agent, "s-1")


def test_long_file_does_not_push_out_what_a_person_said(clone: Repository) -> None:
    trust(clone.root)
    with Workspace.open(clone.root) as workspace:
        workspace.memory.add("Releases are cut on Fridays", type="rule")
        workspace.memory.upkeep.initialise()
        looked_after(clone)
        clone.write("AGENTS.md", "".join(f"- Rule number {n} of it.\n" for n in range(450)))
        workspace.memory.upkeep.initialise()
    assert "Releases are cut on Fridays" in _opened(clone, "gemini", "s-1")


@pytest.mark.parametrize("name", [".cursorrules", ".cursor/rules/web.mdc"])
def test_rules_that_cursor_loads_are_not_told_it_again(clone: Repository, name: str) -> None:
    (clone.root / "AGENTS.md").unlink()
    clone.write(name, f"{RULE}.\n")
    trust(clone.root)
    _initialised(clone)
    with Workspace.open(clone.root) as workspace:
        for host, is_shown in (("cursor", False), ("codex", True)):
            memory = workspace.memory
            text = memory.context(f"s-{host}", part="static", host=host).text
            text += memory.context(f"s-{host}", PROMPT, host=host).text
            assert (RULE in text) == is_shown


@pytest.mark.parametrize("name", [".cursorrules", ".cursor/rules", ".cursor"])
def test_files_for_agents_are_not_read_outside(
    clone: Repository, tmp_path: Path, name: str
) -> None:
    outside = tmp_path / "outside"
    (outside / "rules").mkdir(parents=True)
    for path in ("text", "a.mdc", "rules/a.mdc"):
        (outside / path).write_text(f"- {SECRET}.\n")
    (clone.root / name).parent.mkdir(exist_ok=True)
    (clone.root / name).symlink_to(outside / "text" if name == ".cursorrules" else outside)
    _initialised(clone)
    with Workspace.open(clone.root) as workspace:
        assert not any(SECRET in fact.text for fact in workspace.memory.list(limit=100))


def test_trust_that_is_taken_back_holds_at_once(clone: Repository) -> None:
    trust(clone.root)
    looked_after(clone)
    assert BRIEF in _opened(clone, "codex", "s-1")
    distrust(clone.root)
    assert BRIEF not in _opened(clone, "codex", "s-2")
    assert RULE not in _asked(clone, "gemini", "s-3")
    with Workspace.open(clone.root) as workspace:
        assert BRIEF not in workspace.memory.context("s-4", part="static").text


def test_what_a_person_says_is_shown_without_trust(clone: Repository) -> None:
    _initialised(clone)
    with Workspace.open(clone.root) as workspace:
        workspace.memory.add(RULE, type="rule")
        text = workspace.memory.context("s", part="static").text
    assert RULE in text
    assert "from this repository" not in text


def test_shared_memory_is_the_repository_s_whatever_it_says_of_itself(clone: Repository) -> None:
    clone.write(".codecairn/memory/rule.jsonl", _shared(RULE) + "\n")
    with Workspace.open(clone.root) as workspace:
        assert workspace.memory.upkeep.team.take_in().added == 1
        (fact,) = workspace.memory.list()
        assert fact.origin == "repository"
        assert RULE not in workspace.memory.context("a", part="static").text
        assert RULE not in workspace.memory.context("a", PROMPT).text
        trust(clone.root)
        text = workspace.memory.context("b", part="static").text
    assert RULE in text
    assert "from this repository's shared memory" in text


@pytest.mark.parametrize("name", ["AGENTS.md", "README.md", "package.json", ".env.example"])
def test_initialisation_reads_no_file_outside(clone: Repository, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    outside.write_text(
        f"# x\n\n- {SECRET}.\n\n{SECRET} and more of it, in a paragraph.\nSECRET_NAME=1\n"
    )
    (clone.root / name).unlink(missing_ok=True)
    (clone.root / name).symlink_to(outside)
    assert name not in {file.name for file in project_files(clone.root)}
    _initialised(clone)
    with Workspace.open(clone.root) as workspace:
        assert not any(SECRET in fact.text for fact in workspace.memory.list(limit=100))


def test_initialisation_follows_links_inside_and_reads_within_bounds(clone: Repository) -> None:
    (clone.root / "CLAUDE.md").symlink_to("AGENTS.md")
    os.mkfifo(clone.root / "Makefile")
    (clone.root / "Dockerfile").symlink_to("/dev/zero")
    with (clone.root / "CONTRIBUTING.md").open("wb") as file:
        file.truncate(1 << 33)
    files = {file.name: file.text for file in project_files(clone.root)}
    assert files["CLAUDE.md"] == files["AGENTS.md"]
    assert {"Makefile", "Dockerfile"}.isdisjoint(files)
    assert sum(map(len, files.values())) <= MAX_CHARS


def test_continuous_integration_is_not_read_through_a_link(
    clone: Repository, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.yml").write_text(f"      - run: {SECRET}\n")
    (clone.root / ".github").mkdir()
    (clone.root / ".github" / "workflows").symlink_to(outside)
    (clone.root / ".gitlab-ci.yml").symlink_to(outside / "a.yml")
    with Workspace.open(clone.root) as workspace:
        workspace.index()
        workspace.memory.upkeep.initialise()
        assert not any(SECRET in fact.text for fact in workspace.memory.list(limit=100))


@pytest.mark.parametrize("linked", [".codecairn/memory", ".codecairn/memory/rule.jsonl"])
def test_shared_memory_is_neither_read_nor_written_through_a_link(
    clone: Repository, tmp_path: Path, linked: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    content = _shared(RULE) + "\n"
    (outside / "rule.jsonl").write_text(content)
    place = clone.root / linked
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(outside if linked.endswith("memory") else outside / "rule.jsonl")
    state = record_file.read(clone.root / ".codecairn" / "memory")
    assert not state.shared
    assert "is a link" in state.problems[0].what
    with Workspace.open(clone.root) as workspace:
        assert workspace.memory.upkeep.team.take_in().added == 0
        id_ = workspace.memory.add("Releases are cut on Fridays", type="rule").id
        with pytest.raises(FileAccessError, match="is a link"):
            workspace.memory.upkeep.team.promote([id_])
    assert [path.name for path in outside.iterdir()] == ["rule.jsonl"]
    assert (outside / "rule.jsonl").read_text() == content


def test_shared_memory_is_read_within_bounds(clone: Repository) -> None:
    folder = clone.root / ".codecairn" / "memory"
    folder.mkdir(parents=True)
    (folder / "zero.jsonl").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.jsonl")
    with (folder / "large.jsonl").open("wb") as file:
        file.truncate(1 << 33)
    long = _shared("x" * record_file.MAX_LINE_BYTES)
    (folder / "rule.jsonl").write_text(f"{_shared(RULE)}\n{long}\n")
    state = record_file.read(folder)
    assert [record.text for record in state.shared.values()] == [RULE]
    assert {problem.where for problem in state.problems} == {
        "zero.jsonl", "pipe.jsonl", "large.jsonl", "rule.jsonl line 2",
    }  # fmt: skip
    for number in range(record_file.MAX_FILES):
        (folder / f"{number:03}.jsonl").write_text(f"{_shared(f'Rule number {number}')}\n")
    state = record_file.read(folder)
    assert len(state.shared) == record_file.MAX_FILES
    assert any("only 64" in problem.what for problem in state.problems)
