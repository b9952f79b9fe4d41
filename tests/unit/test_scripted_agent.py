"""The scripted agent: the lines that it sees, its steps, and its end."""

from benches.agents.scripted import MAX_HITS, MAX_STEPS, WINDOW_LINES, follow, grep
from benches.quality.lines.answers import Reply, Shown, render
from benches.quality.lines.questions import Target

FILES = {
    "a.py": "\n".join(f"a{line}" for line in range(1, 301)),
    "b.py": "\n".join("common" if line != 120 else "common rare" for line in range(1, 301)),
}


def needed(path: str, first: int, last: int) -> tuple[Target, ...]:
    return (Target(path=path, ranges=((first, last),), at_least=last - first + 1),)


def show(path: str, first: int, last: int) -> Reply:
    return render([Shown(path=path, start_line=first, end_line=last, score=1.0)], FILES)


def test_an_answer_that_shows_all_is_one_step() -> None:
    reply = show("a.py", 100, 110)
    walk = follow(grep("x", FILES), needed("a.py", 103, 105), FILES, reply)
    assert (walk.steps, walk.windows, walk.is_done) == (1, 0, True)
    assert walk.tokens == reply.tokens


def test_a_place_that_is_cut_is_opened() -> None:
    whole = Shown(path="a.py", start_line=100, end_line=130, score=1.0)
    cut = Reply(rows=show("a.py", 100, 104).rows, places=(whole,))
    walk = follow(grep("x", FILES), needed("a.py", 120, 130), FILES, cut)
    assert (walk.steps, walk.windows, walk.is_done) == (2, 1, True)
    # Lines 75 to 154, of two to four letters with a line break.
    assert walk.tokens - cut.tokens == sum(len(f"a{line}") + 1 for line in range(75, 155)) / 4


def test_a_place_that_is_whole_is_not_opened_and_the_rarest_word_is_grepped() -> None:
    walk = follow(
        grep("the COMMON rare thing", FILES), needed("b.py", 100, 140), FILES, show("a.py", 1, 5)
    )
    assert (walk.steps, walk.windows, walk.is_done) == (3, 1, True)


def test_without_an_answer_grep_comes_first() -> None:
    walk = follow(grep("rare", FILES), needed("b.py", 120, 120), FILES, None)
    assert (walk.steps, walk.windows, walk.is_done) == (1, 0, True)
    assert walk.tokens == len("b.py:120:common rare\n") / 4


def test_grep_prints_no_more_than_its_first_hits() -> None:
    walk = follow(grep("common", FILES), needed("b.py", 1, 300), FILES, None)
    assert not walk.is_done
    assert walk.steps == 1 + walk.windows
    assert (
        walk.tokens
        <= (MAX_HITS * len("b.py:300:common\n") + WINDOW_LINES * len("common rare\n")) / 4
    )


def test_a_line_that_is_nowhere_ends_by_the_number_of_steps() -> None:
    files = {f"{number}.py": f"word{number % 40} thing" for number in range(400)}
    query = " ".join(f"word{number}" for number in range(40))
    walk = follow(grep(query, files), needed("none.py", 1, 1), files, None)
    assert (walk.steps, walk.is_done) == (MAX_STEPS, False)
