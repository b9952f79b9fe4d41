"""What a workspace's own files of settings may do: adapt codecairn to the project, and widen nothing."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.config.edit import set_value
from codecairn.config.layers import load
from codecairn.config.settings import SETTINGS
from codecairn.errors import ConfigError
from codecairn.paths import user
from support.command import run
from support.repository import Repository

FILE = ".codecairn.toml"
SECRET = "correct-horse-battery-staple"


def _toml(key: str, value: object) -> str:
    group, _, name = key.rpartition(".")
    return (
        f"[{group}]\n{name} = {json.dumps(value)}\n" if group else f"{name} = {json.dumps(value)}\n"
    )


def _own(text: str) -> None:
    user.config_file().parent.mkdir(parents=True, exist_ok=True)
    user.config_file().write_text(text)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("memory.project", "another-project"),
        ("memory.path", "/tmp/other.db"),
        ("memory.graphiti_url", "http://elsewhere.example/mcp"),
        ("memory.redis_url", "redis://elsewhere.example"),
        ("scope", "workspace"),
        ("mcp.tools", "all"),
        ("gc.copy_days", 1),
        ("knowledge.bases", ["/etc"]),
        ("index.remote", "s3://another-index/x"),
        ("exclude", ["!.env"]),
        ("exclude", ["dist/", "!id_rsa"]),
    ],
)
def test_own_settings_are_an_error_that_names_file_and_key(
    folder: Repository, key: str, value: object
) -> None:
    folder.write(FILE, _toml(key, value))
    with pytest.raises(ConfigError) as caught:
        load(folder.root)
    assert FILE in caught.value.message
    assert f"`{key}`" in caught.value.message
    assert "--user" in caught.value.hint
    with pytest.raises(ConfigError):
        set_value(
            folder.root / FILE,
            key,
            ",".join(value) if isinstance(value, list) else str(value),
            is_own=False,
        )
    (folder.root / FILE).unlink()
    _own(_toml(key, value))
    load(folder.root)


WIDER = {
    "include": (["src/"], ["src/", "private/"]),
    "index.wait_s": (5, 600),
    "index.remote_wait_ms": (1000, 20_000),
    "search.limit": (10, 101),
    "search.context_lines": (0, 51),
    "search.refresh_budget_ms": (300, 5001),
    "memory.identity": ("repository", "git"),
    "memory.private_unclosed": ("redact", "keep"),
    "memory.compact_bytes": (1000, 4000),
    "memory.context_tokens": (500, 501),
    "memory.static_tokens": (100, 1200),
    "extraction.summary_turns": (5, 1),
    "index.first_wait_ms": (8000, 60_000),
    "index.pause_on_battery": (True, False),
    "hooks.capture": (False, True),
    "hooks.inject": (False, True),
    "hooks.background": (False, True),
    "hooks.routing": (False, True),
    "log.level": ("warn", "debug"),
    "log.shown": (False, True),
    "knowledge.search": (False, True),
    "search.blame": (False, True),
    "mcp.other_workspaces": (False, True),
}
"""For each setting that a workspace may narrow: what the user allows, and a wider value."""

FREE = {
    "embedder",
    "ranking",
    "fusion",
    "gc.auto",
    "gc.min_contents",
    "gc.min_percent",
    "search.refresh",
    "search.screen_limit",
    "search.vector_method",
} | {
    "memory.channel",
    "memory.endless",
    "graph.scip",
}
"""Settings of which no value reads, shows, remembers or sends more than another."""


def test_every_setting_says_what_a_workspace_may_do_with_it() -> None:
    own = {key for key, setting in SETTINGS.items() if setting.is_own}
    assert own | set(WIDER) | FREE | {"exclude"} == set(SETTINGS)
    assert own.isdisjoint(WIDER)
    assert own.isdisjoint(FREE)


@pytest.mark.parametrize("key", WIDER)
def test_wider_value_is_ignored_and_reported_and_the_user_s_holds(
    folder: Repository, key: str
) -> None:
    allowed, wider = WIDER[key]
    _own(_toml(key, allowed))
    field = SETTINGS[key].field
    expected = tuple(allowed) if isinstance(allowed, list) else allowed
    folder.write(FILE, _toml(key, wider))
    loaded = load(folder.root)
    assert getattr(loaded.settings, field) == expected
    (ignored,) = loaded.ignored
    assert ignored.key == key
    assert FILE in ignored.note
    assert loaded.sources[key] == str(user.config_file())
    text = ",".join(wider) if isinstance(wider, list) else json.dumps(wider).strip('"')
    with pytest.raises(ConfigError, match="widen"):
        set_value(folder.root / FILE, key, text, is_own=False)
    # What is no wider is taken, and the user may widen what a workspace narrowed.
    folder.write(FILE, _toml(key, allowed))
    assert not load(folder.root).ignored
    variable = {SETTINGS[key].variable: text}
    assert load(folder.root, environment=variable | dict(os.environ)).sources[key].startswith("$")


NARROWER: Mapping[str, object] = {
    "search.limit": 3,
    "memory.identity": "folder",
    "memory.compact_bytes": 256,
    "memory.context_tokens": 400,
    "hooks.capture": False,
    "index.pause_on_battery": True,
    "log.level": "error",
    "include": ["src/"],
}


@pytest.mark.parametrize("key", NARROWER)
def test_narrower_value_holds(folder: Repository, key: str) -> None:
    folder.write(FILE, _toml(key, NARROWER[key]))
    loaded = load(folder.root)
    value = NARROWER[key]
    assert getattr(loaded.settings, SETTINGS[key].field) == (
        tuple(value) if isinstance(value, list) else value
    )
    assert not loaded.ignored


def test_patterns_of_a_workspace_come_on_top_of_the_user_s(folder: Repository) -> None:
    _own('exclude = ["private/", "!dist/"]\n')
    folder.write(FILE, 'exclude = ["generated/"]\n')
    assert load(folder.root).settings.exclude == ("private/", "!dist/", "generated/")
    folder.write(FILE, "exclude = []\n")
    assert load(folder.root).settings.exclude == ("private/", "!dist/")


def test_secret_files_stay_out_of_the_index(folder: Repository) -> None:
    folder.write(".env", f"PASSWORD={SECRET}\n")
    folder.write("a.py", "def a(): pass\n")
    folder.write(FILE, 'exclude = ["!.env"]\n')
    refused = run("index", cwd=folder.root)
    assert refused.code == 2
    assert FILE in refused.err
    assert run("search", SECRET, cwd=folder.root).code == 2
    folder.write(FILE, 'exclude = ["b.py"]\n')
    assert run("index", cwd=folder.root).code == 0
    assert SECRET not in run("search", "password", "--json", cwd=folder.root).out


def test_what_is_ignored_is_reported(folder: Repository) -> None:
    folder.write("a.py", "def a(): pass\n")
    folder.write(FILE, '[memory]\nprivate_unclosed = "keep"\n')
    with Workspace.open(folder.root) as workspace:
        workspace.index()
        assert workspace.settings.memory_private_unclosed == "redact"
        (note,) = (each for each in workspace.status().notes if "private_unclosed" in each)
    assert FILE in note
    assert "private_unclosed" in run("doctor", cwd=folder.root).err
    listed = run("config", "list", "--json", cwd=folder.root).document
    assert "private_unclosed" in listed["ignored"][0]
    assert "ignored" in run("config", "list", cwd=folder.root).out


@pytest.mark.parametrize("name", [FILE, "pyproject.toml"])
@pytest.mark.parametrize(
    "kind", ["device", "outside", "large", "pipe", "folder", "dangling", "loop"]
)
def test_file_that_is_no_plain_file_is_not_read(
    folder: Repository, tmp_path: Path, name: str, kind: str
) -> None:
    outside = tmp_path / "id_rsa"
    outside.write_text(f'{SECRET} = [1\n[tool.codecairn]\nmemory.project = "x"\n')
    file = folder.root / name
    if kind == "device":
        file.symlink_to("/dev/zero")
    elif kind == "outside":
        file.symlink_to(outside)
    elif kind == "large":
        file.write_text("[tool.codecairn]\n" + "# codecairn\n" * 100_000)
    elif kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    elif kind == "dangling":
        file.symlink_to("nowhere")
    else:
        file.symlink_to(name)
    if name == "pyproject.toml":
        assert load(folder.root).sources["scope"] == "built-in", "it is not ours"
        return
    with pytest.raises(ConfigError) as caught:
        load(folder.root)
    assert name in caught.value.message
    assert SECRET not in f"{caught.value.message} {caught.value.hint}"
    with pytest.raises(ConfigError):
        set_value(file, "search.limit", "7", is_own=False)
    assert outside.read_text().startswith(SECRET)


def test_link_inside_the_workspace_is_followed(folder: Repository) -> None:
    folder.write("settings.toml", "[search]\nlimit = 7\n")
    (folder.root / FILE).symlink_to("settings.toml")
    assert load(folder.root).settings.search_limit == 7
    set_value(folder.root / FILE, "search.limit", "8", is_own=False)
    assert (folder.root / FILE).is_symlink()
    assert "limit = 8" in (folder.root / "settings.toml").read_text()


@pytest.mark.parametrize("text", ["x = " + "1" * 5000, "a." * 5000 + "b = 1", "x = " + "[" * 5000])
def test_file_that_no_parser_takes_is_an_error(folder: Repository, text: str) -> None:
    folder.write(FILE, text)
    done = run("config", "list", cwd=folder.root)
    assert done.code == 2
    assert FILE in done.err
