"""Edits of hosts' files: what a user has there stays, a second edit changes nothing, and undoing restores every byte."""

import json
import os
from pathlib import Path

import pytest

from codecairn.errors import FileAccessError, UsageError
from codecairn.hosts.edits import (
    BEGIN,
    END,
    Edit,
    JsonElement,
    JsonMember,
    OwnFile,
    TextBlock,
    TomlTable,
)
from codecairn.hosts.host_table import Place
from codecairn.hosts.installation import Installer

FILE = Path("settings")
MEMBER = JsonMember(
    path=FILE, what="the server", member=("servers", "codecairn"), value={"command": "c"}
)
ELEMENT = JsonElement(
    path=FILE, what="hooks", member=("hooks", "Stop"), value={"command": "codecairn hook"},
    is_ours=lambda found: "codecairn" in str(found),
)  # fmt: skip
TABLE = TomlTable(
    path=FILE, what="the server", table="servers.codecairn", values={"command": "c", "args": ["mcp"]}
)  # fmt: skip
BLOCK = TextBlock(path=FILE, what="instructions", block="## Search\n\nCall `search`.\n")
OWN = OwnFile(path=FILE, what="a skill", content="name: codecairn\n")


@pytest.mark.parametrize(
    ("edit", "original"),
    [
        (MEMBER, ""),
        (MEMBER, '{"theme": "dark"}'),
        (MEMBER, '{\n  // mine\n  "servers": {"other": {}},\n}\n'),
        (ELEMENT, ""),
        (ELEMENT, '{"hooks": {"Stop": [{"command": "beep"}]}}'),
        (ELEMENT, '{"hooks": {"Stop": []}}'),
        (TABLE, ""),
        (TABLE, 'model = "m"\n'),
        (TABLE, '[servers.other]\ncommand = "o"\n'),
        (BLOCK, ""),
        (BLOCK, "# Mine\n\nwords\n"),
        (BLOCK, "# Mine, without an end of line"),
        (OWN, ""),
        (OWN, "by hand\n"),
    ],
)
def test_undoing_an_edit_restores_every_byte(edit: Edit, original: str) -> None:
    applied = edit.applied(original)
    assert applied != original
    assert edit.is_in(applied) or isinstance(edit, OwnFile)
    assert edit.applied(applied) == applied, "a second one changes nothing"
    undone = edit.undone(applied, original=original)
    assert undone == original or (not original and undone.strip() in {"", "{}"})


@pytest.mark.parametrize(
    ("edit", "older"),
    [
        (MEMBER, '{"servers": {"codecairn": {"command": "an older one"}}}'),
        (ELEMENT, '{"hooks": {"Stop": [{"command": "old codecairn hook"}, {"command": "beep"}]}}'),
        (TABLE, '[servers.codecairn]\ncommand = "old"\n[servers.codecairn.env]\nA = "1"\n'),
        (BLOCK, f"mine\n\n{BEGIN}\nolder words\n{END}\nmine, too\n"),
    ],
)
def test_older_entry_of_ours_is_replaced_and_what_is_beside_it_stays(
    edit: Edit, older: str
) -> None:
    applied = edit.applied(older)
    assert edit.is_in(older)
    assert "old" not in applied
    for theirs in ("beep", "mine\n", "mine, too"):
        assert (theirs in applied) is (theirs in older)
    assert edit.applied(applied) == applied


def test_member_that_was_the_user_s_has_its_value_again_and_stays_gone_if_it_is_gone() -> None:
    original = '{"servers": {"codecairn": {"command": "by hand"}}}'
    undone = MEMBER.undone(MEMBER.applied(original), original=original)
    assert json.loads(undone) == json.loads(original)
    assert MEMBER.undone('{"servers": {}}', original=original) == '{"servers": {}}'


def test_what_was_added_beside_ours_stays_when_ours_goes() -> None:
    entered = ELEMENT.applied("")
    document = json.loads(entered)
    document["hooks"]["Stop"].append({"command": "beep"})
    left = ELEMENT.undone(json.dumps(document), original="")
    assert json.loads(left) == {"hooks": {"Stop": [{"command": "beep"}]}}
    added = BLOCK.applied("") + "\nmine\n"
    assert BLOCK.undone(added, original="") == "\nmine\n"
    assert BLOCK.undone("mine\n", original="") == "mine\n"


def test_file_that_is_no_toml_is_left_alone() -> None:
    with pytest.raises(ValueError, match="it is no TOML"):
        TABLE.applied("servers = [")
    with pytest.raises(ValueError, match="it is no TOML"):
        TABLE.applied('servers.codecairn = "taken"\n[servers]\n')


@pytest.fixture
def installer(home: Path) -> Installer:
    """Installs for the user, into an empty home."""
    folder = home / "data"
    place = Place(
        scope="user", home=home, root=home, program=str(folder / "codecairn-command"),
        hook=str(folder / "codecairn-hook"),
    )  # fmt: skip
    return Installer(place, folder=folder, installed="/opt/codecairn")


@pytest.fixture
def settings(home: Path) -> Path:
    """The file in which Claude Code has its servers."""
    return home / ".claude.json"


def test_file_of_another_encoding_is_left_as_it_is(installer: Installer, settings: Path) -> None:
    settings.write_bytes(b"\xff\xfe{}")
    assert installer.is_configured("claude"), "it may be one that starts us"
    with pytest.raises(FileAccessError, match="it is not UTF-8"):
        installer.install("claude")
    assert settings.read_bytes() == b"\xff\xfe{}"


def test_folder_in_the_place_of_a_file_is_named(installer: Installer, settings: Path) -> None:
    settings.mkdir()
    with pytest.raises(FileAccessError, match=f"can't read `{settings}`: Is a directory"):
        installer.planned("claude")


def test_file_in_the_place_of_a_folder_is_named(installer: Installer, home: Path) -> None:
    (home / ".claude").write_text("")
    with pytest.raises(FileAccessError, match=r"can't (read|write) .*: Not a directory"):
        installer.install("claude")
    (home / "data").write_text("")
    with pytest.raises(FileAccessError, match=r"can't read .*Not a directory"):
        installer.install("zed")


def test_host_without_settings_of_a_project_is_refused_with_the_remedy(
    installer: Installer, home: Path
) -> None:
    of_project = Installer(
        Place(scope="project", home=home, root=home, program="codecairn"),
        folder=home / "data",
        installed="/opt/codecairn",
    )
    with pytest.raises(UsageError, match="has no settings of a project") as refused:
        of_project.edits("hermes")
    assert refused.value.hint == "leave `--project` out"
    assert not of_project.is_configured("hermes")
    assert of_project.command("zed") == "codecairn install zed --project"


def test_list_of_changes_that_is_damaged_is_named_before_anything_is_undone(
    installer: Installer, settings: Path, home: Path
) -> None:
    settings.write_text('{"theme": "dark"}')
    installer.install("claude")
    during = settings.read_text()
    (home / "data" / "installations.json").write_text("{")
    with pytest.raises(FileAccessError, match=r"can't read .*installations\.json") as refused:
        installer.uninstall("claude")
    assert "mend or remove it" in refused.value.hint
    assert settings.read_text() == during


def test_line_endings_of_a_file_are_kept(installer: Installer, settings: Path) -> None:
    settings.write_bytes(b'{\r\n  "theme": "dark"\r\n}\r\n')
    installer.install("claude")
    entered = settings.read_bytes()
    assert b"codecairn" in entered
    assert entered.count(b"\r\n") == entered.count(b"\n")
    installer.uninstall("claude")
    assert settings.read_bytes() == b'{\r\n  "theme": "dark"\r\n}\r\n'


def test_link_is_followed_and_the_mode_of_its_file_is_kept(
    installer: Installer, settings: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "dotfiles.json"
    elsewhere.write_text("{}")
    elsewhere.chmod(0o640)
    settings.symlink_to(elsewhere)
    installer.install("claude")
    assert settings.is_symlink()
    assert "codecairn" in elsewhere.read_text()
    assert os.name == "nt" or elsewhere.stat().st_mode & 0o777 == 0o640
    installer.uninstall("claude")
    assert elsewhere.read_text() == "{}"


def test_file_that_others_changed_since_is_not_undone_by_bytes(
    installer: Installer, settings: Path
) -> None:
    installer.install("claude")
    document = json.loads(settings.read_text())
    settings.write_text(json.dumps(document | {"theme": "dark"}))
    with pytest.raises(FileAccessError, match="changed since codecairn was entered there"):
        installer.change_without(settings, [])
    installer.uninstall("claude")
    assert json.loads(settings.read_text()) == {"theme": "dark"}
    assert installer.installed() == []
