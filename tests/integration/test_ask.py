"""Answers from memory and code together."""

import pytest

from codecairn import Workspace
from codecairn.errors import UsageError
from codecairn.memory.excerpts import tokens
from support.command import run
from support.repository import Repository

PROFILES = ("onboarding", "daily", "bugs", "implementation")


def _fill(folder: Repository) -> None:
    folder.write("README.md", "# Shop\n\nA shop for lamps.\n")
    folder.write("src/auth.py", "def verify_token(token):\n    raise ValueError(token)\n" * 3)
    folder.write(
        "src/main.py", "from auth import verify_token\n\ndef main():\n    verify_token('')\n"
    )
    folder.write("tests/test_auth.py", "def test_verify_token():\n    assert True\n")
    with Workspace.open(folder.root) as workspace:
        workspace.memory.add("Tokens are JWT in httpOnly cookies", type="architecture")
        workspace.memory.add("The shop sells lamps", type="project-brief")
        workspace.memory.record(
            "s", "verify_token failed for expired tokens; fixed by refreshing", role="assistant"
        )


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("budget", [200, 600, 1800])
def test_every_profile_keeps_its_budget_and_names_the_source_of_every_piece(
    folder: Repository, profile: str, budget: int
) -> None:
    _fill(folder)
    with Workspace.open(folder.root) as workspace:
        answer = workspace.ask("how are tokens verified", profile=profile, token_budget=budget)
    assert answer.tokens <= budget
    assert answer.profile == profile
    assert all(piece.source and piece.source in answer.text for piece in answer.pieces)


def _fill_to_overflow(folder: Repository) -> None:
    """More than any budget holds: of each type of fact, of what was said, and of code."""
    line = "    token = verify_token(token, session, key, algorithm)  # tokens are verified once more\n"
    for number in range(14):
        text = f"def verify_token_{number}(token):\n{line * 12}    return token\n"
        folder.write(f"src/tokens_{number}.py", text)
        folder.write(f"tests/test_tokens_{number}.py", f"def test_tokens_{number}():\n{line * 6}")
    with Workspace.open(folder.root) as workspace:
        for number in range(5):
            for kind in ("project-brief", "project-config", "tech-context", "rule"):
                about = f"In the {kind} number {number}, tokens are verified in part {number} of the shop"
                workspace.memory.add(f"{about}, {number} times", type=kind)
        for number in range(14):
            how = " ".join(f"step {number}-{at} of many steps" for at in range(12))
            workspace.memory.add(f"Tokens are verified in way {number}: {how}", type="decision")
            workspace.memory.record(
                "s", f"We verified tokens by {how} of turn {number}", role="user"
            )


@pytest.mark.parametrize("profile", PROFILES)
def test_budget_holds_for_all_pieces_together_where_there_is_more_than_fits(
    folder: Repository, profile: str
) -> None:
    _fill_to_overflow(folder)
    counts = []
    with Workspace.open(folder.root) as workspace:
        for budget in (200, 201, 400, 600, 1_200, 1_800):
            answer = workspace.ask("how are tokens verified", profile=profile, token_budget=budget)
            costs = {
                part: sum(
                    tokens(piece.text) + tokens(piece.source) + tokens(piece.about)
                    for piece in answer.pieces
                    if piece.part == part
                )
                for part in ("header", "memory", "code")
            }
            assert sum(costs.values()) <= answer.tokens <= budget
            assert answer.tokens > budget - 280, "what is left has no room for one more piece"
            assert costs["header"] <= budget * 0.15
            sources = [piece.source for piece in answer.pieces]
            assert len(sources) == len(set(sources))
            counts.append(len(sources))
    assert counts == sorted(counts)
    assert counts[-1] >= counts[0] + 6


@pytest.mark.parametrize(
    ("budget", "is_taken"), [(-1, False), (0, False), (199, False), (200, True)]
)
def test_least_budget(folder: Repository, budget: int, *, is_taken: bool) -> None:
    _fill(folder)
    with Workspace.open(folder.root) as workspace:
        if is_taken:
            assert workspace.ask("how are tokens verified", token_budget=budget).pieces
        else:
            with pytest.raises(UsageError, match=f"the token budget is {budget}"):
                workspace.ask("how are tokens verified", token_budget=budget)


def test_memory_and_code_stand_side_by_side_with_their_lines(folder: Repository) -> None:
    _fill(folder)
    with Workspace.open(folder.root) as workspace:
        answer = workspace.ask("how are tokens verified")
    parts = {piece.part for piece in answer.pieces}
    assert parts == {"header", "memory", "code"}
    assert any("httpOnly" in piece.text for piece in answer.pieces)
    code = next(piece for piece in answer.pieces if piece.source.startswith("src/auth.py:"))
    assert code.text.startswith("    1 def verify_token")


def test_what_is_not_covered_is_said(folder: Repository) -> None:
    folder.write("a.py", "x = 1\n")
    with Workspace.open(folder.root) as workspace:
        answer = workspace.ask("explain the architecture of the zebra stable", profile="onboarding")
    missing = {aspect.name for aspect in answer.aspects if not aspect.is_covered}
    assert {"purpose", "persistence", "memory"} <= missing
    assert "zebra" in answer.unknown_words
    assert answer.searches <= 6
    assert "Nothing was found on:" in answer.text


def test_bad_questions_are_refused(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        for call in (
            lambda: workspace.ask("?"),
            lambda: workspace.ask("x", token_budget=10),
            lambda: workspace.ask("x", profile="poem"),
        ):
            with pytest.raises(UsageError):
                call()


def test_the_command_prints_the_material_or_one_document(folder: Repository) -> None:
    _fill(folder)
    document = run("ask", "how are tokens verified", "--json", cwd=folder.root).document
    assert document["profile"] == "daily"
    assert {piece["part"] for piece in document["pieces"]} == {"header", "memory", "code"}
    assert "httpOnly" in run("ask", "how are tokens verified", cwd=folder.root).out
