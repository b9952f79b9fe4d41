"""What `memory search` and `memory why` print for people: previews, versions, sources, and where something was shown."""

import pytest

from codecairn import Workspace
from support.command import run
from support.repository import Repository


@pytest.mark.parametrize(("detail", "has_excerpt"), [("titles", False), ("excerpts", True)])
def test_previews_have_a_title_and_a_cost_and_an_excerpt_if_asked_for(
    folder: Repository, detail: str, has_excerpt: bool
) -> None:
    text = "The harbour lamp is lit at six. " + "It burns oil that the pilot brings by boat. " * 20
    with Workspace.open(folder.root) as workspace:
        fact = workspace.memory.add(text, title="The lamp", type="rule")
    shown = run(
        "memory", "search", "when is the harbour lamp lit", "--detail", detail, cwd=folder.root
    )
    assert shown.code == 0
    first, *rest = shown.out.splitlines()
    assert first.startswith(f"{fact.id}  rule  The lamp  ")
    assert first.endswith(" tokens")
    assert bool(rest) is has_excerpt
    assert len(shown.out) < len(text)


def test_history_of_a_fact_names_its_versions_sources_and_where_it_was_shown(
    folder: Repository,
) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        said = memory.record("s-1", "No new dependencies without asking me.", role="user")
        (older,) = memory.get(*said.facts)
        memory.update(older.id, text="The lamp is lit at seven.", reason="summer came")
    shown = run("memory", "why", older.id, cwd=folder.root)
    assert shown.code == 0
    assert "version 1" in shown.out
    assert "; summer came" in shown.out
    with Workspace.open(folder.root) as workspace:
        newer = workspace.memory.add("The lamp is never lit.", supersedes=[older.id])
    shown = run("memory", "why", older.id, cwd=folder.root)
    assert f"ended by {newer.id}" in shown.out
    assert "rests on" in shown.out
    assert "No new dependencies without asking me." in shown.out
    event = run("memory", "why", f"E{said.seq}", cwd=folder.root)
    assert event.out.splitlines()[0] == "is"
    found = run("memory", "why", newer.id, "--query", "when is the lamp lit", cwd=folder.root)
    assert found.code == 0
    missed = run("memory", "why", newer.id, "--query", "zebras", cwd=folder.root)
    assert missed.out != found.out
