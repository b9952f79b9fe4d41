"""The page of the code graph: what is on it, how it is put together, and that nothing gets out of its place."""

import base64
import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from codecairn.core.types.graph import Survey
from codecairn.graph.visual.communities import SMALL_GROUPS, communities_of
from codecairn.graph.visual.git_activity import parse_log
from codecairn.graph.visual.html_page import PROGRAM, STYLES, render, script_safe
from codecairn.graph.visual.page_data import Subject, page_data, strongly_connected
from codecairn.graph.visual.selection import select
from support.pages import ReadPage, made_up_survey

ASSETS = Path(render.__code__.co_filename).parent / "assets"
SUBJECT = Subject(name="made </title> up", branch="main", commit="c0ffee" * 6, day="2026-01-31")


def _page(survey: Survey, *, max_nodes: int = 5000) -> ReadPage:
    return ReadPage(render(page_data(select(survey, max_nodes=max_nodes), None, SUBJECT)))


def test_page_allows_its_own_program_and_style_and_nothing_else() -> None:
    page = _page(made_up_survey(symbols=40, links=80))
    _, program = page.texts["script"]
    (style,) = page.texts["style"]
    for directive, text in (("script-src", program), ("style-src", style)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in page.policy
    assert page.policy.startswith("default-src 'none';")
    assert "unsafe" not in page.policy


def test_page_names_no_address_and_loads_no_file() -> None:
    page = _page(made_up_survey(symbols=40, links=80))
    assert page.addresses() == []
    assert not [tag for tag, attributes in page.tags if "src" in attributes]
    assert [attributes["href"] for tag, attributes in page.tags if "href" in attributes] == [
        "data:,"
    ]
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]


def test_program_sets_texts_only_as_text() -> None:
    for name in PROGRAM:
        text = (ASSETS / name).read_text(encoding="utf-8")
        for banned in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert banned not in text, name


def test_every_asset_is_used() -> None:
    assert {file.name for file in ASSETS.iterdir()} == {*PROGRAM, *STYLES, "page.html"}


@pytest.mark.parametrize(
    "text",
    ["</script><script>alert(1)", "<!--<script>", "\u2028\u2029\x00\x1b", "@program@", "&amp;'\"`"],
)
def test_hostile_names_stay_data(text: str) -> None:
    safe = script_safe({"name": text})
    assert json.loads(safe) == {"name": text}
    assert not set("<>&\u2028") & set(safe)
    page = ReadPage(
        render(page_data(select(made_up_survey(symbols=9, links=9), max_nodes=9), None, SUBJECT))
    )
    assert [tag for tag, _ in page.tags].count("script") == 2


def test_symbols_without_links_are_left_out_and_counted() -> None:
    survey = made_up_survey(symbols=50, links=30)
    linked = {end for link in survey.links for end in (link.source, link.target)}
    found = select(survey, max_nodes=5000)
    assert len(found.survey.nodes) == len(linked) < 50
    assert found.unlinked + len(found.survey.nodes) == 50
    assert found.unimportant == 0


def test_least_important_symbols_make_room_but_cycles_stay() -> None:
    survey = made_up_survey(symbols=300, links=900)
    found = select(survey, max_nodes=20)
    names = [node.definition.name for node in found.survey.nodes]
    assert len(names) == 20
    assert {"symbol_0", "symbol_1", "symbol_2", "symbol_60", "symbol_61"} <= set(names)
    assert [len(cycle) for cycle in found.survey.cycles] == [3, 2]
    assert found.unimportant == 300 - 20 - found.unlinked
    for link in found.survey.links:
        assert max(link.source, link.target) < 20


def test_links_have_a_limit_and_the_rarest_go_first() -> None:
    survey = made_up_survey(symbols=30, links=500)
    found = select(survey, max_nodes=30)
    assert len(found.survey.links) == 240
    assert found.links == 260
    assert min(link.uses for link in found.survey.links) == 2


def test_small_communities_lie_with_their_files() -> None:
    survey = made_up_survey(symbols=64, links=200)
    found = communities_of(survey.nodes)
    assert [len(community.members) for community in found] == [64]
    alone = made_up_survey(symbols=4, links=4)
    (rest,) = communities_of(alone.nodes)
    assert (rest.place, rest.names, len(rest.members)) == (SMALL_GROUPS, (), 4)


def test_files_in_a_circle_are_found() -> None:
    uses = {0: (1,), 1: (2,), 2: (0, 3), 3: (4,), 4: (3,), 5: (0,), 6: ()}
    assert strongly_connected(uses) == [[0, 1, 2], [3, 4]]


def test_log_of_git_is_counted_by_file() -> None:
    log = (
        b"\x01ann@x\x1f2026-01-02\x00\n3\t1\tsrc/a b.py\x00-\t-\tlogo.png\x00\x00"
        b"\x01bob@x\x1f2026-01-01\x00\n1\t0\tsrc/a b.py\x00\xff\xfe\t\t\x00"
    )
    found = parse_log(log)
    assert sorted(found) == ["logo.png", "src/a b.py"]
    file = found["src/a b.py"]
    assert (file.commits, file.lines, file.last_day) == (2, 5, "2026-01-02")
    assert file.authors == {"ann@x", "bob@x"}
    assert file.weight == pytest.approx(2.3219 + 1, abs=1e-3)
    assert (found["logo.png"].commits, found["logo.png"].lines) == (1, 0)


LAYOUT_CHECK = """
const data = require("fs").readFileSync(0, "utf8");
globalThis.document = { getElementById: () => ({ textContent: data }) };
globalThis.matchMedia = () => ({ matches: false });
const [parts, code] = [process.argv[1].split(","), []];
for (const part of parts) code.push(require("fs").readFileSync(part, "utf8"));
code.push(`
const places = (scene) => JSON.stringify(scene.nodes.map(({ x, y }) => [x, y]));
const overlap = (circles) => {
  let most = 0;
  circles.forEach((one, place) => circles.slice(place + 1).forEach((other) => {
    most = Math.max(most, one.r + other.r - Math.hypot(one.x - other.x, one.y - other.y));
  }));
  return most;
};
const report = [symbolScene, fileScene].map((make) => {
  const first = places(make());
  const scene = make();
  return {
    same: places(scene) === first,
    finite: scene.nodes.every(({ x, y, r }) => Number.isFinite(x + y + r)),
    discs: scene.discs.length,
    discOverlap: overlap(scene.discs),
    nodeOverlap: Math.max(...scene.discs.map(({ nodes }) => overlap(nodes))),
    outside: Math.max(...scene.discs.flatMap((disc) => disc.nodes.map((node) => Math.hypot(node.x - disc.x, node.y - disc.y) + node.r - disc.r))),
  };
});
console.log(JSON.stringify(report));
`);
new Function(code.join("\\n"))();
"""


def test_layout_is_the_same_each_time_and_nothing_overlaps() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is missing")
    survey = made_up_survey(symbols=5000, links=20000, in_community=125)
    data = page_data(select(survey, max_nodes=5000), None, SUBJECT)
    parts = [str(ASSETS / name) for name in ("data.js", "packing.js", "layout.js")]
    done = subprocess.run(
        [node, "-e", LAYOUT_CHECK, ",".join(parts)],
        input=script_safe(data),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for scene in json.loads(done.stdout):
        assert scene["same"]
        assert scene["finite"]
        assert scene["discs"] > 10
        assert scene["discOverlap"] < 1
        assert scene["nodeOverlap"] < 1
        assert scene["outside"] <= 0
