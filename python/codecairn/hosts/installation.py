"""Adds codecairn to a host's configuration and removes it.

The original content of each file is kept: uninstalling restores it byte for byte if the file is unchanged since, and removes only
our entries otherwise.
"""

import json
import os
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeAlias

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import FileAccessError, UsageError
from codecairn.hosts.edits import Edit
from codecairn.hosts.host_table import HOSTS, Place
from codecairn.hosts.launchers import COMMAND_LAUNCHER, LAUNCHER, launchers
from codecairn.paths.entries import INSTALLATIONS

_MODES = {INSTALLATIONS: 0o600, LAUNCHER: 0o755, COMMAND_LAUNCHER: 0o755}

_Row: TypeAlias = dict[str, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A file before and after; `None` for no file."""

    path: Path
    what: tuple[str, ...]
    before: bytes | None
    after: bytes | None

    @property
    def is_change(self) -> bool:
        """Whether anything is different."""
        return self.before != self.after

    @property
    def kind(self) -> str:
        """In one word."""
        if not self.is_change:
            return "unchanged"
        return "new" if self.before is None else "removed" if self.after is None else "changed"


class Installer:
    """Changes hosts' files at one place; `folder` keeps what was there before, `installed` is the command's own file."""

    def __init__(self, place: Place, *, folder: Path, installed: str) -> None:
        self._place = place
        self._ledger = folder / INSTALLATIONS
        self._launchers = launchers(folder, installed)

    @property
    def launchers(self) -> Mapping[Path, str]:
        """The files of ours that start what is entered here, with their texts."""
        started = (self._place.program, self._place.hook)
        return {path: text for path, text in self._launchers.items() if str(path) in started}

    def edits(self, host: str) -> list[Edit]:
        """What is entered at a host.

        Raises:
            UsageError: If the host has nothing of this scope.
        """
        edits = HOSTS[host].edits(self._place)
        if not edits:
            raise UsageError(
                f"{HOSTS[host].title} has no settings of a {self._place.scope}",
                hint="leave `--project` out"
                if self._place.scope == "project"
                else "add `--project`",
            )
        return edits

    def command(self, host: str) -> str:
        """The command that makes this installation."""
        return f"codecairn install {host}" + (
            " --project" if self._place.scope == "project" else ""
        )

    @property
    def hook(self) -> str:
        """How a host starts the command that hears its events."""
        return self._place.hook

    def found(self) -> list[str]:
        """The hosts that are on this machine and have settings of this scope."""
        return [
            name
            for name, host in HOSTS.items()
            if host.found_at(self._place) and host.edits(self._place)
        ]

    def is_configured(self, host: str) -> bool:
        """Whether the host starts codecairn here; a file that can't be read counts as one that does.

        Costs the reading of one file. An installation of any version is recognized by its first entry.
        """
        entry = next(iter(HOSTS[host].edits(self._place)), None)
        if entry is None:
            return False
        try:
            return entry.is_in(_decoded(_read(entry.path), entry.path))
        except (FileAccessError, ValueError):
            return True

    def planned(self, host: str) -> list[Change]:
        """What an installation would change; files where earlier versions had their entries are restored."""
        return [*self._entered(host), *self._retired(host)]

    def _entered(self, host: str) -> list[Change]:
        changes = []
        for path, edits in _by_file(self.edits(host)):
            before = _read(path)
            text = _decoded(before, path)
            for edit in edits:
                text = _named(path, partial(edit.applied, text))
            what = _whats(edits)
            changes.append(
                Change(path=path, what=what, before=before, after=_encoded(text, before))
            )
        return changes

    def install(self, host: str) -> list[Change]:
        """Make the changes; a second installation changes nothing."""
        changes = self._entered(host)
        known = self._known()
        _make_private(self._ledger.parent)
        for launcher, text in self.launchers.items():
            _write(launcher, text.encode())
        for change in changes:
            if not change.is_change:
                continue
            row = known.setdefault(str(change.path), {"before": _packed(change.before)})
            row["after"] = _packed(change.after)
            if change.before is None:
                row.setdefault("made", _first_missing(change.path))
            self._write_ledger(known)  # first: what was there before must not be lost
            _write(change.path, change.after)
        retired = self._retired(host)
        self.take_out(retired)
        return [*changes, *retired]

    def unplanned(self, host: str, *, leaving: Collection[str] = ()) -> list[Change]:
        """What an uninstallation would change. A file that another configured host reads too is left to that one.

        Args:
            host: The host.
            leaving: Further hosts that count as not configured.
        """
        shared = {
            edit.path
            for name, other in HOSTS.items()
            if name != host and name not in leaving and self.is_configured(name)
            for edit in other.edits(self._place)
        }
        own = [edit for edit in self.edits(host) if edit.path not in shared]
        entered = [self.change_without(path, edits) for path, edits in _by_file(own)]
        return [*entered, *self._retired(host)]

    def _retired(self, host: str) -> list[Change]:
        """What undoes the entries of earlier versions, in files that are on the list."""
        known = self._known()
        retired = [
            edit for edit in HOSTS[host].retired_edits(self._place) if str(edit.path) in known
        ]
        return [self.change_without(path, edits) for path, edits in _by_file(retired)]

    def installed(self) -> list[Path]:
        """Every file that an installation changed, of this place and of all others."""
        return [Path(path) for path in self._known()]

    def change_without(self, path: Path, edits: Sequence[Edit]) -> Change:
        """What taking these edits out of a file would change.

        Raises:
            FileAccessError: If the file can't be read, is not what a host reads, or was changed since by others and it is
                not known what to take out.
        """
        now, row = _read(path), self._known().get(str(path))
        after = now
        if now is not None:
            after = self._without(path, edits, now, row)
        return Change(path=path, what=_whats(edits), before=now, after=after)

    def uninstall(self, host: str) -> list[Change]:
        """Take out what an installation entered."""
        changes = self.unplanned(host)
        self.take_out(changes)
        return changes

    def take_out(self, changes: Sequence[Change]) -> None:
        """Make changes of an uninstallation, and take their files off the list."""
        if not changes:
            return
        known = self._known()
        made: dict[str, Path] = {}
        for change in changes:
            if change.is_change:
                _write(change.path, change.after)
            folder = known.pop(str(change.path), {}).get("made")
            if folder is not None:
                made[folder] = change.path
        for folder in sorted(made, key=len, reverse=True):  # the inner ones first
            _remove_empty(made[folder], upto=folder)
            _hand_over(folder, known)
        self._write_ledger(known)
        if not known:
            for launcher in self._launchers:
                _write(launcher, None)  # no host starts it any more

    def _without(
        self, path: Path, edits: Sequence[Edit], now: bytes, row: _Row | None
    ) -> bytes | None:
        before = _unpacked(row["before"]) if row else None
        if row is not None and now == _unpacked(row["after"]):
            return before
        if not edits:
            raise FileAccessError(
                f"`{path}` was left as it is: it was changed since codecairn was entered there",
                hint="take the entry of codecairn out by hand",
            )
        original, text = _decoded(before, path), _decoded(now, path)
        for edit in reversed(edits):
            text = _named(path, partial(edit.undone, text, original=original))
        is_ours = (row is not None and before is None) or row is None
        if is_ours and text.strip() in {"", "{}"}:
            return None
        return _encoded(text, now)

    def _known(self) -> dict[str, _Row]:
        try:
            loaded = json.loads(self._ledger.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as err:
            raise FileAccessError(
                f"can't read `{self._ledger}`: {err}",
                hint="it tells what files were before; mend or remove it",
            ) from err
        return dict(loaded) if isinstance(loaded, dict) else {}

    def _write_ledger(self, known: dict[str, _Row]) -> None:
        _write(self._ledger, (json.dumps(known, indent=1) + "\n").encode() if known else None)


def _whats(edits: Sequence[Edit]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(edit.what for edit in edits))


def _by_file(edits: Sequence[Edit]) -> list[tuple[Path, list[Edit]]]:
    found: dict[Path, list[Edit]] = {}
    for edit in edits:
        found.setdefault(edit.path, []).append(edit)
    return list(found.items())


def _named(path: Path, work: Callable[[], str]) -> str:
    """Errors of an edit name the file."""
    try:
        return work()
    except ValueError as err:
        raise FileAccessError(
            f"`{path}` was left as it is: {err}", hint="mend the file, then try again"
        ) from err


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as err:
        raise FileAccessError(f"can't read `{path}`: {err.strerror or err}") from err


def _decoded(content: bytes | None, path: Path) -> str:
    try:
        return (content or b"").decode("utf-8")
    except UnicodeDecodeError as err:
        raise FileAccessError(f"`{path}` was left as it is: it is not UTF-8") from err


def _encoded(text: str, before: bytes | None) -> bytes:
    """The text in the line endings of the file."""
    if before and before.count(b"\r\n") == before.count(b"\n") > 0:
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    return text.encode()


def _write(path: Path, content: bytes | None) -> None:
    """Replace a file whole, through a link to where it is."""
    path = path.resolve()
    try:
        if content is None:
            path.unlink(missing_ok=True)
            _remove_bytecode(path)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.codecairn")
        mode = _MODES.get(path.name) or (path.stat().st_mode if path.exists() else 0o644)
        with suppress(FileNotFoundError):
            temporary.unlink()
        # Hosts' files may hold keys, and so may what is kept of them.
        with os.fdopen(
            os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb"
        ) as file:
            file.write(content)
        temporary.chmod(mode)
        temporary.replace(path)
    except OSError as err:
        raise FileAccessError(f"can't write `{path}`: {err.strerror or err}") from err


def _make_private(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as err:
        raise FileAccessError(f"can't make `{folder}`: {err.strerror or err}") from err


def _first_missing(path: Path) -> str | None:
    """The topmost of the folders that have to be made for a file; `None` if all are there."""
    missing = [folder for folder in path.parents if not folder.exists()]
    return str(missing[-1]) if missing else None


def _remove_empty(path: Path, *, upto: str) -> None:
    """Remove the folders that were made for a file, as far as nothing is in them."""
    if path.exists():
        return
    for folder in path.parents:
        with suppress(OSError):
            folder.rmdir()
        if str(folder) == upto:
            return


def _hand_over(folder: str, known: dict[str, _Row]) -> None:
    """Note a folder that was made and is still in use at a file in it, with which it goes."""
    inside = (path for path in known if Path(folder) in Path(path).parents)
    heir = next(inside, None)
    if heir is not None and Path(folder).is_dir():
        held = known[heir].get("made")
        if held is None or len(held) > len(folder):
            known[heir]["made"] = folder


def _remove_bytecode(path: Path) -> None:
    """Remove what a host's interpreter has made of a module."""
    folder = path.parent / "__pycache__"
    for made in folder.glob(f"{path.stem}.*.pyc") if path.suffix == ".py" else ():
        made.unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


def _packed(content: bytes | None) -> str | None:
    return None if content is None else b64encode(zlib.compress(content)).decode()


def _unpacked(content: object) -> bytes | None:
    return zlib.decompress(b64decode(content)) if isinstance(content, str) else None
