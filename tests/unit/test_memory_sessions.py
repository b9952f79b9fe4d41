"""The benchmark of later sessions: its scripts, and when a line carries what is worth remembering."""

from pathlib import Path

import pytest

from benches.memory.sessions import scripts
from benches.memory.sessions.scoring import carries
from benches.memory.sessions.scripts import ASK_KINDS, ScriptError

_SCRIPT = r"""project: kite
language: en
split: fit
about: a kite

session 1 day 0 host claude
U: Sample the wind every 250 ms.\nThanks
K sampling rule 250&ms: The wind is sampled every 250 ms.
T! Bash: make flash => error: no device
A: I flashed it.
session 2 day 3 host claude
T Edit: src/a.c => - old\n+ new
U: make that 500 ms
K slower rule 500 supersedes sampling: The wind is sampled every 500 ms.
asks day 9
plain sampling,slower: How often do we sample?
near -: How often do we sample rain?
cross slower fr: À quelle fréquence ?
time 1,2: What did we do?
"""


def _read(tmp_path: Path, text: str) -> scripts.Project:
    path = tmp_path / "kite.txt"
    path.write_text(text, encoding="utf-8")
    return scripts.read(path)


def test_a_script_is_read_line_by_line(tmp_path: Path) -> None:
    project = _read(tmp_path, _SCRIPT)
    assert (project.name, project.language, project.split) == ("kite", "en", "fit")
    assert [(each.number, each.day, len(each.events)) for each in project.sessions] == [
        (1, 0, 3),
        (2, 3, 2),
    ]
    first, failed, _ = project.sessions[0].events
    assert first.text == "Sample the wind every 250 ms.\nThanks"
    assert (failed.tool, failed.given, failed.has_failed) == ("Bash", "make flash", True)
    assert [(each.id, each.supersedes, each.event) for each in project.labels] == [
        ("sampling", "", 0),
        ("slower", "sampling", 1),
    ]
    assert [(each.kind, each.ids, each.language, each.sessions) for each in project.asks] == [
        ("plain", ("sampling", "slower"), "", ()),
        ("near", (), "", ()),
        ("cross", ("slower",), "fr", ()),
        ("time", (), "", (1, 2)),
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [("A: I flashed", "B: I flashed"), ("500 supersedes sampling: ", ""), ("near -:", "nearly:")],
)
def test_a_line_that_is_not_in_the_format_is_named(tmp_path: Path, old: str, new: str) -> None:
    with pytest.raises(ScriptError, match=r"kite\.txt:\d+"):
        _read(tmp_path, _SCRIPT.replace(old, new))


def test_a_line_carries_a_label_by_its_words_and_its_source(tmp_path: Path) -> None:
    label = _read(tmp_path, _SCRIPT).labels[0]
    own, other = frozenset({(1, 0)}), frozenset({(2, 1)})
    assert carries(label, "user: Sample it every 250 ms.", own)
    assert not carries(label, "user: Sample it every 250 s.", own)
    assert not carries(label, "the button is 250 ms late", other)
    assert carries(label, "The wind is sampled every 250 ms", other)


@pytest.mark.parametrize("project", scripts.load(), ids=lambda project: project.name)
def test_every_script_asks_for_what_it_says(project: scripts.Project) -> None:
    ids = {label.id for label in project.labels}
    assert project.split in ("fit", "judge")
    assert len(ids) == len(project.labels)
    assert all(len(session.events) >= 60 for session in project.sessions)
    sessions = {session.number: session for session in project.sessions}
    for label in project.labels:
        event = sessions[label.session].events[label.event]
        assert label.is_in(f"{event.given} {event.text}"), label.id
        assert not label.supersedes or label.supersedes in ids
    for ask in project.asks:
        assert ask.kind in ASK_KINDS
        assert set(ask.ids) <= ids
        assert bool(ask.ids) is (ask.kind in ("plain", "changed", "long", "cross"))
