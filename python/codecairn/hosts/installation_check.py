"""Checks whether a host's configuration is what an installation would write today, and whether the host lets our hooks run."""

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from codecairn.core.light_dataclass import dataclass
from codecairn.hosts.hook_events import is_ours
from codecairn.hosts.host_table import HOSTS, NAME
from codecairn.hosts.installation import Installer
from codecairn.hosts.jsonc import read_member

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at.

    Attributes:
        what: The thing, in a few words.
        state: "in order", "missing", "another version", "not executable", "not working", "switched off" or "not approved".
        path: The file it was looked up in.
        hint: What to do about it; empty if it is in order.
        detail: Figures, or why something does not work.
    """

    what: str
    state: str
    path: str
    hint: str = ""
    detail: str = ""


def checks(installer: Installer, host: str) -> Iterator[Check]:
    """What is entered at a host, and what is not."""
    again = f"`{installer.command(host)}`"
    for change in installer.planned(host):
        state = "in order"
        if change.is_change:
            is_known = change.before is not None and b"codecairn" in change.before
            state = "another version" if is_known else "missing"
        hint = again if change.is_change else ""
        yield Check(what=", ".join(change.what), state=state, path=str(change.path), hint=hint)
    for launcher, text in installer.launchers.items():
        state = "missing"
        if launcher.is_file():
            is_same = launcher.read_text(encoding="utf-8", errors="replace") == text
            state = "in order" if is_same else "another version"
            if not os.access(launcher, os.X_OK):
                state = "not executable"
        yield Check(
            what="what starts it",
            state=state,
            path=str(launcher),
            hint="" if state == "in order" else again,
        )
    if host == "codex":
        yield from _approval(installer)
    yield from _switches(installer, host)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Switch:
    """A member of a host's settings by which a user switches ours off, and the values that do."""

    what: str
    member: tuple[str, ...]
    is_off: Callable[[object], bool]


_SWITCHES: Mapping[str, Sequence[_Switch]] = MappingProxyType(
    {
        "claude": (
            _Switch(what="hooks", member=("disableAllHooks",), is_off=lambda found: found is True),
        ),
        "gemini": (
            _Switch(
                what="hooks",
                member=("hooksConfig", "enabled"),
                is_off=lambda found: found is False,
            ),
            _Switch(
                what="hooks",
                member=("hooksConfig", "disabled"),
                is_off=lambda found: isinstance(found, list) and NAME in found,
            ),
            _Switch(
                what="the MCP server",
                member=("mcp", "excluded"),
                is_off=lambda found: isinstance(found, list) and NAME in found,
            ),
            _Switch(
                what="the MCP server",
                member=("mcp", "allowed"),
                is_off=lambda found: isinstance(found, list) and bool(found) and NAME not in found,
            ),
        ),
    }
)


def _switches(installer: Installer, host: str) -> Iterator[Check]:
    """What a user has switched off in the file that has the hooks."""
    switches = _SWITCHES.get(host, ())
    hooks = (edit.path for edit in installer.edits(host) if edit.what == "hooks")
    for path in dict.fromkeys(hooks) if switches else ():
        try:
            text = path.read_text(encoding="utf-8")
            off = [each for each in switches if each.is_off(read_member(text, each.member))]
        except (OSError, ValueError):
            continue  # reported by the check of its entries
        for each in off:
            hint = f"change `{'.'.join(each.member)}` there"
            yield Check(what=each.what, state="switched off", path=str(path), hint=hint)


def _approval(installer: Installer) -> Iterator[Check]:
    """The number of our hooks that Codex is allowed to run: it skips all others silently."""
    files = {edit.path for edit in installer.edits("codex") if edit.path.name == "hooks.json"}
    for file in files:
        wanted = set(_keys(file))
        config = file.with_name("config.toml")
        document = _toml(config)
        if not wanted:
            continue
        missing = len(wanted - _keys_with(document, lambda row: bool(row.get("trusted_hash"))))
        hint = (
            "" if not missing else f"start {HOSTS['codex'].title}, then approve them with `/hooks`"
        )
        state = "not approved" if missing else "in order"
        what = f"approval of {len(wanted)} hooks" + (f", {missing} to go" if missing else "")
        yield Check(what=what, state=state, path=str(config), hint=hint)
        off = len(wanted & _keys_with(document, lambda row: row.get("enabled") is False))
        if off:
            hint = f"switch on {off} of {len(wanted)} with `/hooks`"
            yield Check(what="hooks", state="switched off", path=str(config), hint=hint)
        features = document.get("features")
        if isinstance(features, Mapping) and features.get("hooks") is False:
            hint = "change `features.hooks` there"
            yield Check(what="hooks", state="switched off", path=str(config), hint=hint)


def _keys(file: Path) -> Iterator[str]:
    """What Codex calls our hooks: the file, the event, and the place in its list."""
    document = _json(file)
    events = document.get("hooks")
    for event, entries in events.items() if isinstance(events, dict) else ():
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
        for place, entry in enumerate(entries if isinstance(entries, list) else ()):
            if is_ours(entry):
                yield f"{file}:{name}:{place}:0"


def _keys_with(
    document: Mapping[str, object], is_meant: Callable[[Mapping[str, object]], bool]
) -> set[str]:
    """The hooks in Codex's state that a condition holds for."""
    hooks = document.get("hooks")
    state = hooks.get("state") if isinstance(hooks, Mapping) else None
    rows = state.items() if isinstance(state, Mapping) else ()
    return {key for key, row in rows if isinstance(row, Mapping) and is_meant(row)}


def _toml(file: Path) -> Mapping[str, object]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _json(file: Path) -> dict[str, object]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
