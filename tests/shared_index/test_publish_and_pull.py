"""What one person publishes another pulls: answers are those of an index made here, and nothing is parsed again."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from codecairn import ObjectMissing, UsageError
from codecairn.objects import tree
from codecairn.objects.compressed_json import packed, unpacked
from codecairn.objects.grant import Grant
from codecairn.objects.sealed_objects import ObjectName
from codecairn.replication import pack_plan
from codecairn.replication.remote_index import RemoteIndex
from support.answers import answers, answers_of_full_index
from support.corpus import module_text
from support.people import People, Person, size_of, stored


def _answers(person: Person) -> object:
    with person.here():
        return answers(person.root)


def _full_answers(person: Person) -> object:
    with person.here():
        return answers_of_full_index(person.root)


def test_pulled_index_answers_as_one_made_here_and_parses_nothing(
    reader: Person, owner: Person
) -> None:
    pulled = reader.done("pull", "--json").document
    assert pulled["is_new"]
    assert pulled["documents"] > 30
    assert pulled["index"]["parsed"] == 0
    assert pulled["index"]["embedded"] == 0
    assert pulled["index"]["reused"] == pulled["index"]["files"] > 30
    assert _answers(reader) == _full_answers(reader) == _answers(owner)
    assert json.loads(reader.done("doctor", "--json").out)["problems"] == []


def test_pull_is_said_in_words_and_pulling_again_fetches_next_to_nothing(reader: Person) -> None:
    first = reader.done("pull").out
    assert "pulled shop: main at " in first
    assert "epoch 1" in first
    again = reader.done("pull", "--json").document
    assert not again["is_new"]
    assert again["fetched_bytes"] < 20_000
    assert (again["documents"], again["index"]["parsed"]) == (0, 0)
    assert reader.done("pull").out.startswith("nothing newer in shop: main")


def test_local_edits_are_indexed_over_what_was_pulled(reader: Person) -> None:
    reader.clone.write("package1/module1.py", module_text(900, functions=5))
    reader.clone.write("own.py", "def only_here():\n    return 1\n")
    (reader.root / "package2/module2.py").unlink()
    pulled = reader.done("pull", "--json").document
    assert pulled["index"]["parsed"] == 2
    assert _answers(reader) == _full_answers(reader)


def test_three_edited_files_cost_little_to_publish_and_to_pull(
    owner: Person, reader: Person, people: People, shared_folder: Path
) -> None:
    reader.done("pull")
    before = stored(shared_folder)
    for number in (3, 14, 25):
        owner.clone.write(
            f"package{number % 10}/module{number}.py", module_text(number + 500, functions=4)
        )
    owner.clone.commit("second")
    published = owner.done("index", "--publish", "shop", "--json").document["published"]
    assert (published["epoch"], published["is_new"], published["contents"]) == (2, True, 3)
    after = stored(shared_folder)
    changed = {name: data for name, data in after.items() if before.get(name) != data}
    assert size_of(changed) <= 20_000
    assert published["uploaded_bytes"] <= size_of(changed)
    assert set(before) <= set(after)

    reader.clone.git("pull", "--quiet", str(owner.root), "main")
    pulled = reader.done("pull", "--json").document
    assert pulled["epoch"] == 2
    assert (pulled["index"]["parsed"], pulled["index"]["reused"]) == (0, 3)
    assert pulled["fetched_bytes"] <= 20_000
    assert _answers(reader) == _full_answers(reader) == _answers(owner)


def test_publisher_with_an_empty_store_pulls_first_and_uploads_the_difference(
    owner: Person, people: People, shared_folder: Path
) -> None:
    ci = people.person("ci")
    ci.done("remote", "accept", str(people.grant(owner, "--publisher", "ci")))
    before = stored(shared_folder)
    ci.clone.write("package3/module3.py", module_text(777, functions=4))
    ci.clone.commit("by ci")
    ci.done("pull")
    published = ci.done("index", "--publish", "shop", "--json").document["published"]
    assert published["contents"] == 1
    changed = {
        name: data for name, data in stored(shared_folder).items() if before.get(name) != data
    }
    assert size_of(changed) <= 20_000


def test_publishing_nothing_new_changes_nothing(owner: Person, shared_folder: Path) -> None:
    before = stored(shared_folder)
    again = owner.done("index", "--publish", "shop", "--json").document["published"]
    assert (again["is_new"], again["epoch"], again["objects"]) == (False, 1, 0)
    assert stored(shared_folder) == before
    assert "already published: shop" in owner.done("index", "--publish", "shop").out


def test_reader_of_an_older_grant_is_told_of_a_new_publisher(
    owner: Person, reader: Person, people: People
) -> None:
    ci = people.person("ci")
    ci.done("remote", "accept", str(people.grant(owner, "--publisher", "ci")))
    ci.done("pull")
    ci.clone.write("new.py", "def newly():\n    return 1\n")
    ci.clone.commit()
    ci.done("index", "--publish", "shop")
    refused = reader.run("pull")
    assert refused.code == 1
    assert "a publisher that your grant does not list" in refused.err
    newer = str(people.grant(owner))
    asked = reader.run("remote", "accept", newer)
    assert asked.code == 2
    assert "it accepts the publisher `ci` (" in asked.err
    assert "--replace" in asked.err
    assert reader.run("pull").code == 1
    reader.done("remote", "accept", newer, "--replace")
    assert reader.done("pull", "--json").document["epoch"] == 2


def test_branch_without_an_index_of_its_own_takes_the_grants(reader: Person) -> None:
    reader.clone.git("switch", "--quiet", "--create", "feature")
    reader.clone.write("feature.py", "def of_the_feature():\n    return 1\n")
    pulled = reader.done("pull", "--json").document
    assert pulled["branch"] == "main"
    assert pulled["index"]["branch"] == "feature"
    assert pulled["index"]["parsed"] == 1
    assert _answers(reader) == _full_answers(reader)
    named = reader.run("pull", "--branch", "feature")
    assert named.code == 1
    assert "has no branch `feature`" in named.err


def test_two_branches_are_published_apart_and_share_objects(
    owner: Person, people: People, shared_folder: Path
) -> None:
    before = stored(shared_folder)
    owner.clone.git("switch", "--quiet", "--create", "feature")
    owner.clone.write("feature.py", "def of_the_feature():\n    return 1\n")
    owner.clone.commit("feature")
    published = owner.done("index", "--publish", "shop", "--json").document["published"]
    assert (published["branch"], published["epoch"], published["contents"]) == ("feature", 1, 1)
    assert size_of(stored(shared_folder)) - size_of(before) < 20_000
    status = owner.done("remote", "status", "--json", "--branch", "main").document
    assert status["epoch"] == 1


def test_commit_without_a_branch_is_published_under_a_name_that_is_given(owner: Person) -> None:
    owner.clone.git("checkout", "--quiet", "--detach")
    refused = owner.run("index", "--publish", "shop")
    assert refused.code == 2
    assert "no branch is checked out" in refused.err
    assert "--branch NAME" in refused.err
    published = owner.done("index", "--publish", "shop", "--branch", "main", "--json").document
    assert published["published"]["branch"] == "main"


@pytest.mark.parametrize("is_edited", [False, True])
def test_leaf_that_the_store_lost_is_uploaded_again(
    owner: Person, reader: Person, is_edited: bool
) -> None:
    with owner.here():
        opened = RemoteIndex(_grant(owner))
        revision = opened.latest("main")
        assert revision is not None
        leaves = _leaves(opened, revision.manifest.tree)
    assert len(leaves) > 1
    if is_edited:
        owner.clone.write("zzz.py", "def newly():\n    return 1\n")
        owner.clone.commit("edit of the last leaf")
    key = f"{opened.grant.repository}/objects/{leaves[0][:2]}/{leaves[0][2:]}"
    opened.store.delete(key)
    published = owner.done("index", "--publish", "shop", "--json").document["published"]
    assert published["is_new"] == is_edited
    assert opened.store.exists(key)
    reader.done("index")  # so that pulling reads the whole tree
    assert reader.done("pull", "--json").document["epoch"] == 1 + is_edited


@pytest.mark.timeout(60)
def test_publishing_after_a_tree_without_bounds_takes_no_longer(owner: Person) -> None:
    with owner.here():
        opened = RemoteIndex(_grant(owner))
        revision = opened.latest("main")
        assert revision is not None
        node: object = {"leaf": []}
        for _ in range(10):
            sealed = opened.objects.sealed(tree.KIND, packed(node))
            opened.objects.store(sealed)
            node = {"inner": [["a", sealed.name.sha256, sealed.name.size_bytes]] * 512}
        forged = replace(revision.manifest, epoch=2, tree=sealed.name)
        opened.move(forged, expected_epoch=1)
    assert owner.done("index", "--publish", "shop", "--json").document["published"]["epoch"] == 3


def _grant(person: Person) -> Grant:
    with person.workspace() as workspace:
        return workspace.remote.grant()


def _leaves(opened: RemoteIndex, root: ObjectName) -> list[str]:
    """The SHA-256 of the leaves below a root."""
    node = unpacked(opened.objects.read(tree.KIND, root), what="tree", max_bytes=1 << 20)
    if "leaf" in node:
        return [root.sha256]
    children = [ObjectName(sha256, size) for _, sha256, size in node["inner"]]
    return [leaf for child in children for leaf in _leaves(opened, child)]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
def test_file_whose_name_is_a_path_elsewhere_is_parsed_by_its_reader(
    owner: Person, reader: Person
) -> None:
    owner.clone.write("a\\..\\b.py", "def odd():\n    return 1\n")
    owner.clone.write("C:x.py", "def odder():\n    return 1\n")
    owner.clone.commit("odd names")
    owner.done("index", "--publish", "shop")
    reader.done("index")
    reader.clone.git("pull", "--quiet", str(owner.root), "main")
    assert reader.done("pull", "--json").document["epoch"] == 2
    assert _answers(reader) == _answers(owner)


def test_grant_to_read_does_not_publish(reader: Person, shared_folder: Path) -> None:
    reader.done("pull")
    before = stored(shared_folder)
    refused = reader.run("index", "--publish", "shop")
    assert refused.code == 2
    assert "lets you read the shared index, not publish it" in refused.err
    assert reader.run("remote", "grant", str(reader.home / "g"), "--publisher", "me").code == 2
    assert stored(shared_folder) == before


def test_another_clone_finds_the_grant_by_where_it_was_cloned_from(
    reader: Person, people: People
) -> None:
    fresh = Person(home=reader.home, clone=people.cloned("reader again"))
    assert fresh.done("pull", "--json").document["index"]["parsed"] == 0


def test_index_of_another_repository_is_refused(reader: Person, tmp_path: Path) -> None:
    from support.repository import Repository

    other = Repository.make(tmp_path / "other")
    for number in range(40):
        other.write(f"src/other{number}.py", f"def other_{number}():\n    return {number}\n")
    other.commit()
    stranger = Person(home=reader.home, clone=other)
    refused = stranger.run("pull", "--remote", "shop")
    assert refused.code == 2
    assert "is of other files" in refused.err
    assert stranger.done("status", "--json").document["files"] == 0


def test_many_small_publications_do_not_leave_many_packs(owner: Person) -> None:
    with owner.workspace() as workspace:
        for number in range(20):
            owner.clone.write(f"new{number}.py", f"def newly_{number}():\n    return {number}\n")
            owner.clone.commit(f"change {number}")
            workspace.index()
            done = workspace.remote.publish("shop")
        assert done.packs <= 2 * pack_plan.FAN_OUT
        assert done.epoch == 21


def test_other_workspaces_are_told_how_to_begin(people: People) -> None:
    stranger = people.person("stranger")
    for arguments in (("pull",), ("remote", "status"), ("remote", "grant", "x")):
        refused = stranger.run(*arguments)
        assert refused.code == 2
        assert "no shared index is set up" in refused.err
        assert "codecairn remote accept FILE" in refused.err
    refused = stranger.run("index", "--publish", "s3://elsewhere/x")
    assert refused.code == 2
    assert "you hold no grant for the shared index `s3://elsewhere/x`" in refused.err


def test_python_has_what_the_command_has(owner: Person, reader: Person) -> None:
    with owner.workspace() as workspace:
        assert workspace.remote.status().epoch == 1
        with pytest.raises(UsageError, match="already"):
            workspace.remote.init(workspace.remote.grant().url, name="shop")
    with reader.workspace() as workspace:
        assert workspace.remote.pull().index.parsed == 0
        with pytest.raises(ObjectMissing):
            workspace.remote.pull(branch="nowhere")
