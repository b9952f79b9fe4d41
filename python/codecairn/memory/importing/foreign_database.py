"""Reads SQLite files of other tools without changing them.

This is the only use of Python's own SQLite. Two SQLite libraries must not open one file in one process, so our own databases are
refused here, and the core never opens these. A file with a non-empty log is read from a private copy, so not even a lock is
left next to it.
"""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from codecairn.errors import FileAccessError, UsageError

_OWN = frozenset({b"ccme", b"ccix"})
"""The marks of our own databases, at byte 68 of their header."""


class ForeignDatabase:
    """An open file."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def tables(self) -> frozenset[str]:
        """The names of its tables."""
        return frozenset(str(row["name"]) for row in self.rows("sqlite_master", kind="table"))

    def rows(self, table: str, *, kind: str = "") -> Iterator[Mapping[str, Any]]:
        """The rows of a table in the order in which they were written, whatever columns this version of the tool has.

        Raises:
            FileAccessError: If the file is damaged.
        """
        assert table.isidentifier()
        condition = " WHERE type = ?" if kind else ""
        try:
            cursor = self._connection.execute(
                f"SELECT * FROM {table}{condition} ORDER BY rowid",  # noqa: S608 - a name of ours
                (kind,) if kind else (),
            )
            names = [column[0] for column in cursor.description]
            for row in cursor:
                yield dict(zip(names, row, strict=True))
        except sqlite3.Error as err:
            raise FileAccessError(f"can't read `{table}` in `{self._path}`: {err}") from err


@contextmanager
def foreign_database(path: Path) -> Iterator[ForeignDatabase]:
    """The file at `path`, until the block ends.

    Raises:
        FileAccessError: If it can't be read, or is no database.
        UsageError: If it is one of our own.
    """
    _require_foreign(path)
    log = path.with_name(path.name + "-wal")
    with tempfile.TemporaryDirectory(prefix="codecairn-") as folder:
        try:
            if log.exists() and log.stat().st_size > 0:
                copy = Path(folder) / path.name
                shutil.copyfile(path, copy)
                shutil.copyfile(log, copy.with_name(log.name))
                connection = sqlite3.connect(copy)
            else:
                address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
                connection = sqlite3.connect(address, uri=True)
        except (OSError, sqlite3.Error) as err:
            raise FileAccessError(f"can't read `{path}`: {err}") from err
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        with closing(connection):
            _require_foreign_mark(connection, path)
            yield ForeignDatabase(connection, path)


def _require_foreign(path: Path) -> None:
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except OSError as err:
        raise FileAccessError(f"can't read `{path}`: {err.strerror or err}") from err
    if not head.startswith(b"SQLite format 3\x00"):
        raise FileAccessError(f"`{path}` is no SQLite database")
    if head[68:72] in _OWN:
        raise _own(path)


def _require_foreign_mark(connection: sqlite3.Connection, path: Path) -> None:
    """The mark may still be in the log; then it is a copy that is open."""
    try:
        (mark,) = connection.execute("PRAGMA application_id").fetchone()
    except sqlite3.Error as err:
        raise FileAccessError(f"can't read `{path}`: {err}") from err
    if (mark & 0xFFFFFFFF).to_bytes(4, "big") in _OWN:
        raise _own(path)


def _own(path: Path) -> UsageError:
    return UsageError(
        f"`{path}` is a database of codecairn itself",
        hint="use `codecairn memory export` there and `codecairn memory import` here",
    )
