"""The shape of what the commands of a team print with `--json`; see `json_documents`."""

from codecairn.operations.json_schema import Many, Object, Shape
from codecairn.team.administration import TeamEntry, TeamStatus
from codecairn.team.garbage_collection import CollectedGarbage
from codecairn.team.key_handout import KeyHandout
from codecairn.team.team_memory import TeamMemoryReport

TEAM_SHAPES: dict[str, Shape] = {
    "team init": TeamEntry,
    "team add": TeamEntry,
    "team invite": Object(
        {
            "team": str,
            "member": str,
            "file": str,
            "days": int,
            "grants": Many(Object({"repository": str, "role": str})),
        }
    ),
    "team join": TeamEntry,
    "team grant": Object({"member": str, "role": str}, of=KeyHandout),
    "team revoke": Object(
        {"member": str, "repository": str | None, "rotated": tuple[KeyHandout, ...]}
    ),
    "team rotate-key": KeyHandout,
    "team status": Object({"teams": tuple[TeamStatus, ...]}),
    "team delete-branch": Object({"repository": str, "branch": str, "is_deleted": bool}),
    "team gc": Object({"repositories": tuple[CollectedGarbage, ...]}),
    "team sync": TeamMemoryReport,
    "team promote": TeamMemoryReport,
    "team demote": TeamMemoryReport,
}
"""By command."""
