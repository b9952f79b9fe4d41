"""Where the user's folders lie."""

import sys
from pathlib import Path

import pytest

from codecairn.paths import user


@pytest.mark.parametrize("given", [None, "", " "])
def test_folders_are_below_the_home_by_default(
    given: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(user.HOME_VARIABLE, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        if given is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, given)
    assert user.config_folder() == tmp_path / ".config/codecairn"
    assert user.data_folder() == tmp_path / ".local/share/codecairn"
    monkeypatch.setattr(sys, "platform", "darwin")
    both = tmp_path / "Library/Application Support/codecairn"
    assert (user.config_folder(), user.data_folder()) == (both, both)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert user.data_folder() == tmp_path / "local/codecairn"
    monkeypatch.delenv("LOCALAPPDATA")
    assert user.config_folder() == tmp_path / "AppData/Local/codecairn"


def test_folders_are_where_the_environment_has_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(user.HOME_VARIABLE, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "c"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "d"))
    assert (user.config_folder(), user.data_folder()) == (
        tmp_path / "c/codecairn",
        tmp_path / "d/codecairn",
    )
    monkeypatch.setenv(user.HOME_VARIABLE, str(tmp_path / "moved"))
    assert (user.config_folder(), user.data_folder()) == (
        tmp_path / "moved",
        tmp_path / "moved/data",
    )
