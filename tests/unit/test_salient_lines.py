"""What the lines of an answer are, and which of them hold most."""

from hypothesis import given
from hypothesis import strategies as st

from codecairn.memory.extract.salient_lines import gist, is_bare, lines_of, worth

_ANSWER = """Great choice. Here's the plan for the API:

- `POST /orders` checks the stock
- it returns 409 if none is left

```python
def hidden() -> None: ...
```

Run it with:
```bash
# starts the server
uvicorn app.main:app --port 8000
```
All set."""


def test_items_and_commands_keep_their_heading_and_other_code_is_left_out() -> None:
    assert list(lines_of(_ANSWER)) == [
        "Great choice.",
        "Here's the plan for the API: `POST /orders` checks the stock",
        "Here's the plan for the API: it returns 409 if none is left",
        "Run it with: uvicorn app.main:app --port 8000",
        "All set.",
    ]


def test_what_holds_names_commands_and_numbers_is_kept_in_its_order() -> None:
    assert gist([_ANSWER], most=2) == [
        "Here's the plan for the API: `POST /orders` checks the stock",
        "Run it with: uvicorn app.main:app --port 8000",
    ]
    assert gist(["Thanks, that is good. It works as it should."], most=5) == []


def test_a_line_that_only_says_done_is_bare() -> None:
    assert is_bare("Implemented.")
    assert not is_bare("Implemented the token rotation.")
    assert not is_bare("完成了。")


@given(st.lists(st.text(max_size=400), max_size=5), st.integers(0, 6))
def test_of_any_text_no_more_than_is_wanted_is_kept_and_all_of_it_was_said(
    texts: list[str], most: int
) -> None:
    kept = gist(texts, most=most)
    said = [line for text in texts for line in lines_of(text)]
    assert len(kept) <= most
    assert all(line in said and worth(line) > 0 for line in kept)
