"""What a team costs in its database: bytes of each row, and how long a publication and a sync of its memory take.

Run as `python -m benches.python.team CODECAIRN_TEAM_URL`, an address of an empty database whose role may create roles. The sizes are
PostgreSQL's own (`pg_total_relation_size`), after `VACUUM FULL`; the times are those of this machine with the server on it.
"""

import argparse
import os
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from benches.results import Figure, Results, default_folder, spread
from codecairn import Workspace
from codecairn.memory.team.record_file import Shared
from codecairn.objects.folder_store import FolderStore
from codecairn.objects.pointer import Pointer
from codecairn.team import administration
from codecairn.team.administration import team_connection
from codecairn.team.fact_log import append, read_log
from codecairn.team.fact_record import ASSERTED, FactRecord
from codecairn.team.membership import Membership, membership
from codecairn.team.ref_store import TeamRefStore
from codecairn.team.team_memory import TeamMemory

PUBLICATIONS = 200
OBJECTS = 150
"""Names in a manifest: those of an index of 100,000 chunks have about as many."""

FACTS = 1_000
TEXT = "The gateway retries a request {0} times before it gives up, and logs the last error with the name of the queue {0}"


def publication_figures(own: Membership, repository: str, folder: Path) -> list[Figure]:
    """The time of a publication in the database, and the bytes that each leaves there."""
    seconds = []
    with team_connection(own) as (connection, _):
        refs = TeamRefStore(connection, repository, FolderStore(folder))
        names = [os.urandom(32).hex() for _ in range(OBJECTS)]
        for epoch in range(1, PUBLICATIONS + 1):
            names[epoch % OBJECTS] = os.urandom(32).hex()
            pointer = Pointer(
                repository=repository, branch="main", epoch=epoch, commit="c" * 40,
                manifest=os.urandom(32).hex(), manifest_bytes=1, made_ns=0,
            )  # fmt: skip
            signed = pointer.signed(own.signing_key)
            started_s = time.perf_counter()
            refs.publish("main", pointer, signed, expected_epoch=epoch - 1, objects=names)
            seconds.append(time.perf_counter() - started_s)
        connection.execute("VACUUM FULL codecairn.manifests")
        row = connection.execute("SELECT pg_total_relation_size('codecairn.manifests')").fetchone()
    size = (row or (0,))[0] / PUBLICATIONS
    return [
        spread("a publication in the database", [each * 1_000 for each in seconds], "ms"),
        Figure(measure=f"a manifest of {OBJECTS} names", value=size, unit="bytes"),
    ]


def memory_figures(own: Membership, repository: str, root: Path) -> list[Figure]:
    """The bytes of a fact in the database, and the times of promoting, verifying and taking in."""
    records = []
    for number in range(FACTS):
        statement = Shared(text=TEXT.format(number), type="rule", origin="user", valid_from_ms=1)
        records.append(
            FactRecord(
                kind=ASSERTED, signer=own.member, author=own.member, id=statement.id,
                signed_ms=number, statement=statement,
            )
        )  # fmt: skip
    with team_connection(own) as (connection, _):
        started_s = time.perf_counter()
        append(connection, own, repository, records)
        appended_s = time.perf_counter() - started_s
        connection.execute("VACUUM FULL codecairn.facts")
        row = connection.execute("SELECT pg_total_relation_size('codecairn.facts')").fetchone()
        started_s = time.perf_counter()
        read_log(connection, own, repository)
        read_s = time.perf_counter() - started_s
        with Workspace.open(root) as workspace:
            other = replace(own, member="other")
            known = own.repositories[repository]
            memory = TeamMemory(workspace.memory, other, connection, known, now_ms=FACTS)
            started_s = time.perf_counter()
            report = memory.sync()
            sync_s = time.perf_counter() - started_s
            started_s = time.perf_counter()
            memory.sync()
            again_s = time.perf_counter() - started_s
    assert report.added == FACTS
    return [
        Figure(measure="a fact", value=(row or (0,))[0] / FACTS, unit="bytes"),
        Figure(measure=f"promoting {FACTS:,} facts", value=appended_s, unit="s"),
        Figure(measure=f"reading and verifying {FACTS:,} facts", value=read_s, unit="s"),
        Figure(measure=f"the first sync of {FACTS:,} facts", value=sync_s, unit="s"),
        Figure(measure=f"a sync without news of {FACTS:,} facts", value=again_s, unit="s"),
    ]


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benches.python.team", description=__doc__)
    parser.add_argument("url", help="an empty database")
    parser.add_argument("--out", type=Path, default=default_folder() / "team.json")
    given = parser.parse_args()
    results = Results("A team's database")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ.update(CODECAIRN_HOME=str(folder / "home"), CODECAIRN_TEAM_URL=given.url)
        administration.init("bench", "owner")
        administration.add_repository(
            membership(None), "shop", project="shop", store_url=str(folder / "objects")
        )
        own = membership(None)
        (repository,) = own.repositories
        root = folder / "workspace"
        root.mkdir()
        for figures in (
            publication_figures(own, repository, folder / "objects"),
            memory_figures(own, repository, root),
        ):
            results.add(figures, subject="team")
    results.write(given.out)


if __name__ == "__main__":
    main()
