"""What the pages name exists: commands, options, settings, tools, files and other pages."""

import re
from pathlib import Path

import pytest

from codecairn.config.settings import SETTINGS
from codecairn.mcp.tool_table import own_tools
from support.documents import PAGES, ROOT, missing, programs, spans

GUIDES = [name for name in PAGES if name.startswith("docs/how-to/extend/")]
_TOOL = re.compile(r"(?:codebase|index|memory|call|code|pr|find|implementation)_[a-z_]+")


@pytest.mark.parametrize("page", PAGES)
def test_commands_that_a_page_names_exist(page: str) -> None:
    wrong = {" ".join(words): missing(words) for words in programs(PAGES[page]) if words}
    assert {words: what for words, what in wrong.items() if what} == {}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    folder = (ROOT / page).parent
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", PAGES[page]):
        assert (folder / target).exists(), target


@pytest.mark.parametrize(
    "page",
    [
        "docs/how-to/switch/open-codebase-index.md",
        "docs/how-to/troubleshooting.md",
        "docs/reference/agents.md",
    ],
)
def test_settings_and_tools_that_a_page_names_exist(page: str) -> None:
    groups = {key.partition(".")[0] for key in SETTINGS if "." in key}
    # What other programs call their tools is at the end, with what is here instead.
    ours = PAGES[page].partition("\n## Clients of other memories")[0]
    for span in spans(ours):
        if re.fullmatch(r"[a-z]+\.[a-z_]+", span) and span.partition(".")[0] in groups:
            assert span in SETTINGS or Path(span).suffix in {".json", ".md", ".toml", ".db"}, span
        if _TOOL.fullmatch(span):
            assert span in own_tools(), span


@pytest.mark.parametrize("page", GUIDES)
def test_files_that_a_guide_names_exist(page: str) -> None:
    named = [
        span for span in spans(PAGES[page]) if re.match(r"(?:python|native|tests|docs)/", span)
    ]
    assert named
    for span in named:
        path = re.sub(r"<(?:id|name)>", "*", span)
        assert [*ROOT.glob(path.rstrip("/"))], span


def test_there_is_a_guide_for_each_thing_that_is_added() -> None:
    assert {Path(page).stem for page in GUIDES} == {"languages", "providers", "agents", "storage"}


def test_every_row_of_parity_says_what_it_is() -> None:
    rows = [
        line.split("|")
        for line in PAGES["docs/how-to/switch/open-codebase-index.md"].splitlines()
        if line[:2] == "| "
    ]
    states = [cells[2].strip() for cells in rows if cells[1].strip() != "there"]
    assert len(states) >= 55
    assert set(states) <= {"works", "replaced", "missing"}
    for cells in rows:
        assert "|".join(cells[3:]).strip(" |"), cells


def test_messages_of_troubleshooting_are_the_code_s() -> None:
    sources = [
        *(ROOT / "python/codecairn").rglob("*.py"),
        *(ROOT / "native/crates").rglob("*.rs"),
    ]
    code = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    code = re.sub(r'"\n\s*f?"', "", code)
    for message, _ in _rows():
        for span in re.findall(r"`([^`]+)`", message):
            for part in re.sub(r"(?:40[14]|429)", "…", span).split("…"):
                assert part.strip(" :,s") in code, f"{span}: {part}"


def test_every_code_of_a_failure_is_on_the_page() -> None:
    from codecairn.errors import CodecairnError

    found = [CodecairnError]
    for parent in found:
        found += parent.__subclasses__()
    known = {error.code for error in found if error.__module__ == "codecairn.errors"}
    said = {code.strip("` ") for _, code in _rows()} - {""}
    assert said == known


def _rows() -> list[tuple[str, str]]:
    """Messages and codes, of the tables that have both."""
    rows = []
    for section in PAGES["docs/how-to/troubleshooting.md"].split("\n## "):
        _, has_codes, table = section.partition("| message | code | what to do |\n|---|---|---|\n")
        if has_codes:
            lines = [line.split("|") for line in table.splitlines() if line[:1] == "|"]
            rows += [(cells[1], cells[2]) for cells in lines]
    return rows
