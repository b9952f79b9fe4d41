"""Every option is documented with its default, and what the pages say is what the code does."""

import json
import re
from pathlib import Path

import pytest

from codecairn.config.schema import schema
from codecairn.config.settings import EMBEDDING_PROVIDERS, RERANK_PROVIDERS, SETTINGS
from codecairn.config.settings_page import settings_page
from codecairn.embedding.factory import AUTO_ORDER
from codecairn.embedding.models import DEFAULT_MODELS, LIMITS
from codecairn.embedding.plan import BASE_URLS, LOCAL
from codecairn.remote.credentials import VARIABLES

DOCS = Path(__file__).parents[2] / "docs"
EMBEDDING = (DOCS / "how-to/embedding.md").read_text(encoding="utf-8")


def _row(first: str, *, columns: int) -> list[str]:
    pattern = rf"^\| `{re.escape(first)}` \|" + r"([^|\n]*)\|" * columns + "$"
    found = re.search(pattern, EMBEDDING, re.MULTILINE)
    assert found, first
    return [cell.strip().strip("`") for cell in found.groups()]


def test_page_of_settings_is_made_from_the_table() -> None:
    """If this fails: `python -m codecairn config page > docs/reference/settings.md`."""
    assert (DOCS / "reference/settings.md").read_text(encoding="utf-8") == settings_page()


@pytest.mark.parametrize("key", sorted(SETTINGS))
def test_every_setting_is_on_the_page_and_in_the_schema(key: str) -> None:
    assert f"| `{key}`" in settings_page()
    found = schema()["properties"]
    *groups, name = key.split(".")
    for group in groups:
        found = found[group]["properties"]
    assert found[name]["description"].startswith(SETTINGS[key].doc)


@pytest.mark.parametrize("provider", [name for name in EMBEDDING_PROVIDERS if name != "auto"])
def test_every_provider_has_its_row(provider: str) -> None:
    model, key, place = _row(provider, columns=3)
    if provider in DEFAULT_MODELS:
        assert model == DEFAULT_MODELS[provider]
    if provider in VARIABLES:
        assert key == VARIABLES[provider][0]
    if provider in BASE_URLS:
        assert place == BASE_URLS[provider]


@pytest.mark.parametrize("provider", sorted(set(LIMITS) - LOCAL))
def test_limits_are_the_codes(provider: str) -> None:
    limits = LIMITS[provider]
    expected = [limits.concurrency, limits.interval_ms, limits.batch_texts, limits.batch_tokens]
    rows = re.findall(rf"^\| `{provider}` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", EMBEDDING, re.M)
    assert rows == [tuple(map(str, expected))]


def test_order_of_auto_and_rerankers_are_the_codes() -> None:
    said = EMBEDDING.index("`auto` takes the first")
    places = [EMBEDDING.index(f"`{name}`", said) for name in AUTO_ORDER]
    assert places == sorted(places)
    for name in RERANK_PROVIDERS[1:]:
        assert f"`{name}`" in EMBEDDING.partition("## Rerankers")[2]


def test_settings_that_the_page_names_exist() -> None:
    named = set(re.findall(r"`((?:embedding|rerank|network)\.[a-z_]+)`", EMBEDDING))
    assert named
    assert named <= set(SETTINGS)


def test_published_schema_is_the_codes() -> None:
    """If this fails: `python -m codecairn config schema > docs/reference/settings.schema.json`."""
    published = json.loads(
        (DOCS / "reference" / "settings.schema.json").read_text(encoding="utf-8")
    )
    assert published == schema()


def test_page_of_agents_names_every_tool_host_and_set() -> None:
    from codecairn.hosts.host_table import HOSTS
    from codecairn.mcp.tool_sets import SETS
    from codecairn.mcp.tool_table import own_tools

    tools = own_tools()
    page = (DOCS / "reference/agents.md").read_text(encoding="utf-8")
    page = page.partition("\n## Clients of other memories")[0]
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    named = [name for row in rows for name in re.findall(r"`([a-z][a-z_-]*)`", row.split("|")[1])]
    assert sorted(named) == sorted([*HOSTS, *SETS, *tools])
    for row in rows:
        for name in re.findall(r"`([a-z_]+)`", row.split("|")[1]):
            if name in tools:
                assert (row.split("|")[2].strip() == "yes") == tools[name].is_compact, name


def test_page_of_agents_names_the_tools_of_each_set_for_other_clients() -> None:
    from codecairn.mcp.tool_sets import COMPATIBLE_SETS
    from codecairn.mcp.tool_table import tools_of

    page = (DOCS / "reference/agents.md").read_text(encoding="utf-8")
    told = page.partition("\n## Clients of other memories")[2]
    for name in COMPATIBLE_SETS:
        row = re.search(rf"^\| `{name}` \|([^|]*)\|", told, re.MULTILINE)
        assert row, name
        named = re.findall(r"`([a-z_]+)`", row[1])
        assert sorted(named) == sorted(tool.name for tool in tools_of((name,)))


def test_tools_of_other_programs_are_there_or_told_where_to_find_them() -> None:
    """Each name that a client may know is in a table: what it finds instead is one of our tools, prompts or commands."""
    from codecairn.cli.app import COMMANDS
    from codecairn.mcp.tool_table import own_tools
    from codecairn.operations.prompts import PROMPTS

    page = (DOCS / "reference/agents.md").read_text(encoding="utf-8")
    told = page.partition("\n## Tools of other programs")[2]
    said = set(re.findall(r"`([a-z_]+)", told))
    reference = {
        "codebase_context", "codebase_edit_context", "codebase_search", "codebase_peek", "implementation_lookup",
        "find_similar", "call_graph", "call_graph_path", "code_communities", "pr_impact", "index_codebase", "index_status",
        "index_health_check", "index_metrics", "index_logs", "add_knowledge_base", "list_knowledge_bases",
        "remove_knowledge_base", "index_visualize",
    }  # fmt: skip
    assert {name for name in reference if name not in own_tools()} <= said
    assert {"search", "find", "definition", "index", "status"} == set(PROMPTS)
    for command in re.findall(r"`codecairn ([a-z-]+)", told):
        assert command in COMMANDS


def test_tokens_of_each_set_are_about_as_the_page_says() -> None:
    """The page has counts of `o200k_base`; four characters a token come close to it."""
    from codecairn.mcp.dispatcher import ToolDispatcher
    from codecairn.mcp.tool_sets import SETS
    from codecairn.mcp.workspace_scope import WorkspaceScope

    page = (DOCS / "reference/agents.md").read_text(encoding="utf-8")
    for chosen in SETS:
        allowed = [Path()]
        with ToolDispatcher(WorkspaceScope(), chosen=(chosen,), allowed=allowed) as dispatcher:
            tools = [
                {name: tool[name] for name in ("name", "description", "inputSchema")}
                for tool in dispatcher.listed()
            ]
        found = re.search(rf"^\| `{chosen}`[^|]*\|[^|]*\| about ([\d,]+) \|$", page, re.M)
        assert found, chosen
        said = int(found[1].replace(",", ""))
        size = len(json.dumps(tools, separators=(",", ":")))
        assert said == pytest.approx(size / 4, rel=0.12), chosen
