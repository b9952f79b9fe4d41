"""Requests: how methods and operations take them."""

import inspect

import pytest

from codecairn import SearchFilters, UsageError, Workspace
from codecairn.context.ask_request import AskRequest
from codecairn.context.requests import ContextRequest, EditContextRequest
from codecairn.core.requests import DefineRequest, SearchRequest, request_of
from codecairn.memory.requests import FactListRequest, MemorySearchRequest, RecallRequest
from codecairn.operations.change_operations import CHANGE_OPERATIONS
from codecairn.operations.memory_operations import MEMORY_OPERATIONS
from support.repository import Repository


def test_scopes_are_a_short_form_of_a_filter() -> None:
    kinds = SearchFilters(kinds=["class"])
    request = SearchRequest("token", filters=kinds, scopes=["handbook"])
    assert request.filters == SearchFilters(kinds=["class"], scopes=["handbook"])
    assert SearchRequest("token", filters=kinds).filters is kinds


def test_values_find_the_class_that_has_their_option() -> None:
    values = {"query": "token", "limit": 3, "kinds": ("class",), "author": "bob", "explain": True}
    filters = SearchFilters(kinds=("class",), author="bob")
    wanted = SearchRequest("token", limit=3, filters=filters, explain=True)
    assert request_of(SearchRequest, values) == wanted
    assert request_of(DefineRequest, {"name": "get"}) == DefineRequest("get")
    with pytest.raises(TypeError, match="query"):
        request_of(SearchRequest, {"limit": 3})


def test_method_takes_a_request_or_its_arguments(folder: Repository) -> None:
    folder.write("a.py", "def token():\n    return 1\n")
    with Workspace.open(folder.root) as workspace:
        given = workspace.search("token", limit=1, explain=True)
        assert given.hits
        assert given.hits[0].contributions
        assert given.hits == workspace.search(SearchRequest("token", limit=1, explain=True)).hits
        with pytest.raises(TypeError, match="most"):
            workspace.search("token", most=1)  # type: ignore[call-overload]
        with pytest.raises(UsageError, match="scopes"):
            workspace.search("token", scopes=["handbook"])


def test_request_offers_some_options_of_its_filters() -> None:
    offered = {each.field for each in CHANGE_OPERATIONS["context"].parameters}
    assert offered & SearchFilters.__dataclass_fields__.keys() == {"languages", "directories"}
    request = request_of(ContextRequest, {"query": "token", "languages": ("python",)})
    assert request == ContextRequest("token", filters=SearchFilters(languages=("python",)))


def test_answers_and_packs_take_a_request_or_its_arguments(folder: Repository) -> None:
    folder.write("a.py", "def token():\n    return 1\n")
    with Workspace.open(folder.root) as workspace:
        asked = AskRequest("where is token", profile="daily", token_budget=400)
        answer = workspace.ask("where is token", profile="daily", token_budget=400)
        assert answer.pieces
        assert answer == workspace.ask(asked)
        packs = workspace.packs
        assert packs.context("token", limit=1) == packs.context(ContextRequest("token", limit=1))
        edited = packs.edit_context("token", file="a.py")
        assert edited == packs.edit_context(EditContextRequest("token", file="a.py"))


def test_method_shows_the_signature_and_the_documentation_of_its_request() -> None:
    signature = inspect.signature(Workspace.search)
    own = inspect.signature(SearchRequest).parameters
    assert list(signature.parameters) == ["self", *own]
    assert signature.parameters["limit"] == own["limit"]
    doc = inspect.getdoc(Workspace.search) or ""
    assert doc.startswith("The places that answer a question best.")
    assert "    context_lines: Lines to show around each result." in doc


def test_memory_takes_a_request_or_its_arguments(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        added = memory.add("The harbour opens at six.", type="rule")
        (found,) = memory.recall("when does the harbour open", types=["rule"])
        assert found.id == added.id
        request = RecallRequest("when does the harbour open", types=["rule"])
        (again,) = memory.recall(request)  # its score falls with its age, by the millisecond
        assert (again.id, again.fact) == (found.id, found.fact)
        assert memory.list(limit=1) == memory.list(FactListRequest(limit=1)) == memory.get(added.id)
        with pytest.raises(TypeError, match="type"):
            memory.recall("harbour", type="rule")  # type: ignore[call-overload]
        with pytest.raises(UsageError, match="limit"):
            memory.list(limit=0)


def test_options_of_a_derived_request_follow_those_of_its_base() -> None:
    options = [each.field for each in MEMORY_OPERATIONS["search"].parameters]
    assert options[:2] == ["query", "limit"]
    assert options[-3:] == ["all_projects", "detail", "everything"]
    assert "evidence" not in options
    request = request_of(MemorySearchRequest, {"query": "harbour", "everything": True})
    assert request == MemorySearchRequest("harbour", everything=True)
