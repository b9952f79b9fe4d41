"""Answers by a token budget: the most probable places of all files, several of one where they earn it."""

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codecairn import UsageError, Workspace, Workspaces
from codecairn.core.requests import SearchRequest
from codecairn.core.types.hits import Hit, SearchResult
from codecairn.mcp.answers import code_answer
from support.command import run
from support.repository import Repository

QUESTION = "send an invoice by mail"
_HEADER_TOKENS = 10


def _function(name: str, doc: str, *statements: str) -> str:
    """A function that is long enough for a chunk of its own."""
    steps = [f'    steps.append("{name} reached step {number} of the work")' for number in range(8)]
    body = "\n".join(f"    {statement}" for statement in statements)
    return f'def {name}(value, address):\n    """{doc}"""\n{body}\n' + "\n".join(steps) + "\n\n\n"


_MAILER = (
    _function("open_connection", "Connect to the mail server.", "return connect(address.host)")
    + _function("render_invoice", "The text of an invoice.", "text = table(value.rows)")
    + _function(
        "send_invoice",
        "Send an invoice by mail.",
        "open_connection(address).send(render_invoice(value))",
    )
    + _function("mean", "The mean of some numbers.", "return sum(value) / len(value)")
)


@pytest.fixture
def shop(folder: Repository) -> Repository:
    folder.write("shop/mailer.py", _MAILER)
    folder.write("shop/invoice.py", "class Invoice:\n    rows: list\n\n    def total(self):\n        return sum(row.price for row in self.rows)\n")  # fmt: skip
    folder.write("shop/queue.py", "def push(job):\n    return queue.append(job)\n")
    return folder


def _search(repository: Repository, budget: int | None, **options: object) -> SearchResult:
    with Workspace.open(repository.root) as workspace:
        return workspace.search(SearchRequest(QUESTION, token_budget=budget, **options))  # type: ignore[arg-type]


def _places(hit: Hit) -> list[tuple[int, int]]:
    return [(span.start_line, span.end_line) for span in hit.spans]


def test_one_file_gives_several_places_in_order_of_their_lines(shop: Repository) -> None:
    first = _search(shop, 1_000).hits[0]
    assert first.path == "shop/mailer.py"
    best = max(first.spans, key=lambda span: span.probability)
    assert best.name == "send_invoice"
    assert best.shown == ((best.start_line, best.end_line),)
    assert [span.start_line for span in first.spans] == sorted(
        span.start_line for span in first.spans
    )
    assert all(span.text and span.kind for span in first.spans)
    lines = _MAILER.splitlines()
    for span in first.spans:
        assert [(at, part) for at, part in span.parts] == [
            (start, lines[start - 1 : end]) for start, end in span.shown
        ]
        assert span.text == "\n".join(line for _, part in span.parts for line in part)


def test_without_a_budget_there_are_no_spans_and_hits_are_the_same(shop: Repository) -> None:
    plain, budgeted = _search(shop, None), _search(shop, 400)
    assert [hit.spans for hit in plain] == [()] * len(plain)
    key = [(hit.path, hit.start_line, hit.end_line, hit.score, hit.text) for hit in plain]
    assert key == [
        (hit.path, hit.start_line, hit.end_line, hit.score, hit.text) for hit in budgeted
    ]


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(budget=st.integers(100, 2_000))
def test_spans_fit_the_budget_and_do_not_overlap(shop: Repository, budget: int) -> None:
    hits = _search(shop, budget).hits
    spans = [span for hit in hits for span in hit.spans]
    assert sum(len(span.text.encode()) // 4 + _HEADER_TOKENS for span in spans) <= budget
    assert sum(span.probability for span in spans) <= 1 + 1e-5
    for hit in hits:
        ordered = _places(hit)
        assert all(last < start for (_, last), (start, _) in itertools.pairwise(ordered))
        for span in hit.spans:
            bounds = [line for lines in span.shown for line in lines]
            assert bounds == sorted(bounds)
            assert span.start_line <= bounds[0]
            assert bounds[-1] <= span.end_line
            assert all(after > before + 1 for before, after in zip(bounds[1::2], bounds[2::2], strict=False))  # fmt: skip


def _long_function(folder: Repository) -> list[str]:
    """The lines of a function of which line 20 alone has the words of a question."""
    lines = ["def run_everything(total):"]
    lines += [f"    total = total + step_{number}(total)" for number in range(26)]
    lines[19] = "    flush_every_pending_invoice(total)"
    folder.write("work.py", "\n".join(lines) + "\n")
    return lines


def test_little_room_shows_the_lines_that_have_the_words(folder: Repository) -> None:
    lines = _long_function(folder)
    with Workspace.open(folder.root) as workspace:
        found = workspace.search("flush every pending invoice", token_budget=130)
        whole = workspace.search("flush every pending invoice", token_budget=4_000)
    (span,) = found.hits[0].spans
    assert (span.start_line, span.end_line) == (1, 27)
    assert len(span.text.splitlines()) < 20
    assert span.shown[0] == (1, 1)
    assert any(first <= 20 <= last for first, last in span.shown)
    assert lines[19] in span.text
    assert whole.hits[0].spans[0].shown == ((1, 27),)


def test_tool_marks_the_lines_that_it_leaves_out(folder: Repository) -> None:
    source = _long_function(folder)
    with Workspace.open(folder.root) as workspace:
        found = workspace.search("flush every pending invoice", token_budget=130)
    text = code_answer(found).text
    first = found.hits[0].spans[0].shown[1][0]
    lines = text.split("\n")
    assert lines[0].startswith("[1] work.py:1-27 function run_everything")
    assert lines[1:4] == ["```python", "def run_everything(total):", f"⋮ {first}"]
    assert lines[4] == source[first - 1]


def test_more_tokens_show_more(shop: Repository) -> None:
    found = [_search(shop, budget).hits for budget in (100, 200, 4_000)]
    sizes = [sum(len(span.text) for hit in hits for span in hit.spans) for hits in found]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]


def test_spans_pass_the_filters(shop: Repository) -> None:
    from codecairn import SearchFilters

    result = _search(shop, 4_000, filters=SearchFilters(kinds=["class"]))
    assert {hit.path for hit in result} == {"shop/invoice.py"}
    assert {span.kind for hit in result for span in hit.spans} == {"class"}


def test_explained_spans_say_what_their_probability_is_made_of(shop: Repository) -> None:
    explained, plain = _search(shop, 400, explain=True), _search(shop, 400)
    assert [_places(hit) for hit in explained] == [_places(hit) for hit in plain]
    span = max(explained.hits[0].spans, key=lambda each: each.probability)
    parts = {each.feature: each for each in span.contributions}
    assert parts["file_rank"].value == 1.0
    assert parts["coverage_of_best"].value == pytest.approx(1.0)
    assert parts["is_callable"].value == 1.0
    assert parts["file.coverage"].value == pytest.approx(1.0)
    assert parts["coverage_of_best"].part > parts["is_test"].part
    assert span.ways[-1] == ((span.start_line, span.end_line),)
    assert plain.hits[0].spans[0].contributions == ()


def test_command_shows_spans_with_their_lines(shop: Repository) -> None:
    plain = run("search", QUESTION, "--tokens", "300", cwd=shop.root)
    assert plain.code == 0
    assert "def send_invoice(value, address):" in plain.out
    document = run("search", QUESTION, "--tokens", "300", "--json", cwd=shop.root).document
    spans = document["results"][0]["spans"]
    assert spans[0]["name"] == "send_invoice"
    assert 0 < spans[0]["probability"] <= 1
    own = document["results"][0]
    texts = [span.get("text", own["text"]) for span in spans]
    assert texts[0].startswith("def send_invoice")
    assert spans[0]["shown"][0]["start_line"] == spans[0]["start_line"]
    assert "spans" not in json.dumps(run("search", QUESTION, "--json", cwd=shop.root).document)


@pytest.mark.parametrize("budget", [99, 0, -1])
def test_budget_for_nothing_is_refused(shop: Repository, budget: int) -> None:
    with pytest.raises(UsageError, match=str(budget)) as caught:
        _search(shop, budget)
    assert caught.value.hint == "give 100 or more"
    assert run("search", QUESTION, "--tokens", str(budget), cwd=shop.root).code == 2


def test_quoted_text_and_a_budget_go_together(shop: Repository) -> None:
    with Workspace.open(shop.root) as workspace:
        found = workspace.search('"Connect to the mail server" invoice', token_budget=500)
    assert [span.name for hit in found for span in hit.spans] == ["open_connection"]


@pytest.mark.parametrize("budget", [99, 600, 1_000])
def test_several_workspaces_share_the_budget(shop: Repository, tmp_path: Path, budget: int) -> None:
    other = Repository.make(tmp_path / "other")
    other.write("mailer.py", _MAILER)
    with Workspaces.open([shop.root, other.root]) as workspaces:
        if budget < 100:
            with pytest.raises(UsageError, match="99"):
                workspaces.search(QUESTION, token_budget=budget)
            return
        hits = workspaces.search(QUESTION, token_budget=budget).hits
    spans = [span for hit in hits for span in hit.spans]
    assert len({hit.base for hit in hits if hit.spans}) == 2
    assert sum(len(span.text.encode()) // 4 + _HEADER_TOKENS for span in spans) <= budget
