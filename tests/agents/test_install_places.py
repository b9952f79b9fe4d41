"""Where hosts read skills: one file that several share, and installations of earlier versions at other places."""

import base64
import json
import zlib
from pathlib import Path

import pytest

from agents.test_install import CONFIGURED, _do, _files, configured
from codecairn.hosts.edits import BEGIN, END
from codecairn.hosts.host_table import HOSTS, WORKSPACE_FOLDER, Place
from codecairn.hosts.instructions import SKILL
from codecairn.hosts.start_check import server_command
from support.repository import Repository

__all__ = ["configured"]

SHARED = ".agents/skills/codecairn/SKILL.md"
READERS = ("codex", "opencode", "gemini", "cursor", "vscode", "zed")
"""The hosts that read the shared folder."""

RETIRED = {
    "codex": ".codex/skills/codecairn/SKILL.md",
    "opencode": ".config/opencode/skills/codecairn/SKILL.md",
    "gemini": ".gemini/GEMINI.md",
}
OLD_SKILL = "---\nname: codecairn\ndescription: an earlier text\n---\n"
OLD_BLOCK = f"{BEGIN}\n## An earlier text\n\nCall `codebase_search`.\n{END}\n"


def _packed(text: str | None) -> str | None:
    return None if text is None else base64.b64encode(zlib.compress(text.encode())).decode()


def _install_as_before(host: str, home: Path) -> None:
    """Makes the installation what an earlier version wrote: the skill in the host's own folder, and a row on the list."""
    _do("install", host)
    ledger = home / "codecairn/data/installations.json"
    rows = json.loads(ledger.read_text())
    row = rows.pop(str(home / SHARED))
    (home / SHARED).unlink()
    for folder in list((home / SHARED).parents)[:3]:
        folder.rmdir()
    old = home / RETIRED[host]
    made = next((str(folder) for folder in reversed(old.parents) if not folder.exists()), None)
    old.parent.mkdir(parents=True, exist_ok=True)
    before = old.read_text() if old.exists() else None
    after = OLD_SKILL if before is None else f"{before}\n\n{OLD_BLOCK}"
    old.write_text(after)
    rows[str(old)] = row | {"before": _packed(before), "after": _packed(after), "made": made}
    ledger.write_text(json.dumps(rows))


@pytest.mark.parametrize("host", RETIRED)
def test_upgrade_moves_the_skill_and_leaves_nothing_behind(host: str, configured: Path) -> None:
    before = _files(configured)
    _install_as_before(host, configured)
    shown = _do("install", host, "--dry-run").out
    verb = "removed" if host in {"codex", "opencode"} else "changed"
    assert f"{configured / RETIRED[host]} would be {verb}" in shown
    assert _files(configured).get(RETIRED[host]) != before.get(RETIRED[host])
    _do("install", host)
    during = _files(configured)
    assert during.get(RETIRED[host]) == before.get(RETIRED[host])
    assert list(configured.rglob("skills/codecairn")) == [(configured / SHARED).parent]
    assert (configured / SHARED).read_text() == SKILL
    _do("install", host)
    assert _files(configured) == during
    _do("uninstall", host)
    assert _files(configured) == before
    assert not (configured / ".agents").exists()


@pytest.mark.parametrize("arguments", [("codex",), ("opencode",), ("gemini",), ("--all",)])
def test_earlier_installation_is_taken_out_without_an_upgrade(
    arguments: tuple[str], configured: Path
) -> None:
    before = _files(configured)
    hosts = RETIRED if arguments == ("--all",) else arguments
    for host in hosts:
        _install_as_before(host, configured)
    _do("uninstall", *arguments)
    assert _files(configured) == before
    assert not list(configured.rglob("skills"))


def test_text_that_was_written_around_an_earlier_block_stays(configured: Path) -> None:
    _install_as_before("gemini", configured)
    file = configured / RETIRED["gemini"]
    file.write_text(file.read_text() + "\nAnd sing.\n")
    _do("install", "gemini")
    text = file.read_text()
    assert "codecairn" not in text
    assert "rhymes" in text
    assert "And sing." in text


@pytest.mark.parametrize("is_upgraded", [False, True])
def test_folder_that_an_earlier_skill_was_the_first_in_goes_too(
    is_upgraded: bool, project: Repository, home: Path
) -> None:
    """The row of the first file has the folder that was made for all of them."""
    where = ("opencode", "--project", "--path", str(project.root))
    _do("install", *where)
    ledger = home / "codecairn/data/installations.json"
    rows = json.loads(ledger.read_text())
    folder = project.root / ".opencode"
    skill = folder / "skills/codecairn/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(OLD_SKILL)
    rows[str(folder / "plugins/codecairn.js")]["made"] = str(folder / "plugins")
    rows[str(skill)] = {"before": None, "after": _packed(OLD_SKILL), "made": str(folder)}
    ledger.write_text(json.dumps(rows))
    if is_upgraded:
        _do("install", *where)
        assert not skill.parents[1].exists()
    _do("uninstall", *where)
    assert not folder.exists()


def test_skill_of_the_user_at_the_old_place_stays(configured: Path) -> None:
    mine = configured / RETIRED["codex"]
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    _do("install", "codex")
    _do("uninstall", "codex")
    assert mine.read_text() == "mine"


@pytest.mark.parametrize("host", HOSTS)
def test_shared_skill_goes_with_the_last_host_that_reads_it(host: str, configured: Path) -> None:
    before = _files(configured)
    _do("install", host, "codex", "opencode")
    assert (configured / SHARED).read_text() == SKILL
    _do("uninstall", "codex")
    assert (configured / SHARED).exists()
    _do("uninstall", "opencode")
    assert (configured / SHARED).exists() is (host in READERS and host not in {"codex", "opencode"})
    if host not in {"codex", "opencode"}:
        _do("uninstall", host)
    assert _files(configured) == before
    assert not (configured / ".agents").exists()


def test_shared_skill_is_kept_for_a_host_whose_file_can_not_be_read(configured: Path) -> None:
    _do("install", "codex", "zed")
    (configured / ".config/zed/settings.json").write_text("{ not json")
    _do("uninstall", "codex")
    assert (configured / SHARED).exists()


def test_claude_s_moved_folder_is_used(
    configured: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    before = _files(configured)
    _do("install", "claude")
    assert _files(configured).keys() - before.keys() == {
        "codecairn/data/codecairn-command", "codecairn/data/codecairn-hook",
    }  # fmt: skip
    assert {".claude.json", "settings.json", "skills/codecairn/SKILL.md"} == set(
        _files(tmp_path / "claude")
    )
    _do("uninstall", "claude")
    assert not (tmp_path / "claude").exists()
    assert _files(configured)[".claude.json"] == CONFIGURED[".claude.json"].encode()


def test_server_is_given_a_folder_by_cursor_alone(home: Path) -> None:
    """Cursor starts servers in the home folder and fills this in; the others start them in the project or have roots."""
    place = Place(scope="user", home=home, root=home, program="/bin/codecairn")
    given = {name: server_command(host.edits(place))[2:] for name, host in HOSTS.items()}
    assert given == {name: [WORKSPACE_FOLDER] if name == "cursor" else [] for name in HOSTS}
