"""The pages of code: search, a file, a symbol."""

import re
from collections.abc import Iterator

import pytest

from codecairn import Workspace
from codecairn.web.code_color import colored_lines
from support.repository import Repository
from web.conftest import Browser, browsing

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def hostile(repository: Repository) -> Iterator[Browser]:
    repository.write_all(
        {
            "a&b<i>.py": f'def run():\n    return "{HOSTILE}"\n\n\ndef other():\n    return run() + run()\n',
            "escape.py": "x = '\x1b[31m\u202e'\n\n\ndef visible_name():\n    return x\n",
            "empty.py": "",
        }
    )
    repository.commit(message=f"Add {HOSTILE}")
    with Workspace.open(repository.root) as workspace:
        workspace.index()
        workspace.memory.add(f"run is called twice {HOSTILE}", anchors=["a&b<i>.py::run"])
    with browsing(repository.root) as opened:
        yield opened


def test_search_marks_words_and_links_to_files_and_symbols(browser: Browser) -> None:
    text = browser.get("/code?q=how+are+tokens+verified")
    assert "<mark>" in text
    assert re.search(r'href="/code/file\?project=\w+&amp;path=shop%2Ftokens\.py&amp;line=\d+', text)
    assert re.search(r'href="/code/symbol\?project=\w+&amp;name=shop%2Ftokens\.py%3A%3A', text)


def test_explained_score_has_a_bar_for_each_feature(browser: Browser) -> None:
    assert "What its score is made of" not in browser.get("/code?q=tokens")
    text = browser.get("/code?q=tokens&explain=1")
    assert text.count("<rect class=") > 4
    assert 'scope="row">' in text


def test_filters_narrow_the_search(browser: Browser) -> None:
    assert "shop/tokens.py" in browser.get("/code?q=tokens")
    assert "Nothing found" in browser.get("/code?q=tokens&dir=shop&lang=go")
    assert "nothing is called" not in browser.get("/code?q=tokens&kind=function")


def test_bad_filter_is_an_error_in_words(browser: Browser) -> None:
    assert "cobol2" in browser.get("/code?q=tokens&lang=cobol2", status=400)


def test_file_shows_code_symbols_and_history(browser: Browser) -> None:
    text = browser.get("/code/file?path=shop/tokens.py")
    assert 'id="L1"' in text
    assert 'class="k"' in text
    assert "Symbols" in text
    assert "History" in text


@pytest.mark.parametrize(
    "path", ["../secret", "/etc/passwd", "shop/../shop/tokens.py", ".git/config", "nothing.py", ""]
)
def test_file_that_is_not_indexed_is_not_shown(browser: Browser, path: str) -> None:
    assert "is not in the index" in browser.get(f"/code/file?path={path}", status=400)


def test_symbol_has_callers_callees_and_memory(hostile: Browser) -> None:
    text = hostile.get("/code/symbol?name=run")
    assert ">other</strong>" in text
    assert "columns 12, 20" in text
    assert "run is called twice" in text
    assert ">run</strong>" in hostile.get("/code/symbol?name=other")


def test_symbol_that_does_not_exist_is_an_error_in_words(browser: Browser) -> None:
    assert "nothing is defined as" in browser.get("/code/symbol?name=nowhere", status=404).lower()


def test_several_symbols_of_a_name_are_listed(browser: Browser, project: Repository) -> None:
    project.write("shop/one.py", "def twin():\n    return 1\n")
    project.write("shop/two.py", "def twin():\n    return 2\n")
    with Workspace.open(project.root) as workspace:
        workspace.index()
    text = browser.get("/code/symbol?name=twin")
    assert "2 symbols are called" in text
    assert "shop/one.py::twin" in text


@pytest.mark.parametrize(
    "path",
    [
        "/code?q=run&explain=1",
        "/code/file?path=a%26b%3Ci%3E.py",
        "/code/symbol?name=run",
        "/code/symbol?name=other",
        f"/code?q={HOSTILE}",
        f"/code?q=x&dir={HOSTILE}",
    ],
)
def test_nothing_of_a_repository_is_markup(hostile: Browser, path: str) -> None:
    answer = hostile.client.get(path)
    assert answer.status_code in {200, 400}
    assert "<img src=x" not in answer.text
    assert "<i>" not in answer.text


def test_characters_that_steer_a_terminal_or_reorder_text_are_shown_as_codes(
    hostile: Browser,
) -> None:
    text = hostile.get("/code/file?path=escape.py")
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_empty_file_says_so(hostile: Browser) -> None:
    answer = hostile.client.get("/code/file?path=empty.py")
    assert "empty" in answer.text


def test_lines_keep_their_text_whatever_the_lexer_does() -> None:
    lines = ["def f(a):", '    """Doc', "    more", '    """', "", "    return a < 2 and '&'"]
    for language in ("python", "no-such-language", "html", "c"):
        plain = [
            re.sub(r"<[^>]+>", "", str(html)) for html in colored_lines(lines, language=language)
        ]
        unescaped = [
            text.replace("&lt;", "<")
            .replace("&#39;", "'")
            .replace("&#34;", '"')
            .replace("&amp;", "&")
            for text in plain
        ]
        assert unescaped == lines


def test_long_lines_have_no_colours() -> None:
    assert "span" not in str(colored_lines(["x = 1;" * 400], language="javascript")[0])
