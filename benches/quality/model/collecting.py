"""From mirrors to files of pairs, one a repository."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from benches.quality.model import commits, corpus, pairs

SEED = 1


def collect(table: Path, mirrors: Path, output: Path, program: Path, refused: Path | None) -> None:
    """Write `output/OWNER+NAME.jsonl` for every repository of the table that is not there yet.

    `refused` is a folder of JSON lines of chunks (the example `chunks` over a benchmark's checkouts): what is in there
    is never learnt from, wherever it was copied to.
    """
    known: set[bytes] = set()
    for path in sorted(refused.glob("*.jsonl")) if refused else ():
        with path.open(encoding="utf-8") as lines:
            known.update(corpus.fingerprint(json.loads(line)["text"]) for line in lines)
    output.mkdir(parents=True, exist_ok=True)
    for repository in corpus.load(table):
        target = output / f"{repository.file_name}.jsonl"
        if target.exists():
            continue
        found = pairs.of_chunks(corpus.chunks(mirrors, repository, program, known), SEED)
        git = corpus.git_folder(mirrors, repository.name)
        found += commits.read(git, repository.revision, SEED)
        with target.with_suffix(".part").open("w", encoding="utf-8") as file:
            for pair in found:
                fields = {"repository": repository.name, "language": repository.language}
                file.write(json.dumps({**asdict(pair), **fields}) + "\n")
        target.with_suffix(".part").replace(target)
        print(repository.name, dict(Counter(pair.kind for pair in found)), flush=True)


def inspect(wanted: Path, mirrors: Path, table: Path) -> None:
    """Write the table of those wanted (`LANGUAGE OWNER/NAME …` a line) that are mirrored and permissively licensed."""
    rows = ["language\trepository\trevision\tlicence"]
    for line in wanted.read_text(encoding="utf-8").splitlines():
        language, *names = line.split()
        for name in names:
            has_mirror = (corpus.git_folder(mirrors, name) / "HEAD").exists()
            if has_mirror and corpus.may_learn_from(name):
                found = corpus.inspect(mirrors, language, name)
                if found:
                    rows.append("\t".join((language, name, found.revision, found.licence)))
    table.write_text("\n".join(rows) + "\n", encoding="utf-8")
