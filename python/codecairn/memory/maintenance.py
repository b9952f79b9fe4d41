"""`Workspace.memory.upkeep`: maintenance, import, export and sharing of a memory."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.clock import Clock
from codecairn.config.settings import Settings
from codecairn.errors import UsageError
from codecairn.llm.cost_log import Cost
from codecairn.memory import export_formats
from codecairn.memory.activity import KINDS, Activity, lately
from codecairn.memory.anchor_status import NO_DEFINITIONS, Definitions
from codecairn.memory.extract.pending_work import Work, WorkOptions
from codecairn.memory.extract.reports import WorkPlan, WorkReport
from codecairn.memory.health import Check, checkup, rescued
from codecairn.memory.importing.ingestion import ImportReport
from codecairn.memory.importing.records import Scene
from codecairn.memory.initialise.outline import Outline
from codecairn.memory.initialise.project_memory import Initialiser, InitReport
from codecairn.memory.recall import limited
from codecairn.memory.team.sharing import Team
from codecairn.paths import user

if TYPE_CHECKING:
    from codecairn.memory.backends.backends import Backends
    from codecairn.memory.memory import Memory

_EVERYTHING = WorkOptions()
_OF_A_PROJECT = ("project-brief", "project-config", "tech-context", "architecture")


class Maintenance:
    """Work on one project's memory. Nothing leaves the machine unless `extraction.providers` or `memory.embedding_provider` names one."""

    def __init__(
        self,
        memory: "Memory",
        root: Path,
        settings: Settings,
        *,
        clock: Clock,
        notify: Callable[[str], None],
        definitions: Definitions = NO_DEFINITIONS,
    ) -> None:
        self._memory = memory
        self._root = root
        self._settings = settings
        self._clock = clock
        self._notify = notify
        self._definitions = definitions

    def work(self, options: WorkOptions = _EVERYTHING) -> WorkReport:
        """Read what is new in the sessions with the models of the settings, and summarise sessions.

        Without models sessions are summarised by rules. A provider that can't be reached ends the run with a note in the
        report, and the next run goes on from there: nothing is lost, and nothing is read twice. A project of which nothing
        is known yet is learned from its own files, by rules. The memory's embedder, if the settings name one, embeds what
        has no vector of it yet.

        Raises:
            ConfigError: If the settings of extraction do not fit.
            ProviderUnauthorized: If there is no key for a provider that they name.
        """
        report = self._work().run(options)
        if not report.is_busy and options.session is None and self._is_blank():
            report.learned = self.initialise(with_models=False).facts
        return report

    def plan(self, options: WorkOptions = _EVERYTHING) -> WorkPlan:
        """What `work` would do, where text would go, and what it would cost; nothing is sent."""
        return self._work().plan(options)

    def costs(self) -> tuple[Cost, ...]:
        """Every call of a model, and every response of the memory's embedder, the oldest first."""
        work = self._work()
        calls = (*work.book.costs(), *work.embedding_costs.book.costs())
        return tuple(sorted(calls, key=lambda cost: cost.ts_ms))

    def activity(
        self, *, limit: int = 30, kinds: Sequence[str] = (), with_private: bool = False
    ) -> tuple[Activity, ...]:
        """What happened lately, the newest first: events, facts, what agents were shown, calls of models.

        Raises:
            UsageError: If a kind is unknown.
        """
        unknown = set(kinds) - set(KINDS)
        if unknown:
            raise UsageError(
                f"unknown kind `{sorted(unknown)[0]}`", hint=f"one of {', '.join(KINDS)}"
            )
        return lately(
            self._memory,
            tuple(self._work().book.costs()),
            limit=limited(limit),
            kinds=kinds,
            with_private=with_private,
        )

    def export_session(
        self,
        session: str,
        *,
        format: str = "json",  # noqa: A002 - the word users know
        most_events: int = 1_000,
        most_facts: int = 500,
        with_private: bool = False,
        anonymise: bool = False,
    ) -> str:
        """One session, those it started, and what was drawn from them, as `Memory.export` writes it.

        Raises:
            UsageError: If there is no such session or format.
        """
        self._memory.session(session)
        whole = json.loads(self._memory.engine().export_json(with_private=with_private))
        part = export_formats.of_session(
            whole, session, most_events=limited(most_events), most_facts=limited(most_facts)
        )
        return export_formats.exported(json.dumps(part), format=format, anonymise=anonymise)

    def checkup(self, *, repair: bool = False) -> tuple[Check, ...]:
        """Whether files, settings, models and hooks are in order; nothing is sent.

        Args:
            repair: Set a damaged database aside and create one with every row that can be read.
        """
        repaired = (rescued(self._memory),) if repair else ()
        return *(check for check in repaired if check), *checkup(self._memory, self._settings)

    def initialise(self, *, with_models: bool = True, outline: Outline | None = None) -> InitReport:
        """Extract first facts from the project's files, commits and index; when repeated, only from what changed.

        Args:
            with_models: Whether models read the files too, if the settings name any.
            outline: The code index at a glance, if there is one.

        Raises:
            ConfigError: If the settings of extraction do not fit.
            ProviderUnauthorized: If there is no key for a provider that they name.
        """
        initialiser = Initialiser(
            self._memory, self._root, max_chars=self._settings.extraction_window_chars
        )
        with self._work().models(is_wanted=with_models) as chain:
            return initialiser.run(chain, at_a_glance=outline)

    def import_from(
        self,
        place: str | None = None,
        *,
        source: str | None = None,
        of: Sequence[str] = (),
        dry_run: bool = False,
        text: str | None = None,
    ) -> ImportReport:
        """Take in another tool's memory; doing it twice is doing it once.

        Args:
            place: Its file or folder; where the tool usually keeps it if not given.
            source: The tool, one of `SOURCES`; found out from the file if not given.
            of: The names or tags that the tool knows this project by; the usual ones if not given.
            dry_run: Only tell what would be taken in.
            text: A JSON document, instead of a file.

        Raises:
            UsageError: If neither tool nor file is given, or the tool is not known.
            FileAccessError: If nothing can be read.
        """
        from codecairn.memory.importing.import_run import import_from

        return import_from(
            self._memory,
            Scene(
                root=self._root,
                home=user.home_folder(),
                of=tuple(of),
                now_ms=self._clock.now_ns() // 1_000_000,
            ),
            place=place,
            source=source,
            text=text,
            dry_run=dry_run,
            notify=self._notify,
        )

    @property
    def backends(self) -> "Backends":
        """What the settings name beside the local memory: a knowledge graph, a Redis."""
        from codecairn.memory.backends.backends import Backends

        return Backends(
            self._memory,
            self._settings,
            clock=self._clock,
            notify=self._notify,
            definitions=self._definitions,
        )

    @property
    def team(self) -> Team:
        """What the team shares in the workspace's `.codecairn/memory/`."""
        return Team(self._memory, self._root, now_ms=self._clock.now_ns() // 1_000_000)

    def summarise(self, session: str, *, with_models: bool = True) -> str | None:
        """Summarise a session now; returns the summary's id, `None` without events since the last one.

        Raises:
            UsageError: If there is no such session.
            ProviderError: If no model could be reached.
        """
        self._memory.session(session)
        return self._work().summarise(session, with_models=with_models)

    def _is_blank(self) -> bool:
        """Whether nothing is known yet of what the project is."""
        return not self._memory.list(types=_OF_A_PROJECT, scopes=("project",), limit=1)

    def _work(self) -> Work:
        return Work(self._memory, self._settings, clock=self._clock, notify=self._notify)
