"""The settings, options and environment that keep git from running programs named by a repository, and from reading further files.

A repository's configuration can name a program in some forty settings, and a bare repository inside a checkout brings its own
by a mere clone. Git is given the settings below on its command line, which go before those of every file, the options of
`COMMANDS`, and an environment in which nothing else is set.

- Programs of the working tree: `core.fsmonitor`, hooks, and filters, whose names are arbitrary (`filters_off`).
- Programs of comparisons: external ones and `textconv`, off by options, as their names are arbitrary too. Nothing looks into
  submodules, where git would start itself with their configuration.
- Programs of the network: no protocol is allowed (`GIT_ALLOW_PROTOCOL` goes before every setting), so none of `core.sshCommand`,
  `remote.*.uploadpack`, remote helpers, `credential.helper` and `core.gitProxy` is reached, also by a partial clone that fetches
  what it lacks. The one exception is `fetch`, which runs in repositories of codecairn's own alone and gets the address as an
  argument: there `PROTOCOLS` are allowed, and the user's own configuration may name ssh and a credential helper.
- Pagers, editors and `gpg` are never reached by these commands; they are off all the same.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from codecairn.core.programs import environment, repository_of

_SETTINGS: Mapping[str, str] = MappingProxyType(
    {
        "blame.ignoreRevsFile": "",
        "core.alternateRefsCommand": "",
        "core.askPass": "",
        "core.attributesFile": os.devnull,
        "core.editor": "false",
        "core.excludesFile": os.devnull,
        "core.fsmonitor": "false",
        "core.gitProxy": "",
        "core.hooksPath": os.devnull,
        "core.pager": "cat",
        "core.quotePath": "false",
        "core.sshCommand": "false",
        "credential.helper": "",
        "diff.external": "",
        "diff.submodule": "short",
        "fetch.recurseSubmodules": "false",
        "gc.autoDetach": "false",
        "gc.bigPackThreshold": "100m",
        "gpg.program": "false",
        "log.showSignature": "false",
        "mailmap.file": "",
        "maintenance.auto": "false",
        "protocol.allow": "never",
        "safe.bareRepository": "explicit",
        "sequence.editor": "false",
        "status.submoduleSummary": "false",
        "submodule.recurse": "false",
    }
)

_OF_NETWORK = ("core.sshCommand", "credential.helper")
"""What the user's own configuration decides for `fetch`."""

PROTOCOLS = "file:https:ssh"
"""How `fetch` may reach a repository. What plain `http` and `git` carry can be changed on the way."""

_NO_PROGRAMS = ("--no-ext-diff", "--no-textconv")

COMMANDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "blame": ("--no-textconv",),
        "cat-file": (),
        "config": (),
        "diff": (*_NO_PROGRAMS, "--ignore-submodules=all", "--submodule=short", f"-O{os.devnull}"),
        "fetch": (
            "--no-auto-maintenance",
            "--no-recurse-submodules",
            "--no-tags",
            "--no-write-fetch-head",
            "--quiet",
        ),
        "for-each-ref": (),
        "gc": ("--auto", "--quiet"),
        "log": (*_NO_PROGRAMS, "--no-show-signature", "--submodule=short", f"-O{os.devnull}"),
        "ls-files": (),
        "ls-tree": (),
        "merge-base": (),
        "read-tree": (),
        "remote": (),
        "rev-list": (),
        "rev-parse": (),
        "symbolic-ref": (),
    }
)
"""The commands of git that are run, with the options that each is given."""

READS_FILES = frozenset({"diff", "read-tree"})
"""Those that may read or write files of the working tree, to which filters apply."""

NETWORK = frozenset({"fetch"})
"""Those that may use the network."""

_FOREIGN_OWNER = ("dubious ownership", "is owned by someone else")

# The user's own configuration, which may say which folders of other owners are safe, and how far repositories are looked for.
_USERS_OWN = (
    "GIT_CEILING_DIRECTORIES", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_DISCOVERY_ACROSS_FILESYSTEM",
)  # fmt: skip

_USERS_NETWORK = (
    "GIT_SSH_COMMAND", "GIT_SSL_CAINFO", "HTTPS_PROXY", "NO_PROXY", "SSH_AUTH_SOCK", "SSL_CERT_DIR", "SSL_CERT_FILE",
)  # fmt: skip

_NO_PROMPTS_OF_SSH = {"SSH_ASKPASS": os.devnull, "SSH_ASKPASS_REQUIRE": "force"}
"""By these ssh asks for no passphrase, also where it has a terminal."""


def arguments_of(root: Path, arguments: Sequence[str], filters: Sequence[str]) -> list[str]:
    """The arguments of git for a command in a folder, with these filters off."""
    command, *rest = arguments
    settings = dict(_SETTINGS)
    if command in NETWORK:
        for name in _OF_NETWORK:
            del settings[name]
        settings |= {"http.lowSpeedLimit": "1000", "http.lowSpeedTime": "60"}
    for name in filters:
        settings |= {f"{name}.clean": "", f"{name}.smudge": "", f"{name}.process": ""}
        settings[f"{name}.required"] = "false"
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    return ["-C", str(root.absolute()), "--no-pager", *options, command, *COMMANDS[command], *rest]


def git_environment(root: Path, command: str = "") -> dict[str, str]:
    """The environment that git is run in: none of the variables that move a repository or name a program.

    For a command of `NETWORK` those stay by which the user chooses an identity, a proxy and certificates.
    """
    is_network = command in NETWORK
    given = environment(root, *_USERS_OWN, *(_USERS_NETWORK if is_network else ()))
    repository = repository_of(root)
    if repository is not None:
        given["GIT_WORK_TREE"] = str(repository)  # `core.worktree` may name any folder
    return (
        given
        | {
            "GIT_ALLOW_PROTOCOL": PROTOCOLS if is_network else "none",
            "GIT_NO_LAZY_FETCH": "1",  # before 2.45 git does not know it: then no protocol is allowed all the same
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
        }
        | (_NO_PROMPTS_OF_SSH if is_network else {})
    )


def filter_names(keys: bytes) -> list[str]:
    """The filters, `filter.NAME`, of the keys that `git config --null --name-only` lists.

    Raises:
        ValueError: If a name can't be written in an option of git.
    """
    names = {key.decode("utf-8", "surrogateescape").rpartition(".")[0] for key in keys.split(b"\0")}
    names.discard("")
    if wrong := next((name for name in names if "=" in name), None):
        raise ValueError(f"the filter `{wrong.partition('.')[2]:.100}` has `=` in its name")
    return sorted(names)


def is_foreign(complaint: str) -> bool:
    """Whether git refuses a repository because it belongs to another user."""
    return any(words in complaint for words in _FOREIGN_OWNER)
