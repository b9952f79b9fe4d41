"""A release is refused unless tag, versions, notes and files agree."""

import importlib.util
import re
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]

CHANGELOG = """# Changelog

## [Unreleased]

- later

## [0.2.0] - 2026-12-01

### Added

- two, see ## [0.9.0]

## [0.1.0] - 2026-11-30

- one

[0.2.0]: https://example.com
"""

WHEELS = (
    "macosx_11_0_arm64", "macosx_10_12_x86_64", "manylinux_2_28_aarch64", "manylinux_2_17_x86_64.manylinux2014_x86_64",
    "musllinux_1_2_aarch64", "musllinux_1_2_x86_64", "win_amd64",
)  # fmt: skip


def _load() -> ModuleType:
    path = ROOT / ".github/scripts/release.py"
    spec = importlib.util.spec_from_file_location("release", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


release = _load()


def _wheel(folder: Path, platform: str, *, metadata: str = "0.2.0", leave_out: str = "") -> Path:
    path = folder / f"codecairn-0.2.0-cp310-abi3-{platform}.whl"
    inside = "codecairn-0.2.0.dist-info"
    files = {
        "METADATA": f"Metadata-Version: 2.4\nName: codecairn\nVersion: {metadata}\n\ntext\n",
        "licenses/LICENSE": "",
        "licenses/NOTICE": "",
        "sboms/codecairn-python.cyclonedx.json": "{}",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            if name != leave_out:
                archive.writestr(f"{inside}/{name}", text)
    return path


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "dist"
    folder.mkdir()
    (folder / "codecairn-0.2.0.tar.gz").touch()
    for platform in WHEELS:
        _wheel(folder, platform)
    return folder


def _sources(folder: Path, *, core: str, package: str) -> Path:
    (folder / "python/codecairn").mkdir(parents=True)
    (folder / "Cargo.toml").write_text(f'[workspace.package]\nversion = "{core}"\n')
    (folder / "python/codecairn/version.py").write_text(f'VERSION = "{package}"\n')
    return folder


def test_notes_are_the_section_of_the_version() -> None:
    assert release.notes(CHANGELOG, "0.2.0") == "### Added\n\n- two, see ## [0.9.0]\n"
    assert release.notes(CHANGELOG, "0.1.0") == "- one\n"


@pytest.mark.parametrize(
    ("changelog", "version"),
    [
        (CHANGELOG, "0.3.0"),
        (CHANGELOG, "0.1"),
        (CHANGELOG, "Unreleased"),
        (CHANGELOG.replace(" - 2026-12-01", ""), "0.2.0"),
        (CHANGELOG.replace("- one\n", ""), "0.1.0"),
        (CHANGELOG + "## [0.1.0] - 2026-12-02\n\n- again\n", "0.1.0"),
    ],
)
def test_missing_empty_or_double_notes_are_refused(changelog: str, version: str) -> None:
    with pytest.raises(release.Unreleasable):
        release.notes(changelog, version)


def test_notes_can_be_cut_from_this_changelog_once_its_section_has_a_date() -> None:
    changelog = (ROOT / ".github/CHANGELOG.md").read_text(encoding="utf-8")
    dated = changelog.replace("## [Unreleased]", "## [0.1.0] - 2026-12-01", 1)
    cut = release.notes(dated, "0.1.0")
    assert cut.startswith("### Added\n")
    assert "\n### Security\n" in cut
    assert not re.search("^## ", cut, re.MULTILINE)


def test_tag_must_name_the_version_of_core_and_package(tmp_path: Path) -> None:
    same = _sources(tmp_path / "same", core="0.2.0", package="0.2.0")
    assert release.tagged_version(same, "v0.2.0") == "0.2.0"
    for tag in ("0.2.0", "v0.2", "v0.2.0 ", "v0.2.1"):
        with pytest.raises(release.Unreleasable):
            release.tagged_version(same, tag)
    different = _sources(tmp_path / "different", core="0.2.0", package="0.2.1")
    with pytest.raises(release.Unreleasable):
        release.tagged_version(different, "v0.2.0")


def test_actions_must_install_the_version_that_is_tagged(tmp_path: Path) -> None:
    sources = _sources(tmp_path / "sources", core="0.2.0", package="0.2.0")
    action = sources / ".github/actions/index/action.yml"
    action.parent.mkdir(parents=True)
    action.write_text("inputs:\n  package:\n    default: codecairn[s3]==0.1.9\n", encoding="utf-8")
    with pytest.raises(release.Unreleasable, match=r"the action `index` installs 0\.1\.9"):
        release.tagged_version(sources, "v0.2.0")
    action.write_text("inputs:\n  package:\n    default: codecairn[s3]==0.2.0\n", encoding="utf-8")
    assert release.tagged_version(sources, "v0.2.0") == "0.2.0"


def test_version_of_this_checkout_can_be_tagged() -> None:
    version = re.search(
        r'VERSION = "(.*)"', (ROOT / "python/codecairn/version.py").read_text(encoding="utf-8")
    )
    assert version
    assert release.tagged_version(ROOT, f"v{version[1]}") == version[1]


def test_complete_release_is_listed(files: Path) -> None:
    assert len(release.check_files(files, "0.2.0")) == 8


def test_incomplete_or_wrong_files_are_refused(files: Path) -> None:
    with pytest.raises(release.Unreleasable, match="is missing"):
        release.check_files(files, "0.2.1")
    extra = files / "notes.txt"
    extra.touch()
    with pytest.raises(release.Unreleasable, match="other files"):
        release.check_files(files, "0.2.0")
    extra.unlink()
    for change in ({"metadata": "0.1.0"}, {"leave_out": "licenses/NOTICE"}):
        _wheel(files, "win_amd64", **change)
        with pytest.raises(release.Unreleasable):
            release.check_files(files, "0.2.0")
    _wheel(files, "win_amd64").unlink()
    with pytest.raises(release.Unreleasable, match="win_amd64"):
        release.check_files(files, "0.2.0")


def test_wheel_over_the_limit_is_refused(files: Path) -> None:
    wheel = _wheel(files, "win_amd64")
    with wheel.open("r+b") as file:
        file.truncate(25_000_001)
    with pytest.raises(release.Unreleasable, match="25,000,001"):
        release.check_files(files, "0.2.0")
