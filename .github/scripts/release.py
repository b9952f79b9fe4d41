"""Checks of a release: its tag against the version, its notes, and the files that it publishes.

Usage: release.py notes TAG, which prints the notes, or release.py files TAG FOLDER, which prints SHA-256 sums.
"""

import hashlib
import re
import sys
import zipfile
from email.parser import BytesParser
from pathlib import Path

ROOT = Path(__file__).parents[2]

PLATFORMS = (
    r"macosx_\d+_\d+_arm64",
    r"macosx_\d+_\d+_x86_64",
    r"manylinux_\d+_\d+_aarch64(\.manylinux2014_aarch64)?",
    r"manylinux_\d+_\d+_x86_64(\.manylinux2014_x86_64)?",
    r"musllinux_1_2_aarch64",
    r"musllinux_1_2_x86_64",
    r"win_amd64",
)
"""Each release has one wheel for each of these."""

MAX_WHEEL_BYTES = 25_000_000


class Unreleasable(Exception):
    """The release is not complete or not consistent."""


def tagged_version(root: Path, tag: str) -> str:
    """The version of the package in `root`, which `tag` must name as `v` and the version, and which the actions install.

    Raises:
        Unreleasable: If the tag or one of the places that have the version differs.
    """
    manifest = (root / "Cargo.toml").read_text(encoding="utf-8")
    module = (root / "python/codecairn/version.py").read_text(encoding="utf-8")
    core = re.search(r'^version = "([^"]+)"$', manifest, re.MULTILINE)
    package = re.search(r'^VERSION = "([^"]+)"$', module, re.MULTILINE)
    if core is None or package is None or core[1] != package[1]:
        raise Unreleasable("`Cargo.toml` and `python/codecairn/version.py` have different versions")
    if tag != f"v{core[1]}":
        raise Unreleasable(f"the tag is `{tag}`, and the version is `{core[1]}`")
    for action in sorted((root / ".github/actions").glob("*/action.yml")):
        installed = re.search(
            r"^    default: codecairn\S*==(\S+)$", action.read_text(encoding="utf-8"), re.MULTILINE
        )
        if installed is not None and installed[1] != core[1]:
            raise Unreleasable(
                f"the action `{action.parent.name}` installs {installed[1]}, and the version is {core[1]}"
            )
    return core[1]


def notes(changelog: str, version: str) -> str:
    """The section of `version` in a changelog of the form that keepachangelog.com describes, without its title.

    Raises:
        Unreleasable: If there is no such section with a date, or if it is empty.
    """
    title = re.compile(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", re.MULTILINE)
    found = title.findall(changelog)
    if len(found) != 1:
        raise Unreleasable(f"the changelog has {len(found)} sections `[{version}]` with a date")
    after = title.split(changelog)[1]
    section = re.split(r"^## |^\[[^\]]+\]: ", after, maxsplit=1, flags=re.MULTILINE)[0].strip()
    if not section:
        raise Unreleasable(f"the section `[{version}]` of the changelog is empty")
    return section + "\n"


def check_files(folder: Path, version: str) -> list[Path]:
    """The files of a release, sorted: a wheel of `version` for each platform, and one source distribution.

    Raises:
        Unreleasable: If one is missing, is of another version or too large, or if there are others.
    """
    files = sorted(folder.iterdir())
    names = {path.name for path in files}
    source = f"codecairn-{version}.tar.gz"
    if source not in names:
        raise Unreleasable(f"`{source}` is missing")
    wheels = [path for path in files if path.suffix == ".whl"]
    for platform in PLATFORMS:
        pattern = rf"codecairn-{re.escape(version)}-cp310-abi3-{platform}\.whl"
        matching = [path for path in wheels if re.fullmatch(pattern, path.name)]
        if len(matching) != 1:
            raise Unreleasable(f"{len(matching)} wheels match `{pattern}`")
    if len(files) != len(PLATFORMS) + 1:
        raise Unreleasable(f"there are other files: {', '.join(sorted(names))}")
    for wheel in wheels:
        _check_wheel(wheel, version)
    return files


def _check_wheel(path: Path, version: str) -> None:
    size = path.stat().st_size
    if size > MAX_WHEEL_BYTES:
        raise Unreleasable(f"`{path.name}` has {size:,} bytes, more than {MAX_WHEEL_BYTES:,}")
    with zipfile.ZipFile(path) as archive:
        folder = f"codecairn-{version}.dist-info"
        metadata = BytesParser().parsebytes(archive.read(f"{folder}/METADATA"))
        names = archive.namelist()
    if metadata["Version"] != version:
        raise Unreleasable(f"the metadata of `{path.name}` has version `{metadata['Version']}`")
    for needed in ("licenses/LICENSE", "licenses/NOTICE", "sboms/codecairn-python.cyclonedx.json"):
        if f"{folder}/{needed}" not in names:
            raise Unreleasable(f"`{path.name}` lacks `{needed}`")


def main(arguments: list[str]) -> int:
    """Runs one of the checks; returns the exit code."""
    try:
        match arguments:
            case ["notes", tag]:
                changelog = (ROOT / ".github/CHANGELOG.md").read_text(encoding="utf-8")
                print(notes(changelog, tagged_version(ROOT, tag)), end="")
            case ["files", tag, folder]:
                for path in check_files(Path(folder), tagged_version(ROOT, tag)):
                    print(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}")
            case _:
                print(__doc__, file=sys.stderr)
                return 2
    except Unreleasable as error:
        print(f"not released: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
