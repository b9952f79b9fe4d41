"""Creates the memory of a project from its files; a repeated run only takes in what has changed."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.core.types.memory import Fact
from codecairn.errors import BudgetExhausted, ProviderError
from codecairn.llm.chain import Chain
from codecairn.llm.provider import Reply
from codecairn.memory.extract import prompts
from codecairn.memory.extract.event_window import HOOKS
from codecairn.memory.extract.model_answer import Answer, Statement, statements_in
from codecairn.memory.initialise import manifests, outline
from codecairn.memory.initialise.files import (
    ProjectFile,
    is_known_project,
    latest_commits,
    pieces,
    project_files,
)
from codecairn.memory.initialise.instruction_files import instruction_files
from codecairn.memory.initialise.instruction_statements import instruction_statements
from codecairn.memory.initialise.outline import Outline
from codecairn.memory.repository_statements import FILE, ORIGIN
from codecairn.trust.registry import is_trusted

if TYPE_CHECKING:
    from codecairn.memory.memory import Memory

NEW_PROJECT = (
    "This project is new: nothing is known of it yet. Ask what it is for, whom it serves and with what it shall be made, "
    'and keep the answers: `codecairn memory add "…" --type project-brief`.'
)
"""The text for an agent in an empty folder."""

UNTRUSTED = "Agents are not shown this unasked, as it is what the repository says of itself: `codecairn trust` allows it."
"""The note on facts that wait for the user's trust."""

_BRIEF = "project-brief"
_SESSION = "init"


@dataclass(slots=True, kw_only=True)
class InitReport:
    """The result of `init`.

    Attributes:
        is_new_project: Whether there is nothing to tell from; `hint` says what to do then.
        files: Files that were read.
        facts: Facts that are new.
        known: Facts that were known already.
        asked: Pieces that a model read.
        obstacle: Why models did not read all; empty if they did, or were not asked.
        hint: What to do next, in words for an agent.
    """

    is_new_project: bool = False
    files: tuple[str, ...] = ()
    facts: int = 0
    known: int = 0
    asked: int = 0
    obstacle: str = ""
    hint: str = ""


class Initialiser:
    """Reads one project."""

    def __init__(self, memory: "Memory", root: Path, *, max_chars: int) -> None:
        self._memory = memory
        self._root = root
        self._most_chars = max_chars

    def run(self, chain: Chain | None, *, at_a_glance: Outline | None) -> InitReport:
        """Read the files, the commits and the index, by rules and, if there is a chain, by models too."""
        if not is_known_project(self._root):
            return InitReport(is_new_project=True, hint=NEW_PROJECT)
        files = project_files(self._root)
        instructions = instruction_files(self._root)
        names = (file.name for file in (*files, *instructions))
        report = InitReport(files=tuple(dict.fromkeys(names)))
        held = self._held()
        found = manifests.statements(files)
        for file in instructions:
            stated = instruction_statements(file)
            self._forget_removed(file.name, stated, held)
            found += stated
        if at_a_glance is not None:
            found += outline.statements(at_a_glance, self._root)
        has_brief = any(fact.type == _BRIEF and fact.state == "live" for fact in held)
        self._keep(report, (each for each in found if not (has_brief and each.type == _BRIEF)))
        if chain is not None:
            self._ask(chain, report, files, held)
        if not is_trusted(self._root):
            report.hint = UNTRUSTED
        return report

    def pieces(self) -> list[str]:
        """What models would read."""
        return pieces(
            project_files(self._root), latest_commits(self._root), max_chars=self._most_chars
        )

    def _read_before(self) -> set[str]:
        """What models have read already, by its hash: it is noted in the log, in a session of its own."""
        events = self._memory.events(session=_SESSION, limit=10_000)
        return {event.meta.get("read", "") for event in events}

    def _note_read(self, mark: str, model: str) -> None:
        self._memory.record(
            _SESSION,
            hook=f"{HOOKS}initialised",
            role="system",
            category="session-meta",
            origin="agent",
            key=f"{HOOKS}initialised/{mark}",
            meta={"read": mark, "model": model},
        )

    def _forget_removed(self, name: str, stated: Iterable[Statement], held: Iterable[Fact]) -> None:
        """Forget what a file for agents said before and says no longer; what a model read in it stays."""
        current = {each.predicate for each in stated}
        for fact in held:
            is_of_file = fact.meta.get(FILE) == name and fact.origin == ORIGIN
            is_removed = is_of_file and "model" not in fact.meta and fact.predicate not in current
            if is_removed and fact.state == "live" and not fact.is_pinned:
                self._memory.withdraw(fact.id, reason=f"no longer in {name}")

    def _held(self) -> tuple[Fact, ...]:
        facts = self._memory.list(with_history=True, with_private=True, limit=10_000)
        return tuple(fact for fact in facts if fact.maker == "init" or fact.type == _BRIEF)

    def _ask(
        self,
        chain: Chain,
        report: InitReport,
        files: tuple[ProjectFile, ...],
        held: tuple[Fact, ...],
    ) -> None:
        read_before = self._read_before()
        has_said_brief = any(fact.type == _BRIEF and fact.origin == "user" for fact in held)
        for piece in pieces(files, latest_commits(self._root), max_chars=self._most_chars):
            mark = hashlib.sha256(piece.encode()).hexdigest()[:16]
            if mark in read_before:
                continue
            try:
                answer, model = chain.ask(prompts.init(piece), purpose="init", read=_reading(piece))
            except (ProviderError, BudgetExhausted) as err:
                report.obstacle = report.obstacle or err.message
                continue
            report.asked += 1
            statements = [_settled(statement) for statement in answer.statements]
            briefs = [each for each in statements if each.type == _BRIEF]
            dropped = briefs if has_said_brief else briefs[1:]
            has_said_brief = has_said_brief or bool(briefs)
            kept = (each for each in statements if each not in dropped)
            self._keep(report, kept, model=model)
            self._note_read(mark, model)

    def _keep(
        self,
        report: InitReport,
        statements: Iterable[Statement],
        *,
        model: str = "",
    ) -> None:
        for statement in statements:
            given = {"model": model, FILE: statement.file}
            meta = {name: value for name, value in given.items() if value}
            added = self._memory.engine().add(
                {
                    "text": statement.text,
                    "type": statement.type,
                    "scope": "project",
                    "subject": statement.subject,
                    "predicate": statement.predicate,
                    "tags": ["init"],
                    "origin": ORIGIN,
                    "maker": "init",
                    "confidence": statement.confidence,
                    "meta": meta,
                }
            )
            report.facts += added.is_new
            report.known += not added.is_new


def _reading(piece: str) -> Callable[[Reply], Answer]:
    return lambda reply: statements_in(reply.text, shown=piece, events=())


def _settled(statement: Statement) -> Statement:
    """A brief replaces the previous one, whatever its origin."""
    if statement.type == _BRIEF:
        return replace(statement, subject="project", predicate="brief")
    return statement
