"""Requests: how methods and operations take them."""

import inspect

import pytest

from codecairn import SearchFilters, UsageError, Workspace
from codecairn.core.requests import DefineRequest, SearchRequest, request_of
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


def test_method_shows_the_signature_and_the_documentation_of_its_request() -> None:
    signature = inspect.signature(Workspace.search)
    own = inspect.signature(SearchRequest).parameters
    assert list(signature.parameters) == ["self", *own]
    assert signature.parameters["limit"] == own["limit"]
    doc = inspect.getdoc(Workspace.search) or ""
    assert doc.startswith("The places that answer a question best.")
    assert "    context_lines: Lines to show around each result." in doc
