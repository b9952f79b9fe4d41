"""What words find is what BM25 as published finds, in each field, on random small corpora."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from codecairn import SearchResult, Workspace
from support.reference_ranking import bm25, shares, stems, terms, values
from support.repository import Repository

WORDS = ("zorp", "zorps", "fenk", "mib", "dax", "quiv", "quivs", "wug")
"""Words that no language has, so that only their places count; a plural has the stem of its singular."""
MAX_QUERIED = 4

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=30)
queries = st.lists(st.sampled_from(WORDS), min_size=2, max_size=MAX_QUERIED, unique=True)


class Place(NamedTuple):
    """Where words may occur, and how the index weighs them there.

    Each file has a word of its own, `yaq`, `ybq` and so on: no stem of a compound with it, such as `daxyaq`, is another
    word, as that of `daxxe` would be.

    Attributes:
        file: A file's path and text, from its number and its words.
        analyse: The terms of that place, from the file's path and text.
        of: The part of path and text that is analysed.
        features: The explained features, each with its `b`, and how words become terms.
    """

    file: Callable[[int, Sequence[str]], tuple[str, str]]
    part: Callable[[str, str], str]
    features: Mapping[str, tuple[float, Callable[[str], list[str]]]]


PLACES = {
    "text": Place(
        lambda number, words: (
            f"y{chr(97 + number)}q.txt",
            f"{' '.join(words)} y{chr(97 + number)}q\n",
        ),
        lambda _path, text: text,
        {"body": (0.75, stems), "exact": (0.75, terms), "file_body": (0.6, stems)},
    ),
    "names": Place(
        lambda number, words: (
            f"y{chr(97 + number)}q.py",
            f"def {'_'.join([*words[:6], f'y{chr(97 + number)}q'])}():\n    return 1\n",
        ),
        lambda _path, text: text.partition("(")[0].removeprefix("def "),
        {"names": (0.4, stems), "file_names": (0.5, stems)},
    ),
    "comments": Place(
        lambda number, words: (
            f"y{chr(97 + number)}q.py",
            f"def y{chr(97 + number)}q():\n    # {' '.join(words)}\n    return y{chr(97 + number)}q\n",
        ),
        lambda _path, text: text.partition("#")[2].partition("\n")[0],
        {"comments": (0.75, stems)},
    ),
    "path": Place(
        lambda number, words: (
            f"{'/'.join(words[:5])}/{'_'.join(words[:2])}.y{chr(97 + number)}q.txt",
            f"y{chr(97 + number)}q\n",
        ),
        lambda path, _text: path.partition(".")[0],
        {"path": (0.3, stems)},
    ),
    "stem": Place(
        # A stem's length is how many terms it has, not how often.
        lambda number, words: (
            f"n/{'_'.join(dict.fromkeys(stems(' '.join(words))))}.y{chr(97 + number)}q.txt",
            f"y{chr(97 + number)}q\n",
        ),
        lambda path, _text: path.removeprefix("n/").partition(".")[0],
        {"stem": (0.5, stems)},
    ),
}


@contextmanager
def searched(files: Mapping[str, str], query: str) -> Iterator[SearchResult]:
    """The explained hits of a workspace that has these files."""
    with tempfile.TemporaryDirectory() as folder:
        Repository(Path(folder)).write_all(dict(files))
        with Workspace.open(folder) as workspace:
            workspace.index()
            yield workspace.search(query, explain=True, limit=100)


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@settings(max_examples=15)
@given(st.lists(texts, min_size=2, max_size=9), queries)
@example([["zorp"], ["zorp"] * 2, ["zorp", "fenk"], ["fenk"] * 30], ["zorp", "fenk"])
def test_words_weigh_what_the_published_formula_says(
    place: Place, corpus: list[list[str]], query: list[str]
) -> None:
    files = dict(place.file(number, words) for number, words in enumerate(corpus))
    with searched(files, " ".join(query)) as hits:
        for feature, (b, analyse) in place.features.items():
            documents = {path: analyse(place.part(path, text)) for path, text in files.items()}
            expected = shares(bm25(documents, analyse(" ".join(query)), b=b))
            assert values(hits, feature) == pytest.approx(expected, rel=1e-4), feature
