"""The table of costs follows from the figures and assumptions above it."""

import json
import re

from support.documents import PAGES, ROOT

PAGE = PAGES["docs/explanation/scale.md"]


def _value(name: str) -> float:
    (found,) = re.findall(rf"^\| {re.escape(name)}[^|]*\| ([\d.,]+)", PAGE, re.MULTILINE)
    return float(found.rstrip(",").replace(",", ""))


def _row(name: str) -> tuple[float, float]:
    """The amount of a row, and the dollars."""
    (found,) = re.findall(
        rf"^\| {re.escape(name)}[^|]*\| ([\d.]+)[^|]*\| ([\d.]+)", PAGE, re.MULTILINE
    )
    return float(found[0]), float(found[1])


def test_the_bytes_of_a_chunk_add_up() -> None:
    parts = ("vectors", "words", "records", "numbering")
    assert sum(map(_value, parts)) == _value("together")


def test_amounts_and_prices_are_those_of_the_assumptions() -> None:
    repositories, chunks = 100_000, _value("chunks in a repository")
    developers, days = _value("developers"), 30
    terabytes = repositories * chunks * _value("together") * 1.4 / 1e12
    writes = repositories * _value("publications") * _value("objects that a publication") * days
    reads = developers * _value("pulls of a developer") * 15 * days
    first = developers * _value("fresh clones") * chunks * _value("together") / 1e12
    later = developers * _value("pulls of a developer") * 20e3 * days / 1e9
    manifests = repositories * _value("rows of manifests") * 5_939 / 1e9
    facts = repositories * _value("facts in the memory") * 934 / 1e9
    hours = (
        repositories
        * chunks
        * _figures("index-export.json")["codecairn: full index, processor time"]
        / 22_615
        / 3600
    )
    egress = _value("a GB that leaves")
    storage, database = _value("prices in US dollars"), _value("the same of database")
    expected = {
        "object storage": (terabytes, terabytes * 1000 * storage),
        "writes": (writes / 1e6, writes / 1e6 * _value("a million writes")),
        "reads": (reads / 1e6, reads / 1e6 * 0.40),
        "first pulls": (first, first * 1000 * egress),
        "later pulls": (later, later * egress),
        "manifests in the database": (manifests, manifests * database),
        "facts in the database": (facts, facts * database),
        "first indexing": (hours, hours * _value("an hour of one core")),
    }
    for name, (amount, dollars) in expected.items():
        found = _row(name)
        assert abs(found[0] - amount) <= 0.01 * amount + 0.05, (name, amount)
        assert abs(found[1] - dollars) <= 0.01 * dollars + 0.5, (name, dollars)


def test_measured_figures_are_those_of_the_bench() -> None:
    figures = _figures("team.json")
    assert figures["team: a manifest of 150 names"] == 5_939
    assert round(figures["team: a fact"]) == 934
    assert round(figures["team: a publication in the database"]) == 12
    assert round(figures["team: reading and verifying 1,000 facts"], 1) == 1.1
    assert round(figures["team: the first sync of 1,000 facts"], 1) == 4.3


def test_bytes_of_a_chunk_are_those_of_the_bench() -> None:
    figures, chunks = _figures("index-export-sizes.json"), 21_581
    for part, measure in (
        ("vectors", "std: bytes of segments (vector:static-256-v1)"),
        ("words", "std: bytes of segments (lexical)"),
        ("records", "std: bytes of records"),
        ("numbering", "std: bytes of numbering"),
    ):
        assert abs(figures[measure] / chunks - _value(part)) < 0.6, part
    assert 11_500 <= figures["std: bytes of new parts after three edits"] < 12_500


def _figures(name: str) -> dict[str, float]:
    """The figures of the run that has a file of this name."""
    (run,) = (ROOT / "benches/runs").glob(f"*/{name}")
    document = json.loads(run.read_text(encoding="utf-8"))
    return {each["measure"]: each["value"] for each in document["figures"]}
