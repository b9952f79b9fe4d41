"""Which of several files that all fit comes first, and what the explanation says of it."""

import json
import math
from pathlib import Path

import pytest

from codecairn import Hit, Workspace
from support.reference_ranking import shares, values
from support.repository import Repository

PROJECT = Path(__file__).parents[2]

QUEUE = '''"""The queue of jobs."""


def enqueue(job: str) -> str:
    """Put a job into the queue of jobs."""
    return job
'''


def ranked(repository: Repository, query: str) -> dict[str, Hit]:
    """The hits by path, best first."""
    with Workspace.open(repository.root) as workspace:
        return {hit.path: hit for hit in workspace.search(query, explain=True)}


def value(hit: Hit, feature: str) -> float:
    (part,) = (part for part in hit.contributions if part.feature == feature)
    return part.value


def test_of_equal_files_the_one_that_others_speak_of_is_first(repository: Repository) -> None:
    repository.write_all({"jobs/conveyor.py": QUEUE, "jobs/backlog.py": QUEUE})
    uses = {
        f"app/part_{at}.py": f"import conveyor\n\n\ndef part_{at}():\n    return conveyor\n"
        for at in range(6)
    }
    repository.write_all(uses)
    hits = ranked(repository, "put a job into the queue")
    assert next(iter(hits)) == "jobs/conveyor.py"
    assert value(hits["jobs/conveyor.py"], "mentions") > value(hits["jobs/backlog.py"], "mentions")


def test_namesakes_share_what_is_said_of_them(repository: Repository) -> None:
    repository.write_all(
        {
            "a/conveyor.py": QUEUE,
            "b/conveyor.py": QUEUE,
            "jobs/backlog.py": QUEUE,
            "app/one.py": "import conveyor, backlog\n",
        }
    )
    hits = ranked(repository, "put a job into the queue")
    assert value(hits["a/conveyor.py"], "mentions") == value(hits["b/conveyor.py"], "mentions")
    assert value(hits["jobs/backlog.py"], "mentions") > value(hits["a/conveyor.py"], "mentions")


def test_copies_tests_and_other_platforms_come_after_the_source(repository: Repository) -> None:
    others = ("tests/test_queue.py", "dist/queue.py", "jobs/deprecated/queue.py", "jobs/queue.py")
    repository.write_all(dict.fromkeys(others, QUEUE))
    hits = ranked(repository, "put a job into the queue")
    assert next(iter(hits)) == "jobs/queue.py"
    for feature, path in (
        ("test", "tests/test_queue.py"),
        ("copied", "dist/queue.py"),
        ("legacy", "jobs/deprecated/queue.py"),
    ):
        assert value(hits[path], feature) == 1
        assert value(hits["jobs/queue.py"], feature) == 0


def test_every_part_is_its_value_times_the_weight_and_they_add_up(repository: Repository) -> None:
    repository.write_all({"jobs/queue.py": QUEUE, "jobs/other.py": "def other():\n    return 1\n"})
    hit = next(iter(ranked(repository, "put a job into the queue").values()))
    assert abs(sum(part.part for part in hit.contributions) - hit.score) < 1e-4


RUST = """/// Opens the valve a little.
pub fn open_valve(turns: u32) -> u32 {
    turns + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_valve_opens_the_valve_a_little_and_the_valve_stays_open() {
        // opens the valve a little: the valve is open
        assert_eq!(open_valve(1), 2, "open the valve a little");
    }
}
"""


def test_a_test_comes_after_what_it_tests_in_the_same_file(repository: Repository) -> None:
    repository.write_all({"valve.rs": RUST})
    assert ranked(repository, "open the valve a little")["valve.rs"].name == "open_valve"
    named = ranked(repository, "open_valve_opens_the_valve_a_little_and_the_valve_stays_open")
    assert named["valve.rs"].name.startswith("tests.open_valve_opens")


def function(name: str, words: str) -> str:
    return f"def {name}():\n    # {words}\n    return 1\n"


FILLERS = {f"filler{at}.py": function(f"toma_{at}", f"wug blick {at}") for at in range(6)}
CODE = "def mib():\n    # dax dax\n    return zorp, fenk\n"
METHOD = "class {}:\n    def fenk(self):\n        return 1\n"


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        pytest.param(
            "zorp wug", function("mib", "zorp" + " dax" * 3), function("mib", "zorp" + " dax" * 30),
            id="shorter",
        ),
        pytest.param(
            "zorp wug", function("mib", "zorp zorp zorp dax"), function("mib", "zorp dax dax dax"),
            id="more-often",
        ),
        pytest.param(
            "zorp wug", function("mib", "zorp quiv dax"), function("mib", "wug quiv dax"),
            id="the-rarer-word",
        ),
        pytest.param(
            "zorp fenk", function("mib", "zorp fenk dax"), function("mib", "zorp zorp dax"),
            id="each-word-once",
        ),
        pytest.param(
            "zorp fenk", function("zorp_fenk", "dax dax"), function("dax_dax", "zorp fenk"),
            id="defined-not-mentioned",
        ),
        pytest.param(
            "zorps fenks", function("mib", "zorps fenks"), function("mib", "zorp fenk"),
            id="as-written",
        ),
        pytest.param(
            "zorp fenk", function("mib", "zorp fenk dax dax"), CODE,
            id="said-in-a-comment",
        ),
        pytest.param(
            "zorp_fenk", function("zorp_fenk", "dax"), function("dax", "zorp_fenk " * 3),
            id="the-name-itself",
        ),
        pytest.param(
            "zorp_fenk", function("zorp_fenk", "dax"), function("zorp_fenk_dax_mib", "dax"),
            id="no-longer-name",
        ),
        pytest.param(
            "Zorp.fenk", METHOD.format("Zorp"), METHOD.format("Wug"),
            id="the-scope",
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("paths", [("one.py", "two.py"), ("two.py", "one.py")], ids="-".join)
def test_one_property_of_the_text_decides(
    folder: Repository, query: str, better: str, worse: str, paths: tuple[str, str]
) -> None:
    folder.write_all({paths[0]: better, paths[1]: worse, **FILLERS})
    assert next(iter(ranked(folder, query))) == paths[0]


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        pytest.param("zorp fenk", "zorp/fenk.py", "quiv/toma.py", id="words-in-the-path"),
        pytest.param("zorp", "zzz/zorp.py", "zorp/zzz.py", id="file-before-folder"),
        pytest.param("zorp fenk", "zzz/mib.py", "tests/test_mib.py", id="no-test"),
        pytest.param("zorp fenk", "mib.py", "a/b/c/mib.py", id="not-deep"),
    ],
)
def test_one_property_of_the_path_decides(
    folder: Repository, query: str, better: str, worse: str
) -> None:
    """Though the other file would be first if nothing decided."""
    assert better > worse
    text = function("mib", "zorp fenk dax")
    folder.write_all({better: text, worse: text, **FILLERS})
    assert next(iter(ranked(folder, query))) == better


def test_words_of_other_branches_and_of_what_is_gone_make_nothing_more_frequent(
    repository: Repository,
) -> None:
    """The index holds all of them; rarity and length are those of the branch."""
    shown = {f"n{letter}.txt": f"zorp {'fenk ' * at}wug\n" for at, letter in enumerate("abcd")}
    repository.write_all({f"gone{letter}.txt": f"zorp {letter}\n" for letter in "abcdefgh"})
    repository.commit()
    ranked(repository, "zorp")
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.git("rm", "--quiet", "-r", ".")
    repository.write_all({**shown, "na.txt": "zorp mib mib mib\n"})
    ranked(repository, "zorp")
    repository.write_all({**shown, "copy.txt": shown["na.txt"]})
    hits = ranked(repository, "zorp fenk").values()
    # A copy lengthens the average, but is no further document.
    lengths = [len(text.split()) for text in [*shown.values(), shown["na.txt"]]]
    average = sum(lengths) / len(lengths)

    def score(text: str) -> float:
        words = text.split()
        found = 0.0
        for word, documents in (("zorp", 4), ("fenk", 3)):
            idf = math.log(1 + (4 - documents + 0.5) / (documents + 0.5))
            norm = 1.2 * (1 - 0.75 + 0.75 * len(words) / average)
            found += idf * words.count(word) / (words.count(word) + norm)
        return found

    expected = {path: score(text) for path, text in shown.items()}
    expected["copy.txt"] = expected["na.txt"]
    assert values(hits, "body") == pytest.approx(shares(expected), rel=1e-4)


MODEL = json.loads(
    (PROJECT / "native/crates/search/weights/ranker.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("enqueue", "symbol"),
        ("Queue.enqueue", "symbol"),
        ("jobs/queue.py", "path"),
        ("queue.py", "path"),
        ("put a job into the queue", "natural"),
    ],
)
def test_each_kind_of_query_has_the_weights_of_the_model(
    repository: Repository, query: str, kind: str
) -> None:
    repository.write_all({"jobs/queue.py": QUEUE, "tests/test_queue.py": QUEUE, **FILLERS})
    weights = dict(zip(MODEL["features"], MODEL[kind], strict=True))
    hits = ranked(repository, query)
    assert hits
    for hit in hits.values():
        parts = {part.feature: part.value * weights[part.feature] for part in hit.contributions}
        assert parts.keys() == weights.keys()
        assert hit.score == pytest.approx(sum(parts.values()), abs=1e-4)
        assert {part.feature: part.part for part in hit.contributions} == pytest.approx(parts)


def test_the_model_decides_over_ranks_unless_settings_say_otherwise(folder: Repository) -> None:
    folder.write_all({"mib.py": QUEUE, "tests/test_mib.py": QUEUE, **FILLERS})
    query = "put a job into the queue"
    with Workspace.open(folder.root, settings={"ranking": "model", "fusion": "rrf"}) as workspace:
        explicit = {hit.path: hit for hit in workspace.search(query, explain=True)}
    assert ranked(folder, query) == explicit


def test_definitions_come_by_case_then_by_part_then_by_kind_then_by_path(
    folder: Repository,
) -> None:
    function = "def open_valve(turns):\n    return turns\n"
    files = {
        "z/type.py": "class open_valve:\n    pass\n",
        "b/first.py": function,
        "c/second.py": function,
        "a/constant.py": "open_valve = 3\n",
        "a/legacy/valve.py": function,
        "a/stub.pyi": "def open_valve(turns: int) -> int: ...\n",
        "a/dist/valve.py": function,
        "a/examples/use.py": function,
        "a/tests/test_valve.py": function,
        "a/aa.py": "def Open_Valve(turns):\n    return turns\n",
    }
    folder.write_all({**files, "a/longer.py": "def open_valves(turns):\n    return turns\n"})
    with Workspace.open(folder.root) as workspace:
        assert [hit.path for hit in workspace.define("open_valve")] == [*files]
        assert [hit.path for hit in workspace.define("open_valve", limit=3)] == [*files][:3]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('"left" "right"', {"both.txt", "near.txt"}),
        ('"left right"', {"near.txt"}),
        ('"LEFT Right"', {"near.txt"}),
        ('"down" left', {"down.txt"}),
    ],
)
def test_each_quoted_text_must_stand_in_the_file(
    folder: Repository, query: str, expected: set[str]
) -> None:
    texts = {"both": "right or left", "near": "LEFT right", "one": "left left", "down": "down"}
    folder.write_all({f"{name}.txt": f"{text}\n" for name, text in texts.items()})
    assert ranked(folder, query).keys() == expected
    with Workspace.open(folder.root) as workspace:
        assert len(workspace.search(query, limit=1)) == min(1, len(expected))


@pytest.mark.parametrize(
    ("query", "expected", "parts"),
    [
        ('"left" "down"', {"one.txt", "down.txt"}, '"left" and "down"'),
        ('"left was" down', {"one.txt", "down.txt"}, '"left was"'),
        ('"fenk wug"', set(), ""),
    ],
)
def test_quoted_text_that_no_file_has_is_searched_for_as_words(
    folder: Repository, query: str, expected: set[str], parts: str
) -> None:
    folder.write_all({"one.txt": "left left\n", "down.txt": "down\n"})
    note = f"nothing has {parts} exactly; these results were found by the words"
    with Workspace.open(folder.root) as workspace:
        for found in (workspace.search(query), workspace.peek(query)):
            assert {hit.path for hit in found} == expected
            assert found.query == query
            assert found.notes == ((note,) if expected else ())


def test_a_quoted_value_in_a_message_is_a_word_like_others(folder: Repository) -> None:
    folder.write(
        "reading.py", "def read(size):\n    raise ValueError(f'cannot read a block of {size}')\n"
    )
    folder.write("sizes.py", "SIZES = ['3.5', '2.5']\n")
    assert next(iter(ranked(folder, 'cannot read a block of "3.5"'))) == "reading.py"


def test_equal_definitions_come_by_how_many_files_mention_theirs_then_by_depth(
    folder: Repository,
) -> None:
    function = "def open_valve(turns):\n    return turns\n"
    files = {"z/main_valve.py": function, "y.py": function, "a/b/c.py": function}
    users = {f"use{at}.py": "from z.main_valve import open_valve\n" for at in range(3)}
    folder.write_all({**files, **users})
    with Workspace.open(folder.root) as workspace:
        assert [hit.path for hit in workspace.define("open_valve")] == [*files]


LONG = " ".join(["blicketblicket"] * 16)
"""Makes a definition large enough to be a hit of its own."""


def _long(name: str, words: str) -> str:
    return f"def {name}():\n    # {words}\n    return '{LONG}'\n"


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        pytest.param(
            # Though the other one is shorter and has a word more often.
            "zorp fenk wug", _long("x", f"zorp fenk {'dax ' * 60}"), _long("y", "zorp zorp zorp zorp"),
            id="each-word-once",
        ),
        pytest.param(
            "zorp fenk", _long("zorp_fenk", "dax"), _long("dax", "zorp fenk"),
            id="defined-not-mentioned",
        ),
        pytest.param(
            "zorp wug", _long("x", "zorp zorp zorp dax"), _long("y", "zorp dax dax dax"),
            id="more-often",
        ),
        pytest.param(
            "zorps wug", _long("x", "zorps dax"), _long("y", "zorp dax"),
            id="as-written",
        ),
        pytest.param(
            "zorp fenk", _long("x", "zorp fenk dax"), f"# zorp fenk dax y\nz = '{LONG}'\n",
            id="a-definition",
        ),
        pytest.param("zorp wug", _long("x", "zorp dax"), f"# zorp y\nz = '{LONG[:140]}'\n", id="long"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("is_first", [True, False])
def test_one_property_decides_which_part_of_a_file_is_shown(
    folder: Repository, query: str, better: str, worse: str, is_first: bool
) -> None:
    parts = [better, worse] if is_first else [worse, better]
    folder.write_all({"a.py": "\n\n".join(parts), "b.py": _long("filler", "toma")})
    assert ranked(folder, query)["a.py"].text.strip() == better.strip()


def test_of_equal_parts_of_a_file_the_first_is_shown(folder: Repository) -> None:
    folder.write("a.py", "\n\n".join(_long(f"x{letter}", "zorp") for letter in "abcd"))
    assert ranked(folder, "zorp wug")["a.py"].start_line == 1
