"""The public sets: their halves and intervals, the peer, and the reading of a set's repository."""

import json
import math
import subprocess
from pathlib import Path

import pytest

from benches.public.beam.data import conversations
from benches.public.bm25 import Bm25
from benches.public.conversation_scores import is_shown, runs
from benches.public.issues import has_commit
from benches.public.memory_systems import best_threshold
from benches.public.mirrors import Mirror
from benches.public.parts import interval, part_of
from benches.public.probes import ABSTENTION, CONTRADICTION
from benches.public.swebench.data import changes, functions, instances
from codecairn.errors import UsageError


def test_a_group_is_in_one_half_and_both_have_some() -> None:
    parts = [part_of(f"beam-500k-{number}") for number in range(1, 36)]
    assert parts == [part_of(f"beam-500k-{number}") for number in range(1, 36)]
    assert {parts.count("choose"), parts.count("judge")} == {13, 22}


def test_a_repository_that_a_ranker_was_fitted_on_is_never_judged() -> None:
    assert {part_of(name) for name in ("tokio-rs/axum", "Pydantic/pydantic", "sharkdp/bat")} == {
        "choose"
    }
    assert part_of("psf/requests") == "judge"


def test_an_interval_draws_whole_groups() -> None:
    mean, low, high = interval({"a": [1.0] * 50, "b": [0.0] * 50})
    assert (mean, low, high) == (0.5, 0.0, 1.0)
    assert interval({"a": [0.25], "b": [0.25], "c": []}) == (0.25, 0.25, 0.25)
    with pytest.raises(ValueError, match="nothing"):
        interval({"a": []})


def test_bm25_is_lucenes() -> None:
    index = Bm25({"a": "The cache is warm", "b": "cache cache", "c": "a queue of jobs"})
    # Three texts of 10 words; `cache` is in two, once of four words in one and twice of two in the other.
    weight = math.log(1 + 1.5 / 2.5)
    scores = {"b": weight * 2 / (2 + 1.2 * (0.25 + 0.75 * 2 / (10 / 3)))}
    scores["a"] = weight * 1 / (1 + 1.2 * (0.25 + 0.75 * 4 / (10 / 3)))
    assert [key for key, _ in index.ranked("Cache!", 5)] == ["b", "a"]
    for key, score in index.ranked("cache", 5):
        assert score == pytest.approx(scores[key])
    assert index.ranked("nothing", 5) == []


def test_the_threshold_is_the_one_that_is_most_right() -> None:
    assert best_threshold([3.0, 4.0, 5.0, 1.0], [1.0, 2.0, 2.5]) == 3.0
    with pytest.raises(ValueError, match="none"):
        best_threshold([1.0], [])


@pytest.fixture
def mirror(tmp_path: Path) -> Mirror:
    """A repository with one conversation in the layout of BEAM."""
    chat = [
        {
            "batch_number": number,
            "turns": [
                [
                    {"role": "user", "id": 2 * number, "time_anchor": f"March-0{number}-2024", "content": f"Said {number}"},
                    {"role": "assistant", "id": 2 * number + 1, "content": "Sure"},
                ]
            ],
        }
        for number in (1, 2)
    ]  # fmt: skip
    probes = {
        "abstention": [{"question": "Who?", "rubric": ["there is no information"]}],
        "contradiction_resolution": [
            {
                "question": "Have I used a queue?",
                "rubric": [
                    "LLM response should state: there is contradictory information",
                    "LLM response should mention: You said you never used a queue",
                    "LLM response should mention: you set up Kafka",
                    "LLM response should mention: which is correct?",
                ],
                "source_chat_ids": {"first_statement": [2], "second_statement": [[4]]},
            }
        ],
        "information_extraction": [{"question": "Lost?", "rubric": ["x"], "source_chat_ids": [99]}],
    }
    folder = tmp_path / "chats" / "100K" / "7"
    (folder / "probing_questions").mkdir(parents=True)
    (folder / "chat.json").write_text(json.dumps(chat))
    (folder / "probing_questions" / "probing_questions.json").write_text(json.dumps(probes))
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "a"]):
        subprocess.run([*git, *command], check=True)
    return Mirror(tmp_path, "HEAD", "https://example.org/beam")


def test_a_conversation_of_beam_is_read_with_the_questions_that_can_be_scored(
    mirror: Mirror,
) -> None:
    ((conversation, probes),) = conversations(mirror, "128K")
    assert conversation.name == "beam-128k-7"
    assert [(turn.key, turn.session[-2:], turn.role) for turn in conversation.turns] == [
        ("2", "-1", "user"),
        ("3", "-1", "assistant"),
        ("4", "-2", "user"),
        ("5", "-2", "assistant"),
    ]
    assert [turn.ts_ms for turn in conversation.turns] == sorted(
        turn.ts_ms for turn in conversation.turns
    )
    # Evidence that is missing leaves nothing to be found.
    assert [probe.category for probe in probes] == [ABSTENTION, CONTRADICTION]
    assert probes[1].sides == ({"2"}, {"4"})
    assert probes[1].statements == ("You said you never used a queue", "you set up Kafka")


def test_a_statement_is_shown_by_its_words_and_a_turn_by_a_run_of_them(mirror: Mirror) -> None:
    ((_, (_, probe)),) = conversations(mirror, "128K")
    assert is_shown("you set up Kafka", "On Monday you set up Kafka there.", probe)
    assert not is_shown("you set up Kafka", "You set it aside.", probe)
    assert runs("one two three four five six seven eight nine") & runs(
        "x two three four five six seven eight NINE"
    )
    assert not runs("one two three four five six seven")


def test_a_mirror_that_lacks_the_revision_is_refused(mirror: Mirror, tmp_path: Path) -> None:
    assert [path.rpartition("/")[2] for path in mirror.paths("chats")] == [
        "chat.json",
        "probing_questions.json",
    ]
    with pytest.raises(UsageError, match="does not have commit") as refused:
        Mirror(tmp_path, "0" * 40, "https://example.org/beam")
    assert "git clone https://example.org/beam" in str(refused.value.hint)


PATCH = """\
diff --git a/pkg/old.py b/pkg/old.py
--- a/pkg/old.py
+++ b/pkg/old.py
@@ -3,5 +3,6 @@ def f():
 kept
-removed
+put in its place
+and more
 kept
+added behind line 5
 kept
--- a line that begins so
diff --git a/pkg/new.py b/pkg/new.py
new file mode 100644
--- /dev/null
+++ b/pkg/new.py
@@ -0,0 +1,1 @@
+new
"""


def test_a_patch_changes_the_lines_that_it_removes_and_those_that_it_adds_behind() -> None:
    assert changes(PATCH) == {"pkg/old.py": {4, 5, 7}}


def test_lines_are_in_the_innermost_function() -> None:
    text = "class A:\n    @d\n    def f(self):\n        def g():\n            return 1\n        return g\n\nx = 1\n"
    assert functions(text, [5]) == {"A.f.g"}
    assert functions(text, [2, 6, 8]) == {"A.f"}
    assert functions("def (", [1]) == frozenset()


def test_an_instance_without_a_field_is_named_by_its_line(tmp_path: Path) -> None:
    row = {
        "instance_id": "a-1",
        "repo": "a/a",
        "base_commit": "c",
        "problem_statement": "t",
        "patch": PATCH,
    }
    data = tmp_path / "verified.jsonl"
    data.write_text(json.dumps(row) + "\n" + json.dumps({"repo": "a/a"}) + "\n")
    found = instances(data)
    assert next(found).targets[0].ranges == ((4, 5), (7, 7))
    with pytest.raises(UsageError, match=r"verified.jsonl:2: no instance_id, base_commit"):
        next(found)
    with pytest.raises(UsageError, match="is no file"):
        next(instances(tmp_path / "none.jsonl"))


def test_an_issue_whose_commit_is_in_no_mirror_is_known(mirror: Mirror, tmp_path: Path) -> None:
    assert [*mirror.paths("chats")]
    assert has_commit(tmp_path, "HEAD")
    assert not has_commit(tmp_path, "0" * 40)
    assert not has_commit(tmp_path / "none", "HEAD")
