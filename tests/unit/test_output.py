"""How results are printed."""

import dataclasses
import io
import json
from pathlib import Path

import pytest

from codecairn.cli.health import garbage_lines, language_words, problem_lines, status_lines
from codecairn.cli.hit_format import HitFormat
from codecairn.cli.index import preview_lines, report_lines
from codecairn.cli.output import Form, Line, Printer, print_result
from codecairn.cli.progress import step_words
from codecairn.cli.shown_paths import ShownPaths
from codecairn.cli.terminal import Screen
from codecairn.core.text_format import ago, amount, size, size_of, visible
from codecairn.core.types.hits import Contribution, Hit, SearchResult
from codecairn.core.types.indexing import Crash, IndexPreview, IndexReport, Skip
from codecairn.core.types.maintenance import GarbageReport, Problem
from codecairn.core.types.status import LanguageShare, Status
from codecairn.indexing.progress import Step
from codecairn.operations.json_output import hit_document, plain_document, search_document
from codecairn.search.result_notes import freshness_notes

HIT = Hit(
    path="shop/tokens.py",
    start_line=4,
    end_line=5,
    kind="function",
    name="verify_token",
    language="python",
    score=0.98765432,
    text="def verify_token(token):\n    return True",
    context_start_line=4,
    contributions=(
        Contribution(feature="body", value=2.0, part=0.25),
        Contribution(feature="unused", value=0.0, part=0.0),
        Contribution(feature="names", value=1.0, part=-0.5),
    ),
)
RESULT = SearchResult(
    query="token", branch="main", hits=(HIT,), stale=("shop/tokens.py",), unchecked=2
)


def _plain(lines: object) -> list[str]:
    stream = io.StringIO()
    Printer(stream).lines(lines)  # type: ignore[arg-type]
    return stream.getvalue().splitlines()


def _hit_lines(*, with_text: bool, explain: bool) -> list[str]:
    screen = Screen(width=None, height=40, is_terminal=False, is_colored=False)
    shown = HitFormat(
        screen=screen, paths=ShownPaths(Path("/r"), Path("/r")), rows=40, with_text=with_text, explain=explain
    )  # fmt: skip
    return _plain(shown.lines(RESULT, [()]))


def test_search_document_has_exactly_the_promised_keys() -> None:
    document = search_document(RESULT)
    assert list(document) == ["query", "branch", "stale", "unchecked", "confidence", "results"]
    assert [hit["stale"] for hit in document["results"]] == [True]  # type: ignore[attr-defined]
    assert list(hit_document(HIT)) == [
        "path", "start_line", "end_line", "kind", "name", "language", "score", "confidence",
        "text",
    ]  # fmt: skip
    assert document["stale"] == ["shop/tokens.py"]
    json.dumps(document)


def test_explained_hit_shows_its_contributions() -> None:
    document = hit_document(HIT, with_text=False, explain=True)
    assert "text" not in document
    assert document["contributions"][0] == {"feature": "body", "value": 2.0, "part": 0.25}  # type: ignore[index]
    assert _hit_lines(with_text=False, explain=True) == [
        "shop/tokens.py:4-5  function verify_token  0.988  stale",
        "  -0.5000  names = 1.0000",
        "  +0.2500  body = 2.0000",
    ]


def test_hit_is_its_place_and_a_numbered_excerpt() -> None:
    assert _hit_lines(with_text=True, explain=False) == [
        "shop/tokens.py:4-5  function verify_token  stale",
        "  4 │ def verify_token(token):",
        "  5 │     return True",
    ]


def test_notes_tell_stale_and_unchecked_apart() -> None:
    notes = freshness_notes(RESULT)
    assert notes[0] == "changed since they were indexed: shop/tokens.py"
    assert notes[1].startswith("2 files are unchecked for lack of time")
    locked = SearchResult(query="q", branch="", hits=(), unchecked=3, locked=True)
    assert freshness_notes(locked) == [
        "nothing found",
        "another process is indexing, newer changes may be missing",
    ]
    assert freshness_notes(SearchResult(query="q", branch="", hits=(HIT,))) == []


def test_result_behaves_as_a_sequence_of_hits() -> None:
    assert list(RESULT) == [HIT]
    assert len(RESULT) == 1
    assert RESULT[0] is HIT
    assert RESULT[:1] == (HIT,)
    assert HIT in RESULT


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext", "plain\ttext"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("\x9bm", "\\x9bm"),
        ("naïve 版本", "naïve 版本"),
        ("a\u202eb", "a\\u202eb"),
    ],
)
def test_control_characters_are_made_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_terminal_output_says_the_same_as_plain_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    lines: list[Line] = [("[not markup] :smile: ", ("bold", "bold")), ("x" * 300,)]
    terminal = _Terminal()
    Printer(terminal).lines(lines)
    assert terminal.getvalue().splitlines() == _plain(lines)


def test_each_form_prints_its_way(capsys: pytest.CaptureFixture[str]) -> None:
    def show(form: Form | None) -> str:
        print_result(
            form,
            document=lambda: {"all": [1, 2]},
            documents=lambda: [{"n": 1}, {"n": 2}],
            lines=lambda: [("people",)],
        )
        return capsys.readouterr().out

    assert json.loads(show(Form.JSON)) == {"all": [1, 2]}
    assert show(Form.JSON_LINES) == '{"n": 1}\n{"n": 2}\n'
    assert show(None) == show(Form.TEXT) == "people\n"


def test_only_data_has_a_document() -> None:
    with pytest.raises(TypeError):
        plain_document("text")


@pytest.mark.parametrize(
    ("size_bytes", "words"),
    [(0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1500, "1.5 kB"), (999_960, "1.0 MB"), (31_500_000, "31.5 MB"), (5 * 10**15, "5,000.0 TB")],
)  # fmt: skip
def test_sizes_in_words(size_bytes: int, words: str) -> None:
    assert size(size_bytes) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5, "just now"), (59, "just now"), (60, "1 minute ago"), (7200, "2 hours ago"), (864_000, "10 days ago")],
)  # fmt: skip
def test_ages_in_words(seconds: int, words: str) -> None:
    assert ago(0, now_ns=seconds * 10**9) == words


def test_amounts_in_words() -> None:
    assert [amount(1, "file"), amount(2000, "file")] == ["1 file", "2,000 files"]


def test_report_names_what_was_done_and_what_was_not() -> None:
    report = IndexReport(
        branch="main", files=3, added=1, modified=1, removed=0, renamed=1, unchanged=1, chunks=9,
        parsed=2, new_chunks=2, embedded=2, pending=1, skipped=2, size_bytes=1000, seconds=0.25, diagnostics=0,
    )  # fmt: skip
    skip = Skip(path="a.bin", reason="binary", detail="NUL bytes")
    lines = _plain(report_lines("/r", report, (skip,)))
    assert lines[0] == "indexed /r on main: 3 files, 9 chunks, 1.0 kB in 0.25 s"
    assert "1 text still without a vector" in lines[2]
    assert lines[3:] == ["  2 files not indexed", "    a.bin: binary (NUL bytes)"]


@pytest.mark.parametrize(
    ("obstacle", "why"),
    [
        ("", "for lack of time; run `codecairn index`"),
        ("read-only", "because the store can't be written"),
        ("disk-full", "because the disk that holds the store is full"),
    ],
)
def test_note_says_why_files_are_unchecked(obstacle: str, why: str) -> None:
    result = dataclasses.replace(RESULT, stale=(), unchecked=1, obstacle=obstacle)
    assert freshness_notes(result) == [f"1 file is unchecked {why}"]


def test_marks_fall_back_to_ascii_where_the_stream_has_no_others() -> None:
    bytes_ = io.BytesIO()
    stream = io.TextIOWrapper(bytes_, encoding="ascii", errors="backslashreplace", newline="\n")
    Printer(stream).lines([("4 │ ", "größe"), ("⋮",)])
    stream.flush()
    assert bytes_.getvalue() == b"4 | gr\\xf6\\xdfe\n:\n"


def test_preview_lists_files_only_when_asked() -> None:
    preview = IndexPreview(
        branch="main", added=("a",), modified=("b",), removed=("c",), unchanged=1, size_bytes=1,
        chunks=1, texts=1, tokens=1,
    )  # fmt: skip
    assert len(_plain(preview_lines(preview, with_files=False))) == 2
    assert _plain(preview_lines(preview, with_files=True))[2:] == ["  + a", "  ~ b", "  - c"]


def test_status_tells_the_truth_in_words() -> None:
    status = Status(
        root="/r", store="/r/.codecairn", branch="", head="", format=1, generation=4, files=2, blobs=2,
        chunks=5, texts=5, vectors=4, pending=1, symbols=3, branches=(("a", 1), ("b", 2)),
        languages=(LanguageShare(language="python", files=2, size_bytes=9),),
        skipped=(("binary", 2),), coarse=1, unparsed=("a.java", "b.pl"), store_bytes=2000, segments=2, embedder="feature-hash",
        dimensions=256, indexed_at_ns=1, indexing="codecairn index", notes=("the disk is slow",),
    )  # fmt: skip
    text = "\n".join(_plain(status_lines(status, (), now_ns=1)))
    never = dataclasses.replace(status, indexed_at_ns=0)
    assert "no branch, not indexed yet" in "\n".join(_plain(status_lines(never, (), now_ns=1)))
    for expected in (
        "no branch, indexed just now",
        "1 text without a vector",
        "a 1, b 2",
        "binary 2",
        "1 large file without definitions",
        "codecairn index",
        "the disk is slow",
        "2 files cut by lines, as parsing would take too much time or memory: a.java, b.pl",
        "generation 4",
    ):
        assert expected in text


def test_problems_and_garbage_in_words() -> None:
    found = (Problem(code="segment-missing", detail="3.lex", repaired=False),)
    assert _plain(problem_lines((), (), (), repair=False)) == ["the store is sound"]
    unparsed = _plain(problem_lines((), tuple("abcdefg"), (), repair=False))
    assert unparsed[1].startswith("7 files cut by lines")
    assert unparsed[1].endswith("a, b, c, d, e, …")
    crashed = _plain(problem_lines((), (), (Crash(path="a.rb", signal="SIGABRT"),), repair=False))
    assert crashed[1].startswith("1 file cut by lines, as parsing ended a process: a.rb (SIGABRT);")
    assert (
        _plain(problem_lines(found, (), (), repair=False))[0] == "damaged  segment-missing: 3.lex"
    )
    report = GarbageReport(
        branches=0, worktrees=0, blobs=1, chunks=2, vectors=0, files=0, copies=0, size_bytes=10
    )
    (line,) = _plain(garbage_lines(report, dry_run=True))
    assert line == "would remove 1 blob, 2 chunks, 0 vectors and 0 files: 10 bytes"


@pytest.mark.parametrize(
    ("done", "total", "words"),
    [(0, 0, "0 of 0 bytes"), (5, 999, "5 of 999 bytes"), (999, 1000, "1.0 of 1.0 kB"), (2_000_000, 37_100_000, "2.0 of 37.1 MB"), (21_300_000, 999_960_000, "0.0 of 1.0 GB")],
)  # fmt: skip
def test_part_of_a_size_has_the_unit_of_the_whole(done: int, total: int, words: str) -> None:
    assert size_of(done, total) == words


def test_steps_have_units() -> None:
    def words(phase: str, done: int, total: int) -> str:
        return step_words(Step(phase=phase, done=done, total=total, fraction=0.0))

    assert words("indexing", 21_300_000, 37_100_000) == "21.3 of 37.1 MB"
    assert words("embedding", 1204, 2256) == "1,204 of 2,256 texts"
    assert words("scanning", 0, 0) == ""


def test_languages_are_ordered_by_size_and_the_last_are_counted() -> None:
    sizes = {"ada": 10, "bash": 10, "c": 5_000, "go": 2_000_000, "java": 1, "zig": 7, "lua": 0}
    shares = [LanguageShare(language=name, files=2, size_bytes=size) for name, size in sizes.items()]  # fmt: skip
    assert language_words(shares) == (
        "go 2.0 MB, c 5.0 kB, ada 10 bytes, bash 10 bytes, zig 7 bytes and 2 more"
    )
    assert language_words(shares[:1]) == "ada 10 bytes"
    assert language_words(()) == ""
