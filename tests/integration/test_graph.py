"""Questions to the code graph of a real repository in four languages."""

from collections.abc import Iterator

import pytest

from codecairn import SymbolAmbiguous, SymbolNotFound, UsageError, Workspace
from codecairn.core.types.graph import Definition, Neighbours
from codecairn.graph.neighbours import MAX_UNRESOLVED
from codecairn.graph.render import into_tests_line, neighbours_lines
from support.graph_project import GRAPH_PROJECT
from support.repository import Repository


@pytest.fixture
def workspace(repository: Repository) -> Iterator[Workspace]:
    repository.write_all(GRAPH_PROJECT)
    repository.commit()
    with Workspace.open(repository.root) as opened:
        yield opened


def _sources(found: Neighbours) -> list[tuple[str, str, str]]:
    return [
        (use.path, use.source.qualified_name if use.source else "", use.kind) for use in found.uses
    ]


def _names(symbols: tuple[Definition, ...]) -> list[str]:
    return [symbol.qualified_name for symbol in symbols]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "verify",
            [
                ("shop/api.py", "", "import"),
                ("shop/api.py", "", "call"),
                ("shop/api.py", "login", "call"),
            ],
        ),
        ("Base.step", [("shop/base.py", "Base.run", "method_call")]),
        (
            "web/money.ts::round",
            [
                ("web/cart.ts", "", "import"),
                ("web/cart.ts", "total", "call"),
                ("web/money.ts", "Item.price", "call"),
            ],
        ),
        ("Save", [("main.go", "main", "call")]),
        ("clean", [("store/store.go", "Save", "call")]),
        ("Animal.sound", [("src/main/java/shop/Animal.java", "Animal.speak", "call")]),
    ],
)
def test_callers_are_those_that_use_the_symbol_and_no_others(
    workspace: Workspace, name: str, expected: list[tuple[str, str, str]]
) -> None:
    found = workspace.graph.callers(name)
    actual = [
        (path, source, kind.removeprefix("method_")) for path, source, kind in _sources(found)
    ]
    assert actual == [
        (path, source, kind.removeprefix("method_")) for path, source, kind in expected
    ]
    assert all(use.is_resolved for use in found)


def test_what_may_mean_a_symbol_is_a_candidate_and_no_fact(workspace: Workspace) -> None:
    found = workspace.graph.callers("Child.step")
    assert not found.uses
    assert [(use.path, use.how, use.is_resolved, len(use.targets)) for use in found.possible] == [
        ("shop/api.py", "ambiguous", False, 1),
        ("shop/base.py", "override", False, 1),
    ]


def test_callees_tell_what_is_used_and_what_lies_outside(workspace: Workspace) -> None:
    found = workspace.graph.callees("verify")
    assert [use.targets[0].qualified_name for use in found] == ["helper"]
    assert found.outside == ("len",)


def test_kinds_and_limits_are_kept_and_what_they_cut_is_counted(workspace: Workspace) -> None:
    calls = workspace.graph.callers("verify", kinds=["call"])
    assert [use.kind for use in calls] == ["call", "call"]
    one = workspace.graph.callers("verify", limit=1)
    assert (len(one), one.left_out) == (1, 2)


def test_depth_follows_callers_of_callers(workspace: Workspace) -> None:
    found = workspace.graph.callers("helper", depth=3)
    assert [(each.definition.name, each.distance) for each in found.further] == [
        ("login", 2),
        ("test_login", 3),
    ]


def test_way_leads_over_the_uses_that_make_it(workspace: Workspace) -> None:
    found = workspace.graph.path("test_login", "helper")
    assert [hop.definition.name for hop in found.hops] == [
        "test_login",
        "login",
        "verify",
        "helper",
    ]
    assert [hop.use.line for hop in found.hops if hop.use] == [5, 11, 34]
    assert not found.is_reversed


def test_way_back_is_told_as_one(workspace: Workspace) -> None:
    found = workspace.graph.path("helper", "login")
    assert found.is_reversed
    assert [hop.definition.name for hop in found.hops] == ["login", "verify", "helper"]
    assert workspace.graph.path("lonely", "Save").hops == ()


def test_depth_of_a_way_is_a_limit(workspace: Workspace) -> None:
    assert not workspace.graph.path("test_login", "helper", max_depth=2).hops


@pytest.mark.parametrize(
    ("name", "bases", "derived"),
    [
        ("Child", ["Base"], []),
        ("Base", [], ["Child"]),
        ("Item", ["Priced"], []),
        ("Animal", [], ["Dog"]),
    ],
)
def test_hierarchy_leads_up_and_down(
    workspace: Workspace, name: str, bases: list[str], derived: list[str]
) -> None:
    found = workspace.graph.hierarchy(name)
    assert [kin.definition.name for kin in found.bases] == bases
    assert [kin.definition.name for kin in found.derived] == derived


def test_uses_of_a_name_are_counted_completely(workspace: Workspace) -> None:
    found = workspace.graph.uses("helper")
    assert dict(found.counts) == {"definition": 1, "call": 2}
    assert (found.total, found.files) == (3, 1)
    calls = workspace.graph.uses("helper", roles=["call"], limit=1)
    assert (calls.total, len(calls.places), calls.left_out) == (3, 1, 1)
    assert workspace.graph.uses("nowhere_at_all").total == 0


def test_every_place_is_found_that_a_plain_text_search_finds(
    workspace: Workspace, repository: Repository
) -> None:
    listed = repository.git("grep", "--no-color", "-nwo", "step").splitlines()
    expected = [(path, int(line)) for path, line, _ in (row.split(":") for row in listed)]
    found = workspace.graph.uses("step")
    assert [(each.path, each.line) for each in found.places] == sorted(expected)


def test_several_symbols_of_a_name_are_listed_to_choose_from(workspace: Workspace) -> None:
    with pytest.raises(SymbolAmbiguous, match="2 symbols are called `step`") as caught:
        workspace.graph.callers("step")
    assert caught.value.candidates == ("shop/base.py::Base.step", "shop/base.py::Child.step")
    for candidate in caught.value.candidates:
        (symbol,) = workspace.graph.callers(candidate).symbols
        assert symbol.title == candidate


def test_symbol_can_be_named_by_its_place_or_its_file(workspace: Workspace) -> None:
    assert _names(workspace.graph.callers("shop/base.py:11").symbols) == ["Base.step"]
    assert _names(workspace.graph.callers("round", path="web").symbols) == ["round"]
    assert _names(workspace.graph.callers("login()").symbols) == ["login"]


def test_test_of_the_same_name_is_passed_over_and_told(
    workspace: Workspace, repository: Repository
) -> None:
    repository.write("tests/fakes.py", "def verify(token):\n    return True\n")
    found = workspace.graph.callers("verify")
    assert [symbol.path for symbol in found.symbols] == ["shop/base.py"]
    assert [symbol.path for symbol in found.also] == ["tests/fakes.py"]
    assert [each.path for each in workspace.graph.definitions("verify")] == [
        "shop/base.py",
        "tests/fakes.py",
    ]


def test_what_changed_is_taken_in_first(workspace: Workspace, repository: Repository) -> None:
    assert len(workspace.graph.callers("lonely")) == 0
    repository.write("shop/late.py", "from shop.base import lonely\n\ndef late():\n    lonely()\n")
    assert [use.line for use in workspace.graph.callers("lonely", refresh=False)] == []
    assert [use.line for use in workspace.graph.callers("lonely")] == [1, 4]


def test_another_branch_has_its_own_edges(workspace: Workspace, repository: Repository) -> None:
    assert len(workspace.graph.callers("lonely")) == 0
    repository.git("switch", "--quiet", "--create", "feature")
    repository.write("shop/late.py", "from shop.base import lonely\n\ndef late():\n    lonely()\n")
    repository.commit()
    assert len(workspace.graph.callers("lonely")) == 2
    repository.git("switch", "--quiet", "main")
    assert len(workspace.graph.callers("lonely")) == 0


def test_edges_of_a_file_are_all_its_uses(workspace: Workspace) -> None:
    edges = workspace.graph.edges("web/cart.ts")
    kinds = [(edge.line, edge.name, edge.kind) for edge in edges if edge.kind != "import"]
    assert (4, "Item", "construct") in kinds
    assert (5, "round", "call") in kinds
    assert all(0 <= edge.confidence <= 1 for edge in edges)


def test_communities_are_the_same_each_time(workspace: Workspace) -> None:
    first = workspace.graph.communities(min_size=1)
    assert first == workspace.graph.communities(min_size=1)
    assert sum(each.size for each in first.communities) == first.symbols
    assert [each.size for each in first.communities] == sorted(
        (each.size for each in first.communities), reverse=True
    )
    assert all(coupling.source != coupling.target for coupling in first.couplings)


def test_circle_is_found(workspace: Workspace) -> None:
    found = workspace.graph.cycles()
    assert [_names(group) for group in found.groups] == [["ping", "pong"]]


def test_hubs_are_ordered_by_importance(workspace: Workspace) -> None:
    hubs = workspace.graph.hubs(limit=3).hubs
    assert len(hubs) == 3
    assert [hub.importance for hub in hubs] == sorted(
        (hub.importance for hub in hubs), reverse=True
    )
    assert all(hub.users for hub in hubs)


def test_unused_symbols_carry_their_certainty(workspace: Workspace) -> None:
    found = {each.definition.name: each.certainty for each in workspace.graph.unused().found}
    assert found["_hidden"] == "high"
    assert found["lonely"] == "medium"
    assert not {"main", "test_login", "sound", "step", "verify", "helper"} & set(found)


def test_function_that_is_handed_on_as_a_value_is_not_unused(
    workspace: Workspace, repository: Repository
) -> None:
    text = "def _listen():\n    return 1\n\n\ndef _said():\n    return 2  # _quiet\n"
    repository.write(
        "shop/late.py", text + "\n\ndef _quiet():\n    return 3\n\n\nHANDLERS = [_listen]\n"
    )
    found = {each.definition.name: each.certainty for each in workspace.graph.unused().found}
    assert "_listen" not in found
    assert (found["_said"], found["_quiet"]) == ("high", "low")


def test_bad_questions_say_what_to_do(workspace: Workspace) -> None:
    graph = workspace.graph
    with pytest.raises(SymbolNotFound, match="nothing is defined as `zebra`"):
        graph.callers("zebra")
    with pytest.raises(SymbolNotFound, match="no symbol holds line 1 "):
        graph.callers("shop/base.py:1")
    for call in (
        lambda: graph.callers("verify", kinds=["eats"]),
        lambda: graph.callers("verify", limit=0),
        lambda: graph.callers("verify", depth=0),
        lambda: graph.uses("Base.step"),
        lambda: graph.uses("step", roles=["eats"]),
        lambda: graph.callers("verify", path="../elsewhere"),
        lambda: graph.callers("no/such/file.py:3"),
    ):
        with pytest.raises(UsageError):
            call()


def test_call_through_a_base_type_names_what_overrides_it_as_candidates(
    folder: Repository,
) -> None:
    method = "    def step(self):\n        {}\n"
    folder.write_all(
        {
            "base.py": f"class Base:\n{method.format('pass')}\n    def run(self):\n        self.step()\n",
            "child.py": f"from base import Base\n\n\nclass Child(Base):\n{method.format('super().step()')}",
            "grand.py": f"import child\n\n\nclass Grand(child.Child):\n{method.format('return 1')}",
            "other.py": f"class Base:\n{method.format('pass')}\n\nclass Odd(Base):\n{method.format('pass')}",
        }
    )
    with Workspace.open(folder.root) as workspace:
        graph = workspace.graph
        uses = graph.callees("Base.run")
        assert [use.targets[0].path for use in uses] == ["base.py"]
        assert [(use.how, [target.path for target in use.targets]) for use in uses.possible] == [
            ("override", ["child.py", "grand.py"])
        ]
        callers = graph.callers("Grand.step", depth=3)
        assert callers.uses == ()
        assert [(use.path, use.line, use.how) for use in callers.possible] == [
            ("base.py", 6, "override")
        ]
        assert callers.further == (), "candidates are never followed"
        assert graph.callers("Odd.step").possible == ()


UNRESOLVED = {
    "lamps.py": "class Lamp:\n    def glimmer(self):\n        return 1\n",
    **{
        f"part_{at}.py": f"class Part{at}:\n    def glimmer(self):\n        return {at}\n"
        for at in range(14)
    },
    "users.py": "".join(
        f"def user_{at}(thing):\n    return thing.glimmer()\n\n\n" for at in range(8)
    ),
    "web/users.ts": "export function user(thing: any) {\n  return thing.glimmer();\n}\n",
}
"""Calls of a name that too many definitions have, and one of another language."""


def test_calls_that_could_not_be_resolved_are_counted_and_never_called_no_use(
    repository: Repository,
) -> None:
    repository.write_all(UNRESOLVED)
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        found = workspace.graph.callers("Lamp.glimmer")
        by_kind = workspace.graph.callers("Lamp.glimmer", kinds=["call"])
        assert (found.uses, found.possible, found.unresolved_count) == ((), (), 9)
        assert [(use.path, use.how) for use in found.unresolved] == [("users.py", "unknown")] * 5
        assert (by_kind.unresolved, by_kind.unresolved_count) == ((), 0)
        lines = list(neighbours_lines(found))
        impact = workspace.graph.impact(symbol="Lamp.glimmer")
        pack = workspace.packs.edit_context("Lamp.glimmer")
    assert "no use is known" not in lines
    counted = "9 places of `glimmer` could not be resolved (`codecairn uses glimmer`):"
    assert lines[lines.index(counted) + 1 :] == [
        *(
            f"  users.py:{2 + 4 * at}  in user_{at}  method_call  return thing.glimmer()"
            for at in range(MAX_UNRESOLVED)
        ),
        "  4 more",
    ]
    assert (impact.risk, impact.unresolved_count, len(impact.unresolved)) == ("MEDIUM", 9, 9)
    assert "9 places of touched names could not be resolved" in impact.reasons
    assert impact.unresolved[-1].path == "web/users.ts"
    assert pack.unresolved_count == 9
    assert pack.notes == (
        f"{counted} users.py:2, users.py:6, users.py:10, users.py:14, users.py:18 and 4 more",
    )


def test_no_use_is_known_where_no_call_of_the_name_was_seen(workspace: Workspace) -> None:
    found = workspace.graph.callers("lonely")
    assert found.unresolved_count == 0
    assert list(neighbours_lines(found))[-1] == "no use is known"


def _lamps(count: int) -> dict[str, str]:
    return {
        f"part_{at}.py": f"class Part{at}:\n    def glimmer(self):\n        return {at}\n"
        for at in range(count)
    }


def _knowing(count: int, body: str) -> str:
    """A file that calls a member, and names the types that have one."""
    return "".join(f"from part_{at} import Part{at}\n" for at in range(count)) + body


@pytest.mark.parametrize(("count", "is_shown"), [(1, True), (2, False), (4, False), (12, False)])
def test_use_that_may_mean_many_symbols_is_counted_and_no_candidate(
    repository: Repository, count: int, is_shown: bool
) -> None:
    repository.write_all(_lamps(count))
    repository.write("users.py", _knowing(count, "def user(thing):\n    return thing.glimmer()\n"))
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        found = workspace.graph.callers("Part0.glimmer")
        impact = workspace.graph.impact(symbol="Part0.glimmer")
        pack = workspace.packs.edit_context("Part0.glimmer")
        callees = workspace.graph.callees("user")
    assert (len(found.possible), found.unresolved_count) == ((1, 0) if is_shown else (0, 1))
    assert (impact.possible, impact.unresolved_count) == (found.possible, found.unresolved_count)
    assert (pack.unresolved_count == 0) is is_shown
    assert ("Candidates that may call it" in {each.title for each in pack.sections}) is is_shown
    assert (len(callees.possible), callees.unresolved_count) == ((1, 0) if is_shown else (0, 1))
    assert callees.outside == ()


def test_member_of_a_type_that_the_file_does_not_name_is_counted_and_no_candidate(
    repository: Repository,
) -> None:
    repository.write_all(_lamps(2))
    repository.write("users.py", _knowing(1, "def user(thing):\n    return thing.glimmer()\n"))
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        named = workspace.graph.callers("Part0.glimmer")
        other = workspace.graph.callers("Part1.glimmer")
    assert [use.path for use in named.possible] == ["users.py"]
    assert [target.qualified_name for target in named.possible[0].targets] == ["Part0.glimmer"]
    assert (other.possible, other.unresolved_count) == ((), 1)


def test_call_of_a_member_whose_type_no_file_names_could_not_be_resolved(
    repository: Repository,
) -> None:
    repository.write_all(_lamps(1))
    repository.write("users.py", "def user(thing):\n    return thing.glimmer()\n")
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        found = workspace.graph.callers("Part0.glimmer")
        unused = {each.definition.name for each in workspace.graph.unused().found}
    assert (found.possible, found.unresolved_count) == ((), 1)
    assert "glimmer" not in unused


def test_use_outside_of_tests_is_no_candidate_for_a_symbol_of_tests(
    repository: Repository,
) -> None:
    repository.write_all(_lamps(1))
    repository.write_all({f"tests/{path}": text for path, text in _lamps(1).items()})
    repository.write("users.py", _knowing(1, "def user(thing):\n    return thing.glimmer()\n"))
    repository.write(
        "tests/test_it.py", _knowing(1, "def test_it(thing):\n    assert thing.glimmer()\n")
    )
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        in_tests = workspace.graph.callers("tests/part_0.py::Part0.glimmer")
        outside = workspace.graph.callers("part_0.py::Part0.glimmer", path="part_0.py")
    assert (in_tests.possible, in_tests.into_tests) == ((), 1)
    assert [use.path for use in in_tests.unresolved] == ["tests/test_it.py"]
    assert [use.path for use in outside.possible] == ["users.py"]
    assert into_tests_line(1) in list(neighbours_lines(in_tests))


def test_symbols_of_tests_come_after_the_code_in_hubs_and_are_apart_in_communities(
    folder: Repository,
) -> None:
    users = "".join(f"def test_{at}():\n    assert make() and burn()\n\n\n" for at in range(9))
    folder.write(
        "lamps.py",
        "def burn():\n    return 1\n\n\ndef light():\n    return burn() + dim(1)\n\n\n"
        "def dim(level):\n    return level\n\n\ndef shine():\n    return fade()\n\n\n"
        "def fade():\n    return 1\n",
    )
    folder.write(
        "tests/test_lamps.py",
        f"from lamps import burn, light\n\n\ndef make():\n    return light()\n\n\n{users}",
    )
    with Workspace.open(folder.root) as workspace:
        hubs = [hub.definition.name for hub in workspace.graph.hubs().hubs]
        first, second = workspace.graph.communities().communities[:2]
    assert hubs[-2:] == ["fade", "make"]
    assert {member.path for member in first.members} == {"lamps.py"}
    assert (first.size, first.tests) == (13, 10)
    assert {member.path for member in second.members} == {"lamps.py"}
    assert second.tests == 0
