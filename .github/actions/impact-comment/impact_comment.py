"""Writes the impact of a pull request into one comment, which later runs update.

The file with the impact comes from a run over the pull request's own code, so all of it is hostile: its size is bounded, its
types are checked, and every name is shown as inline code, in which Markdown, HTML and mentions have no meaning. The pull
request is found from GitHub's event, never from the file.
"""

import json
import os
import re
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MARKER = "<!-- codecairn impact -->"
"""The first line of the comment, by which a later run finds it."""

AUTHOR = "github-actions[bot]"
"""The user of a workflow's token. Comments of others are never edited, even if they begin with the marker."""

MAX_FILE_BYTES = 16 * 1024 * 1024
MAX_ROWS = 20
MAX_NAME_CHARS = 160
MAX_NUMBER = 10**9
MAX_COMMENT_PAGES = 30
PAGE_SIZE = 100
TIMEOUT_S = 30

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ,:;()%'-]{0,199}")


class UnusableInput(Exception):
    """The impact or the event has not the expected form."""


def inline_code(text: str) -> str:
    """`text` as inline code on one line: its fence is longer than each run of backticks in it.

    Characters that are not visible (line breaks, controls, bidirectional marks) are shown as escapes.
    """
    visible = "".join(
        character if character == " " or character.isprintable() else _escape(character)
        for character in text
    )
    if len(visible) > MAX_NAME_CHARS:
        visible = visible[: MAX_NAME_CHARS - 1] + "…"
    longest = max((len(run) for run in re.findall("`+", visible)), default=0)
    fence = "`" * (longest + 1)
    padding = " " if not visible.strip() or visible[0] in "` " or visible[-1] in "` " else ""
    return f"{fence}{padding}{visible or ' '}{padding}{fence}"


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def render(impact: dict[str, Any]) -> str:
    """The comment for a document of `codecairn impact --json`.

    Raises:
        UnusableInput: If the document has another form.
    """
    risk = _text(impact, "risk")
    if risk not in {"LOW", "MEDIUM", "HIGH"}:
        raise UnusableInput("`risk` is not LOW, MEDIUM or HIGH")
    touched, tests = _rows(impact, "touched"), _rows(impact, "tests")
    dependents = _rows(impact, "dependents")
    tested = {_place(_part(test)) for test in tests}
    others = [row for row in dependents if _place(_part(row, "definition")) not in tested]
    summary = ", ".join(
        (
            _count(len(_rows(impact, "files")), "changed file"),
            _count(len(touched), "changed symbol"),
            _count(len(others), "dependent"),
            _count(len(tests), "affected test"),
        )
    )
    lines = [MARKER, f"### Impact: {risk} risk", "", f"{summary}.", ""]
    lines += [f"- {_plain(_string(reason))}" for reason in _rows(impact, "reasons")[:MAX_ROWS]]
    lines += _section("Changed symbols", [_symbol(_part(row)) for row in touched])
    lines += _section("Dependents", [_dependent(row) for row in others])
    lines += _section("Affected tests", [_symbol(_part(row)) for row in tests])
    lines += _section(
        "Communities", [_community(_part(row)) for row in _rows(impact, "communities")]
    )
    return "\n".join(lines).rstrip() + "\n"


def _section(title: str, rows: list[str]) -> list[str]:
    if not rows:
        return []
    shown = [f"- {row}" for row in rows[:MAX_ROWS]]
    more = [f"- … and {len(rows) - MAX_ROWS:,} more"] if len(rows) > MAX_ROWS else []
    head = f"<details><summary>{title} ({len(rows):,})</summary>"
    return ["", head, "", *shown, *more, "", "</details>"]


def _symbol(definition: dict[str, Any]) -> str:
    kind = _text(definition, "kind")
    word = kind if re.fullmatch("[a-z_]{1,30}", kind) else inline_code(kind)
    return f"{word} {inline_code(_text(definition, 'qualified_name'))} in {inline_code(_place(definition))}"


def _dependent(row: object) -> str:
    distance = _count(_number(_part(row), "distance"), "step")
    return f"{_symbol(_part(row, 'definition'))}, {distance} away"


def _community(row: dict[str, Any]) -> str:
    return f"{inline_code(_text(row, 'label'))}, {_count(_number(row, 'symbols'), 'symbol')}"


def _place(definition: dict[str, Any]) -> str:
    return f"{_text(definition, 'path')}:{_number(definition, 'start_line')}"


def _plain(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else inline_code(text)


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _rows(document: dict[str, Any], key: str) -> list[Any]:
    rows = document.get(key)
    if not isinstance(rows, list):
        raise UnusableInput(f"`{key}` is not a list")
    return rows


def _part(row: object, key: str | None = None) -> dict[str, Any]:
    value = row.get(key) if key is not None and isinstance(row, dict) else row
    if not isinstance(value, dict):
        raise UnusableInput(f"`{key or 'row'}` is not an object")
    return value


def _number(document: dict[str, Any], key: str) -> int:
    number = document.get(key)
    if not isinstance(number, int) or not 0 <= number <= MAX_NUMBER:
        raise UnusableInput(f"`{key}` is not a number that a repository can have")
    return number


def _text(document: dict[str, Any], key: str) -> str:
    return _string(document.get(key))


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise UnusableInput("a name is not a text")
    return value


def read_impact(path: Path) -> dict[str, Any]:
    """The document in `path`, of at most `MAX_FILE_BYTES`.

    Raises:
        UnusableInput: If the file is too long, or is no JSON object.
    """
    with path.open("rb") as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise UnusableInput(f"the impact has more than {MAX_FILE_BYTES:,} bytes")
    try:
        return _part(json.loads(data))
    except (ValueError, RecursionError) as error:
        raise UnusableInput("the impact is not JSON") from error


class GitHub:
    """The calls of GitHub's interface that a comment needs, for one repository."""

    def __init__(self, address: str, repository: str, token: str) -> None:
        self._address = f"{address}/repos/{repository}"
        self._token = token

    def pull_request(self, run: dict[str, Any]) -> int | None:
        """The number of the open pull request that a finished run was for, or None if it is closed or has newer commits."""
        owner = _text(_part(_part(run, "head_repository"), "owner"), "login")
        head = urllib.parse.quote(f"{owner}:{_text(run, 'head_branch')}", safe="")
        for found in self._call("GET", f"/pulls?state=open&per_page={PAGE_SIZE}&head={head}"):
            if found["head"]["sha"] == _text(run, "head_sha"):
                return int(found["number"])
        return None

    def write_comment(self, number: int, body: str) -> str:
        """Updates the comment with the marker, or adds it; returns its address."""
        for comment in self._comments(number):
            if comment["user"]["login"] == AUTHOR and comment["body"].startswith(MARKER):
                path = f"/issues/comments/{int(comment['id'])}"
                return str(self._call("PATCH", path, {"body": body})["html_url"])
        return str(self._call("POST", f"/issues/{number}/comments", {"body": body})["html_url"])

    def _comments(self, number: int) -> Iterator[dict[str, Any]]:
        for page in range(1, MAX_COMMENT_PAGES + 1):
            found = self._call("GET", f"/issues/{number}/comments?per_page={PAGE_SIZE}&page={page}")
            yield from found
            if len(found) < PAGE_SIZE:
                return

    def _call(self, method: str, path: str, body: dict[str, str] | None = None) -> Any:
        request = urllib.request.Request(
            self._address + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self._token}",
                "Content-Type": "application/json",
                "X-GitHub-Api-Version": "2022-11-28",
            },
        )
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
            return json.load(answer)


def main(arguments: list[str]) -> int:
    """Comments the impact in the file that is named; returns the exit code."""
    (path,) = arguments
    try:
        body = render(read_impact(Path(path)))
        event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
        github = GitHub(
            os.environ["GITHUB_API_URL"],
            os.environ["GITHUB_REPOSITORY"],
            os.environ["GITHUB_TOKEN"],
        )
        number = github.pull_request(_part(event, "workflow_run"))
    except UnusableInput as error:
        print(f"no comment: {error}", file=sys.stderr)
        return 1
    if number is None:
        print("no comment: the pull request is closed or has newer commits")
        return 0
    print(github.write_comment(number, body))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
