"""Objects show no word of the source without the key, and no line of it with the key."""

import re
from pathlib import Path

import zstandard

from codecairn.objects.seal import Sealer
from codecairn.replication.remote_index import RemoteIndex
from support.people import Person, stored

MIN_LINE = 24
"""Characters of a line that is looked for. Shorter ones are names and headings, which segments and records hold."""


def _source(root: Path) -> list[str]:
    return [
        path.read_text(encoding="utf-8")
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".git" not in path.parts
    ]


def _opened(person: Person) -> list[bytes]:
    """Everything that a holder of the key can make of the objects: opened and decompressed."""
    with person.workspace() as workspace:
        opened = RemoteIndex(workspace.remote.grant())
        revision = opened.latest("main")
        assert revision is not None
        manifest = revision.manifest
        parts = [opened.objects.read_parts("records", pack.objects) for pack in manifest.packs]
        parts += [
            opened.objects.read_parts("numbering", each.objects) for each in manifest.numbering
        ]
        parts += [
            opened.objects.read_parts(f"segment {each.kind}", each.objects)
            for each in manifest.segments
        ]
    return [*parts, *(inflated for part in parts for inflated in _frames(part))]


def _frames(data: bytes) -> list[bytes]:
    """Every zstd frame in it, decompressed."""
    found = []
    for match in re.finditer(re.escape(b"\x28\xb5\x2f\xfd"), data):
        decompressor = zstandard.ZstdDecompressor().decompressobj()
        try:
            found.append(decompressor.decompress(data[match.start() :]))
        except zstandard.ZstdError:
            continue
    return found


def test_words_of_the_source_show_in_no_object(owner: Person, shared_folder: Path) -> None:
    words = {
        word.encode() for text in _source(owner.root) for word in re.findall(r"[A-Za-z_]{6,}", text)
    }
    files = stored(shared_folder)
    names = "\n".join(files).encode()
    assert len(words) > 100
    assert {word for word in words if any(word in data for data in files.values())} == set()
    assert {word for word in words if word in names} == set()


def test_holder_of_the_key_finds_words_and_no_line(owner: Person) -> None:
    opened = _opened(owner)
    assert sum(map(len, opened)) > 50_000
    assert any(b"verify_token" in data for data in opened)  # names are exported, as the guide says
    lines = {
        line.strip().encode()
        for text in _source(owner.root)
        for line in text.splitlines()
        if len(line.strip()) >= MIN_LINE
    }
    assert len(lines) > 100
    assert {line for line in lines if any(line in data for data in opened)} == set()


def test_key_appears_in_no_object_log_or_file_of_the_repository(
    owner: Person, shared_folder: Path
) -> None:
    with owner.workspace() as workspace:
        grant = workspace.remote.grant()
    document = grant.document().decode()
    keys = [grant.key, grant.private_key or b"", Sealer(grant.repository, grant.key)._name_key]
    forms = [form for key in keys for form in (key, key.hex().encode())]
    forms += [
        found.encode()
        for found in re.findall(r'"((?:[A-Za-z0-9+/]{4}){8,}[A-Za-z0-9+/=]{4})"', document)
    ]
    looked_at = {
        **stored(shared_folder),
        **stored(owner.root),
        **stored(owner.home / "data" / "stores"),
    }
    for path, data in looked_at.items():
        for form in forms:
            assert form not in data, path
    shown = owner.done("remote", "status").out + owner.done("remote", "status", "--json").out
    shown += owner.done("index", "--publish", "shop", "--json").out
    for form in forms[2:]:
        assert form.decode("latin-1") not in shown
