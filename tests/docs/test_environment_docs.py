"""What the pages on containers, WSL and platforms state about folders, file systems and ownership is what the program does."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from support.documents import PAGES, ROOT, missing
from support.repository import SMALL_PROJECT, Repository

CONTAINERS = PAGES["docs/how-to/containers.md"]
NETWORK = PAGES["docs/how-to/network-file-systems.md"]
PLATFORMS = PAGES["docs/reference/platforms.md"]


def test_configuration_of_a_dev_container_keeps_the_data_in_its_volume(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (block,) = re.findall(r"```json\n(.*?)```", CONTAINERS, re.DOTALL)
    container = json.loads(block)
    home = container["containerEnv"]["CODECAIRN_HOME"]
    (mount,) = container["mounts"]
    assert dict(part.split("=") for part in mount.split(","))["target"] == home
    steps = [shlex.split(step) for step in container["postCreateCommand"].split(" && ")]
    assert ["sudo", "chown", f"{container['remoteUser']}:{container['remoteUser']}", home] in steps
    ours = [step[1:] for step in steps if step[0] == "codecairn"]
    assert [missing(words) for words in ours] == [""]
    repository.write_all(SMALL_PROJECT)
    repository.commit()
    volume = tmp_path / "volume"
    volume.mkdir()
    monkeypatch.setenv("CODECAIRN_HOME", str(volume))
    monkeypatch.setenv("HOME", str(tmp_path / "thrown-away"))
    for words in (["search", "tokens"], ["memory", "add", "Deploy on Fridays only"], *ours):
        command = [sys.executable, "-m", "codecairn", *words]
        done = subprocess.run(
            command, cwd=repository.root, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    assert (volume / "data" / "memory.db").exists()
    assert [*volume.rglob("index.db")]
    written = [path for path in (tmp_path / "thrown-away").rglob("*") if path.is_file()]
    assert {path.relative_to(tmp_path / "thrown-away").parts[0] for path in written} <= {
        ".claude", ".claude.json", ".agents",
    }  # fmt: skip


def test_file_systems_that_the_page_names_are_recognised() -> None:
    source = (ROOT / "native/crates/base/src/mount.rs").read_text(encoding="utf-8")
    known = re.findall(r'^    "([\w.-]+)",$', source, re.MULTILINE)
    named = NETWORK.partition("Recognised on Linux")[2].partition(".\n")[0].lower()
    for kind in (
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "glusterfs",
        "gpfs",
        "lustre",
        "nfs",
        "virtiofs",
    ):
        assert kind in known
        assert kind in named
    for fuse in ("sshfs", "rclone", "s3fs"):
        assert f"fuse.{fuse}" in known
        assert fuse in named


@pytest.mark.parametrize(
    ("platform", "section"), [("darwin", "macOS"), ("win32", "Windows")], ids=["macos", "windows"]
)
def test_folders_of_a_platform_are_the_codes(
    platform: str, section: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from codecairn.paths import user

    monkeypatch.delenv("CODECAIRN_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "AppData" / "Local"))
    monkeypatch.setattr(sys, "platform", platform)
    text = PLATFORMS.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    named = dict(re.findall(r"^\| (settings|data folder) \| `([^`]+)` \|", text, re.MULTILINE))
    given = {"~": str(tmp_path), "%LOCALAPPDATA%": str(tmp_path / "AppData" / "Local")}
    found = {}
    for what, path in named.items():
        first, *rest = re.split(r"[/\\]", path)
        found[what] = Path(given[first], *rest)
    assert found == {"settings": user.config_file(), "data folder": user.data_folder()}
