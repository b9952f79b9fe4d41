"""Which repositories the model learns from, and how one of them becomes pairs.

`corpus.tsv` names each with its language, revision and licence. A repository is a bare git directory in a folder of
mirrors (`OWNER+NAME/repo`); it is written out into a temporary folder, cut into chunks by the core, and read for pairs.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benches.quality.model.pairs import Chunk

# Whatever the retrieval benchmarks measure on, and what is shown as an example, the model must never have seen.
NEVER = frozenset(
    [
        "abseil-cpp",
        "aeson",
        "aiohttp",
        "alamofire",
        "axios",
        "axum",
        "bash-it",
        "circe",
        "cobra",
        "ecto",
        "fastapi",
        "gson",
        "httpx",
        "kotlinx-coroutines",
        "laravel-framework",
        "lazy.nvim",
        "libuv",
        "messagepack-csharp",
        "nlohmann-json",
        "nvm",
        "plug",
        "pydantic",
        "rails",
        "redux",
        "starlette",
        "telescope.nvim",
        "tokio",
        "vapor",
        "vitest",
        "xmonad",
        "zig",
        "zls",
        "bats-core",
        "cats",
        "chi",
        "click",
        "commons-lang",
        "curl",
        "dapper",
        "exposed",
        "express",
        "flask",
        "fmtlib",
        "gin",
        "guzzle",
        "http4s",
        "jackson-databind",
        "ktor",
        "mini.nvim",
        "model2vec",
        "monolog",
        "newtonsoft-json",
        "pandoc",
        "phoenix",
        "rack",
        "redis",
        "requests",
        "serde",
        "sinatra",
        "snapkit",
        "trpc",
        "zig-clap",
        "zod",
        "ripgrep",
        "symfony",
        "kingfisher",
        "absinthe",
        "composer",
        "detekt",
        "eslint",
        "helix",
        "hugo",
        "jekyll",
        "jq",
        "kong",
        "leveldb",
        "playframework",
        "retrofit",
        "scrapy",
        "serilog",
        "tigerbeetle",
        "typeorm",
    ]
)
# Folders that hold copies of other projects, or of what a test expects.
_COPIES = re.compile(
    r"(?:^|/)(?:_?vendor(?:ed|s)?|\w*third[-_]?party\w*|3rd[-_]?party|node_modules|deps?|extern(?:als?)?|bundled?|contrib|"
    r"bower_components|pods|carthage|subprojects|submodules|dist|testdata|fixtures?|snapshots|__snapshots__|generated|min|"
    r"compiled|locales?|lang|i18n|l10n|translations?)(?:/|$)",
    re.IGNORECASE,
)
_LICENCES = (
    (
        "none",
        r"GNU (?:AFFERO|LESSER|LIBRARY|GENERAL)|Mozilla Public License|Server Side Public|Business Source|Commons Clause|"
        r"Eclipse Public|Elastic License",
    ),
    ("Apache-2.0", r"Apache License,?\s+Version 2\.0"),
    ("MIT", r"Permission is hereby granted, free of\s+charge"),
    ("BSD", r"Redistribution and use in source and\s+binary forms"),
    ("ISC", r"Permission to use, copy, modify,\s+and(?:/or)? distribute this software"),
    ("Zlib", r"This software is provided 'as-is', without any express"),
    ("BSL-1.0", r"Boost Software License"),
    ("Unlicense", r"This is free and unencumbered software"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A public repository at one revision."""

    language: str
    name: str
    revision: str
    licence: str

    @property
    def file_name(self) -> str:
        """Its name as a file's."""
        return self.name.replace("/", "+")


def load(path: Path) -> list[Repository]:
    """The repositories of a table, without those that must never be learnt from."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    found = [Repository(language=r[0], name=r[1], revision=r[2], licence=r[3]) for r in rows]
    return [repository for repository in found if may_learn_from(repository.name)]


def may_learn_from(name: str) -> bool:
    """Whether a repository is none of the benchmarks'."""
    return not ({part.lower() for part in name.split("/")} & NEVER)


def inspect(mirrors: Path, language: str, name: str) -> Repository | None:
    """The newest revision of a mirrored repository, if its licence is a permissive one."""
    git = git_folder(mirrors, name)
    revision = _git(git, "rev-parse", "HEAD").strip()
    files = _git(git, "ls-tree", "--name-only", "HEAD").splitlines()
    for file in sorted(files, key=len):
        if re.match(r"(?:LICEN[CS]E|COPYING|COPYRIGHT|UNLICENSE)", file, re.IGNORECASE):
            licence = licence_of(_git(git, "show", f"HEAD:{file}"))
            if licence:
                if licence == "none":
                    return None
                return Repository(language=language, name=name, revision=revision, licence=licence)
    return None


def licence_of(text: str) -> str:
    """The licence that a text is, `none` for one that is not permissive, empty for no licence."""
    found = ((re.search(mark, text), name) for name, mark in _LICENCES)
    return min(((match.start(), name) for match, name in found if match), default=(0, ""))[1]


def chunks(
    mirrors: Path, repository: Repository, program: Path, known: set[bytes]
) -> Iterator[Chunk]:
    """Its chunks, but no copies of other projects and none whose text is `known`, to which they are added."""
    with tempfile.TemporaryDirectory() as folder:
        write_out(git_folder(mirrors, repository.name), repository.revision, Path(folder))
        with subprocess.Popen(
            [program, folder], stdout=subprocess.PIPE, encoding="utf-8"
        ) as process:
            for line in process.stdout or ():
                chunk = json.loads(line)
                key = fingerprint(chunk["text"])
                if is_own(chunk["path"]) and key not in known:
                    known.add(key)
                    yield chunk


def write_out(git: Path, revision: str, folder: Path) -> None:
    """Write the files of a revision into `folder`; a mirror that lacks a large file ends there."""
    archive = subprocess.Popen(
        ["git", "--git-dir", git, "archive", revision], stdout=subprocess.PIPE
    )
    subprocess.run(["tar", "-x", "-C", folder], stdin=archive.stdout, check=False)
    archive.wait()


def is_own(path: str) -> bool:
    """Whether a file is the project's own, as far as its folders tell."""
    folders = str(PurePosixPath(path).parent)
    return not _COPIES.search(folders) and not ({f.lower() for f in folders.split("/")} & NEVER)


def fingerprint(text: str) -> bytes:
    """The same for texts that differ in white space only."""
    return hashlib.blake2b("".join(text.split()).encode(), digest_size=8).digest()


def git_folder(mirrors: Path, name: str) -> Path:
    """Where git's files are: some mirrors are clones."""
    folder = mirrors / name.replace("/", "+") / "repo"
    return folder / ".git" if (folder / ".git").is_dir() else folder


def _git(git: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "--git-dir", git, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return done.stdout.decode("utf-8", "replace")
