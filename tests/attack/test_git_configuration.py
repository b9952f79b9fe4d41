"""A repository whose configuration names programs: no operation of ours has git run one of them.

Each case also holds that plain git would run the program, so that the tests can fail.
"""

import pytest

from attack.hostile import ON_POSIX, Attack, Hostile, executing
from codecairn import SearchFilters, Workspace
from codecairn.errors import HistoryUnavailable

pytestmark = ON_POSIX

_PROMISED = {
    "core.repositoryFormatVersion": "1",
    "extensions.partialClone": "origin",
    "remote.origin.promisor": "true",
    "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
}
_FETCH = ("cat-file", "-p", "HEAD~1:shop/basket.py")
_ATTRIBUTES = {".git/info/attributes": "* filter=evil diff=evil merge=evil\n"}

ATTACKS = {
    "core.fsmonitor": Attack({"core.fsmonitor": "{program}"}, control=("status",)),
    "core.hooksPath": Attack(
        {"core.hooksPath": "{root}/planted"}, {"planted/post-index-change": "{program}"}, control=("status",),
    ),
    "hooks": Attack(git_files={".git/hooks/post-index-change": "{program}"}, control=("read-tree", "HEAD")),
    "filter.clean": Attack({"filter.evil.clean": "{program}"}, git_files=_ATTRIBUTES),
    "filter.clean, required": Attack(
        {"filter.evil.clean": "{program}", "filter.evil.required": "true"}, git_files=_ATTRIBUTES,
    ),
    "filter.process": Attack({"filter.evil.process": "{program}"}, git_files=_ATTRIBUTES),
    "filter.smudge": Attack(
        {"filter.evil.smudge": "{program}"}, git_files=_ATTRIBUTES, control=("checkout", "--", "shop"),
    ),
    "filter of a committed attribute": Attack(
        {"filter.evil.clean": "{program}"}, {".gitattributes": "*.py filter=evil\n"},
    ),
    "filter with an odd name": Attack(
        {"filter.An.evil,na/me;x.clean": "{program}"}, git_files={".git/info/attributes": "* filter=An.evil,na/me;x\n"},
    ),
    "filter with an equals sign": Attack(
        {"filter.a=b.clean": "{program}"}, git_files={".git/info/attributes": "* filter=a=b\n"},
    ),
    "filter of an included file": Attack(
        {"include.path": "more"}, git_files={**_ATTRIBUTES, ".git/more": '[filter "evil"]\n\tclean = {program}\n'},
    ),
    "filter of a worktree's settings": Attack(
        {"extensions.worktreeConfig": "true", "core.repositoryFormatVersion": "1"},
        git_files={**_ATTRIBUTES, ".git/config.worktree": '[filter "evil"]\n\tclean = {program}\n'},
    ),
    "diff.external": Attack({"diff.external": "{program}"}),
    "diff.command": Attack({"diff.evil.command": "{program}"}, git_files=_ATTRIBUTES),
    "diff.textconv": Attack({"diff.evil.textconv": "{program}"}, git_files=_ATTRIBUTES),
    "diff.textconv of a log": Attack(
        {"diff.evil.textconv": "{program}"}, git_files=_ATTRIBUTES, control=("log", "--patch"),
    ),
    "gpg.program": Attack(
        {"gpg.program": "{program}", "log.showSignature": "true"}, control=("log",), is_signed=True,
    ),
    "remote.uploadpack": Attack(
        {**_PROMISED, "remote.origin.url": "file://{root}", "remote.origin.uploadpack": "{program}",
         "protocol.file.allow": "always"},
        control=_FETCH, lacks_content=True,
    ),
    "core.sshCommand": Attack(
        {**_PROMISED, "remote.origin.url": "ssh://nowhere.invalid/x", "core.sshCommand": "{program}",
         "protocol.ssh.allow": "always"},
        control=_FETCH, lacks_content=True,
    ),
    "core.gitProxy": Attack(
        {**_PROMISED, "remote.origin.url": "git://nowhere.invalid/x", "core.gitProxy": "{program}",
         "protocol.git.allow": "always"},
        control=_FETCH, lacks_content=True,
    ),
    "remote helper": Attack(
        {**_PROMISED, "remote.origin.url": "ext::{program}", "protocol.ext.allow": "always"},
        control=_FETCH, lacks_content=True,
    ),
    "GIT_EXTERNAL_DIFF": Attack(variables={"GIT_EXTERNAL_DIFF": "{program}"}),
    "GIT_CONFIG_COUNT": Attack(
        variables={
            "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": "{program}"
        },
        control=("status",),
    ),
    "GIT_CONFIG_GLOBAL, relative": Attack(
        files={"planted.cfg": "[core]\n\tfsmonitor = {program}\n"}, variables={"GIT_CONFIG_GLOBAL": "planted.cfg"},
        control=("status",),
    ),
    "XDG_CONFIG_HOME, relative": Attack(
        files={"git/config": "[core]\n\tfsmonitor = {program}\n"},
        variables={"XDG_CONFIG_HOME": ".", "GIT_CONFIG_GLOBAL": ""}, control=("status",),
    ),
    "GIT_SSH_COMMAND": Attack(
        {**_PROMISED, "remote.origin.url": "ssh://nowhere.invalid/x"},
        variables={"GIT_SSH_COMMAND": "{program}"}, control=_FETCH, lacks_content=True,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ATTACKS)
def test_no_operation_runs_what_the_repository_names(
    hostile: Hostile, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    attack = ATTACKS[name]
    hostile.harm(attack)
    for variable, value in attack.variables.items():
        monkeypatch.setenv(variable, hostile.filled(value))
        if not value:
            monkeypatch.delenv(variable)
    monkeypatch.chdir(hostile.root)
    assert list(executing(hostile)) == []
    hostile.plain_git(*attack.control)
    assert hostile.was_executed(), "plain git would not run it: the test holds nothing"


@pytest.mark.parametrize(
    "name", [name for name, attack in ATTACKS.items() if "equals" not in name and not attack.lacks_content]
)  # fmt: skip
def test_questions_are_answered_all_the_same(hostile: Hostile, name: str) -> None:
    """Programs are off; what they were to be asked for is not."""
    hostile.harm(ATTACKS[name])
    with Workspace.open(hostile.root) as workspace:
        touched = {symbol.name for symbol in workspace.graph.impact().touched}
        blamed = workspace.search("basket", filters=SearchFilters(author="Ann"))
    assert {"total_price", "new"} <= touched
    assert blamed.hits


def test_filter_that_can_not_be_switched_off_is_an_error(hostile: Hostile) -> None:
    hostile.harm(ATTACKS["filter with an equals sign"])
    with (
        Workspace.open(hostile.root) as workspace,
        pytest.raises(HistoryUnavailable, match="`a=b` has `=` in its name"),
    ):
        workspace.graph.impact()
