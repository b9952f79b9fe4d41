"""Filters against brute force: which files pass, and that only what passes takes part in their scores."""

import random
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pytest

from codecairn import SearchFilters, Workspace
from support.provider_server import Fault, ProviderServer
from support.reference_ranking import (
    RRF_LISTS,
    bm25,
    reciprocal_rank_fusion,
    shares,
    terms,
    values,
)
from support.repository import Repository

LONG = " ".join(["blicketblicket"] * 15)
"""Makes a definition large enough to be a chunk of its own."""
FORMS = {
    ("py", "function"): "def {name}():\n    # {words} " + LONG + "\n    return 1",
    ("py", "class"): "class {name}:\n    # {words} " + LONG + "\n    pass",
    ("js", "function"): "function {name}() {{\n  // {words} " + LONG + "\n}}",
    ("js", "class"): "class {name} {{\n  // {words} " + LONG + "\n}}",
    ("rs", "function"): "fn {name}() {{\n  // {words} " + LONG + "\n}}",
    ("rs", "struct"): "struct {name} {{\n  // {words} " + LONG + "\n}}",
}
FOLDERS = ("", "src/", "src2/", "src/deep/", "docs/src/")
QUERY = "zorp fenk"
LANGUAGES = {"python": "py", "javascript": "js", "rust": "rs"}
COHERENT = 60
"""Of so many of the best chunks the scores are added up by file."""


class Chunk(NamedTuple):
    """A definition of a file."""

    path: str
    kind: str
    name: str
    text: str


def _chunks() -> tuple[Chunk, ...]:
    """In each folder and language: a file with a function, one with a type, one with both."""
    draw, made = random.Random(3), []
    for (extension, kind), form in FORMS.items():
        for folder in FOLDERS:
            for file in ("both", "function" if kind == "function" else "type"):
                words = ["zorp"] * draw.randint(1, 3) + ["fenk"] * draw.randint(0, 4)
                letters = "".join(draw.choices("abcdefgh", k=8))
                name = draw.choice(("zorp", "fenk", "mib")) + "_" + letters
                text = form.format(
                    name=name, words=" ".join([*words, *["dax"] * draw.randint(0, 6)])
                )
                made.append(Chunk(f"{folder}{file}.{extension}", kind, name, text))
    return tuple(made)


CHUNKS = _chunks()
PATHS = sorted({chunk.path for chunk in CHUNKS})

Passes = Callable[[Chunk], bool]


def _in(*folders: str) -> Passes:
    return lambda chunk: chunk.path.startswith(tuple(f"{folder}/" for folder in folders))


FILTERS: dict[str, tuple[SearchFilters, Passes]] = {
    "nothing": (SearchFilters(), lambda _: True),
    "function": (SearchFilters(kinds=["function"]), lambda chunk: chunk.kind == "function"),
    "class": (SearchFilters(kinds=["class"]), lambda chunk: chunk.kind == "class"),
    "class-or-struct": (
        SearchFilters(kinds=["class", "struct"]), lambda chunk: chunk.kind != "function",
    ),
    "rust": (SearchFilters(languages=["rust"]), lambda chunk: chunk.path.endswith(".rs")),
    "python-or-js": (
        SearchFilters(languages=["python", "javascript"]),
        lambda chunk: not chunk.path.endswith(".rs"),
    ),
    "folder": (SearchFilters(directories=["src"]), _in("src")),
    "folder-in-folder": (SearchFilters(directories=["src/deep"]), _in("src/deep")),
    "folders": (SearchFilters(directories=["src2", "docs"]), _in("src2", "docs")),
    "left-out": (
        SearchFilters(globs=["src*/"], exclude=["src/deep/", "*.rs", "!src/both.rs"]),
        lambda chunk: (
            _in("src", "src2", "docs/src")(chunk)
            and not _in("src/deep")(chunk)
            and (not chunk.path.endswith(".rs") or chunk.path == "src/both.rs")
        ),
    ),
    "all-conditions": (
        SearchFilters(
            kinds=["class"], languages=["python"], directories=["src"], globs=["both.*"]
        ),
        lambda chunk: (
            _in("src")(chunk) and chunk.kind == "class" and chunk.path.endswith("both.py")
        ),
    ),
}  # fmt: skip

GLOBS = (
    ("*.py",),
    ("/*.py",),
    ("src/",),
    ("/src/",),
    ("src/*.js",),
    ("**/deep/*",),
    ("both.*", "!*.rs"),
    ("*", "!/both.py"),
    ("function.[jp][sy]",),
    ("*.rs", "docs/**/type.*"),
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    repository = Repository.make(tmp_path_factory.mktemp("filters") / "repository")
    for path in PATHS:
        texts = [chunk.text for chunk in CHUNKS if chunk.path == path]
        repository.write(path, "\n\n\n".join(texts) + "\n")
    repository.git("add", "--all")
    return repository


@pytest.fixture
def workspace(project: Repository) -> Iterator[Workspace]:
    with Workspace.open(project.root) as opened:
        assert opened.index().chunks == len(CHUNKS)
        yield opened


def _scores(field: Mapping[tuple[str, str], str], passes: Passes, b: float) -> dict[str, float]:
    """By path the best share among the chunks that pass, where rarity and length are of all chunks."""
    found = bm25({key: terms(text) for key, text in field.items()}, terms(QUERY), b=b)
    passing = [chunk for chunk in CHUNKS if passes(chunk)]
    best: dict[str, float] = {}
    for path, kind, *_ in passing:
        score = found.get((path, kind), 0.0)
        best[path] = max(best.get(path, 0.0), score)
    return shares({path: score for path, score in best.items() if score})


@pytest.mark.parametrize(("filters", "passes"), FILTERS.values(), ids=FILTERS)
def test_only_what_passes_is_found_and_scored(
    workspace: Workspace, filters: SearchFilters, passes: Passes
) -> None:
    passing = {chunk.path for chunk in CHUNKS if passes(chunk)}
    assert passing
    hits = workspace.search(QUERY, filters=filters, limit=100, explain=True)
    assert {hit.path for hit in hits} == passing
    if filters.kinds:
        assert {hit.kind for hit in hits} <= set(filters.kinds)
    bodies = {(chunk.path, chunk.kind): chunk.text for chunk in CHUNKS}
    names = {(chunk.path, chunk.kind): chunk.name for chunk in CHUNKS}
    assert values(hits, "body") == pytest.approx(_scores(bodies, passes, 0.75), rel=1e-4)
    assert values(hits, "names") == pytest.approx(_scores(names, passes, 0.4), rel=1e-4)
    found = bm25({key: terms(text) for key, text in bodies.items()}, terms(QUERY), b=0.75)
    assert len(CHUNKS) == COHERENT
    summed: dict[str, float] = {}
    for path, kind, *_ in filter(passes, CHUNKS):
        summed[path] = summed.get(path, 0.0) + found[path, kind]
    assert values(hits, "coherence") == pytest.approx(shares(summed), rel=1e-4)
    fused = reciprocal_rank_fusion(values(hits, feature) for feature in RRF_LISTS)
    assert values(hits, "fusion") == pytest.approx(shares(fused), rel=1e-5)


def test_files_of_other_authors_take_no_part_in_a_score(repository: Repository) -> None:
    repository.write_all({f"ann{at:02}.txt": "zorp fenk\n" for at in range(60)})
    repository.commit()
    repository.write_all({"bob.txt": f"zorp {'dax ' * 30}\n", "bobs.txt": f"zorp {'dax ' * 9}\n"})
    repository.commit(author="Bob <bob@example.com>")
    with Workspace.open(repository.root) as opened:
        hits = opened.search(QUERY, filters=SearchFilters(author="bob"), explain=True)
    expected = reciprocal_rank_fusion([{"bobs.txt": 2.0, "bob.txt": 1.0}])
    assert values(hits, "fusion") == pytest.approx(shares(expected))
    assert values(hits, "body")["bobs.txt"] == 1


@pytest.mark.parametrize("globs", GLOBS, ids=" ".join)
def test_globs_are_read_as_git_reads_them(
    project: Repository, workspace: Workspace, globs: tuple[str, ...]
) -> None:
    listed = project.git(
        "ls-files", "--cached", "--ignored", *(f"--exclude={glob}" for glob in globs)
    )
    expected = set(listed.splitlines())
    assert 0 < len(expected) < len(PATHS)
    filters = SearchFilters(globs=globs)
    assert {hit.path for hit in workspace.search(QUERY, filters=filters, limit=100)} == expected


@pytest.mark.parametrize("globs", [("docs",), ("*.py", "!src/both.py"), ("src/",)])
def test_files_are_left_out_by_the_patterns_that_would_keep_them(
    workspace: Workspace, globs: tuple[str, ...]
) -> None:
    def paths(filters: SearchFilters) -> set[str]:
        return {hit.path for hit in workspace.search(QUERY, filters=filters, limit=100)}

    kept, left = paths(SearchFilters(globs=globs)), paths(SearchFilters(exclude=globs))
    assert kept
    assert left == set(PATHS) - kept
    assert paths(SearchFilters(exclude=["*"])) == set()


@pytest.mark.parametrize(("filters", "passes"), FILTERS.values(), ids=FILTERS)
def test_definitions_and_look_alikes_are_filtered_too(
    workspace: Workspace, filters: SearchFilters, passes: Passes
) -> None:
    passing = {chunk.path for chunk in CHUNKS if passes(chunk)}
    alike = workspace.similar(f"def zorp():\n    # zorp fenk {LONG}", filters=filters, limit=200)
    assert {hit.path for hit in alike} == passing
    for chunk in CHUNKS:
        found = [(hit.path, hit.name) for hit in workspace.define(chunk.name, filters=filters)]
        assert found == ([(chunk.path, chunk.name)] if passes(chunk) else [])


@pytest.mark.parametrize(
    ("filters", "share"),
    [
        (SearchFilters(), 1 / 6**0.5),
        (SearchFilters(directories=["src"]), 1 / 2**0.5),
        (SearchFilters(directories=["docs"]), 1.0),
        (SearchFilters(directories=["src"], kinds=["class"]), None),
    ],
    ids=["all", "two", "one", "hidden"],
)
def test_a_name_is_as_rare_as_it_is_among_what_passes(
    folder: Repository, filters: SearchFilters, share: float | None
) -> None:
    """A definition that is hidden gives nothing, not even to the file that contains it."""
    both = "\n\n\n".join(
        FORMS["py", kind].format(name=name, words="zorp")
        for kind, name in (("function", "zorp_fenk"), ("class", "wug"))
    )
    places = ("a", "b/a", "b/c", "docs/a", "src/a", "src/b")
    folder.write_all({f"{place}.py": both + f"\n# {place}\n" for place in places})
    with Workspace.open(folder.root) as workspace:
        workspace.index()
        hits = workspace.search("zorp_fenk", filters=filters, explain=True)
    paths = [hit.path for hit in hits]
    expected = {} if share is None else dict.fromkeys(paths, share)
    assert paths
    assert values(hits, "symbol") == pytest.approx(expected)


DIMENSIONS = 24
FAR_COPIES = 70
UNHEARD = "unheard"
"""A query without a word of any file: its vector alone finds anything."""


def _definition(name: str) -> str:
    return FORMS["py", "function"].format(name=name, words="dax") + "\n"


def _vector(text: str) -> list[float]:
    """A query's is one in each dimension; those of functions called `far…` are the nearest to that."""
    name = re.search(r"def (\w+)", text)
    if name is None:
        return [1.0] * DIMENSIONS
    noise = np.random.default_rng(zlib.crc32(name[1].encode())).normal(size=DIMENSIONS)
    return (noise + (3.0 if name[1].startswith("far") else 0.5)).tolist()


def _cosine(name: str) -> float:
    one, other = np.array(_vector(f"def {name}")), np.array(_vector(UNHEARD))
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


NEAR = {f"near/n{at:02}.py": (f"near_{at}", f"also_{at}") for at in range(12)}
COPIES = {f"far/copy{at:02}.py": ("near_3",) for at in range(FAR_COPIES)}
FAR = {
    f"far/f{letter}.py": tuple(f"far_{letter}_{at}" for at in range(60)) for letter in "abcdefgh"
}
"""More chunks than the retriever looks at."""
NAMES = NEAR | COPIES | FAR

NEAR_ONLY = SearchFilters(directories=["near"])
NEAR_AND_COPIES = SearchFilters(globs=["near/", "copy*"])


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    repository = Repository(tmp_path_factory.mktemp("crowd"))
    for path, names in NAMES.items():
        repository.write(path, "\n\n".join(map(_definition, names)))
    return repository


@pytest.fixture
def embedded(crowd: Repository) -> Iterator[Workspace]:
    """A workspace whose vectors come from a provider, so that they are known."""
    with ProviderServer(DIMENSIONS).running() as server:
        server.fault = lambda _number, texts: Fault(change=lambda _: list(map(_vector, texts)))
        settings = {
            "embedding.provider": "compatible",
            "embedding.model": "served",
            "embedding.base_url": f"{server.url}/v1",
            "embedding.dimensions": DIMENSIONS,
            "embedding.interval_ms": 0,
            "embedding.batch_texts": 100,
        }
        with Workspace.open(crowd.root, settings=settings) as workspace:
            report = workspace.index()
            assert report.chunks == sum(map(len, NAMES.values()))
            assert report.embedding is not None
            assert report.embedding.pending == 0
            yield workspace


@pytest.mark.parametrize(
    ("filters", "paths"),
    [(NEAR_ONLY, [*NEAR]), (NEAR_AND_COPIES, sorted(NEAR | COPIES))],
    ids=["near", "near-and-copies"],
)
def test_nearest_vectors_are_those_of_what_passes(
    embedded: Workspace, filters: SearchFilters, paths: list[str]
) -> None:
    """Though all that is hidden is nearer, and is more than the retriever looks at."""
    hits = embedded.search(UNHEARD, filters=filters, limit=100, explain=True)
    passing = [(path, _cosine(name)) for path in paths for name in NAMES[path]]
    nearest = sorted(passing, key=lambda each: -each[1])
    best = {path: cosine for path, cosine in reversed(nearest) if cosine > 0}
    assert values(hits, "vector") == pytest.approx(shares(best), rel=0.02)
    summed: dict[str, float] = {}
    for path, cosine in nearest[:COHERENT]:
        summed[path] = summed.get(path, 0.0) + max(cosine, 0.0)
    summed = {path: cosine for path, cosine in summed.items() if cosine}
    for hit in hits:
        assert _cosine(hit.name) == pytest.approx(max(map(_cosine, NAMES[hit.path])), abs=0.01)
    assert values(hits, "vector_coherence") == pytest.approx(shares(summed), rel=0.02)


def test_look_alikes_are_ordered_by_exact_cosines(embedded: Workspace) -> None:
    """As exact as eight bits a dimension are."""
    alike = embedded.similar(UNHEARD, filters=NEAR_ONLY, limit=100)
    assert {hit.name for hit in alike} == {name for names in NEAR.values() for name in names}
    cosines = [_cosine(hit.name) for hit in alike]
    assert cosines == pytest.approx(sorted(cosines, reverse=True), abs=0.01)
    ranks = range(1, len(cosines) + 1)
    assert [hit.score for hit in alike] == pytest.approx([1 / (60 + rank) for rank in ranks])


def test_a_text_that_occurs_several_times_is_one_look_alike(embedded: Workspace) -> None:
    alike = [hit.name for hit in embedded.similar(UNHEARD, filters=NEAR_AND_COPIES, limit=100)]
    assert len(alike) == len(set(alike)) == 24
    few = embedded.similar(UNHEARD, filters=NEAR_AND_COPIES, limit=5)
    assert [hit.name for hit in few] == alike[:5]
