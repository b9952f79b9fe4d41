"""What frameworks keep in the memory's log, without any of them."""

import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.errors import UsageError
from codecairn.integrations.key_value_log import KeyValueLog
from codecairn.integrations.openai_items import in_pieces, whole
from codecairn.integrations.redaction import cleaned
from codecairn.memory.memory import Memory

PACKAGE = Path(__file__).parents[2] / "python" / "codecairn" / "integrations"

_HOLDING = """
import sqlite3, sys
held = sqlite3.connect(sys.argv[1], isolation_level=None)
held.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
held.execute("ROLLBACK")
"""


def _kept(memory: Memory, session: str = "store") -> KeyValueLog:
    return KeyValueLog(memory, session, host="test")


def test_last_value_of_a_name_counts_and_others_see_it(memory: Memory) -> None:
    one, two = _kept(memory), _kept(memory)
    one.put(("a", "b"), {"n": 1}, text="first")
    two.put(("a", "b"), {"n": 2}, text="second")
    assert one.all()["a", "b"].value == {"n": 2}
    two.remove(("a", "b"))
    assert one.all() == {}
    assert _kept(memory, "another").all() == {}


def test_many_values_are_read_page_by_page_and_survive_the_process(memory: Memory) -> None:
    kept = _kept(memory)
    for number in range(620):
        kept.put((f"name {number % 600}",), number, text=f"number {number}")
    again = _kept(memory).all()
    assert len(again) == 600
    assert [again[f"name {number}",].value for number in (0, 19, 20, 599)] == [600, 619, 20, 599]


def test_what_is_put_while_somebody_else_writes_is_not_lost(memory: Memory) -> None:
    kept = _kept(memory)
    kept.put(("name",), 1, text="one")
    holding = subprocess.Popen(
        [sys.executable, "-c", _HOLDING, str(memory.path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert holding.stdout is not None
    assert holding.stdout.readline() == "held\n"
    kept.put(("name",), 2, text="two")
    holding.communicate()
    kept.put(("last",), 4, text="four")
    for view in (kept, _kept(memory)):
        assert {name: each.value for name, each in view.all().items()} == {
            ("name",): 2,
            ("last",): 4,
        }


def test_other_events_of_the_session_are_passed_over(memory: Memory) -> None:
    kept = _kept(memory)
    memory.record("store", "said by somebody", role="user", meta={"kept": "no JSON"})
    kept.put(("name",), 1, text="one")
    assert [*kept.all()] == [("name",)]


def test_what_is_kept_travels_with_the_memory_and_stays_purged(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _kept(memory).put(("name",), {"n": 1}, text="one")
    document = memory.export(with_private=True)
    memory.purge(session="store")
    assert _kept(memory).all() == {}
    memory.import_(document)
    assert _kept(memory).all() == {}
    monkeypatch.setenv("CODECAIRN_HOME", str(tmp_path / "elsewhere"))
    (tmp_path / "other").mkdir()
    with Workspace.open(tmp_path / "other") as workspace:
        workspace.memory.import_(document)
        assert _kept(workspace.memory).all()["name",].value == {"n": 1}


@pytest.mark.parametrize(
    ("value", "left"),
    [
        ({"a": ["<private>x</private> y", 1, None, True]}, {"a": ["[REDACTED] y", 1, None, True]}),
        ({"a": "<private>x", "b": "y</private>"}, {"a": "[REDACTED]", "b": "[REDACTED]"}),
        ({"api_key": "abc123def456ghi789"}, {"api_key": "[REDACTED:secret]"}),
        ({"half": "\ud83d"}, {"half": "?"}),
        ({"plain": "a\nb \"c\" \\ é 😀"}, {"plain": "a\nb \"c\" \\ é 😀"}),
    ],
)  # fmt: skip
def test_privacy_leaves_the_shape(value: object, left: object) -> None:
    assert cleaned(value) == left
    assert cleaned(left) == left


def test_what_can_not_be_kept_is_told() -> None:
    with pytest.raises(UsageError, match="as JSON"):
        cleaned({"a": object()})
    with pytest.raises(UsageError, match="more than is kept"):
        cleaned("x y " * (1 << 20))


def test_ids_of_items_survive_privacy() -> None:
    """They are random, so privacy would take most of them for secrets."""
    chance = random.Random(3)
    for prefix in ("call", "msg", "fc", "rs", "toolu"):
        for _ in range(200):
            letters = "".join(chance.choices("abcXYZ0123456789_", k=chance.randrange(1, 60)))
            item = {"call_id": f"{prefix}_{letters}", "type": "function_call"}
            assert whole(cleaned(in_pieces(item))) == item


@pytest.mark.parametrize("name", ["pwd", "PWD", "passwd", "key", "api_key", "token", "secret"])
def test_ids_in_which_the_name_of_a_secret_occurs_survive_privacy(name: str) -> None:
    for before in range(8):
        item = {"id": f"fc_{'Vq7' * 3}"[: 3 + before] + f"{name}CK3TuY7qj7Ygn", "call_id": "call_1"}
        assert whole(cleaned(in_pieces(item))) == item


def test_values_are_ranked_by_the_texts_that_they_are_found_by(memory: Memory) -> None:
    kept = _kept(memory)
    for name, text in (
        ("tea", "Ann drinks green tea"),
        ("music", "Bob plays the cello"),
        ("no", ""),
    ):
        kept.put((name,), {}, text=text)
    names = [("tea",), ("music",), ("no",), ("never put",)]
    found = kept.ranked("who drinks tea?", limit=5, names=names)
    assert [name for name, _ in found] == [("tea",), ("music",)]
    assert found[0][1] > found[1][1]
    assert [name for name, _ in kept.ranked("cello", limit=1, names=names)] == [("music",)]
    assert kept.ranked("tea", limit=5, names=[("no",)]) == []
    assert kept.ranked("  ", limit=5, names=names) == []


def test_value_is_found_behind_many_that_fit_better_but_are_not_asked_for(memory: Memory) -> None:
    kept = _kept(memory)
    for number in range(80):
        kept.put((f"other {number}",), {}, text=f"green tea, green tea {number}")
    kept.put(("wanted",), {}, text="a shelf on which the cups for tea and much else are kept")
    found = kept.ranked("green tea", limit=1, names=[("wanted",)])
    assert [name for name, _ in found] == [("wanted",)]


def test_value_is_found_by_its_last_text_alone(memory: Memory) -> None:
    kept = _kept(memory)
    kept.put(("drink",), {}, text="green tea")
    kept.put(("drink",), {}, text="black coffee")
    (found,) = kept.ranked("green tea or black coffee", limit=5, names=[("drink",)])
    assert found[0] == ("drink",)


def test_name_that_privacy_takes_for_a_secret_is_refused(memory: Memory) -> None:
    with pytest.raises(UsageError, match="takes this name for a secret"):
        _kept(memory).put((f"ghp_{'a1B2' * 9}",), {}, text="x")


def test_each_module_is_short_and_loading_codecairn_loads_none(tmp_path: Path) -> None:
    for file in PACKAGE.glob("*.py"):
        assert len(file.read_text(encoding="utf-8").splitlines()) < 130, file
    code = (
        "import sys\nfrom codecairn import Workspace\n"
        f"with Workspace.open({str(tmp_path)!r}) as workspace:\n    workspace.memory.add('a fact')\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not re.search(r"codecairn\.integrations|\b(agents|langgraph|anthropic)\b", done.stdout)


def test_shared_workspace_shares_what_is_kept(tmp_path: Path) -> None:
    with Workspace.open(tmp_path) as one, Workspace.open(tmp_path) as two:
        _kept(one.memory).put(("name",), 1, text="one")
        assert _kept(two.memory).all()["name",].value == 1
