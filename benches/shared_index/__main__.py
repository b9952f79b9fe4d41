"""Publish the index of git repositories, pull it into fresh clones, and compare answers, bytes and processor time.

    python -m benches.shared_index REPOSITORY [REPOSITORY ...] [--out FILE]

Repositories are cloned first and never written. For each: the answers of a fresh clone that pulled, against those of a fresh clone that
was indexed in place, as JSON, byte by byte; the processor time of both in processes of their own; with and without segments; what
publishing three edited files uploads; and whether objects show words of the source without the key, or lines with it.
"""

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from benches.results import Figure, Results, default_folder

QUERIES = (
    "parse the configuration file",
    "how are errors handled",
    "open a connection",
    "where is the cache cleared",
    "command line options",
    "write the output",
    "compare two values",
    "read from the stream until the end",
    "retry after a failure",
    "format a date",
)
"""Questions that any project has code for."""

NAMES = 10
"""Names of symbols that are asked for, too, spread over the project."""

MIN_LINE = 40
"""Characters of a line that is looked for in opened objects: shorter ones may be a signature or a heading, which are exported. So may a
line of one word, such as a hash: words are exported."""

_ASKING = """
import json, sys
from codecairn import Workspace
with Workspace.open(sys.argv[1], settings={"search.limit": 20}) as workspace:
    given = json.loads(sys.argv[2])
    print(workspace.status().chunks)
    for query in given["queries"]:
        for hit in workspace.search(query, refresh=False, explain=True).hits:
            print(repr(hit))
    for name in given["names"]:
        for hit in workspace.define(name, refresh=False).hits:
            print(repr(hit))
"""

_OPENING = """
import sys
from pathlib import Path
from codecairn import Workspace
from codecairn.replication.remote_index import RemoteIndex
with Workspace.open(sys.argv[1]) as workspace:
    opened = RemoteIndex(workspace.remote.grant())
    manifest = opened.latest_of((sys.argv[3],)).manifest
    parts = [("records", pack.objects) for pack in manifest.packs]
    parts += [("numbering", each.objects) for each in manifest.numbering]
    parts += [(f"segment {each.kind}", each.objects) for each in manifest.segments]
    for number, (kind, names) in enumerate(parts):
        Path(sys.argv[2], f"{number} {kind.replace(':', ' ')}").write_bytes(opened.objects.read_parts(kind, names))
"""


class Person:
    """A user with a data folder and a clone."""

    def __init__(self, folder: Path, origin: Path, name: str) -> None:
        self.home = folder / f"home-{name}"
        self.root = folder / f"clone-{name}"
        subprocess.run(
            ["git", "clone", "--quiet", str(origin), str(self.root)], check=True, timeout=300
        )

    def run(self, *command: str) -> tuple[str, float]:
        """Run a process here; returns what it printed, and its processor time in seconds."""
        before = _used_s()
        done = subprocess.run(
            command,
            cwd=self.root,
            env=os.environ | {"CODECAIRN_HOME": str(self.home)},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(f"{command}\n{done.stdout}\n{done.stderr}")
        return done.stdout, _used_s() - before

    def cairn(self, *arguments: str) -> tuple[Mapping[str, object], float]:
        """Run codecairn here; returns its document, and its processor time in seconds."""
        text, seconds = self.run(sys.executable, "-m", "codecairn", *arguments, "--json")
        return json.loads(text), seconds

    def answers(self, names: list[str]) -> str:
        """Everything that is answered to the questions, in full."""
        given = json.dumps({"queries": [*QUERIES, *names], "names": names})
        return self.run(sys.executable, "-c", _ASKING, str(self.root), given)[0].replace(
            str(self.root), ""
        )


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(
        prog="python -m benches.shared_index", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    results = Results("Shared indexes")
    rows = []
    for repository in options.repositories:
        with tempfile.TemporaryDirectory(prefix="codecairn-bench-") as temporary:
            row = measure(Path(temporary), repository)
        rows.append(row)
        name = str(row["name"])
        results.add(figures_of(row), subject=name)
    results.add(totals(rows))
    results.write(options.out or default_folder() / "shared-index.json", repositories=rows)


def measure(folder: Path, repository: Path) -> dict[str, object]:
    """All figures of one repository."""
    owner = Person(folder, repository.resolve(), "owner")
    shared = folder / "shared"
    owner.cairn("remote", "init", str(shared), "--name", "bench")
    branch = owner.run("git", "branch", "--show-current")[0].strip()
    report, full_s = owner.cairn("index")
    _, start_s = owner.cairn("status")
    published, publish_s = owner.cairn("index", "--publish", "bench")
    owner.cairn("remote", "grant", str(folder / "grant"))
    names = _names(owner)
    here = owner.answers(names)

    reader = _reader(folder, repository, "reader")
    _, pull_start_s = reader.cairn("remote", "status")
    pulled, pull_s = reader.cairn("pull")
    answers = reader.answers(names)

    sizes = _sizes(shared)
    leaks = _leaks(folder, owner, shared, branch)
    delta = _delta(owner, shared)
    index = pulled["index"]
    assert isinstance(index, dict)
    publication = published["published"]
    assert isinstance(publication, dict)
    return {
        "name": repository.parent.name if repository.name == "repo" else repository.name,
        "files": report["files"],
        "chunks": report["chunks"],
        "source_bytes": report["size_bytes"],
        "full_cpu_s": round(full_s, 3),
        "pull_cpu_s": round(pull_s, 3),
        "publish_cpu_s": round(publish_s, 3),
        "start_cpu_s": round(start_s, 3),
        "pull_start_cpu_s": round(pull_start_s, 3),
        "parsed_by_pull": index["parsed"],
        "equal_answers": here == answers,
        "answer_bytes": len(here),
        "shared_bytes": sum(sizes.values()),
        "objects": len(sizes),
        "delta_bytes": delta,
        **leaks,
    }


def figures_of(row: Mapping[str, object]) -> Iterator[Figure]:
    """The figures of a repository."""
    full, pull = float(str(row["full_cpu_s"])), float(str(row["pull_cpu_s"]))
    note = f"{row['files']} files, {row['chunks']} chunks"
    yield Figure(measure="full index, processor time", value=full, unit="s", note=note)
    yield Figure(measure="pull, processor time", value=pull, unit="s")
    yield Figure(measure="pull beside full index", value=100 * pull / full, unit="%")
    yield Figure(
        measure="pull beside full index, without starts", value=100 * _work(row, "pull") / _work(row, "full"),
        unit="%", note=f"starts take {row['pull_start_cpu_s']} and {row['start_cpu_s']} s",
    )  # fmt: skip
    yield Figure(
        measure="three edited files, uploaded", value=float(str(row["delta_bytes"])), unit="B"
    )
    yield Figure(
        measure="objects", value=float(str(row["shared_bytes"])), unit="B",
        note=f"{row['objects']} objects; source {row['source_bytes']} B",
    )  # fmt: skip
    yield Figure(
        measure="answers equal", value=float(bool(row["equal_answers"])),
        note=f"{row['answer_bytes']} bytes of answers; {row['parsed_by_pull']} files parsed by the pull",
    )  # fmt: skip
    yield Figure(
        measure="words shown without the key, lines with it",
        value=float(str(row["words_shown"])) + float(str(row["lines_shown"])),
        note=f"{row['words']} words, {row['lines']} lines looked for",
    )


def totals(rows: list[dict[str, object]]) -> Iterator[Figure]:
    """The figures of all repositories together."""

    def total(key: str) -> float:
        return sum(float(str(row[key])) for row in rows)

    yield Figure(measure="repositories", value=len(rows))
    equal = sum(row["equal_answers"] is True for row in rows)
    yield Figure(measure="repositories with equal answers", value=equal)
    yield Figure(
        measure="pull beside full index, all", value=100 * total("pull_cpu_s") / total("full_cpu_s"),
        unit="%",
    )  # fmt: skip
    yield Figure(
        measure="pull beside full index, all, without starts", unit="%",
        value=100 * sum(_work(row, "pull") for row in rows) / sum(_work(row, "full") for row in rows),
    )  # fmt: skip
    yield Figure(
        measure="three edited files, uploaded at most", unit="B",
        value=max(float(str(row["delta_bytes"])) for row in rows),
    )  # fmt: skip


def _work(row: Mapping[str, object], what: str) -> float:
    """Processor time of a pull or of a full index without that of a process that starts and looks at the same things."""
    start = "pull_start_cpu_s" if what == "pull" else "start_cpu_s"
    return max(float(str(row[f"{what}_cpu_s"])) - float(str(row[start])), 0.0)


def _reader(folder: Path, repository: Path, name: str) -> Person:
    reader = Person(folder, repository.resolve(), name)
    reader.cairn("remote", "accept", str(folder / "grant"))
    return reader


def _names(owner: Person) -> list[str]:
    """Names of symbols, spread over the project."""
    document, _ = owner.cairn("graph", "hubs", "-n", str(NAMES))
    hubs = document["hubs"]
    assert isinstance(hubs, list)
    found = [str(each["definition"]["name"]) for each in hubs]
    return [name for name in dict.fromkeys(found) if name]


def _sizes(folder: Path) -> dict[str, int]:
    return {
        path.relative_to(folder).as_posix(): path.stat().st_size
        for path in folder.rglob("*")
        if path.is_file()
    }


def _delta(owner: Person, shared: Path) -> int:
    """What publishing three edited files writes to the store."""
    before = {path: path.read_bytes() for path in shared.rglob("*") if path.is_file()}
    listed = owner.run("git", "ls-files")[0].splitlines()
    code = [
        path
        for path in listed
        if re.search(r"\.(?:c|cc|cpp|go|h|hpp|java|js|kt|php|py|rs|ts|vue)$", path)
        and 500 < (owner.root / path).stat().st_size < 100_000
    ]
    for path in code[:: max(1, len(code) // 3)][:3]:
        file = owner.root / path
        lines = file.read_bytes().splitlines(keepends=True)
        at = len(lines) // 2
        file.write_bytes(b"".join([*lines[:at], b"\n", lines[at], *lines[at:]]))
    owner.run(
        "git", "-c", "user.name=b", "-c", "user.email=b@example.com", "commit", "-qam", "edit"
    )
    owner.cairn("index", "--publish", "bench")
    return sum(
        path.stat().st_size
        for path in shared.rglob("*")
        if path.is_file() and before.get(path) != path.read_bytes()
    )


def _leaks(folder: Path, owner: Person, shared: Path, branch: str) -> dict[str, int]:
    """How many words of the source stored objects show, and how many of its lines opened ones do."""
    listed = owner.run("git", "ls-files", "-z")[0].split("\0")
    texts = []
    for path in filter(None, listed):
        file = owner.root / path
        if file.is_file() and not file.is_symlink():
            data = file.read_bytes()
            if b"\0" not in data:
                texts.append(data)
    words = {word for text in texts for word in re.findall(rb"[A-Za-z_]{7,}", text)}
    stored = b"\n".join(path.read_bytes() for path in shared.rglob("*") if path.is_file())
    words_shown = sum(word in stored for word in words)
    opened_folder = folder / "opened"
    opened_folder.mkdir()
    owner.run(sys.executable, "-c", _OPENING, str(owner.root), str(opened_folder), branch)
    opened = b"\n".join(
        part for path in sorted(opened_folder.iterdir()) for part in _frames(path.read_bytes())
    )
    shutil.rmtree(opened_folder)
    lines = {
        line.strip()
        for text in texts
        for line in text.splitlines()
        if len(line.strip()) >= MIN_LINE and re.search(rb"\w\W+\w", line)
    }
    return {
        "words": len(words),
        "words_shown": words_shown,
        "lines": len(lines),
        "lines_shown": sum(line in opened for line in lines),
        "opened_bytes": len(opened),
    }


def _frames(data: bytes) -> Iterator[bytes]:
    """The data, and every zstd frame in it decompressed."""
    import zstandard

    yield data
    for match in re.finditer(re.escape(b"\x28\xb5\x2f\xfd"), data):
        try:
            yield zstandard.ZstdDecompressor().decompressobj().decompress(data[match.start() :])
        except zstandard.ZstdError:
            continue


def _used_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
