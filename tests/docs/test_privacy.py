"""The page on privacy names all that is written and everyone who is sent anything, as the code has it."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from codecairn.config.settings import SETTINGS
from codecairn.embedding import copilot, plan, rerankers
from codecairn.hooks import background
from codecairn.llm import model_table
from codecairn.paths.entries import DATA_ENTRIES, is_own_entry
from support.documents import PAGES, ROOT

PAGE = PAGES["docs/explanation/privacy.md"]
SOURCES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "python" / "codecairn").rglob("*.py"))
}
OPENS_CONNECTIONS = re.compile(
    r"^\s*(?:import|from) (?:httpx2?|urllib\.request|urllib3|requests|aiohttp|obstore|redis|http\.client|ftplib|smtplib)\b",
    re.M,
)


def _section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def _first_cells(text: str) -> list[str]:
    rows = re.findall(r"^\| (`[^|]*) \|", text, re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]


def test_table_of_the_data_folder_is_the_codes() -> None:
    folder, _, hooks = _section("In your data folder").partition("\nIn `hooks`")
    assert _first_cells(folder) == [*DATA_ENTRIES]
    written = set(
        re.findall(
            r'state\.(?:write|read|remove|sweep)\([^)]*?"([a-z]+)"', "".join(SOURCES.values())
        )
    )
    assert {*background._STATE_AGES_S, "locks"} <= set(_first_cells(hooks))
    assert written - {"log"} <= set(_first_cells(hooks))


def test_everything_that_the_code_puts_into_the_data_folder_is_in_the_table() -> None:
    named = {
        name: path
        for path, text in SOURCES.items()
        for name in re.findall(r'(?:data_folder\(\)|data_folder|\bfolder) / "([^"/]+)"', text)
        if "data_folder" in text
    }
    assert {"stores", "overlays", "memory.db", "knowledge", "hooks"} <= set(named)
    assert {name: path for name, path in named.items() if not is_own_entry(name)} == {}


@pytest.mark.parametrize(
    ("addresses", "setting"),
    [
        (plan.BASE_URLS, "embedding.provider"),
        (rerankers.BASE_URLS, "rerank.provider"),
        (model_table.BASE_URLS, "extraction.providers"),
        ({"copilot's token": copilot.EXCHANGE_URL}, "embedding.provider"),
    ],
)
def test_everyone_who_may_be_sent_text_is_named(addresses: dict[str, str], setting: str) -> None:
    (row, *_) = (line for line in _section("What leaves your machine, and when").splitlines() if line.startswith(f"| `{setting}` |"))  # fmt: skip
    hosts = {urlsplit(address).hostname for address in addresses.values()}
    assert {host for host in hosts if f"`{host}`" not in row} == set()


def test_few_modules_open_connections() -> None:
    """Telemetry would need another one. The graph's pages and servers on this machine open none."""
    found = [path for path, text in SOURCES.items() if OPENS_CONNECTIONS.search(text)]
    assert found == [
        "python/codecairn/memory/backends/bounded_answer.py",
        "python/codecairn/memory/backends/graph_database.py",
        "python/codecairn/memory/backends/graphiti_client.py",
        "python/codecairn/memory/backends/hot_tier.py",
        "python/codecairn/memory/backends/redis_connection.py",
        "python/codecairn/objects/s3_store.py",
        "python/codecairn/remote/transport.py",
        "python/codecairn/team/bounded_exchange.py",
        "python/codecairn/team/node_client.py",
    ]
    core = [*(ROOT / "native" / "crates").glob("*/Cargo.toml")]
    assert core
    for manifest in core:
        text = manifest.read_text(encoding="utf-8")
        assert not re.search(r"^(?:reqwest|hyper|ureq|curl|tokio|attohttpc|isahc)\b", text, re.M)


def test_settings_that_the_page_names_exist() -> None:
    groups = {key.partition(".")[0] for key in SETTINGS if "." in key}
    named = set(re.findall(r"`([a-z]+\.[a-z_]+)`", PAGE))
    ours = {name for name in named if name.partition(".")[0] in groups and not is_own_entry(name)}
    assert ours
    assert ours <= set(SETTINGS)


def test_readme_leads_there() -> None:
    assert "(docs/explanation/privacy.md)" in PAGES["README.md"]
    assert Path(ROOT / "SECURITY.md").is_file()
