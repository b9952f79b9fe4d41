"""Messages that projects show to people in several languages, from the history of public repositories.

Read are XLIFF files, gettext catalogues and Java properties of repositories with permissive licences. Only pairs of words
are learnt from them; none of their sentences is kept.
"""

import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

LANGUAGES = ("cs", "de", "es", "fr", "it", "ja", "ko", "pl", "pt", "ru", "tr", "uk", "zh")
MAX_MESSAGE_CHARS = 1_500
_XLIFF = "{urn:oasis:names:tc:xliff:document:1.2}"
_UNTRANSLATED = "new"
_TRADITIONAL = {"zh_tw", "zh_hant", "zh_hk"}
_LANGUAGE = re.compile(r"([a-z]{2})(?:[-_](?:[A-Za-z]{2}|Hans|Hant|HANS|HANT))?")
_PROPERTIES = re.compile(r"(?P<stem>.*?)_(?P<language>[a-z]{2}(?:_[A-Z]{2})?)\.properties")
_ENTRY = re.compile(r"((?:[^=:\\\s]|\\.)+)\s*[=:\s]\s*(.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A repository: its name, its revision, and the suffix of the files that have messages."""

    name: str
    revision: str
    suffix: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message in English and in another language."""

    english: str
    foreign: str


SOURCES = tuple(
    Source(name=name, revision=revision, suffix=suffix)
    for name, revision, suffix in (
        ("dotnet/msbuild", "05f089128b4b06b2c6a489a0602c18a53b18de38", ".xlf"),
        ("dotnet/winforms", "2278c7fbbc460c8030f1ed236e44a09219f2fa57", ".xlf"),
        ("dotnet/wpf", "1cfc37f708f91ff4556bd25af414546c446f3a16", ".xlf"),
        ("microsoft/vstest", "0b289d54af2f0b7aba88364cd6e2718ac69cbd49", ".xlf"),
        ("jenkinsci/jenkins", "ff9430ee1dc6e319349a488650d914444fe141f3", ".properties"),
        ("jupyterlab/language-packs", "37d593fa2280c45308432de90e86715a3ec7ed8a", ".po"),
        ("sphinx-doc/sphinx", "e44a40eb2f810558ccd9da1425421270ccb81351", ".po"),
        ("wagtail/wagtail", "c2ae43b9265d085c95142cd1a1f8563ad2eb4de9", ".po"),
        ("python/python-docs-es", "91f4ccc0baa8c7cbeb739e696c641388264caa30", ".po"),
        ("python/python-docs-fr", "b279d876e2a3381605d38ea62b863f60abadc92c", ".po"),
        ("python/python-docs-it", "0134548060d1f67a24ef6f955ab6acf397dd5186", ".po"),
        ("python/python-docs-ja", "7eb90aaa6d3395bcfe01801ceb5e620eedf2356a", ".po"),
        ("python/python-docs-ko", "d0c58403de225366b23d0cafd8b86508186c8c8a", ".po"),
        ("python/python-docs-pl", "c306d49f3e13afb753e9ce9989fb805f435c3abd", ".po"),
        ("python/python-docs-pt-br", "a30c8afdb1c680f97abe22485d4e599c6bf68480", ".po"),
        ("python/python-docs-tr", "be1c5a492f430197f4f23bd679d5f65dab68866a", ".po"),
        ("python/python-docs-uk", "d7eb701450aab0efb7bbd4ea7096dc93a54fe83e", ".po"),
        ("python/python-docs-zh-cn", "693cf6be2bc17f3d50ee21fe207c6964f3fab130", ".po"),
    )
)


def read(mirrors: Path) -> dict[str, list[Message]]:
    """The distinct messages of each language, in the order of the sources."""
    found: dict[str, dict[tuple[str, str], None]] = {code: {} for code in LANGUAGES}
    for source in SOURCES:
        git = mirrors / source.name.replace("/", "+") / "repo"
        files = _files(git, source)
        for code, english, foreign in _READERS[source.suffix](source, files):
            pair = (english.strip(), foreign.strip())
            if all(pair) and pair[0] != pair[1] and len(pair[0]) <= MAX_MESSAGE_CHARS:
                found[code].setdefault(pair)
    return {
        code: [Message(english=english, foreign=foreign) for english, foreign in pairs]
        for code, pairs in found.items()
    }


def _files(git: Path, source: Source) -> dict[str, bytes]:
    """The files of a revision with the suffix, by path."""
    command = ["git", f"--git-dir={git}"]
    listing = subprocess.run(
        [*command, "ls-tree", "-r", "--name-only", "-z", source.revision],
        capture_output=True,
        check=True,
    )
    paths = [path for path in listing.stdout.decode().split("\0") if path.endswith(source.suffix)]
    names = "".join(f"{source.revision}:{path}\n" for path in paths)
    data = subprocess.run(
        [*command, "cat-file", "--batch"], input=names.encode(), capture_output=True, check=True
    ).stdout
    found, at = {}, 0
    for path in paths:
        end = data.index(b"\n", at)
        size = int(data[at:end].split()[2])
        found[path] = data[end + 1 : end + 1 + size]
        at = end + size + 2
    return found


def language_of(part: str) -> str | None:
    """The language that a part of a path names; None for other parts, and for traditional Chinese."""
    if not _LANGUAGE.fullmatch(part) or part.replace("-", "_").lower() in _TRADITIONAL:
        return None
    return part[:2] if part[:2] in LANGUAGES else None


def _xliff(_: Source, files: dict[str, bytes]) -> Iterator[tuple[str, str, str]]:
    for path, data in files.items():
        code = language_of(path.rsplit(".", 2)[1])
        if not code:
            continue
        for unit in ElementTree.fromstring(data).iter(f"{_XLIFF}trans-unit"):
            source, target = unit.find(f"{_XLIFF}source"), unit.find(f"{_XLIFF}target")
            if source is None or target is None or target.get("state") == _UNTRANSLATED:
                continue
            yield code, "".join(source.itertext()), "".join(target.itertext())


def _gettext(source: Source, files: dict[str, bytes]) -> Iterator[tuple[str, str, str]]:
    import polib

    of_repository = language_of(source.name.rpartition("python-docs-")[2])
    for path, data in files.items():
        named = [code for part in path.split("/") if (code := language_of(part))]
        code = of_repository or (named[-1] if named else None)
        if not code:
            continue
        with suppress(OSError, UnicodeDecodeError):
            for entry in polib.pofile(data.decode()):
                if entry.msgstr and not entry.fuzzy and not entry.obsolete:
                    yield code, entry.msgid, entry.msgstr


def _java_properties(_: Source, files: dict[str, bytes]) -> Iterator[tuple[str, str, str]]:
    for path, data in files.items():
        match = _PROPERTIES.fullmatch(path)
        code = match and language_of(match["language"])
        if not match or not code:
            continue
        english = _entries(files.get(f"{match['stem']}.properties", b""))
        for key, foreign in _entries(data).items():
            # Where a key is not in the English file, it is the English message itself.
            message = english.get(key) or re.sub(r"\\(.)", r"\1", key)
            if " " in message:
                yield code, message, foreign


def _entries(data: bytes) -> dict[str, str]:
    """The entries of a properties file."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    lines = (line.strip() for line in re.sub(r"\\\r?\n\s*", "", text).splitlines())
    found: Iterable[re.Match[str] | None] = (
        _ENTRY.match(line) for line in lines if not line.startswith(("#", "!"))
    )
    return {match[1]: _unescaped(match[2]) for match in found if match}


def _unescaped(text: str) -> str:
    return re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)


_Reader = Callable[[Source, dict[str, bytes]], Iterator[tuple[str, str, str]]]
_READERS: dict[str, _Reader] = {
    ".xlf": _xliff,
    ".po": _gettext,
    ".properties": _java_properties,
}
