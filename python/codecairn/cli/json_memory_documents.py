"""The shape of what the commands of the memory print with `--json`; see `json_documents`."""

from codecairn.core.types.memory import (
    Added,
    Context,
    Event,
    Exposure,
    Fact,
    Looked,
    MemoryStatus,
    Purged,
    Recorded,
    Session,
)
from codecairn.memory.activity import Activity
from codecairn.memory.detail import Preview
from codecairn.memory.extract.reports import WorkPlan, WorkReport
from codecairn.memory.health import Check
from codecairn.memory.importing.ingestion import ImportReport
from codecairn.memory.initialise.project_memory import InitReport
from codecairn.memory.projects import ProjectReport
from codecairn.memory.team.sharing import TeamReport
from codecairn.operations.backend_operations import BackendReport
from codecairn.operations.json_schema import Either, Many, Object, Shape

_EVENT = Object({"id": str}, of=Event, name="EventRecord")

_STANDING = Object(
    {"state": str, "branch": str, "anchors": Many(Object({"diff": str}, of=Looked))},
    name="Standing",
)

_RECORDS = Object({"results": Many(Either([Fact, _EVENT]))}, name="Records")

_SCORES = {
    "kind": str,
    "score": float,
    "lexical": float,
    "cosine": float,
    "evidence": float,
    "tokens": int,
    "is_quoted": bool,
}

_RECALLED = Either(
    [
        Object({**_SCORES, "standing": _STANDING}, of=Fact, name="RecalledFact"),
        Object({"id": str, **_SCORES}, of=Event, name="RecalledEvent"),
        Preview,
    ]
)

_COSTS = Object(
    {
        "provider": str,
        "model": str,
        "purpose": str,
        "calls": int,
        "input_tokens": int,
        "output_tokens": int,
        "usd": float,
    }
)

MEMORY_SHAPES: dict[str, Shape] = {
    "memory add": Added,
    "memory search": Object(
        {
            "is_answered": bool,
            "period": str,
            "notes": tuple[str, ...],
            "results": Many(_RECALLED),
        }
    ),
    "memory list": _RECORDS,
    "memory get": _RECORDS,
    "memory why": Object(
        {
            "id": str,
            "versions": tuple[Fact, ...],
            "sources": Many(_EVENT),
            "standing": _STANDING,
            "shown": tuple[Exposure, ...],
            "rank": int | None,
            "found": Either([_RECALLED, type(None)]),
        }
    ),
    "memory update": Fact,
    "memory forget": Fact,
    "memory restore": Fact,
    "memory purge": Purged,
    "memory review": Object(
        {"results": Many(Object({"reason": str, "fact": Fact, "others": tuple[Fact, ...]}))}
    ),
    "memory context": Context,
    "memory notes": _RECORDS,
    "memory session": Object({"results": tuple[Session, ...]}),
    "memory events": _RECORDS,
    "memory timeline": Object({"before": Many(_EVENT), "anchor": _EVENT, "after": Many(_EVENT)}),
    "memory activity": Object({"results": tuple[Activity, ...]}),
    "memory record": Recorded,
    "memory end": Recorded,
    "memory summarise": Object({"results": tuple[Fact, ...]}),
    "memory promote": TeamReport,
    "memory demote": TeamReport,
    "memory team": TeamReport,
    "memory import": ImportReport,
    "memory init": InitReport,
    "memory work": Either([WorkReport, WorkPlan]),
    "memory costs": Object({"results": Many(_COSTS), "usd": float}),
    "memory status": MemoryStatus,
    "memory backend": BackendReport,
    "memory project": ProjectReport,
    "memory doctor": Object({"is_healthy": bool, "checks": tuple[Check, ...]}),
}
"""By command."""
