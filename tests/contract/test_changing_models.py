"""Another model: what is there is kept and used, nothing is mixed, and what was paid for once is not paid for again."""

from codecairn import Workspace
from contract.conftest import FUNCTIONS, SETUPS, Opener, Setup, function
from support.provider_server import Fault, ProviderServer

SMALL = SETUPS[0]
LARGE = Setup("openai", "text-embedding-3-large", "/v1", "OPENAI_API_KEY")


def _space(workspace: Workspace) -> tuple[bool, int]:
    status = workspace.status().embedding
    assert status is not None
    return status.state.is_active, status.state.pending


def test_new_model_is_used_when_it_is_complete_and_the_old_one_kept(
    server: ProviderServer, open_with: Opener
) -> None:
    open_with(SMALL).index()
    paid = len(server.embedded)
    broken = open_with(LARGE, embedding__retries=0, embedding__concurrency=1)
    estimate = broken.preview().embedding
    assert estimate is not None
    assert estimate.texts == paid
    assert estimate.usd is not None
    assert estimate.usd > 0
    asked = len(server.embeddings)
    server.fault = lambda number, _: Fault(status=500) if number > asked + 1 else None
    first = broken.index().embedding
    assert first is not None
    assert 0 < first.embedded < paid
    assert _space(broken) == (False, paid - first.embedded)
    asked = len(server.embeddings)
    assert broken.search("combine two numbers").hits, "by the built-in model's vectors"
    assert len(server.embeddings) == asked
    server.fault = lambda _number, _texts: None
    after = broken.index().embedding
    assert after is not None
    assert after.embedded == paid - first.embedded
    assert _space(broken) == (True, 0)
    back = open_with(SMALL)
    before = len(server.embeddings)
    assert _space(back) == (True, 0)
    again = back.index().embedding
    assert again is not None
    assert (again.embedded, len(server.embeddings)) == (0, before)
    assert back.doctor() == ()


def test_spaces_of_other_dimensions_and_prompts_are_apart(
    server: ProviderServer, open_with: Opener
) -> None:
    open_with(SMALL).index()
    server.dimensions = 6
    other = open_with(SMALL, embedding__dimensions=6)
    assert _space(other) == (False, len(set(server.embedded)))
    prompted = open_with(SMALL, embedding__document_prompt="passage: ")
    assert _space(prompted)[0] is False
    report = other.index().embedding
    assert report is not None
    assert report.pending == 0


def test_edit_costs_the_new_texts_only_and_the_space_stays_in_use(
    server: ProviderServer, open_with: Opener
) -> None:
    workspace = open_with(SMALL)
    workspace.index()
    paid = len(server.embedded)
    file = workspace.root / "part03.py"
    file.write_text("\n# a line before\n" + function(3))
    (workspace.root / "copy.py").write_text(function(5))
    report = workspace.index().embedding
    assert report is not None
    assert report.pending == 0
    assert len(server.embedded) - paid <= 1, "text that is there already costs nothing"
    assert _space(workspace) == (True, 0)


def test_few_missing_texts_do_not_end_the_use_of_a_space(
    server: ProviderServer, open_with: Opener
) -> None:
    workspace = open_with(SMALL)
    workspace.index()
    (workspace.root / "later.py").write_text(function(99))
    asked = len(server.embeddings)
    result = workspace.search("combine two numbers 99")
    assert _space(workspace) == (True, 1)
    assert "later.py" in [hit.path for hit in result], "found by its words"
    assert len(server.embeddings) == asked + 1, "for the query alone"


def test_old_vectors_go_when_garbage_is_collected_and_not_before(
    server: ProviderServer, open_with: Opener
) -> None:
    open_with(SMALL).index()
    large = open_with(LARGE)
    large.gc()
    assert _space(open_with(SMALL)) == (True, 0)
    large.index()
    large.gc()
    assert _space(large) == (True, 0)
    assert _space(open_with(SMALL))[0] is False
    assert large.doctor() == ()


def test_built_in_model_may_change_too(texts: object, open_with: Opener) -> None:
    root = open_with(SMALL).root
    with Workspace.open(root, settings={"embedder": "feature-hash"}) as workspace:
        assert workspace.index().embedded >= FUNCTIONS
    with Workspace.open(root) as workspace:
        assert workspace.index().embedded >= FUNCTIONS
        assert workspace.status().vectors >= FUNCTIONS
        assert workspace.index().embedded == 0
    with Workspace.open(root, settings={"embedder": "feature-hash"}) as workspace:
        (root / "more.py").write_text(function(77))
        assert workspace.index().embedded == 1
    with Workspace.open(root) as workspace:
        # What a model left there goes on with the texts until it is collected.
        assert workspace.index().embedded == 0
        assert workspace.similar(function(77)).hits[0].path == "more.py"
        assert workspace.doctor() == ()


def test_query_is_answered_when_the_provider_is_not(
    server: ProviderServer, open_with: Opener
) -> None:
    workspace = open_with(SMALL, embedding__query_timeout_ms=150)
    workspace.index()
    server.fault = lambda _number, _texts: Fault(delay_s=0.8)
    result = workspace.search("combine two numbers")
    assert result.hits
    (note,) = result.notes
    assert "openai did not answer within 0.15 s" in note
    assert "built-in" in note
