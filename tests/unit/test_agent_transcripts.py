"""Agents' programs as they are measured: recorded transcripts, scores, kept runs, and the end of everything they start."""

import json
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from benches.agents.programs.__main__ import RUNS, main
from benches.agents.programs.any_command import PROGRAMS, command_as_program
from benches.agents.programs.example_project import QUESTIONS, make
from benches.agents.programs.figures import by_side, differences
from benches.agents.programs.grading import KEY, SHEET, read_grades, write_sheet
from benches.agents.programs.kept_runs import Run, keep, read
from benches.agents.programs.measuring import files_of, plan
from benches.agents.programs.questions import Needed, Question, load, needed_texts
from benches.agents.programs.redaction import clean_lines
from benches.agents.programs.running import Ended, run
from benches.agents.programs.scoring import has_seen, named_places, scores
from benches.agents.programs.sides import WITH, WITHOUT, Sides, copy
from benches.agents.programs.transcript import Look, Transcript
from codecairn.errors import UsageError

RECORDED = Path(__file__).parents[1] / "fixtures" / "agent_transcripts"
"""Sessions of the real programs, whose model a script played: it waited, asked codecairn, read a file and answered."""

TOKENS = Needed(path="shop/tokens.py", first=4, last=10)
QUESTION = Question(id="token", text="Who checks it?", needed=(TOKENS,), answer_key=("verify",))
FILES = frozenset({"shop/tokens.py", "shop/basket.py", "docs/guide.md", "old/guide.md"})
ANSWERED = Ended(exit_code=0, seconds=2.0, output="", errors="")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The made-up project that the example asks about."""
    make(tmp_path / "shop")
    return tmp_path / "shop"


@pytest.mark.parametrize(
    ("name", "asked", "opened", "waits"),
    [
        ("claude", "mcp__codecairn__codebase_search", "Read", 1),
        ("codex", "codecairn.codebase_search", "command_execution", 2),
        ("opencode", "codecairn_codebase_search", "read", 0),
        ("gemini", "mcp_codecairn_codebase_search", "read_file", 0),
    ],
)
def test_recorded_transcript_is_read(
    name: str, asked: str, opened: str, waits: int, project: Path
) -> None:
    found = PROGRAMS[name].parse((RECORDED / f"{name}.jsonl").read_text(encoding="utf-8"))
    assert found.answer == "See shop/tokens.py:4-10."
    assert found.looks is not None
    assert [look.name for look in found.looks[waits:]] == [asked, opened]
    first, second = found.looks[waits:]
    assert (first.is_ours, first.is_opening) == (True, False)
    assert (second.is_ours, second.is_opening) == (False, True)
    assert "Who checks the signature" in first.arguments
    assert "shop/tokens.py" in second.arguments
    for look in (first, second):
        assert "return signature == sign(header, payload)" in look.result
    requests = waits + 3  # each of them was said to read one token and to write one
    assert (found.tokens_in, found.tokens_cached, found.tokens_out) == (requests, 0, requests)
    texts = needed_texts([QUESTION], project)
    measured = scores(QUESTION, ANSWERED, found, files_of(project), texts)
    assert measured["needed lines seen"] == measured["a file opened after its answer"] == 1.0
    assert measured["looks"] == waits + 2


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "claude",
            [
                {"type": "result", "result": "a", "modelUsage": {
                    "one": {"inputTokens": 5, "cacheReadInputTokens": 70, "cacheCreationInputTokens": 20, "outputTokens": 3},
                    "two": {"inputTokens": 5, "outputTokens": 1},
                }},
            ],
        ),
        (
            "codex",
            [
                {"type": "turn.completed", "usage": {"input_tokens": 100, "cached_input_tokens": 70, "output_tokens": 4}},
            ],
        ),
        (
            "opencode",
            [
                {"part": {"type": "step-finish", "tokens": {"input": 10, "output": 2, "reasoning": 1, "cache": {"write": 20, "read": 30}}}},
                {"part": {"type": "step-finish", "tokens": {"input": 0, "output": 1, "reasoning": 0, "cache": {"write": 0, "read": 40}}}},
            ],
        ),
        (
            "gemini",
            [
                {"type": "result", "stats": {"total_tokens": 104, "input_tokens": 100, "output_tokens": 3, "cached": 70}},
            ],
        ),
    ],
)  # fmt: skip
def test_read_tokens_have_the_cached_ones_among_them(
    name: str, lines: list[dict[str, object]]
) -> None:
    found = PROGRAMS[name].parse("\n".join(map(json.dumps, lines)))
    assert (found.tokens_in, found.tokens_cached, found.tokens_out) == (100, 70, 4)
    assert found.tokens == 104


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("text", ["", "not JSON\n{}\n[1]\n", '{"type": "result"}\n{"type": "assi'])
def test_transcript_that_was_cut_off_is_no_answer(name: str, text: str) -> None:
    found = PROGRAMS[name].parse(text)
    assert (found.answer, found.looks, found.tokens) == ("", (), None)
    measured = scores(QUESTION, ANSWERED, found, FILES, {TOKENS: ["def verify_token():"]})
    assert measured["ended"] == measured["needed places named"] == 0.0
    assert "looks" not in measured


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It is in `shop/tokens.py:4-10`.", [("shop/tokens.py", 4, 10)]),
        ("see [here](shop/tokens.py#L4-L10)", [("shop/tokens.py", 4, 10)]),
        ("**shop/tokens.py**, lines 4\u201310", [("shop/tokens.py", 4, 10)]),
        ("tokens.py (line 9) and shop/basket.py:3:14", [("shop/tokens.py", 9, 9), ("shop/basket.py", 3, 3)]),
        ("/run/repository/shop/tokens.py:4, 13-19", [("shop/tokens.py", 4, 4), ("shop/tokens.py", 13, 19)]),
        ("http://localhost:8080, at 10:30, shop/absent.py:3, shop/tokens.py", []),
    ],
)  # fmt: skip
def test_places_of_an_answer(answer: str, expected: list[tuple[str, int, int]]) -> None:
    found = [(*each.paths, each.first, each.last) for each in named_places(answer, FILES)]
    assert found == expected


def test_short_path_may_mean_several_files_and_a_long_range_is_no_place() -> None:
    (place,) = named_places("guide.md:3", FILES)
    assert sorted(place.paths) == ["docs/guide.md", "old/guide.md"]
    assert not named_places("shop/tokens.py:100-9", FILES)[0].hits(TOKENS)
    late = Needed(path="shop/tokens.py", first=500, last=510)
    assert not named_places("shop/tokens.py:1-1000", FILES)[0].hits(late)


def test_line_is_seen_where_its_file_is_named_and_its_text_stands() -> None:
    lines = ["def verify(token):", "", "    }", "    return compare(token)"]
    whole = "\n".join(lines)

    def seen(arguments: str, result: str, at_least: int = 1) -> bool:
        look = Look(name="read", arguments=arguments, result=result)
        needed = Needed(path="shop/tokens.py", first=1, last=4, at_least=at_least)
        return has_seen([look], needed, lines)

    assert seen("tokens.py", whole, 2)
    assert seen("grep x", "shop/tokens.py:4:    return compare(token)")
    assert not seen("grep x", "shop/tokens.py:4:    return compare(token)", 2)
    assert not seen("other.py", whole)
    assert not seen("tokens.py", "    }\n")


def test_scores_are_right() -> None:
    looks = (
        Look(name="mcp__codecairn__codebase_search", arguments="", result="shop/tokens.py def verify_token():"),
        Look(name="Bash", arguments='{"command": "cat shop/tokens.py"}', result=""),
    )  # fmt: skip
    second = Needed(path="docs/guide.md", first=1, last=2)
    question = Question(id="q", text="?", needed=(TOKENS, second))
    texts = {TOKENS: ["def verify_token():"], second: ["# Guide of the shop", ""]}
    answer = "shop/tokens.py:5, shop/basket.py:1"
    found = Transcript(answer=answer, looks=looks, tokens_in=10, tokens_cached=4, tokens_out=2)
    assert scores(question, ANSWERED, found, FILES, texts) == {
        "ended": 1.0, "needed places named": 0.5, "all needed places named": 0.0, "named places that are needed": 0.5,
        "needed lines seen": 0.5, "codecairn asked": 1.0, "a file opened after its answer": 1.0, "looks": 2.0,
        "tokens": 12.0, "tokens read": 10.0, "of these, from a cache": 4.0, "tokens written": 2.0, "seconds": 2.0,
    }  # fmt: skip


def test_difference_is_paired_by_question() -> None:
    values = {
        WITH: {"a": [{"looks": 2.0}, {"looks": 4.0}], "b": [{"looks": 5.0}], "c": [{"looks": 90.0}]},
        WITHOUT: {"a": [{"looks": 7.0}], "b": [{"looks": 7.0}], "c": [{}]},
    }  # fmt: skip
    (figure,) = differences(values)
    assert (figure.value, figure.low, figure.high) == (-3.0, -4.0, -2.0)
    assert figure.note == "2 questions, standard deviation 1.41"
    (mean,) = by_side(WITH, values[WITH])
    assert (mean.measure, mean.value) == ("with codecairn: looks", 25.25)
    assert [*differences({WITH: values[WITH], WITHOUT: {}})] == []


def test_example_is_about_the_project(project: Path) -> None:
    questions = load(QUESTIONS)
    texts = needed_texts(questions, project)
    assert texts[TOKENS][0] == "def verify_token(token: str) -> bool:"
    planned = [(each.question.id, each.side) for each in plan(questions, [WITH, WITHOUT], 2)]
    assert len(planned) == 12
    firsts = planned[::2]
    assert [side for _, side in firsts].count(WITH) == 3, "each side is as often first"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "no JSON"),
        ("[]", "no list of questions"),
        ('[{"id": "a", "question": "b"}]', "question 1"),
        ('[{"id": "a/b", "question": "b", "needed": [{"path": "c", "lines": [1, 2]}]}]', "files are named"),
        ('[{"id": "a", "question": "b", "needed": [{"path": "c", "lines": [2, 1]}]}]', "out of range"),
        ('[{"id": "a", "question": "b", "needed": [{"path": "c", "lines": [1, 2], "at_least": 3}]}]', "out of range"),
    ],
)  # fmt: skip
def test_damaged_questions_are_named(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "questions.json"
    with pytest.raises(UsageError, match="cannot be read"):
        load(file)
    file.write_text(text)
    with pytest.raises(UsageError, match=message) as caught:
        load(file)
    assert "questions.py" in (caught.value.hint or "")


def test_needed_lines_that_are_not_there_are_named(project: Path) -> None:
    gone = Question(id="q", text="?", needed=(Needed(path="shop/tokens.py", first=15, last=99),))
    with pytest.raises(UsageError, match=r"shop/tokens\.py:15-99"):
        needed_texts([gone], project)


def test_transcripts_are_private_and_without_secrets(tmp_path: Path) -> None:
    line = json.dumps(
        {"said": "the key is my-own-key-42", "env": "AWS_SECRET_ACCESS_KEY=" + "aB3/" * 10}
    )
    cleaned = clean_lines(f"{line}\nplain my-own-key-42\n", ["my-own-key-42", "ab"])
    assert "my-own-key-42" not in cleaned
    assert "aB3/" not in cleaned
    assert set(json.loads(cleaned.splitlines()[0])) == {"said", "env"}
    each = Run(question=QUESTION, side=WITH, number=1)
    folder = tmp_path / "kept"
    keep(folder, each, "asked", Ended(exit_code=1, seconds=1.5, output=cleaned, errors="no"))
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    kept = read(folder, each, "asked")
    assert kept == Ended(exit_code=1, seconds=1.5, output=cleaned, errors="no")
    assert read(folder, each, "asked", again=True) is None
    assert read(folder, Run(question=QUESTION, side=WITH, number=2), "asked") is None
    with pytest.raises(UsageError, match="another question"):
        read(folder, each, "otherwise")


def test_grader_does_not_see_the_side_and_grades_are_read_back(tmp_path: Path) -> None:
    answers = [
        (Run(question=QUESTION, side=WITH, number=1), "By mcp__codecairn__codebase_search: shop/tokens.py:4"),
        (Run(question=QUESTION, side=WITHOUT, number=1), "shop/tokens.py:4, I think"),
    ]  # fmt: skip
    sheet = write_sheet(tmp_path, answers)
    text = sheet.read_text()
    assert not any(word in text for word in ("codecairn", "codebase_search", "side", "without"))
    rows = json.loads(text)
    with pytest.raises(UsageError, match="grade None"):
        read_grades(tmp_path)
    for row in rows:
        row["grade"] = 1 if "[tool]" in row["answer"] else 0.5
    sheet.write_text(json.dumps(rows))
    write_sheet(tmp_path, answers)  # the same answers, measured again: the grades stay
    grades = read_grades(tmp_path)
    assert grades == {WITH: {"token": [{"grade": 1.0}]}, WITHOUT: {"token": [{"grade": 0.5}]}}
    (figure,) = differences(grades)
    assert (figure.measure, figure.value) == ("difference: grade", 50.0)
    (tmp_path / KEY).unlink()
    with pytest.raises(UsageError, match="no sheet with its key"):
        read_grades(tmp_path)


_STAYING = """
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"], start_new_session=True)
open(sys.argv[1], "w").close()
print("started", flush=True)
time.sleep(300)
"""


def _processes(word: str) -> list[Path]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (folder / "environ").read_bytes():
                found.append(folder)
        except OSError:
            continue
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="processes outside a group are found on Linux")
@pytest.mark.parametrize("is_interrupted", [False, True])
def test_nothing_runs_on_after_its_time_or_an_interruption(
    is_interrupted: bool, tmp_path: Path
) -> None:
    started, mark = tmp_path / "started", f"MARK_OF_TEST={tmp_path}"
    (tmp_path / "repository").mkdir()
    words = [sys.executable, "-c", _STAYING, str(started)]
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from benches.agents.programs.running import run\n"
        "ended = run(sys.argv[3:], Path(sys.argv[1]), {'MARK_OF_TEST': sys.argv[2]}, timeout_s=float(300))\n"
    )
    if not is_interrupted:
        environment = {"MARK_OF_TEST": str(tmp_path)}
        ended = run(words, tmp_path / "repository", environment, timeout_s=1.5)
        assert (ended.exit_code, ended.output) == (None, "started\n")
    else:
        root = Path(__file__).parents[2]
        outer = subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path / "repository"), str(tmp_path), *words],
            cwd=root, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        while not started.exists():
            assert outer.poll() is None
            threading.Event().wait(0.05)
        outer.send_signal(2)
        assert outer.wait(60) != 0
    deadline = time.monotonic() + 10
    while _processes(mark) and time.monotonic() < deadline:
        threading.Event().wait(0.05)
    assert _processes(mark) == []
    assert {each.name for each in tmp_path.iterdir()} <= {"repository", "started", "home"}


def test_copy_has_the_commit_alone_and_no_way_back(project: Path, tmp_path: Path) -> None:
    (project / "untracked.txt").write_text("x")
    copy(project, tmp_path / "copy")
    assert (tmp_path / "copy" / "shop" / "tokens.py").exists()
    assert not (tmp_path / "copy" / "untracked.txt").exists()
    assert str(project) not in (tmp_path / "copy" / ".git" / "config").read_text()
    with pytest.raises(UsageError, match="no folder"):
        copy(tmp_path / "absent", tmp_path / "other")


def test_repository_that_brings_codecairn_along_is_refused(project: Path, tmp_path: Path) -> None:
    (project / ".mcp.json").write_text('{"mcpServers": {"codecairn": {}}}')
    subprocess.run(["git", "add", "."], cwd=project, check=True)
    subprocess.run(["git", "commit", "-qm", "x"], cwd=project, check=True)
    program = command_as_program(["echo"], host="", form="")
    (tmp_path / "work").mkdir()
    sides = Sides(folder=tmp_path / "work", program=program)
    with pytest.raises(UsageError, match=r"\.mcp\.json"):
        sides.make(WITHOUT, project)
    with pytest.raises(UsageError, match="how codecairn is installed"):
        sides.make(WITH, project)


def test_any_command_is_measured(
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text(
        "import os, sys\n"
        "print(os.environ['MY_KEY'], 'shop/tokens.py:4-10', sys.argv[1][:20], os.listdir(os.environ['HOME']))\n"
    )
    monkeypatch.setenv("MY_KEY", "key-of-a-person")
    monkeypatch.setenv("OTHER_THING", "not passed on")
    out, kept = tmp_path / "out.json", tmp_path / "kept"
    words = ["programs", str(QUESTIONS), str(project), "--without", "--variable", "MY_KEY"]
    words += ["--out", str(out), "--transcripts", str(kept), "--", sys.executable, str(agent)]
    monkeypatch.setattr(sys, "argv", words)
    main()
    document = json.loads(out.read_text())
    figures = {row["measure"]: row["value"] for row in document["figures"]}
    assert figures["without: needed places named"] == pytest.approx(100 / 3, rel=0.01)
    assert not any(name.startswith(("difference", "with codecairn")) for name in figures)
    assert "answer" not in out.read_text()
    rows = json.loads((kept / RUNS).read_text())
    answers = {row["question"]: row["answer"] for row in rows}
    assert answers["token"] == "[REDACTED:key] shop/tokens.py:4-10 Who checks the signa []"
    everything = "".join(file.read_text() for file in [out, *kept.iterdir()])
    assert "key-of-a-person" not in everything + capsys.readouterr().out
    agent.unlink()  # kept runs are read, not made again
    main()
    assert json.loads((kept / SHEET).read_text())[0]["grade"] is None


def test_measurement_stops_where_every_run_fails(
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["programs", str(QUESTIONS), str(project), "--without", "--repeat", "9"]
    words += ["--transcripts", str(tmp_path / "kept")]
    words += ["--", sys.executable, "-c", "raise SystemExit('not signed in')"]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit):
        main()
    said = capsys.readouterr().err
    assert said.count("exit 1") == said.count("not signed in") == 3
    assert "3 runs in a row failed" in said
