"""Packs under a token budget: what they hold, what they leave out, and how they recover."""

import hashlib
import itertools
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from codecairn import SearchFilters, SymbolAmbiguous, UsageError, Workspace
from codecairn.context import token_count
from codecairn.context.pack import Pack
from codecairn.memory.excerpts import tokens
from support.graph_project import GRAPH_PROJECT
from support.repository import Repository

VERIFY = """\
# Before editing verify

## Target

### shop/base.py:32-34  function verify
   32 def verify(token):
   33     \"\"\"Check a token.\"\"\"
   34     return helper(len(token))

## Callers

### shop/api.py:8-11  function login, uses it at 11
    8 def login(token):
    9     child = Child()
   10     child.run()
   11     return verify(token)

## Callees

### shop/base.py:19-21  function helper
   19 def helper(number):
   20     \"\"\"Add one.\"\"\"
   21     return number + 1

## Tests that reach it
- tests/test_api.py:4-5  function test_login, in 2 steps
"""


@pytest.fixture
def workspace(repository: Repository) -> Iterator[Workspace]:
    repository.write_all(GRAPH_PROJECT)
    repository.commit()
    with Workspace.open(repository.root) as opened:
        yield opened


def _titles(pack: Pack) -> list[str]:
    return [section.title for section in pack.sections]


def _shown_lines(pack: Pack) -> Counter[tuple[str, str]]:
    return Counter(
        (section.path, line.split()[0])
        for section in pack.sections
        for line in section.text.splitlines()
        if line.strip()[:1].isdigit()
    )


def test_edit_pack_holds_the_target_and_what_lies_around_it(workspace: Workspace) -> None:
    pack = workspace.packs.edit_context("verify")
    assert pack.text == VERIFY
    assert (pack.route, pack.left_out, pack.notes) == ("edit", (), ())


def test_candidates_are_places_under_a_title_that_says_so(workspace: Workspace) -> None:
    pack = workspace.packs.edit_context("Child.step")
    candidates = [each for each in pack.sections if each.title == "Candidates that may call it"]
    assert [(each.path, each.form) for each in candidates] == [
        ("shop/api.py", "place"),
        ("shop/base.py", "place"),
    ]
    assert "Types" in _titles(pack)


@pytest.mark.parametrize("budget", [128, 160, 220, 400, 1200, 4000])
@pytest.mark.parametrize(
    "target", ["verify", "Base", "Child.step", "web/money.ts::round", "helper"]
)
def test_budget_holds_for_the_whole_text_and_no_line_stands_twice(
    workspace: Workspace, target: str, budget: int
) -> None:
    for pack in (
        workspace.packs.edit_context(target, token_budget=budget),
        workspace.packs.context(target, token_budget=budget),
        workspace.packs.context("how are tokens checked", token_budget=budget),
    ):
        assert pack.tokens == tokens(pack.text) <= budget
        assert not pack.is_exact
        assert max(_shown_lines(pack).values(), default=1) == 1


def test_signatures_come_before_bodies_and_what_is_missing_is_counted(
    workspace: Workspace, repository: Repository
) -> None:
    body = "".join(f"    value = value + {number}  # a step of many\n" for number in range(40))
    users = "".join(
        f"\n\ndef user_{number}(value):\n    big(value)\n{body}    return value\n"
        for number in range(9)
    )
    repository.write("shop/big.py", f"def big(value):\n{body}    return value\n{users}")
    pack = workspace.packs.edit_context("big", token_budget=600, caller_limit=9)
    target, *callers = pack.sections
    assert target.form == "cut"
    assert tokens(target.text) <= 600 * 0.6
    assert "more lines" in target.text
    assert {each.form for each in callers if each.title == "Callers"} == {"signature"}
    assert callers[0].text.splitlines() == ["   45 def user_0(value):", "   46     big(value)"]
    small = workspace.packs.edit_context("big", token_budget=400, caller_limit=9)
    assert small.left_out
    assert "Left out: " in small.text


def test_pack_says_how_many_callers_it_leaves_out(
    workspace: Workspace, repository: Repository
) -> None:
    users = "".join(f"\n\ndef user_{at}(value):\n    return many(value)\n" for at in range(29))
    repository.write("shop/many.py", f"def many(value):\n    return value\n{users}")
    pack = workspace.packs.edit_context("many", caller_limit=5)
    assert "\n## Callers (5 of 29)\n" in pack.text
    assert pack.text.endswith("\nLeft out: 24 of callers.\n")
    assert pack.left_out == (("callers", 24),)
    assert pack.tokens == tokens(pack.text)


def test_decorators_and_comments_above_belong_to_the_target(
    workspace: Workspace, repository: Repository
) -> None:
    repository.write(
        "shop/marked.py",
        "import functools\n\n# Kept for a while.\n@functools.cache\ndef slow(number):\n    return number\n",
    )
    pack = workspace.packs.edit_context("slow")
    assert pack.sections[0].text.splitlines()[:3] == [
        "    3 # Kept for a while.",
        "    4 @functools.cache",
        "    5 def slow(number):",
    ]


def test_memories_of_the_target_stand_in_the_edit_pack(workspace: Workspace) -> None:
    workspace.index()
    workspace.memory.add("Tokens are at most 64 long", symbols=["shop/base.py::verify"])
    workspace.memory.add("Nobody likes lamps")
    pack = workspace.packs.edit_context("verify")
    (remembered,) = (each for each in pack.sections if each.title.startswith("Memory"))
    assert "at most 64 long" in remembered.about
    assert "lamps" not in pack.text


@pytest.mark.parametrize(
    ("query", "route", "first"),
    [
        ("verify", "definition", "shop/base.py:32-34"),
        ("what does `verify` do", "definition", "shop/base.py:32-34"),
        ("who uses Base.run in the shop", "definition", "shop/base.py:7-8"),
        ("from test_login to helper", "path", "tests/test_api.py:4-5"),
        ("login -> helper", "path", "shop/api.py:8-11"),
        ("how are baskets run", "search", ""),
    ],
)
def test_question_takes_the_route_that_fits_it(
    workspace: Workspace, query: str, route: str, first: str
) -> None:
    pack = workspace.packs.context(query)
    assert pack.route == route
    assert pack.sections
    assert pack.sections[0].source == first or not first


def test_miss_is_recovered_from_and_told(workspace: Workspace) -> None:
    packs = workspace.packs
    missed = packs.context("how are tokens checked", symbol="zebra")
    assert missed.route == "search"
    assert missed.notes[0].startswith("recovery: nothing is defined as `zebra`")
    no_way = packs.context("a way", source="helper", target="Save")
    assert no_way.route != "path"
    assert any("no way of known uses" in note for note in no_way.notes)
    filters = SearchFilters(directories=["store"], languages=["python"])
    filtered = packs.context("how are tokens checked", filters=filters)
    assert filtered.sections
    assert any("without them" in note for note in filtered.notes)
    edit = packs.edit_context("zebra", query="tokens")
    assert edit.notes[0].startswith("risk:")
    assert set(_titles(edit)) == {"Found"}


def test_ambiguous_name_is_told_and_never_guessed(workspace: Workspace) -> None:
    pack = workspace.packs.context("step")
    assert pack.route == "search"
    assert any("2 symbols are called `step`" in note for note in pack.notes)
    with pytest.raises(SymbolAmbiguous):
        workspace.packs.edit_context("step")


def test_symbol_that_is_named_is_the_canonical_one_and_the_others_are_told(
    workspace: Workspace,
) -> None:
    pack = workspace.packs.context("what it does", symbol="step")
    assert pack.route == "definition"
    first = workspace.define("step").hits[0]
    section = pack.sections[0]
    assert (section.title, section.path, section.start_line) == (
        "Definition",
        first.path,
        first.start_line,
    )
    (note,) = (note for note in pack.notes if note.startswith("also defined: "))
    others = {hit.name for hit in workspace.define("step")} - {first.name}
    assert note == f"also defined: {', '.join(f'{first.path}::{name}' for name in others)}"


def test_bad_requests_are_refused(workspace: Workspace) -> None:
    for call in (
        lambda: workspace.packs.context(" "),
        lambda: workspace.packs.context("verify", token_budget=10),
        lambda: workspace.packs.edit_context("verify", token_budget=127),
    ):
        with pytest.raises(UsageError):
            call()


@pytest.mark.parametrize("setting", ["TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR", "tempdir"])
def test_tiktoken_counts_where_it_has_its_words_on_this_machine(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    """A stand-in that counts characters: the real one would load its words from the network."""

    class Encoding:
        def encode(self, text: str, *, disallowed_special: object) -> list[str]:  # noqa: ARG002
            return list(text)

    module = ModuleType("tiktoken")
    module.get_encoding = {"cl100k_base": Encoding()}.__getitem__  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tiktoken", module)
    monkeypatch.setattr(token_count, "find_spec", {"tiktoken": object()}.get)
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        monkeypatch.delenv(variable, raising=False)
    if setting == "tempdir":
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        folder = tmp_path / "data-gym-cache"
        folder.mkdir()
    else:
        folder = tmp_path
        monkeypatch.setenv(setting, str(folder))
    token_count.counter.cache_clear()
    try:
        assert token_count.counter().is_exact is False
        address = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
        (folder / hashlib.sha1(address.encode()).hexdigest()).write_bytes(b"")
        token_count.counter.cache_clear()
        pack = workspace.packs.edit_context("verify")
        assert pack.is_exact
        assert pack.tokens == len(pack.text) <= 1200
    finally:
        token_count.counter.cache_clear()


@pytest.mark.parametrize("budget", [300, 600, 1_200, 4_000])
def test_lines_that_are_left_out_are_marked_and_no_others(
    workspace: Workspace, budget: int
) -> None:
    """A caller that is shown already leaves a gap in what holds it; neighbouring lines have none between them."""
    marked = 0
    for name in ("verify", "helper", "Base", "Child", "run"):
        for section in workspace.packs.edit_context(name, token_budget=budget).sections:
            lines = section.text.splitlines()
            numbers = [int(line[:5]) if line[:5].strip().isdigit() else None for line in lines]
            for before, here, after in zip(numbers, numbers[1:], numbers[2:], strict=False):
                if here is None and before is not None and after is not None:
                    assert after > before + 1, section.text
                    marked += 1
            for before, after in itertools.pairwise(numbers):
                assert before is None or after is None or after == before + 1, section.text
    assert marked or budget < 1_200


def test_one_line_that_is_left_out_is_marked(folder: Repository) -> None:
    methods = [f"    def part{number}(self): return {number}" for number in range(4)]
    folder.write("tiny.py", "\n".join(["class Tiny:", *methods, ""]))
    with Workspace.open(folder.root) as workspace:
        sections = workspace.packs.edit_context("Tiny.part1", token_budget=1_200).sections
    assert [section.text.splitlines() for section in sections] == [
        [f"    3 {methods[1]}"],
        ["    1 class Tiny:", f"    2 {methods[0]}", "      ⋮", f"    4 {methods[2]}", f"    5 {methods[3]}"],
    ]  # fmt: skip
