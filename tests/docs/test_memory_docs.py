"""The pages on extraction and sharing say what the code does."""

import re
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.config.settings import SETTINGS
from codecairn.core.types.memory import FACT_TYPES
from codecairn.llm.agent_program import PROGRAMS
from codecairn.llm.model_table import BASE_URLS, DEFAULT_MODELS, PRICES, PROVIDERS
from codecairn.memory.extract import prompts
from codecairn.memory.importing.sources import SOURCES
from codecairn.memory.initialise.files import CAPS, MAX_CHARS
from codecairn.memory.maintenance import Maintenance
from codecairn.memory.memory import Memory
from codecairn.memory.team.sharing import Team
from codecairn.operations.maintenance_operations import MAINTENANCE_OPERATIONS
from codecairn.operations.memory_operations import MEMORY_OPERATIONS
from codecairn.remote.credentials import VARIABLES

DOCS = Path(__file__).parents[2] / "docs"
EXTRACTION = (DOCS / "how-to/extraction.md").read_text(encoding="utf-8")
SHARING = (DOCS / "how-to/sharing.md").read_text(encoding="utf-8")
PAGES = {"extraction": EXTRACTION, "sharing": SHARING}


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_has_its_row(name: str) -> None:
    row = re.search(rf"^\| `{name}` \| `(\w+)[^`|]*` \|[^|\n]*\|$", EXTRACTION, re.MULTILINE)
    assert row
    assert row[1] == PROGRAMS[name].command


@pytest.mark.parametrize("provider", sorted(set(PROVIDERS) - set(PROGRAMS)))
def test_every_provider_has_its_row(provider: str) -> None:
    row = re.search(
        rf"^\| `{provider}` \|([^|\n]*)\|([^|\n]*)\|([^|\n]*)\|$", EXTRACTION, re.MULTILINE
    )
    assert row
    model, key, place = (cell.strip().strip("`") for cell in row.groups())
    assert model == DEFAULT_MODELS.get(provider, "none")
    assert place == BASE_URLS.get(provider, "none")
    if provider in VARIABLES:
        assert key == VARIABLES[provider][0]


def test_usual_models_have_a_price() -> None:
    assert set(DEFAULT_MODELS.values()) <= set(PRICES)


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_has_its_row_and_its_place(source: str) -> None:
    row = re.search(rf"^\| `{source}` \|[^|\n]*\|([^|\n]*)\|$", SHARING, re.MULTILINE)
    assert row
    usual = SOURCES[source].usual_place
    if usual is None:
        assert row[1].strip() == "none"
        return
    place = usual(Path("/home"), Path("/project")).as_posix()
    said = row[1].strip().split("`")[1]
    plain = said.replace("~", "/home").replace("<project>", "-project").removesuffix("/")
    assert place in {plain, f"/project/{plain}"}


def test_files_and_their_caps_are_the_codes() -> None:
    rows = re.findall(r"^\| (`[^|]+`) \| ([\d,]+) \|$", EXTRACTION, re.MULTILINE)
    said = {
        name.strip("` "): int(cap.replace(",", ""))
        for names, cap in rows
        for name in names.split(",")
    }
    assert said == dict(CAPS)
    assert f"{MAX_CHARS:,} in all" in EXTRACTION


@pytest.mark.parametrize("page", PAGES)
def test_settings_and_commands_that_a_page_names_exist(page: str) -> None:
    named = set(re.findall(r"`(extraction\.[a-z_]+)`", PAGES[page]))
    assert named <= set(SETTINGS)
    commands = set(re.findall(r"codecairn memory ([a-z]+)", PAGES[page]))
    assert commands
    assert commands <= set(MEMORY_OPERATIONS) | set(MAINTENANCE_OPERATIONS)


def test_every_setting_of_extraction_is_explained() -> None:
    keys = {key for key in SETTINGS if key.startswith("extraction.")} - {"extraction.timeout_ms"}
    assert keys <= set(re.findall(r"`(extraction\.[a-z_]+)`", EXTRACTION))


@pytest.mark.parametrize("page", PAGES)
def test_what_the_examples_call_exists(page: str) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGES[page], re.DOTALL)
    compile(code, page, "exec")
    owners = {
        "workspace": Workspace,
        "workspace.memory": Memory,
        "upkeep": Maintenance,
        "upkeep.team": Team,
    }
    calls = re.findall(r"\b(workspace(?:\.memory)?|upkeep(?:\.team)?)\.(\w+)\(", code)
    assert calls
    for owner, name in calls:
        assert hasattr(owners[owner], name), f"{owner}.{name}"


def test_models_are_told_of_types_that_exist() -> None:
    told = set(re.findall(r"^- ([a-z-]+):", prompts.NORMAL, re.MULTILINE))
    assert told <= set(FACT_TYPES)
    assert set(FACT_TYPES) - told == {"session-summary", "file-activity", "conversation"}
