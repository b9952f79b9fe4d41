"""Settings: layers, types, complaints."""

import dataclasses
import math
import os
from pathlib import Path

import pytest

from codecairn.config.files import read_file, workspace_file
from codecairn.config.layers import load
from codecairn.config.settings import SETTINGS, Settings
from codecairn.config.validation import check, find_setting, nearest, parse
from codecairn.errors import ConfigError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


def _load(root: Path | None, **layers: object) -> Settings:
    return load(root, environment={}, **layers).settings  # type: ignore[arg-type]


def test_defaults_hold_without_any_file(root: Path) -> None:
    assert _load(root) == Settings()


def test_each_layer_wins_over_the_one_before(root: Path, tmp_path: Path) -> None:
    user_file = tmp_path / "user.toml"
    user_file.write_text(
        'fusion = "weighted"\n[search]\nlimit = 2\ncontext_lines = 2\nrefresh = false\n'
    )
    (root / ".codecairn.toml").write_text("[search]\nlimit = 3\ncontext_lines = 3\n")
    environment = {"CODECAIRN_SEARCH_LIMIT": "4", "CODECAIRN_SEARCH_REFRESH_BUDGET_MS": "7"}
    loaded = load(root, user_file=user_file, environment=environment, arguments={"search.limit": 5})
    settings = loaded.settings
    assert settings.search_limit == 5
    assert settings.search_context_lines == 3
    assert settings.search_refresh_budget_ms == 7
    assert settings.search_refresh is False
    assert settings.fusion == "weighted"
    assert loaded.sources["search.limit"] == "arguments"
    assert loaded.sources["search.context_lines"] == str(root / ".codecairn.toml")
    assert loaded.sources["search.refresh_budget_ms"] == "$CODECAIRN_SEARCH_REFRESH_BUDGET_MS"
    assert loaded.sources["fusion"] == str(user_file)
    assert loaded.sources["scope"] == "built-in"


def test_pyproject_table_is_read(root: Path) -> None:
    (root / "pyproject.toml").write_text('[tool.codecairn]\nexclude = ["dist/"]\n')
    assert _load(root).exclude == ("dist/",)


def test_own_file_wins_over_pyproject(root: Path) -> None:
    (root / "pyproject.toml").write_text('[tool.codecairn]\nexclude = ["dist/"]\n')
    (root / ".codecairn.toml").write_text('exclude = ["out/"]\n')
    assert _load(root).exclude == ("out/",)


def test_pyproject_without_our_table_is_no_concern(root: Path) -> None:
    (root / "pyproject.toml").write_text(
        '[tool.black]\nline-length = 1\n[project]\nname = "codecairn-x"\n'
    )
    assert _load(root) == Settings()


@pytest.mark.parametrize(
    ("text", "key", "hint"),
    [
        ("[search]\nlimt = 3\n", "search.limt", "search.limit"),
        ("limit = 3\n", "limit", "search.limit"),
        ("[serch]\nlimit = 3\n", "serch", "search"),
        ('scop = "global"\n', "scop", "`scope`"),
        ('[""]\n', "", "codecairn config list"),
    ],
)
def test_unknown_key_names_file_key_and_nearest(root: Path, text: str, key: str, hint: str) -> None:
    (root / ".codecairn.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        _load(root)
    assert str(root / ".codecairn.toml") in caught.value.message
    assert f"`{key}`" in caught.value.message
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[search]\nlimit = "3"\n', "`search.limit` must be an integer"),
        ("[search]\nlimit = true\n", "`search.limit` must be an integer"),
        ("[search]\nlimit = 0\n", "`search.limit` is 0"),
        ("[search]\nrefresh = 1\n", "`search.refresh` must be a boolean"),
        ("include = 'a'\n", "`include` must be an array of strings"),
        ("include = [1]\n", "`include` must be an array of strings"),
        ("fusion = 'cold'\n", "`fusion` is `cold`"),
    ],
)
def test_wrong_values_are_refused(root: Path, text: str, expected: str) -> None:
    (root / ".codecairn.toml").write_text(text)
    with pytest.raises(ConfigError, match=r"codecairn\.toml") as caught:
        _load(root)
    assert expected in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("text", [b"= 1\n", b"\xff\xfe", b"a = [\n"])
def test_unreadable_file_is_named(root: Path, text: bytes) -> None:
    (root / ".codecairn.toml").write_bytes(text)
    with pytest.raises(ConfigError, match=r"\.codecairn\.toml"):
        _load(root)


def test_variables_are_parsed_by_type(root: Path) -> None:
    environment = {
        "CODECAIRN_SEARCH_REFRESH": "off",
        "CODECAIRN_EXCLUDE": "dist/, *.{a,b} ,",
        "CODECAIRN_SCOPE": "global",
        "CODECAIRN_DEBUG": "1",
        "OTHER": "x",
    }
    settings = load(root, environment=environment).settings
    assert settings.search_refresh is False
    assert settings.exclude == ("dist/", "*.{a,b}")
    assert settings.scope == "global"


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("CODECAIRN_SERCH_LIMIT", "1", "CODECAIRN_SEARCH_LIMIT"),
        ("CODECAIRN_SEARCH_LIMIT", "ten", ""),
        ("CODECAIRN_SEARCH_LIMIT", "true", ""),
        ("CODECAIRN_SEARCH_LIMIT", "1.5", ""),
        ("CODECAIRN_SEARCH_LIMIT", "9" * 5_000, ""),
        ("CODECAIRN_EMBEDDING_MAX_USD", "9" * 5_000, ""),
        ("CODECAIRN_EMBEDDING_MAX_USD", "nan", ""),
        ("CODECAIRN_EMBEDDING_MAX_USD", "true", ""),
        ("CODECAIRN_SEARCH_REFRESH", "maybe", ""),
    ],
)
def test_wrong_variables_are_refused_by_name(root: Path, name: str, value: str, hint: str) -> None:
    with pytest.raises(ConfigError, match=name) as caught:
        load(root, environment={name: value})
    assert hint in caught.value.hint


def test_wrong_argument_is_refused(root: Path) -> None:
    with pytest.raises(ConfigError, match=r"search\.limt"):
        _load(root, arguments={"search.limt": 1})


MINIMA = {
    "search.limit": 1, "search.screen_limit": 1, "memory.compact_bytes": 256, "memory.context_tokens": 100, "memory.static_tokens": 50,
    "embedding.interval_ms": -1, "embedding.timeout_ms": 1, "embedding.query_timeout_ms": 1,
    "embedding.usd_per_million_tokens": -1, "rerank.top_n": 1, "rerank.timeout_ms": 1, "extraction.timeout_ms": 1,
    "extraction.window_chars": 2_000, "extraction.summary_turns": 1,
    "memory.graphiti_batch": 1, "memory.graphiti_batch_bytes": 1024, "memory.graphiti_attempts": 1, "memory.graphiti_confirm_s": 1,
    "memory.graphiti_timeout_ms": 1, "memory.redis_session_s": 60, "memory.redis_timeout_ms": 1,
}  # fmt: skip
"""The least value of numbers that may not be 0, or may be less than 0."""


@pytest.mark.parametrize(
    "key", [key for key, row in SETTINGS.items() if type(row.default) in {int, float}]
)
def test_numbers_are_taken_up_to_their_bounds_and_no_further(key: str) -> None:
    row, least, most = SETTINGS[key], MINIMA.get(key, 0), 2**31 - 1
    for value in (least, least + 1, most - 1, most):
        assert getattr(_load(None, arguments={key: value}), row.field) == value
    wrong: list[object] = [least - 1, most + 1, -(10**400), 10**400]
    wrong += [True, False, "1", None, [1], math.nan, math.inf]
    wrong += [0.5] if type(row.default) is int else []
    for value in wrong:
        with pytest.raises(ConfigError, match=f"`{key}`"):
            _load(None, arguments={key: value})


@pytest.mark.parametrize("key", [key for key, row in SETTINGS.items() if type(row.default) is bool])
def test_switches_are_true_or_false(key: str) -> None:
    for value in (True, False):
        assert getattr(_load(None, arguments={key: value}), SETTINGS[key].field) is value
    for wrong in (0, 1, 1.0, "true", "on", None, []):
        with pytest.raises(ConfigError, match=f"`{key}` must be a boolean"):
            _load(None, arguments={key: wrong})


@pytest.mark.parametrize(
    ("text", "value"),
    [(text, True) for text in ("1", "true", "yes", "on", " On ", "TRUE")]
    + [(text, False) for text in ("0", "false", "no", "off", "OFF\n")],
)
def test_switches_are_written_in_several_words(text: str, *, value: bool) -> None:
    assert parse(SETTINGS["search.refresh"], text, source="a test") is value


@pytest.mark.parametrize(
    ("text", "value"),
    [("2", 2.0), (" +2.50 ", 2.5), ("0", 0.0), ("2147483647", 2147483647.0)],
)
def test_number_with_a_point_may_be_written_without_it(text: str, value: float) -> None:
    row = SETTINGS["embedding.max_usd"]
    assert parse(row, text, source="a test") == value
    whole = check(row, int(value), source="a test")
    assert (type(whole), whole) == (float, int(value))
    for wrong in ("2.", ".5", "1e3", "2 5", ""):
        with pytest.raises(ConfigError, match=r"`embedding\.max_usd` must be a number"):
            parse(row, wrong, source="a test")


@pytest.mark.parametrize(
    ("key", "value", "message", "hint"),
    [
        ("search.limit", 0, "`search.limit` is 0", "the least that makes sense is 1"),
        (
            "embedding.max_usd",
            2**31,
            "`embedding.max_usd` is 2147483648",
            "the most that makes sense is 2147483647",
        ),
        ("fusion", "cold", "`fusion` is `cold`", "choose one of `rrf`, `weighted`"),
        (
            "extraction.keys",
            ["openai=sk-secret"],
            "`extraction.keys` must name the variable that holds the key",
            "write `provider={env:NAME}`; secrets themselves are not kept in files",
        ),
        (
            "embedding.api_key",
            "sk-secret",
            "`embedding.api_key` must name the variable that holds the key",
            "write `{env:NAME}`; secrets themselves are not kept in files",
        ),
    ],
)
def test_error_names_source_key_and_what_is_allowed(
    key: str, value: object, message: str, hint: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        check(find_setting(key, source=""), value, source="`x.toml`")
    assert (caught.value.message, caught.value.hint) == (f"`x.toml`: {message}", hint)


@pytest.mark.parametrize("keys", [[], ["openai={env:A}"], ["openai={env:A}", "b={env:B_2}"]])
def test_list_of_keys_holds_references_only(keys: list[str]) -> None:
    row = SETTINGS["extraction.keys"]
    assert check(row, keys, source="a test") == tuple(keys)
    for wrong in ("openai", "openai=", "={env:A}=", "openai=x={env:A}", "openai={env:A}x"):
        with pytest.raises(ConfigError, match="must name the variable"):
            check(row, [*keys, wrong], source="a test")


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("search.limt", "did you mean `search.limit`?"),
        ("abcdxxfg", "did you mean `abcdxxxx`?"),
        ("abcxxxxx", "did you mean `abcdxxxx`?"),
        ("abcdefgh", "known are search.limit, deep.table.limit, abcdxxxx"),
        ("qqqqqqqqqqqqqqqqqqqqqqqqqqq.qqqqqqqqqqqq.limit", "did you mean `search.limit`?"),
    ],
)
def test_hint_names_the_most_like_key_else_one_with_its_last_part(key: str, hint: str) -> None:
    assert nearest(key, ["search.limit", "deep.table.limit", "abcdxxxx"]) == hint


def test_wrong_argument_is_refused_as_an_argument() -> None:
    with pytest.raises(ConfigError, match=r"^arguments: unknown setting `search\.limt`"):
        _load(None, arguments={"search.limt": 1})
    with pytest.raises(ConfigError, match=r"^arguments: `search\.limit` is 0"):
        _load(None, arguments={"search.limit": 0})


def test_variables_that_are_no_settings_are_passed_over() -> None:
    environment = dict.fromkeys(("CODECAIRN_DEBUG", "CODECAIRN_MCP_TOKEN", "CODECAIRN_HOME"), "x")
    assert load(None, environment=environment).settings == Settings()


def test_value_without_effect_is_reported_with_the_one_that_holds(
    root: Path, tmp_path: Path
) -> None:
    user_file = tmp_path / "user.toml"
    user_file.write_text('include = ["src/"]\n')
    (root / ".codecairn.toml").write_text('include = ["src/", "private/"]\n')
    (ignored,) = load(root, user_file=user_file, environment={}).ignored
    file = root / ".codecairn.toml"
    assert ignored.note.startswith(f"`{file}`: `include = src/,private/` is ignored")
    assert "(`src/`)" in ignored.note
    assert "`codecairn config set --user include ...`" in ignored.note


def test_every_setting_is_documented_and_its_default_is_allowed() -> None:
    fields = {field.name for field in dataclasses.fields(Settings)}
    assert {row.field for row in SETTINGS.values()} == fields
    for row in SETTINGS.values():
        assert row.doc.endswith(".")
        assert not row.choices or row.default in row.choices
        assert row.field == row.key.replace(".", "_")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x = " + "[" * 100_000, "nested too deeply"),
        ("[search]\nlimit = 99999999999\n", "`search.limit` is 99999999999"),
        ("[search]\nrefresh_budget_ms = 99999999999999999999999\n", "refresh_budget_ms"),
        (f"[search]\nlimit = {'9' * 5_000}\n", "holds a value that can't be read"),
    ],
)
def test_extreme_files_are_refused(root: Path, text: str, complaint: str) -> None:
    (root / ".codecairn.toml").write_text(text)
    with pytest.raises(ConfigError, match=complaint):
        _load(root)


def test_own_part_of_pyproject_must_be_a_table(root: Path) -> None:
    (root / "pyproject.toml").write_text("[tool]\ncodecairn = 1\n")
    with pytest.raises(ConfigError, match=r"`tool\.codecairn` must be a table"):
        _load(root)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipe_in_place_of_a_file_does_not_block(root: Path) -> None:
    os.mkfifo(root / ".codecairn.toml")
    with pytest.raises(ConfigError, match="it is no regular file"):
        _load(root)


@pytest.mark.parametrize(
    "content",
    [b'[project]\nname = "codecairn-x"\n', b'tool = "codecairn"\n', b'name = "\xff"\n', b"= 1\n"],
)
def test_pyproject_that_is_not_ours_is_not_read(root: Path, content: bytes) -> None:
    (root / "pyproject.toml").write_bytes(content)
    assert workspace_file(root) == root / ".codecairn.toml"
    assert _load(root) == Settings()


def test_file_is_read_up_to_its_limit(root: Path) -> None:
    file = root / ".codecairn.toml"
    file.write_bytes(b"search.limit = 3\n#".ljust(1024 * 1024, b"x"))
    assert _load(root).search_limit == 3
    file.write_bytes(b"search.limit = 3\n#".ljust(1024 * 1024 + 1, b"x"))
    with pytest.raises(ConfigError, match="more than 1,048,576 bytes"):
        _load(root)


def test_user_s_file_may_be_a_link_to_anywhere_and_a_workspace_s_may_not(
    root: Path, tmp_path: Path
) -> None:
    target, link = tmp_path / "dotfiles.toml", root / "config.toml"
    link.symlink_to(target)
    assert read_file(link) == {}
    target.write_text("search.limit = 3\n")
    assert read_file(link) == {"search.limit": 3}
    with pytest.raises(ConfigError, match="outside of the workspace"):
        read_file(link, is_own=False)
    loop = root / "loop.toml"
    loop.symlink_to(loop)
    assert read_file(loop) == {}
    with pytest.raises(ConfigError, match="can't read"):
        read_file(loop, is_own=False)
