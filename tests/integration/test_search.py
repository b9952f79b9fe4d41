"""From a folder of files to answers, through the library."""

from collections.abc import Iterator

import pytest

from codecairn import NotIndexed, SearchFilters, UsageError, Workspace
from codecairn.core.options import KINDS
from support.repository import SMALL_PROJECT, Repository
from support.stores import store_of


@pytest.fixture
def shop(repository: Repository) -> Repository:
    repository.write_all(SMALL_PROJECT)
    repository.commit("open the shop")
    return repository


@pytest.fixture
def workspace(shop: Repository) -> Iterator[Workspace]:
    with Workspace.open(shop.root) as opened:
        yield opened


def test_first_search_indexes_and_answers(workspace: Workspace) -> None:
    phases: list[str] = []
    result = Workspace.open(workspace.root, progress=lambda phase, *_: phases.append(phase)).search(
        "verify a session token"
    )
    assert phases
    assert result.branch == "main"
    assert result.stale == ()
    assert result.unchecked == 0
    hit = result[0]
    assert (hit.path, hit.name, hit.kind) == ("shop/tokens.py", "verify_token", "function")
    assert (hit.start_line, hit.end_line) == (4, 10)
    assert hit.text.startswith("def verify_token(token: str) -> bool:")
    assert hit.language == "python"


def test_report_counts_what_was_done(workspace: Workspace) -> None:
    report = workspace.index()
    assert report.files == len(SMALL_PROJECT)
    assert report.added == report.files
    assert report.chunks >= report.files
    assert report.embedded > 0
    assert report.pending == 0
    again = workspace.index()
    assert (again.added, again.modified, again.removed, again.embedded) == (0, 0, 0, 0)
    assert again.unchanged == report.files
    assert again.chunks == report.chunks


def test_forced_index_reads_everything_and_changes_nothing(workspace: Workspace) -> None:
    before = workspace.search("total price of the basket")
    report = workspace.index(force=True)
    assert report.files == len(SMALL_PROJECT)
    assert workspace.search("total price of the basket") == before


@pytest.mark.parametrize(
    ("query", "path", "name"),
    [
        ("user by id", "shop/users.js", "getUserById"),
        ("getUserById", "shop/users.js", "getUserById"),
        ("sum of all prices", "shop/basket.py", "total_price"),
        ("Basket.add_item", "shop/basket.py", "add_item"),
        ("how do customers pay", "docs/guide.md", "Paying"),
        ("shop/tokens.py", "shop/tokens.py", None),
        ('"Goods come back"', "docs/guide.md", "Returns"),
    ],
)
def test_questions_of_each_kind_find_their_answer(
    workspace: Workspace, query: str, path: str, name: str | None
) -> None:
    hit = workspace.search(query)[0]
    assert hit.path == path
    if name is not None:
        assert name in hit.name


@pytest.mark.parametrize(
    "query", ["ChangeSet::compose", "ChangeSet.compose", "changes::ChangeSet::compose"]
)
def test_the_scope_asked_for_tells_equal_names_apart(repository: Repository, query: str) -> None:
    compose = "impl {} {{\n    pub fn compose(mut self, other: Self) -> Self {{\n{}        self\n    }}\n}}\n"
    short = "        self.changes = self.changes.compose(other.changes);\n" * 3
    long = "        self.parts.extend(other.parts);\n        self.length += other.length;\n" * 4
    repository.write(
        "src/changes.rs",
        "\n".join(
            [
                compose.format("ChangeSet", long),
                compose.format("Transaction", short + "        // the ChangeSet of both\n"),
            ]
        ),
    )
    for name in ("Selection", "Document"):
        repository.write(f"src/{name.lower()}.rs", compose.format(name, short))
    repository.commit("compose")
    with Workspace.open(repository.root) as workspace:
        hit = workspace.search(query)[0]
        assert (hit.path, hit.name) == ("src/changes.rs", "ChangeSet.compose")


def test_the_scope_asked_for_finds_one_of_several_small_members(repository: Repository) -> None:
    getters = "\n".join(
        f"type {name} struct{{ sum int }}\n\nfunc (b {name}) Total() int {{ return b.sum }}\n"
        for name in ("Basket", "Order", "Invoice")
    )
    repository.write("totals.go", f"package totals\n\n{getters}")
    repository.commit("totals")
    with Workspace.open(repository.root) as workspace:
        hit = workspace.search("Order.Total")[0]
        assert (hit.name, hit.text) == (
            "Order.Total",
            "func (b Order) Total() int { return b.sum }",
        )


def test_a_method_is_asked_for_as_its_language_writes_it(repository: Repository) -> None:
    repository.write(
        "schema.lua",
        "local Schema = {}\n\nfunction Schema:validate(input)\n  return self.fields[input] ~= nil\nend\n",
    )
    repository.write(
        "entity.lua", "local Entity = {}\n\nfunction Entity:validate(input)\n  return true\nend\n"
    )
    repository.commit("validate")
    with Workspace.open(repository.root) as workspace:
        assert workspace.search("Schema:validate")[0].name == "Schema.validate"
        assert [hit.name for hit in workspace.define("Schema:validate")] == ["Schema.validate"]


def test_equal_questions_have_equal_answers(workspace: Workspace) -> None:
    assert workspace.search("price", limit=20) == workspace.search("price", limit=20)


def test_limit_is_a_limit_and_order_is_by_score(workspace: Workspace) -> None:
    result = workspace.search("shop item price token user", limit=3)
    assert len(result) == 3
    scores = [hit.score for hit in result]
    assert scores == sorted(scores, reverse=True)


def test_peek_finds_the_same_places_without_text(workspace: Workspace) -> None:
    def places(result: object) -> list[tuple[str, int, int]]:
        return [(hit.path, hit.start_line, hit.end_line) for hit in result]  # type: ignore[attr-defined]

    peeked = workspace.peek("basket price")
    assert places(peeked) == places(workspace.search("basket price"))
    assert all(hit.text == "" for hit in peeked)


def test_filters_narrow_inside_the_search(workspace: Workspace) -> None:
    def paths(**filters: object) -> set[str]:
        found = workspace.search("price user token", filters=SearchFilters(**filters))  # type: ignore[arg-type]
        return {hit.path for hit in found}

    assert paths(languages=["javascript"]) == {"shop/users.js"}
    assert paths(directories=["docs"]) <= {"docs/guide.md"}
    assert paths(globs=["*.md"]) <= {"docs/guide.md"}
    assert paths(globs=["shop/*.py"]) <= {"shop/tokens.py", "shop/basket.py", "shop/__init__.py"}
    kinds = {hit.kind for hit in workspace.search("price", filters=SearchFilters(kinds=["method"]))}
    assert kinds == {"method"}
    with pytest.raises(UsageError, match="no folder `nowhere`") as caught:
        paths(directories=["nowhere"])
    assert caught.value.hint == "there are `docs`, `shop`"
    with pytest.raises(UsageError, match=r"`shop/tokens\.py` is a file"):
        paths(directories=["shop/tokens.py"])


OF_A_KIND = {
    "function": ("one.py", "def lamp():\n    return 1\n"),
    "method": ("two.go", "func (l Holder) lamp() int {\n\treturn 1\n}\n"),
    "class": ("three.py", "class Lamp:\n    pass\n"),
    "interface": ("four.ts", "export interface Lamp {\n  lit: boolean;\n}\n"),
    "struct": ("five.rs", "pub struct Lamp {\n    lit: bool,\n}\n"),
    "enum": ("six.ts", "export enum Lamp {\n  Lit,\n}\n"),
    "trait": ("seven.rs", "pub trait Lamp {}\n"),
    "type": ("eight.ts", "export type Lamp = string | number;\n"),
    "module": ("nine.rs", "pub mod lamp {}\n"),
    "constant": ("ten.rs", "pub const LAMP: u8 = 5;\n"),
    "section": ("eleven.md", "# Lamp\n\nWords about one.\n"),
    "block": ("twelve.txt", "A lamp without any form.\n"),
}
"""A file for each kind that holds nothing else."""


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_may_be_asked_for(folder: Repository, kind: str) -> None:
    """A constant alone is shown as a block and found as either; fields and members are constants, too."""
    folder.write_all(dict(OF_A_KIND.values()))
    also = {"constant": "block", "interface": "constant", "struct": "constant", "enum": "constant"}
    shown = {name: {name, also.get(name, name)} for name in OF_A_KIND}

    def paths(*kinds: str) -> list[str]:
        found = workspace.search("lamp", limit=100, filters=SearchFilters(kinds=kinds))
        return sorted(hit.path for hit in found)

    def expected(*kinds: str) -> list[str]:
        return sorted(path for name, (path, _) in OF_A_KIND.items() if shown[name] & {*kinds})

    with Workspace.open(folder.root) as workspace:
        everything = {hit.path: hit.kind for hit in workspace.search("lamp", limit=100)}
        assert all(everything[path] in shown[name] for name, (path, _) in OF_A_KIND.items())
        assert len(everything) == len(KINDS)
        assert paths(kind) == expected(kind)
        assert paths(kind, "function") == expected(kind, "function")


def test_author_narrows_to_files_they_touched(shop: Repository, workspace: Workspace) -> None:
    shop.write("shop/refunds.py", "def refund_price():\n    return 'price'\n")
    shop.commit("refunds", author="Bob <bob@example.com>")
    found = workspace.search("price", filters=SearchFilters(author="bob"))
    assert {hit.path for hit in found} == {"shop/refunds.py"}


def test_context_lines_surround_the_text(workspace: Workspace) -> None:
    bare = workspace.search("verify_token", limit=1)[0]
    wide = workspace.search("verify_token", limit=1, context_lines=2)[0]
    assert (wide.start_line, wide.end_line) == (bare.start_line, bare.end_line)
    assert wide.context_start_line == bare.start_line - 2
    assert bare.text.strip() in wide.text
    assert len(wide.text.splitlines()) > len(bare.text.splitlines())


def test_explained_parts_add_up_to_something(workspace: Workspace) -> None:
    hit = workspace.search("verify token", explain=True)[0]
    assert hit.contributions
    assert workspace.search("verify token")[0].contributions == ()


def test_confidence_is_higher_where_the_answer_is(workspace: Workspace) -> None:
    here = workspace.search("check the signature of a token")
    without = SearchFilters(exclude=("/shop/tokens.py",))
    elsewhere = workspace.search("check the signature of a token", filters=without)
    assert 0.0 < (elsewhere.confidence or 0.0) < (here.confidence or 0.0) <= 1.0
    shares = [hit.confidence or 0.0 for hit in here]
    assert here.confidence == pytest.approx(sum(shares))
    budgeted = workspace.search("check the signature of a token", token_budget=1_000)
    assert budgeted.confidence is not None


def test_confidence_is_for_questions_in_words(workspace: Workspace) -> None:
    """A name or a path is there or not."""
    for query in ("verify_token", "shop/tokens.py"):
        assert workspace.search(query).confidence is None
    assert workspace.define("verify_token").confidence is None


def test_similar_leaves_out_the_place_itself(workspace: Workspace) -> None:
    found = workspace.similar_to("shop/tokens.py", 5)
    assert found
    assert all((hit.path, hit.name) != ("shop/tokens.py", "verify_token") for hit in found)
    pasted = workspace.similar(
        "def verify(token):\n    return token.signature == sign(token.payload)\n"
    )
    assert pasted[0].path == "shop/tokens.py"


def test_similar_passes_over_a_file_that_is_left_out(workspace: Workspace) -> None:
    code = "def verify(token):\n    return token.signature is not None\n"
    assert "shop/tokens.py" in {hit.path for hit in workspace.similar(code).hits}
    others = SearchFilters(globs=("*", "!/shop/tokens.py"))
    found = {hit.path for hit in workspace.similar(code, filters=others).hits}
    assert found
    assert "shop/tokens.py" not in found


def test_similar_to_a_place_that_is_not_indexed_is_refused(workspace: Workspace) -> None:
    with pytest.raises(UsageError):
        workspace.similar_to("shop/nothing.py", 1)


def test_definitions_are_found_by_name(workspace: Workspace) -> None:
    found = workspace.define("Basket")
    assert [(hit.path, hit.kind) for hit in found] == [("shop/basket.py", "class")]
    assert workspace.define("total_price")[0].path == "shop/basket.py"
    assert len(workspace.define("no_such_name")) == 0


def test_status_and_skips_tell_what_is_there(shop: Repository, workspace: Workspace) -> None:
    shop.write("image.png", b"\x89PNG\r\n\x1a\n\0\0\0\0")
    workspace.index()
    status = workspace.status()
    assert status.files == len(SMALL_PROJECT)
    assert status.branch == "main"
    assert status.head == shop.git("rev-parse", "HEAD")
    assert status.pending == 0
    assert {share.language for share in status.languages} >= {"python", "javascript", "markdown"}
    assert [skip.path for skip in workspace.skips()] == ["image.png"]
    assert workspace.doctor() == ()


def test_without_an_index_reading_is_refused_and_makes_no_store(shop: Repository) -> None:
    with Workspace.open(shop.root) as workspace:
        for ask in (workspace.status, workspace.skips, workspace.doctor, workspace.gc):
            with pytest.raises(NotIndexed):
                ask()
    with Workspace.open(shop.root, read_only=True) as workspace, pytest.raises(NotIndexed):
        workspace.search("token")
    assert not store_of(shop.root).exists()


def test_read_only_workspace_answers_from_what_is_there(
    shop: Repository, workspace: Workspace
) -> None:
    workspace.index()
    shop.write("shop/tokens.py", "def something_else():\n    pass\n")
    with Workspace.open(shop.root, read_only=True) as reader:
        result = reader.search("verify token")
    assert result[0].name == "verify_token"
    assert result.stale == ("shop/tokens.py",)


def test_index_leaves_no_trace_in_the_workspace_unless_it_is_to_lie_there(
    shop: Repository,
) -> None:
    with Workspace.open(shop.root) as workspace:
        assert workspace.search("verify token")[0].path == "shop/tokens.py"
        assert workspace.store == store_of(shop.root)
    assert not (shop.root / ".codecairn").exists()
    with Workspace.open(shop.root, settings={"scope": "workspace"}) as workspace:
        assert workspace.search("verify token")[0].path == "shop/tokens.py"
        assert workspace.store == shop.root / ".codecairn"
