"""Migrations of the databases are never edited: a database that ran one would differ from those made later.

Two databases are the core's, in SQLite; the third is a team's, in PostgreSQL.
"""

from hashlib import sha256
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

MIGRATIONS = {
    "store": {
        "0001_initial.sql": "6f67fdcf189d3dea58a5bff8053baa8c72af19b1dc4d4fa93f6311346d401dbd",
        "0002_outside_vectors.sql": "0b98f5c94af3c7be56611ded270c9ba18237f95af7ebb4d4add275c3c145abb6",
        "0003_derived_vectors.sql": "e9188db89b5ec7e8dc3cbea0c6ff118e79f3dbcabf09e0b7bc9e89b8a4e2f5b3",
        "0004_change_times_and_checksums.sql": "aa9ff62cc1bbf31c39585fb820d8a26abce6169ad9ca7aeb8b8fd2e80b160802",
    },
    "memory": {
        "0001_initial.sql": "bc088e66eb67ddc5a7932a9deb858378fc8a3ef7ae712f800fda54af32ee54c2",
        "0002_waiting_and_anchors.sql": "75660eca5f9b2d17a84c089d6d49d3b323565faafbc1bd63ff8034338b2cb7da",
        "0003_recall_and_injection.sql": "15e6fee3435c29dcb3befc03c591e731fc4e35b06e4c6bdfa1cdc7b6d8dd732c",
        "0004_packed_segments.sql": "3085573ac3d74a1d455e67cc439862b97cf1162a5fc03355d764543b0af9ec19",
        "0005_outbox.sql": "990a0634ef36e4e2335be4b0698c63f94f247a96eb3036cacd81ed13e41f85a9",
        "0006_tombstones.sql": "1cf5f2fe40e85496baf63d8ab953e5879d03b57e5a36bbd3c531e447f939f148",
        "0007_project_folders.sql": "ce81ee98f28d609fefd62806316f41f0192727008a741dd880ed77bf102470fb",
    },
    "team": {
        "0001_catalog.sql": "5973e87745191e888b987a36f36e28f04e9bcb7d0fbc14be69e74efcb6aee34e",
        "0002_access.sql": "6c3023b792a9060af2dc797823d78b33a0448d4f0de44e400f250aedf6a52ca5",
        "0003_members.sql": "3803902c309583b0dee6a9f8dd5bcb3349d314d4aa0eec587291cfb2558af0ce",
        "0004_ends_by_administrators.sql": "3aeba9b9321752cceccda0ab19ba5a6e7695197426505851144581bd930fec2c",
        "0005_search_nodes.sql": "cd111263bd142a468518e29c18a88ecdb0e43f99eeafc825b4c94ae656ebec18",
        "0006_locks.sql": "d66b0af4659906d93120a37908e606f02112534bfa0db975f6c31bce1c3c9a65",
    },
}
"""The SHA-256 of each migration by crate or package, in the order in which they run; a new migration adds a row."""


def _folders() -> dict[str, Path]:
    of_core = (ROOT / "native" / "crates").glob("*/migrations")
    of_package = (ROOT / "python" / "codecairn").glob("*/migrations")
    return {path.parent.name: path for path in (*of_core, *of_package)}


@pytest.mark.parametrize("crate", MIGRATIONS)
def test_no_migration_is_edited(crate: str) -> None:
    folder = _folders()[crate]
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}
    found = {name: sha256(text.encode()).hexdigest() for name, text in texts.items()}
    assert found == MIGRATIONS[crate]


@pytest.mark.parametrize("crate", MIGRATIONS)
def test_migrations_are_numbered_without_gaps(crate: str) -> None:
    names = list(MIGRATIONS[crate])
    assert [name[:5] for name in names] == [f"{at:04}_" for at in range(1, len(names) + 1)]


def test_every_folder_of_migrations_is_listed() -> None:
    assert set(_folders()) == set(MIGRATIONS)
