"""Names of groups in a graph: allowed, and one a project."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecairn.errors import ConfigError
from codecairn.memory.backends.group_names import group_name, require_group

PREFIXES = st.sampled_from(["codecairn", "opencode", "a-b_c"])


@given(PREFIXES, st.text(), st.text(), st.text())
def test_a_group_has_only_allowed_characters_and_no_other_project_has_it(
    prefix: str, project: str, other: str, identity: str
) -> None:
    if any(0xD800 <= ord(letter) < 0xE000 for letter in project + other + identity):
        return
    group = group_name(prefix, project, identity)
    assert re.fullmatch(r"[A-Za-z0-9_-]+", group)
    assert (group_name(prefix, other, identity) == group) == (other == project)


def test_projects_of_equal_names_have_groups_of_their_own() -> None:
    first, second = (group_name("codecairn", "api", f"remote:{host}/api") for host in ("a", "b"))
    assert first != second
    assert first.startswith("codecairn-api__")
    assert group_name("codecairn", "api", "remote:a/api") == first


@pytest.mark.parametrize("address", ["example.com/ann/rp", "example.com/rp", "/srv/git/rp"])
def test_clones_of_one_remote_have_one_group_whatever_their_folders_are_called(
    address: str,
) -> None:
    groups = {group_name("codecairn", each, f"remote:{address}") for each in ("rp", "rpB", "main")}
    assert len(groups) == 1
    assert groups.pop().startswith("codecairn-rp__")


@pytest.mark.parametrize("name", ["", "a b", "é", "a/b", "a\n"])
def test_a_name_that_graphiti_would_drop_is_refused(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        require_group(name, setting="memory.graphiti_group")
    assert "`memory.graphiti_group`" in caught.value.message
    with pytest.raises(ConfigError):
        group_name(name, "api", "i")
