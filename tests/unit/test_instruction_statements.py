"""What is read of a file for agents: each statement with its context."""

import pytest

from codecairn.memory.initialise.files import ProjectFile
from codecairn.memory.initialise.instruction_statements import (
    MAX_STATEMENTS,
    instruction_statements,
)


def _texts(text: str) -> list[str]:
    found = instruction_statements(ProjectFile(name="A.md", text=text))
    return [each.text.removesuffix(" (A.md)") for each in found]


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("# Title\n\nOne sentence\nover two lines.\n", ["One sentence over two lines."]),
        ("# T\n## Tests\n### Unit\n- Mock the clock\n", ["Tests > Unit: Mock the clock"]),
        ("Old style\n---------\nUse tabs.\n", ["Old style: Use tabs."]),
        ("Never:\n\n- push\n- commit keys\n", ["Never: push", "Never: commit keys"]),
        ("- In tests:\n  - no sleep\n- Be kind\n", ["In tests: no sleep", "Be kind"]),
        ("- Use pnpm.\n  - npm breaks it\n", ["Use pnpm.", "Use pnpm. npm breaks it"]),
        ("1. First\n   goes on\n2) Second\n", ["First goes on", "Second"]),
        ("Never:\n- push\n\nAsk Ann.\n\n- Be kind\n", ["Never: push", "Ask Ann.", "Be kind"]),
        ("To build:\n\n```sh\n# fast\nmake\n```\n", ["To build:\n```sh\n# fast\nmake\n```"]),
        ("- Build:\n  ```\n  make\n  ```\n- Push\n", ["Build:\n```\nmake\n```", "Push"]),
        ("Ports:\n\n| a | b |\n|--|--|\n| 1 | 2 |\n", ["Ports:\n| a | b |\n|--|--|\n| 1 | 2 |"]),
        ("Nothing follows:\n", ["Nothing follows:"]),
        ("<!-- hidden\nfrom readers -->\nSeen by all.\n", ["Seen by all."]),
        ("- [Tests](#tests)\n- @other.md\n- Be kind\n", ["Be kind"]),
        ("- [ ] Be kind\n- Be kind\n", ["Be kind"]),
        ("Ours.\n<!-- codecairn: begin -->\nUse it.\n<!-- codecairn: end -->\n", ["Ours."]),
        ("", []),
    ],
)
def test_a_statement_has_its_section_and_what_introduces_it(
    text: str, statements: list[str]
) -> None:
    assert _texts(text) == statements


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    sentences = [f"This is the sentence number {n} of a long one." for n in range(40)]
    found = _texts("## Style\n" + " ".join(sentences))
    assert len(found) > 3
    assert all(text.startswith("Style: This") and text.endswith("one.") for text in found)
    assert all(any(sentence in text for text in found) for sentence in sentences)


@pytest.mark.parametrize("key", ["globs", "applyTo", "paths"])
def test_a_rule_says_which_files_it_is_for(key: str) -> None:
    text = f"---\ndescription: Web\n{key}: web/*.ts\n---\n- Use strict mode\n"
    (statement,) = instruction_statements(ProjectFile(name="A.md", text=text))
    assert statement.text == "Use strict mode (A.md, for web/*.ts)"
    assert statement.file == "A.md"


def test_a_file_of_any_size_or_form_is_read_within_bounds() -> None:
    assert len(_texts("- rule {}\n" * 3)) == 1
    assert len(_texts("".join(f"- rule {n}\n" for n in range(9999)))) == MAX_STATEMENTS
    for text in ("```\n" * 3, "|\n" * 500, "- " * 5000, "#" * 5000, "---\n" * 99, "<!--" * 99):
        _texts(text)
