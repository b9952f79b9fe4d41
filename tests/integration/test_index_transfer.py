"""An index that was made elsewhere answers as one that was made here, whatever of it can be used."""

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codecairn import Workspace
from codecairn.core.index_transfer import IndexTransfer
from codecairn.errors import IndexPartDamaged, NotIndexed, UsageError
from support.answers import answers, answers_of_full_index
from support.command import run
from support.corpus import module_text
from support.repository import SMALL_PROJECT, Repository
from support.transfers import (
    Parts,
    engine_of,
    exported,
    flipped,
    imported,
    with_segment,
    without_store,
)

CHECKOUT = Path(__file__).parents[2]
CORPUS = CHECKOUT / "native" / "crates" / "syntax" / "tests" / "corpus"

ODD_FILES: dict[str, bytes] = {
    "odd/empty.py": b"",
    "odd/blank.py": b"\n \n\t\n",
    "odd/no_end.py": b"def last(): return 1",
    "odd/windows.py": b"def first():\r\n    return 1\r\n\r\n\r\nclass Second:\r\n    pass\r\n",
    "odd/latin.py": "# Stra\u00dfe\ndef gr\u00fc\u00dfe():\n    return 'M\u00fcnchen'\n".encode(
        "latin-1"
    ),
    "odd/marked.js": b"\xef\xbb\xbfexport const marked = 1;\n",
    "odd/utf16.txt": "Tokens of a session\n".encode("utf-16"),
    "odd/wrong.py": b"def broken(:\n    return ((\n",
    "odd/emoji.md": "# \U0001f600 heading\n\nText \U0001f600\n".encode(),
    "odd/twin_one.py": b"def twin():\n    return 1\n",
    "odd/twin_two.py": b"def twin():\n    return 1\n",
    "odd/twin.txt": b"def twin():\n    return 1\n",
    "odd/binary.bin": bytes(range(256)),
    "odd/long_line.js": b"var a = '" + b"x; " * 3000 + b"';\n",
}


def _generated(repository: Repository) -> None:
    for seed in range(12):
        repository.write(f"a/module{seed}.py", module_text(seed, functions=8))
    repository.write_all(SMALL_PROJECT)
    for path, content in ODD_FILES.items():
        repository.write(path, content)
    repository.write("data/table.csv", "one,two,three\n" * 100_000)


def _corpus(repository: Repository) -> None:
    shutil.copytree(CORPUS, repository.root / "corpus")


def _package(repository: Repository) -> None:
    for name in ("core", "search", "config", "context"):
        shutil.copytree(CHECKOUT / "python" / "codecairn" / name, repository.root / name)


def _checkout(repository: Repository) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    for path in tracked.stdout.split("\0"):
        if (CHECKOUT / path).is_file():
            repository.write(path, (CHECKOUT / path).read_bytes())


TREES = {
    "generated": _generated,
    "every language": _corpus,
    "a package": _package,
    "this repository": _checkout,
}
_SLOW = {"this repository"}

COMMANDS = (
    ("search", "check the token of a session", "--no-refresh"),
    ("search", "read the settings of a workspace", "--no-refresh", "--explain"),
    ("peek", "merge", "--no-refresh"),
    ("define", "twin", "--no-refresh"),
    ("graph", "hubs", "-n", "20"),
    ("graph", "cycles"),
    ("uses", "token"),
)


def _documents(root: Path) -> list[Any]:
    """What commands print as JSON, without how long they took."""
    found = [answers(root)]
    for command in COMMANDS:
        outcome = run(*command, "--json", cwd=root)
        found.append((outcome.code, re.sub(r'"(seconds|elapsed_ms)": [0-9.e-]+', "", outcome.out)))
    return found


@pytest.fixture
def origin(tmp_path: Path) -> Repository:
    """Where an index is made for others."""
    return Repository.make(tmp_path / "origin")


def _clone(origin: Repository, root: Path) -> Repository:
    shutil.copytree(origin.root, root, symlinks=True)
    return Repository(root)


@pytest.mark.parametrize("with_segments", [True, False])
@pytest.mark.parametrize(
    "tree", [pytest.param(tree, marks=[pytest.mark.slow] * (tree in _SLOW)) for tree in TREES]
)
def test_fresh_clone_answers_as_a_full_index_and_parses_nothing(
    tmp_path: Path, origin: Repository, tree: str, *, with_segments: bool
) -> None:
    TREES[tree](origin)
    origin.commit()
    parts = exported(origin.root)
    clone = _clone(origin, tmp_path / "clone")
    report = imported(clone.root, parts, with_segments=with_segments)
    assert (report.parsed, report.rejected) == (0, 0)
    assert report.reused > 0
    assert (report.embedded == 0) == with_segments
    assert (report.new_chunks == 0) == with_segments
    taken = _documents(clone.root)
    with Workspace.open(clone.root) as workspace:
        assert workspace.doctor() == ()
    without_store(clone.root)
    with Workspace.open(clone.root) as workspace:
        full = workspace.index()
    assert (full.parsed, full.reused) == (report.reused, 0)
    assert full.chunks == report.chunks
    assert full.diagnostics == report.diagnostics
    assert taken == _documents(clone.root)


def test_parts_of_equal_trees_are_equal(tmp_path: Path, origin: Repository) -> None:
    _generated(origin)
    origin.commit()
    clone = _clone(origin, tmp_path / "elsewhere")
    parts = exported(origin.root)
    assert exported(clone.root) == parts
    without_store(clone.root)
    imported(clone.root, parts)
    assert exported(clone.root) == parts, "what was taken in is passed on as it is"


def _edit(clone: Repository) -> None:
    clone.write("a/module3.py", module_text(33, functions=9))
    clone.write("shop/tokens.py", SMALL_PROJECT["shop/tokens.py"] + "\n\nLATER = 1\n")


def _remove(clone: Repository) -> None:
    for path in ("a/module1.py", "a/module2.py", "shop/basket.py"):
        (clone.root / path).unlink()


def _add(clone: Repository) -> None:
    clone.write("b/extra.py", module_text(77, functions=9))
    clone.write("b/again.py", module_text(3, functions=8))


def _branch(clone: Repository) -> None:
    clone.git("switch", "--quiet", "--create", "feature")
    _edit(clone)
    _remove(clone)
    clone.git("mv", "a/module0.py", "moved.py")
    clone.commit()


@pytest.mark.parametrize("with_segments", [True, False])
@pytest.mark.parametrize("change", [_edit, _remove, _add, _branch])
def test_what_differs_here_is_indexed_here(
    tmp_path: Path,
    origin: Repository,
    change: Callable[[Repository], None],
    *,
    with_segments: bool,
) -> None:
    _generated(origin)
    origin.commit()
    parts = exported(origin.root)
    clone = _clone(origin, tmp_path / "clone")
    change(clone)
    report = imported(clone.root, parts, with_segments=with_segments)
    assert report.reused > 0
    assert report.parsed == {_edit: 2, _remove: 0, _add: 1, _branch: 2}[change]
    assert answers(clone.root) == answers_of_full_index(clone.root)
    # And so it stays when the files become those of the other store, and when all is derived again.
    clone.git("switch", "--quiet", "--force", "main")
    clone.git("reset", "--quiet", "--hard")
    clone.git("clean", "--quiet", "--force", "-d")
    with Workspace.open(clone.root) as workspace:
        workspace.index()
        assert workspace.doctor() == ()
        assert answers(clone.root) == answers_of_full_index(clone.root)
        workspace.index(force=True)
        assert answers(clone.root) == answers_of_full_index(clone.root)


@pytest.mark.parametrize("loss", ["segments", "force", "vectors", "garbage"])
@pytest.mark.parametrize("is_indexed", [True, False])
def test_documents_whose_text_never_came_are_derived_when_it_comes(
    tmp_path: Path, origin: Repository, loss: str, *, is_indexed: bool
) -> None:
    """Nothing can derive an adopted document again whose text is not there; its chunk must not count as known."""
    _generated(origin)
    origin.commit()
    parts = exported(origin.root)
    clone = _clone(origin, tmp_path / "clone")
    _remove(clone)
    engine = engine_of(clone.root)
    transfer = IndexTransfer(engine)
    transfer.adopt(parts.numbering, parts.segments)
    if is_indexed:
        assert transfer.index(parts.packs, progress=None).parsed == 0
    engine.close()
    with Workspace.open(clone.root) as workspace:
        segments = workspace.store / "segments"
        if loss == "segments":
            shutil.rmtree(segments)
        elif loss == "vectors":
            for file in segments.glob("vectors-*"):
                file.write_bytes(flipped(file.read_bytes(), 20))
        elif loss == "force":
            workspace.index(force=True)
        elif is_indexed:
            workspace.gc()
        workspace.index()
        clone.git("reset", "--quiet", "--hard")
        workspace.index()
        assert workspace.doctor() == ()
    assert answers(clone.root) == answers_of_full_index(clone.root)


def test_three_edited_files_are_small_new_parts(origin: Repository) -> None:
    for seed in range(60):
        origin.write(f"a/module{seed}.py", module_text(seed, functions=30))
    origin.commit()
    before = exported(origin.root)
    engine = engine_of(origin.root)
    known = {content.digest for content in IndexTransfer(engine).contents()}
    for seed in (3, 30, 50):
        text = module_text(seed, functions=30).replace("return", "return not", 3)
        origin.write(f"a/module{seed}.py", text)
    engine.index(force=False, progress=None)
    transfer = IndexTransfer(engine)
    new = [each for each in transfer.contents() if each.digest not in known]
    assert len(new) == 3
    pack = transfer.records([(content.digest, content.language) for content in new])
    after = Parts(packs=(pack,), numbering=transfer.numbering(), segments=transfer.segments())
    engine.close()
    fresh = set(after.blobs()) - set(before.blobs())
    assert pack in fresh
    assert sum(map(len, fresh)) <= 20_000
    assert before.size_bytes > 10 * sum(map(len, fresh))


def test_only_a_store_without_documents_adopts_any(tmp_path: Path, origin: Repository) -> None:
    _generated(origin)
    origin.commit()
    parts = exported(origin.root)
    clone = _clone(origin, tmp_path / "clone")
    clone.write("own.py", "def own():\n    pass\n")
    with Workspace.open(clone.root) as workspace:
        workspace.index()
    with pytest.raises(UsageError, match="the store has documents already"):
        imported(clone.root, parts)
    report = imported(clone.root, parts, with_segments=False)
    assert (report.parsed, report.reused) == (0, 0)
    assert answers(clone.root) == answers_of_full_index(clone.root)


def test_an_export_is_of_one_state(origin: Repository) -> None:
    _generated(origin)
    engine = engine_of(origin.root)
    transfer = IndexTransfer(engine)
    with pytest.raises(NotIndexed):
        transfer.contents()
    engine.index(force=False, progress=None)
    with pytest.raises(UsageError, match="was changed while it was being exported"):
        transfer.numbering()
    transfer = IndexTransfer(engine)
    content = transfer.contents()[0]
    assert transfer.records([(content.digest, content.language)])
    for digest, language in ((bytes(32), "python"), (content.digest, "cobol")):
        with pytest.raises(UsageError, match="the index has no text"):
            transfer.records([(digest, language)])
    with pytest.raises(NotIndexed):
        IndexTransfer(engine).contents("no-such-branch")
    engine.close()


def test_the_format_names_the_model(origin: Repository) -> None:
    formats = {
        IndexTransfer(engine_of(origin.root, embedder=name)).format()
        for name in ("static", "feature-hash")
    }
    assert len(formats) == 2
    assert all(text.startswith("extractor ") for text in formats)


@pytest.fixture
def clone_and_parts(tmp_path: Path, origin: Repository) -> tuple[Repository, Parts]:
    """A folder without an index, and parts of the index of an equal one."""
    for seed in range(4):
        origin.write(f"a/module{seed}.py", module_text(seed, functions=6))
    origin.commit()
    parts = exported(origin.root)
    return _clone(origin, tmp_path / "clone"), parts


def _assert_of_use(clone: Repository, parts: Parts) -> None:
    """After a refusal nothing was taken in, and whole parts still are."""
    report = imported(clone.root, parts)
    assert (report.parsed, report.rejected, report.new_chunks) == (0, 0, 0)
    with Workspace.open(clone.root) as workspace:
        assert workspace.doctor() == ()
    assert answers(clone.root, names=()) == answers_of_full_index(clone.root, names=())


def test_damaged_and_swapped_segments_are_refused(
    clone_and_parts: tuple[Repository, Parts],
) -> None:
    clone, parts = clone_and_parts
    lexical, vectors = parts.segments
    spoiled = [
        with_segment(parts, number, data)
        for number, segment in enumerate(parts.segments)
        for data in (
            *(flipped(segment.data, at * 37) for at in range(0, len(segment.data) // 37, 11)),
            segment.data[:-1],
            segment.data[: len(segment.data) // 2],
            segment.data + b"\0",
            b"",
            parts.numbering[0].data,
            parts.packs[0],
        )
    ]
    spoiled += [
        with_segment(parts, 0, vectors.data),
        with_segment(parts, 1, lexical.data),
        replace(
            parts, segments=(replace(lexical, count=lexical.count), replace(vectors, data=_bomb()))
        ),
    ]
    for each in spoiled:
        with pytest.raises(IndexPartDamaged, match="segment of documents 0 to"):
            imported(clone.root, each)
    _assert_of_use(clone, parts)


def test_damaged_numberings_are_refused(clone_and_parts: tuple[Repository, Parts]) -> None:
    clone, parts = clone_and_parts
    [part] = parts.numbering
    datas = [flipped(part.data, at) for at in range(0, len(part.data), 13)]
    datas += [part.data[:-1], b"", part.data + b"\0", parts.packs[0], part.data[:16] + _bomb()]
    for data in datas:
        with pytest.raises(IndexPartDamaged, match="the numbering of documents 0 to"):
            imported(clone.root, replace(parts, numbering=(replace(part, data=data),)))
    _assert_of_use(clone, parts)


def test_parts_that_do_not_belong_together_are_refused(
    clone_and_parts: tuple[Repository, Parts],
) -> None:
    clone, parts = clone_and_parts
    [part] = parts.numbering
    lexical, vectors = parts.segments
    wrong = [
        replace(parts, numbering=()),
        replace(parts, numbering=(part, part)),
        replace(parts, numbering=(replace(part, first=1),)),
        replace(parts, segments=()),
        replace(parts, segments=(lexical,)),
        replace(parts, segments=(vectors,)),
        replace(parts, segments=(lexical, lexical, vectors)),
        replace(parts, segments=(lexical, replace(vectors, first=3))),
        replace(parts, segments=(lexical, replace(vectors, kind="vector:other"))),
        replace(parts, segments=(lexical, vectors, replace(vectors, kind="hnsw:static"))),
    ]
    for each in wrong:
        with pytest.raises(UsageError):
            imported(clone.root, each)
    fewer = replace(part, count=part.count - 1)
    with pytest.raises(IndexPartDamaged):
        imported(clone.root, replace(parts, numbering=(fewer,)))
    _assert_of_use(clone, parts)


def test_damaged_packs_are_refused(clone_and_parts: tuple[Repository, Parts]) -> None:
    clone, parts = clone_and_parts
    [pack] = parts.packs
    spoiled = [flipped(pack, at) for at in range(0, len(pack), 29)]
    spoiled += [
        b"",
        pack[:-1],
        pack[:20],
        pack + b"\0",
        parts.numbering[0].data,
        pack[:24] + _bomb(),
    ]
    for data in spoiled:
        with pytest.raises(IndexPartDamaged, match="record pack 2 can't be used"):
            imported(clone.root, replace(parts, packs=(pack, data)), with_segments=False)
    without_store(clone.root)
    _assert_of_use(clone, parts)


def _bomb() -> bytes:
    """A zstd frame of a few bytes that declares and holds a terabyte of zeros, as far as it is read."""
    magic, descriptor = b"\x28\xb5\x2f\xfd", b"\xe0"
    blocks = (b"\x02\x00\x10" + b"\0") * 64
    return magic + descriptor + (1 << 40).to_bytes(8, "little") + blocks
