"""Notes on how far the SCIP index of a workspace applies."""

from collections.abc import Iterator

from codecairn.core.engine import Engine
from codecairn.core.graph_engine import GraphEngine
from codecairn.core.types.graph import Evidence


def evidence_notes(engine: Engine) -> Iterator[str]:
    """The notes of `status` about it; none without a SCIP index or before the first index."""
    if not engine.is_indexed():
        return
    evidence = GraphEngine(engine).evidence()
    if evidence.problem:
        yield f"SCIP index not used: {evidence.problem}"
    elif evidence.path:
        yield _told(evidence)


def _told(evidence: Evidence) -> str:
    by = f" of {evidence.tool}" if evidence.tool else ""
    told = f"SCIP index `{evidence.path}`{by} decides the names in {_files(evidence.files)}"
    if evidence.changed:
        told += f", not in {_files(evidence.changed)} changed since it was made: create it again"
    if evidence.missing:
        told += f"; {_files(evidence.missing)} of it are not in the index"
    return told


def _files(count: int) -> str:
    return f"{count:,} file{'' if count == 1 else 's'}"
