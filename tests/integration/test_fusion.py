"""Fusion against ten lines of Python: which ranks and scores of the retrievers add up to which order."""

import random

import pytest

from codecairn import SearchResult, Workspace
from support.reference_ranking import (
    RRF_LISTS,
    by_score,
    reciprocal_rank_fusion,
    values,
    weighted_fusion,
)
from support.repository import Repository

WORDS = ("zorp", "fenk", "mib", "dax", "quiv", "wug", "blicket", "toma")
WEIGHTS = dict(zip(RRF_LISTS, (1.0, 0.6, 0.6, 0.6, 0.8, 1.0), strict=True))
DEPTH = 200
"""How many files each retriever brings."""

QUERIES = (
    "zorp fenk",
    "zorp mib quiv wug",
    "where is zorp_fenk called with dax",
    "zorp_fenk",
    "zorp/fenk.py",
    "open the file and read a line",
)


def found(repository: Repository, query: str, **settings: object) -> SearchResult:
    """The explained hits, ordered by fusion alone."""
    chosen = {"ranking": "fusion", **settings}
    with Workspace.open(repository.root, settings=chosen) as workspace:
        workspace.index()
        return workspace.search(query, explain=True, limit=1_000)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Files of random words in texts, names, comments and paths; some are copies of others."""
    repository = Repository(tmp_path_factory.mktemp("fusion"))
    draw = random.Random(7)

    def words(least: int, most: int) -> list[str]:
        return draw.choices(WORDS, k=draw.randint(least, most))

    for number in range(40):
        name = "_".join(words(1, 3))
        body = f"    # {' '.join(words(0, 8))}\n    {' = '.join(words(1, 9))} = open\n"
        text = f"def {name}():\n{body}    return {number % 9}\n"
        repository.write(f"{'/'.join([*words(0, 2), draw.choice(WORDS)])}_{number % 13}.py", text)
        repository.write(
            f"notes/{draw.choice(WORDS)}{number:02}.txt", f"{' '.join(words(1, 40))}\n"
        )
    for path in ("copies/a.py", "copies/b.py"):
        repository.write(path, "def zorp_fenk(dax):\n    return dax\n")
    return repository


@pytest.mark.parametrize("query", QUERIES)
def test_ranks_fuse_to_sums_of_reciprocals(project: Repository, query: str) -> None:
    hits = found(project, query)
    expected = reciprocal_rank_fusion(values(hits, feature) for feature in RRF_LISTS)
    scores = {hit.path: hit.score for hit in hits}
    assert len(scores) > 10
    assert scores == pytest.approx(expected, rel=1e-5)
    assert [hit.path for hit in hits] == by_score(scores)
    best = max(scores.values())
    shares = {path: score / best for path, score in scores.items()}
    assert values(hits, "fusion") == pytest.approx(shares, rel=1e-5)


@pytest.mark.parametrize("query", QUERIES)
def test_scores_fuse_to_weighted_sums_of_shares(project: Repository, query: str) -> None:
    hits = found(project, query, fusion="weighted")
    lists = {feature: values(hits, feature) for feature in RRF_LISTS}
    expected = weighted_fusion(lists, WEIGHTS)
    scores = {hit.path: hit.score for hit in hits}
    assert scores == pytest.approx(expected, rel=1e-5)
    assert [hit.path for hit in hits] == by_score(scores)


@pytest.mark.parametrize("feature", RRF_LISTS)
def test_every_retriever_has_a_say_in_some_query(project: Repository, feature: str) -> None:
    """Else the sums above would hold without it."""
    assert any(values(found(project, query), feature) for query in QUERIES)


@pytest.mark.parametrize("count", [DEPTH - 1, DEPTH, DEPTH + 1, DEPTH + 3])
def test_a_retriever_brings_two_hundred_files_and_equal_ones_by_path(
    folder: Repository, count: int
) -> None:
    paths = [f"n{number:03}.txt" for number in range(count)]
    folder.write_all(dict.fromkeys(paths, "zorp fenk\n"))
    hits = found(folder, "zorp fenk")
    assert [hit.path for hit in hits] == paths[:DEPTH]


@pytest.mark.parametrize(("short", "long"), [("a.txt", "b.txt"), ("b.txt", "a.txt")])
def test_equal_sums_are_ordered_by_path(folder: Repository, short: str, long: str) -> None:
    """One file has the best passage, the other has the word most often: first and second, second and first."""
    folder.write(short, "zorp fenk\n")
    paragraphs = (f"zorp {'dax ' * 300}\n{'quiv ' * 60}" for _ in range(12))
    folder.write(long, "\n\n".join(paragraphs))
    hits = found(folder, "zorp")
    assert values(hits, "body")[short] > values(hits, "body")[long]
    assert values(hits, "file_body")[short] < values(hits, "file_body")[long]
    assert len({hit.score for hit in hits}) == 1
    assert [hit.path for hit in hits] == ["a.txt", "b.txt"]
