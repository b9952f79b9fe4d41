"""Pages that take long are begun before what takes long is done."""

from collections.abc import Iterator
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

import pytest

from conftest import make_home
from support.page_projects import make_projects
from web.conftest import serving


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, OpenerDirector]]:
    """The address of a server, and a client that is signed in."""
    folder = tmp_path_factory.mktemp("projects")
    with pytest.MonkeyPatch.context() as patch:
        make_home(folder / "home", patch)
        patch.setenv("CODECAIRN_HOOKS_BACKGROUND", "false")
        shop, _ = make_projects(folder)
        with serving(shop.root, folder / "log") as served:
            client = build_opener(HTTPCookieProcessor())
            client.open(served.link()).close()
            yield served.address, client


@pytest.mark.parametrize(
    ("path", "title", "late"),
    [
        ("/", "Now", 'id="feed"'),
        ("/memory/review", "Review", 'value="keep"'),
        ("/settings/checks", "Checks", "<strong>database</strong>"),
    ],
)
def test_head_is_sent_before_what_takes_long(
    address: tuple[str, OpenerDirector], path: str, title: str, late: str
) -> None:
    base, client = address
    with client.open(base + path) as answer:
        first, rest = answer.read1().decode(), answer.read().decode()
    assert f"<h1>{title}</h1>" in first
    assert late not in first
    assert late in rest
    assert "\0" not in first + rest
