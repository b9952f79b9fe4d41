"""Which folders are knowledge bases: adding, naming, losing and removing them."""

import json
from pathlib import Path

import pytest

from codecairn import BadWorkspace, UsageError, Workspace
from codecairn.workspace.knowledge.registry import Registry
from support.command import run
from support.repository import Repository
from support.stores import store_of


def test_base_that_is_a_workspace_itself_lends_its_own_store(
    shop: Repository, handbook: Repository
) -> None:
    with Workspace.open(handbook.root) as own:
        own.index()
    with Workspace.open(shop.root) as workspace:
        workspace.knowledge.add(str(handbook.root))
        (state,) = workspace.knowledge.states()
    assert Path(state.store) == store_of(handbook.root)
    assert state.files == 2


def test_damaged_index_of_a_base_is_told_and_mended(both: Repository, handbook: Repository) -> None:
    with Workspace.open(both.root) as workspace:
        workspace.knowledge.search("refunds")
        store = Path(workspace.knowledge.states()[0].store)
    (store / "index.db").write_bytes(b"nonsense" * 1000)
    for log in store.glob("index.db-*"):
        log.unlink()
    found = run("search", "verify token", cwd=both.root)
    assert "shop/tokens.py" in found.out
    assert "`handbook` is left out" in found.err
    assert run("doctor", cwd=both.root).code == 0
    assert run("doctor", "--in", "handbook", cwd=both.root).code == 1
    assert run("doctor", "--in", "handbook", "--repair", cwd=both.root).code == 0
    assert "[handbook]" in run("search", "how are refunds paid", cwd=both.root).out
    assert run("gc", "--in", "handbook", "--dry-run", cwd=both.root).code == 0


def test_ignored_folder_inside_may_be_a_base_and_its_paths_stay_short(shop: Repository) -> None:
    with Workspace.open(shop.root) as workspace:
        base = workspace.knowledge.add("vendor/lib")
        found = workspace.knowledge.search("solve equation")[0]
        assert (found.base, found.path) == ("lib", "vendor/lib/solver.py")
        written = json.loads(Registry(workspace.root).file.read_text())
    assert written["bases"] == [{"name": base.name, "path": "vendor/lib"}]


def test_folders_that_overlap_are_refused(both: Repository, handbook: Repository) -> None:
    with Workspace.open(both.root) as workspace:
        add = workspace.knowledge.add
        for given, words in (
            (".", "is the workspace itself"),
            ("..", "holds the workspace"),
            ("shop", "is part of the workspace"),
            (str(handbook.root), "is a knowledge base already"),
            (str(handbook.root / "src"), "overlaps the knowledge base `handbook`"),
        ):
            with pytest.raises(UsageError, match=words):
                add(given)
        assert len(workspace.knowledge.bases()) == 1


def test_folders_that_should_not_be_read_are_refused(
    shop: Repository, home: Path, tmp_path: Path
) -> None:
    (home / ".ssh" / "keys").mkdir(parents=True)
    (tmp_path / "link").symlink_to(home / ".ssh")
    file = shop.write("shop/file.txt", "x")
    with Workspace.open(shop.root) as workspace:
        for given in (
            "/", "/etc", "/proc/self", str(home), "~", "~/.ssh", "~/.ssh/keys",
            str(tmp_path / "link"), "../missing", str(file),
        ):  # fmt: skip
            with pytest.raises((BadWorkspace, UsageError)):
                workspace.knowledge.add(given)
        assert workspace.knowledge.bases() == ()


def test_names_are_distinct_and_can_be_typed(
    both: Repository, handbook: Repository, tmp_path: Path
) -> None:
    for folder in ("more/handbook", "other"):
        (tmp_path / folder).mkdir(parents=True)
    with Workspace.open(both.root) as workspace:
        add = workspace.knowledge.add
        assert add(str(tmp_path / "more/handbook")).name == "handbook-2"
        for name in ("workspace", "all", "", "two words", "a/b", "handbook"):
            with pytest.raises(UsageError):
                add(str(tmp_path / "other"), name=name)
        assert add(str(tmp_path / "other"), name="Wiki.1").name == "Wiki.1"
        assert [base.name for base in workspace.knowledge.bases()] == [
            "handbook", "handbook-2", "Wiki.1",
        ]  # fmt: skip


def test_base_that_is_gone_is_told_and_the_rest_is_found(
    both: Repository, handbook: Repository
) -> None:
    handbook.root.rename(handbook.root.parent / "moved")
    found = run("search", "verify token", cwd=both.root)
    assert found.code == 0
    assert "shop/tokens.py" in found.out
    assert f"note: `handbook` is left out: `{handbook.root}` does not exist" in found.err
    assert "does not exist" in run("status", cwd=both.root).out
    assert "does not exist" in run("knowledge", "list", cwd=both.root).out
    alone = run("search", "refunds", "--in", "handbook", cwd=both.root)
    assert alone.code == 1
    assert "codecairn knowledge remove handbook" in alone.err
    assert run("knowledge", "remove", "handbook", cwd=both.root).code == 0
    assert run("search", "verify token", cwd=both.root).err == ""


def test_base_with_broken_settings_is_told_and_the_rest_is_found(
    both: Repository, handbook: Repository
) -> None:
    handbook.write(".codecairn.toml", "nonsense = 1\n")
    found = run("search", "verify token", cwd=both.root)
    assert "shop/tokens.py" in found.out
    assert "unknown setting `nonsense`" in found.err


def test_removed_base_is_searched_no_more_and_keeps_its_index_unless_purged(
    both: Repository, handbook: Repository
) -> None:
    with Workspace.open(both.root) as workspace:
        workspace.knowledge.search("refunds")
        store = Path(workspace.knowledge.states()[0].store)
        assert workspace.knowledge.remove(str(handbook.root)).name == "handbook"
        assert not {hit.base for hit in workspace.knowledge.search("refunds")} - {""}
        assert store.is_dir()
        workspace.knowledge.add(str(handbook.root))
        workspace.knowledge.remove("handbook", purge=True)
        assert not store.exists()
        with pytest.raises(UsageError, match="no knowledge base"):
            workspace.knowledge.remove("handbook")
    assert (handbook.root / "refunds.md").exists()


def test_command_adds_lists_and_removes(shop: Repository, handbook: Repository) -> None:
    added = run("knowledge", "add", "../handbook", "--name", "docs", cwd=shop.root)
    assert "added docs" in added.out
    assert "2 files" in added.out
    (listed,) = run("kb", "list", "--json", cwd=shop.root).document["bases"]
    assert (listed["name"], listed["path"], listed["files"], listed["problem"]) == (
        "docs", str(handbook.root), 2, "",
    )  # fmt: skip
    found = run("search", "how are refunds paid", cwd=shop.root)
    assert found.out.startswith(f"{handbook.root}/refunds.md:1-3")
    assert "[docs]" in found.out.partition("\n")[0]
    (state,) = run("status", "--json", cwd=shop.root).document["knowledge"]
    assert state["name"] == "docs"
    assert "docs, " in run("status", cwd=shop.root).out
    inside = run("knowledge", "remove", "../../handbook", cwd=shop.root / "shop")
    assert "removed docs" in inside.out
    assert "no knowledge bases" in run("knowledge", "list", cwd=shop.root).out


def test_linked_worktrees_share_bases(both: Repository, tmp_path: Path) -> None:
    with Workspace.open(both.root) as workspace:
        workspace.knowledge.add("vendor/lib")
    both.git("worktree", "add", "--quiet", "../linked", "-b", "linked")
    with Workspace.open(tmp_path / "linked") as linked:
        assert [base.name for base in linked.knowledge.bases()] == ["handbook", "lib"]
        found = linked.knowledge.search("solve equation")[0]
        assert found.path == (both.root / "vendor/lib/solver.py").as_posix()


def test_settings_name_bases_for_every_workspace_but_a_workspaces_file_may_not(
    shop: Repository, handbook: Repository
) -> None:
    given = {"knowledge.bases": [f"docs={handbook.root}"]}
    with Workspace.open(shop.root, settings=given) as workspace:
        assert workspace.knowledge.search("how are refunds paid")[0].base == "docs"
        with pytest.raises(UsageError, match="named by the settings"):
            workspace.knowledge.remove("docs")
    plain = {"CODECAIRN_KNOWLEDGE_BASES": str(handbook.root)}
    found = run("search", "refunds paid", "--json", cwd=shop.root, environment=plain).document
    assert "handbook" in {hit.get("base") for hit in found["results"]}
    shop.write(".codecairn.toml", f'[knowledge]\nbases = ["{handbook.root}"]\n')
    refused = run("search", "refunds", cwd=shop.root)
    assert refused.code == 2
    assert "may not be set by a workspace" in refused.err


def test_base_of_every_workspace_is_none_of_its_own(
    shop: Repository, handbook: Repository, tmp_path: Path
) -> None:
    given = {"knowledge.bases": [str(handbook.root), str(shop.root), str(tmp_path)]}
    for root, names in ((shop.root, ["handbook"]), (handbook.root, ["repository"])):
        with Workspace.open(root, settings=given) as workspace:
            assert [base.name for base in workspace.knowledge.bases()] == names


def test_list_that_can_not_be_read_is_told(both: Repository) -> None:
    Registry(both.root).file.write_text("{")
    refused = run("search", "refunds", cwd=both.root)
    assert refused.code == 1
    assert "can't read the list of knowledge bases" in refused.err
    assert run("search", "refunds", "--in", "workspace", cwd=both.root).code == 0


def test_unknown_home_folder_is_told(both: Repository) -> None:
    for arguments in (("add", "~nobody-of-this-name/x"), ("remove", "~nobody-of-this-name/x")):
        refused = run("knowledge", *arguments, cwd=both.root)
        assert refused.code == 1
        assert "home folder that is not known" in refused.err


def test_import_takes_over_bases_blame_and_scope(
    shop: Repository, handbook: Repository, tmp_path: Path
) -> None:
    document = {
        "knowledgeBases": ["../handbook", str(tmp_path / "missing"), "shop"],
        "indexing": {"gitBlame": {"enabled": True}},
    }
    shop.write(".opencode/codebase-index.json", json.dumps(document))
    looked = run("config", "import", "--dry-run", "--json", cwd=shop.root).document
    assert not run("knowledge", "list", "--json", cwd=shop.root).document["bases"]
    done = run("config", "import", "--json", cwd=shop.root).document
    assert done == looked
    assert [row["path"] for row in done["knowledge"]] == [str(handbook.root)]
    left_out = {row["key"]: row["reason"] for row in done["left_out"]}
    assert "codecairn config set --user search.blame" in left_out["search.blame"]
    assert "does not exist" in left_out[f"knowledgeBases: {tmp_path / 'missing'}"]
    assert "is part of the workspace" in left_out["knowledgeBases: shop"]
    assert "[handbook]" in run("search", "how are refunds paid", cwd=shop.root).out


def test_provider_that_a_workspace_was_opened_with_is_its_bases_too(
    both: Repository, handbook: Repository
) -> None:
    handbook.write(".codecairn.toml", 'ranking = "fusion"\n[search]\nlimit = 3\n')
    given = {"embedding.max_tokens": 7, "search.refresh": False, "knowledge.bases": ["nowhere"]}
    with Workspace.open(both.root, settings=given) as workspace:
        settings = workspace.knowledge.workspace_of("handbook").settings
    assert (settings.embedding_max_tokens, settings.search_refresh) == (7, False)
    assert (settings.ranking, settings.search_limit) == ("model", 3)
    assert settings.knowledge_bases == ()
