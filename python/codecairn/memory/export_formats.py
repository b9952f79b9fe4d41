"""The formats of an export: JSON, CSV, Markdown, each anonymised on request."""

import csv
import hashlib
import io
import json
import re
from collections.abc import Mapping
from typing import Any

from codecairn.core.contained import contained, contained_lines
from codecairn.errors import UsageError
from codecairn.memory.timestamps import day, written, zone

FORMATS = ("json", "csv", "markdown")
"""The forms in which a memory can be exported."""

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")
_HOME = re.compile(
    r"(?<![\w.])(?:/(?:home|Users|root)/[^\s\"'`:,;)]+|[A-Za-z]:\\Users\\[^\s\"'`,;)]+)"
)
_LONG_HEX = re.compile(r"\b[0-9a-fA-F]{32,}\b")

_COLUMNS = (
    "id",
    "version",
    "type",
    "scope",
    "state",
    "title",
    "text",
    "tags",
    "origin",
    "valid_from",
)


def of_session(
    document: Mapping[str, Any], session: str | None, *, most_events: int, most_facts: int
) -> dict[str, Any]:
    """The records of one session in an exported document, or all of them: the newest, at most so many of each."""
    rows = document["sessions"]
    if session is not None:
        rows = [row for row in rows if session in {row["id"], row["root"]}]
    ids = {row["id"] for row in rows}
    events = [row for row in document["events"] if session is None or row["session"] in ids]
    numbers = {row["seq"] for row in events}
    facts = [
        row for row in document["facts"] if session is None or numbers.intersection(row["sources"])
    ]
    kept_events = sorted(events, key=lambda row: row["seq"])[-most_events:]
    kept_facts = sorted(facts, key=lambda row: row["recorded_ms"])[-most_facts:]
    known = {row["id"] for row in kept_facts}
    anchors = {id_: each for id_, each in document["anchors"].items() if id_ in known}
    return {
        **document,
        "sessions": rows,
        "facts": kept_facts,
        "events": kept_events,
        "anchors": anchors,
    }


def anonymised(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """The same document without e-mail addresses, paths of users' folders and long hexadecimal numbers."""
    if isinstance(value, str):
        plain = _EMAIL.sub("<email>", value)
        return _LONG_HEX.sub("<hex>", _HOME.sub("<path>", plain))
    if isinstance(value, list):
        return [anonymised(each) for each in value]
    if isinstance(value, Mapping):
        return {
            anonymised(key): _pseudonym(each) if key == "key" else anonymised(each)
            for key, each in value.items()
        }
    return value


def _pseudonym(key: object) -> object:
    """An event's key made from its content, or from a host's long number: still unique."""
    plain = anonymised(key)
    if plain == key or not isinstance(key, str):
        return plain
    return f"a:{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"


def exported(
    text: str,
    *,
    format: str,  # noqa: A002 - the word users know
    anonymise: bool,
) -> str:
    """What the core exported, in one of `FORMATS`.

    Raises:
        UsageError: If there is no such format.
    """
    if format not in FORMATS:
        known = ", ".join(FORMATS)
        raise UsageError(f"unknown format `{format}`", hint=f"one of {known}")
    document = json.loads(text)
    if anonymise:
        document = anonymised(document)
    return {"json": as_json, "csv": as_csv, "markdown": as_markdown}[format](document)


def as_json(document: Mapping[str, Any]) -> str:
    """The document, readable."""
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def as_csv(document: Mapping[str, Any]) -> str:
    """The facts as a table (RFC 4180). What a spreadsheet would take for a formula is quoted."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    for fact in document["facts"]:
        row = fact | {"tags": " ".join(fact["tags"]), "valid_from": written(fact["valid_from_ms"])}
        writer.writerow([_cell(row[column]) for column in _COLUMNS])
    return out.getvalue()


def as_markdown(document: Mapping[str, Any]) -> str:
    """The facts that hold, by type, for people to read."""
    times = [fact["valid_from_ms"] for fact in document["facts"]]
    dates = f"Dates: {zone(max(times))}." if times else ""
    lines = [f"# Memory of {contained(document['project'])}", "", *filter(None, [dates, ""])]
    by_type: dict[str, list[Mapping[str, Any]]] = {}
    for fact in document["facts"]:
        if fact["state"] == "live":
            by_type.setdefault(fact["type"], []).append(fact)
    for name in sorted(by_type):
        lines += [f"## {name}", ""]
        for fact in by_type[name]:
            text = contained_lines(fact["text"], indent="  ")
            lines.append(f"- {text} ({day(fact['valid_from_ms'])}, {fact['origin']}, {fact['id']})")
        lines.append("")
    return "\n".join(lines)


def _cell(value: object) -> object:
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return "'" + value
    return value
