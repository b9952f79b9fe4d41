"""Writing a setting leaves the rest of the file as it was."""

from pathlib import Path

import pytest

from codecairn.config.edit import set_value
from codecairn.config.files import read_file, workspace_file
from codecairn.errors import ConfigError
from codecairn.paths import user


def test_comments_and_order_stay(tmp_path: Path) -> None:
    file = tmp_path / ".codecairn.toml"
    file.write_text(
        '# ours\nscope = "workspace"  # here\n\n[search]\n# few\nlimit = 3\nrefresh = true\n'
    )
    set_value(file, "search.limit", "7")
    assert file.read_text() == (
        '# ours\nscope = "workspace"  # here\n\n[search]\n# few\nlimit = 7\nrefresh = true\n'
    )


def test_new_file_and_folder_are_made(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "deeper" / "config.toml"
    set_value(file, "search.context_lines", "2")
    set_value(file, "exclude", "dist/,*.min.js")
    set_value(file, "search.refresh", "no")
    assert read_file(file) == {
        "search.context_lines": 2,
        "exclude": ("dist/", "*.min.js"),
        "search.refresh": False,
    }


def test_top_level_key_is_written_before_the_tables(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[search]\nlimit = 3\n")
    set_value(file, "scope", "global")
    assert read_file(file) == {"scope": "global", "search.limit": 3}


def test_pyproject_is_changed_where_it_holds_our_table(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text('[project]\nname = "x"  # name\n\n[tool.codecairn]\nfusion = "rrf"\n')
    assert workspace_file(tmp_path) == file
    set_value(file, "search.limit", "4")
    assert "# name" in file.read_text()
    assert read_file(file) == {"fusion": "rrf", "search.limit": 4}


def test_line_endings_stay(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(b"[search]\r\nlimit = 3\r\nrefresh = true\r\n")
    set_value(file, "search.limit", "4")
    assert file.read_bytes() == b"[search]\r\nlimit = 4\r\nrefresh = true\r\n"


@pytest.mark.parametrize(
    ("key", "value"), [("search.limt", "1"), ("search.limit", "x"), ("scope", "y")]
)
def test_refused_values_leave_the_file_alone(tmp_path: Path, key: str, value: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text("# mine\n")
    with pytest.raises(ConfigError):
        set_value(file, key, value)
    assert file.read_text() == "# mine\n"
    assert [path.name for path in tmp_path.iterdir() if path.name != "home"] == ["config.toml"]


def test_broken_file_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("= broken\n")
    with pytest.raises(ConfigError, match="is not TOML"):
        set_value(file, "scope", "global")
    assert file.read_text() == "= broken\n"


def test_symlinked_file_stays_a_link(tmp_path: Path) -> None:
    target = tmp_path / "dotfiles.toml"
    target.write_text("")
    link = tmp_path / "config.toml"
    link.symlink_to(target)
    set_value(link, "scope", "global")
    assert link.is_symlink()
    assert read_file(target) == {"scope": "global"}


@pytest.mark.parametrize("key", ["search.limt", "mcp.tools", "search.limit", "exclude", "include"])
def test_refusal_of_a_workspace_s_file_names_file_and_reason(
    tmp_path: Path, home: Path, key: str
) -> None:
    own = user.config_file()
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text('include = ["src/"]\n[search]\nlimit = 50\n')
    file = tmp_path / ".codecairn.toml"
    value, reason = {
        "search.limt": ("1", "unknown setting `search.limt`"),
        "mcp.tools": ("x", "`mcp.tools` may not be set by a workspace: it is the user's own"),
        "search.limit": ("101", "would widen what you allow (`50`)"),
        "exclude": ("a,!b", "`!b` takes in what is left out"),
        "include": ("src/,b/", "would widen what you allow (`src/`)"),
    }[key]
    with pytest.raises(ConfigError) as caught:
        set_value(file, key, value, is_own=False)
    assert caught.value.message.startswith(f"`{file}`: ")
    assert reason in caught.value.message
    assert not file.exists()
    set_value(file, "exclude", "a", is_own=False)
    set_value(file, "search.limit", "50", is_own=False)
    assert read_file(file, is_own=False) == {"exclude": ("a",), "search.limit": 50}


def test_workspace_s_file_is_not_changed_behind_a_link_that_leads_out(tmp_path: Path) -> None:
    target, folder = tmp_path / "target.toml", tmp_path / "workspace"
    folder.mkdir()
    target.write_text("# other\n")
    link = folder / ".codecairn.toml"
    link.symlink_to(target)
    with pytest.raises(ConfigError, match="can't read"):
        set_value(link, "search.limit", "3", is_own=False)
    target.unlink()
    with pytest.raises(ConfigError, match="can't write"):
        set_value(link, "search.limit", "3", is_own=False)
    assert not target.exists()
    set_value(link, "search.limit", "3")
    assert read_file(target) == {"search.limit": 3}


def test_group_that_is_no_table_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("search = 1\n")
    with pytest.raises(ConfigError, match="`search` must be a table"):
        set_value(file, "search.limit", "3")
    assert file.read_text() == "search = 1\n"


def test_list_is_written_as_a_list(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    assert set_value(file, "exclude", "a, b") == ("a", "b")
    assert file.read_text() == 'exclude = ["a", "b"]\n'
