"""The changed lines of the working tree, since a commit or of a branch, from git and mapped to the lines of the index.

The index is that of the current branch, in the state of its files.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

from codecairn.core.git import git, text
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import HistoryUnavailable, UsageError
from codecairn.graph.unified_diff import ChangedFile, Lines, joined, parse_diff
from codecairn.graph.untracked import untracked

_HINT = "name files or a symbol instead: `codecairn impact --file PATH`"
_DIFF = (
    "diff", "--no-color", "--unified=0", "--find-renames", "--src-prefix=a/", "--dst-prefix=b/", "--relative",
)  # fmt: skip
_DEFAULT_BRANCHES = ("main", "master", "trunk", "develop")


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """A file that changes, as the index knows it; no lines stand for all of it, `None` for none."""

    path: str
    lines: tuple[Lines, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What changes.

    Attributes:
        subject: What was asked about, in words.
        compared: What was compared with what, in words.
        index: How lines were brought to the index, in words.
        touched: The files.
        head: The commit at the end of the change; empty for the working tree.
        has_new_files: Whether files that git does not track belong to it; they are not among `touched` yet.
        branch: The catalog that has it, if not that of the branch in work.
    """

    subject: str
    compared: str
    index: str
    touched: tuple[Touched, ...]
    head: str = ""
    has_new_files: bool = False
    branch: str = ""


Prepare: TypeAlias = Callable[[str], str]
"""Indexes a commit; the name of its catalog, or nothing if that can't be done now."""


def commit_of(root: Path, ref: str) -> str:
    """The id of a commit that the user named.

    Raises:
        UsageError: If there is no such commit.
    """
    found = b""
    if ref and not ref.startswith("-"):
        found = git(root, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}", may_fail=True)
    if not found:
        raise UsageError(
            f"git knows no commit `{ref}`", hint="give a branch, a tag or a commit that is here"
        )
    return text(found)


def merge_base(root: Path, one: str, other: str) -> str:
    """The commit where two histories part.

    Raises:
        UsageError: If they have nothing in common.
    """
    found = text(git(root, "merge-base", one, other, may_fail=True))
    if not found:
        raise UsageError("the two histories have no commit in common")
    return found


def working_tree(root: Path, *, branch: str, head: str) -> Change:
    """The changes that are not committed yet."""
    if not head:
        git(root, "rev-parse", "--git-dir", hint=_HINT)
        raise HistoryUnavailable("nothing was committed yet", hint=_HINT)
    return Change(
        subject="the working tree's changes",
        compared=f"compared: the last commit ({head[:12]}) with the files as they are",
        index=_index_words(branch),
        touched=_on_new_side(parse_diff(_diff(root, head))),
        has_new_files=True,
    )


def by_ref(root: Path, ref: str, *, branch: str, prepare: Prepare) -> Change:
    """What a branch, a tag or a commit brings; or, if it lies in our history, what changed since.

    The branch in work itself is compared with the default branch.
    """
    wanted, head = commit_of(root, ref), commit_of(root, "HEAD")
    if wanted == head:
        return _own_branch(root, ref, head, branch=branch)
    base = merge_base(root, head, wanted)
    if base == wanted:
        return Change(
            subject=f"changes since {ref}",
            compared=f"compared: {ref} ({wanted[:12]}) with the files as they are",
            index=_index_words(branch),
            touched=_on_new_side(parse_diff(_diff(root, wanted))),
            has_new_files=True,
        )
    return brought(root, base, wanted, subject=ref, branch=branch, prepare=prepare)


def brought(
    root: Path, base: str, head: str, *, subject: str, branch: str, prepare: Prepare
) -> Change:
    """What was changed up to a commit that is not checked out, in its own index; laid on ours if it can't have one."""
    name = prepare(head)
    if not name:
        return between(root, base, head, subject=subject, branch=branch)
    return Change(
        subject=subject,
        compared=f"compared: {base[:12]}, where it parts, with {head[:12]}",
        index=f"index: {head[:12]}, made from git's objects",
        touched=_on_new_side(parse_diff(_diff(root, base, head))),
        head=head,
        branch=name,
    )


def between(root: Path, base: str, head: str, *, subject: str, branch: str) -> Change:
    """What was changed from a commit to one that is not checked out."""
    files = parse_diff(_diff(root, base, head))
    return Change(
        subject=subject,
        compared=f"compared: {base[:12]}, where it parts, with {head[:12]}",
        index=f"{_index_words(branch)}; {subject} is not checked out: its changes are laid on that",
        touched=_on_old_side(root, base, files),
        head=head,
    )


def laid_on_index(root: Path, files: tuple[ChangedFile, ...], *, base: str) -> tuple[Touched, ...]:
    """The files of a diff against `base`, with the lines where the index has them."""
    return _on_old_side(root, base, files)


def _own_branch(root: Path, ref: str, head: str, *, branch: str) -> Change:
    base_name = default_branch(root)
    base = merge_base(root, base_name, head) if base_name else head
    return Change(
        subject=ref,
        compared=f"compared: {base[:12]}, where it parts from {base_name or 'itself'}, "
        "with the files as they are",
        index=_index_words(branch),
        touched=_on_new_side(parse_diff(_diff(root, base))),
        has_new_files=True,
    )


def default_branch(root: Path) -> str:
    """The default branch, into which others are merged; empty if unknown."""
    remote = text(
        git(root, "symbolic-ref", "--quiet", "refs/remotes/origin/HEAD", may_fail=True)
    ).removeprefix("refs/remotes/")
    for name in (remote, *_DEFAULT_BRANCHES):
        if name and git(
            root, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", may_fail=True
        ):
            return name
    return ""


def _diff(root: Path, *commits: str, paths: tuple[str, ...] = (".",)) -> str:
    output = git(root, *_DIFF, *commits, "--", *(f":(literal){path}" for path in paths), hint=_HINT)
    return output.decode("utf-8", "replace")


def with_new_files(root: Path, change: Change, indexed: Iterable[str]) -> tuple[Touched, ...]:
    """The files of a change, with those of the index that git does not track, if they belong to it."""
    if not change.has_new_files:
        return change.touched
    known = {each.path for each in change.touched}
    new = [path for path in untracked(root, indexed) if path not in known]
    return (*change.touched, *(Touched(path=path, lines=()) for path in new))


def _on_new_side(files: tuple[ChangedFile, ...]) -> tuple[Touched, ...]:
    return tuple(
        Touched(
            path=file.path, lines=tuple(joined(file.new_lines() if file.new_path else [])) or None
        )
        for file in files
    )


def _on_old_side(root: Path, base: str, files: tuple[ChangedFile, ...]) -> tuple[Touched, ...]:
    """The changed lines of the base, at their positions in the working tree."""
    old = tuple(file.old_path for file in files if file.old_path is not None)
    since = parse_diff(_diff(root, base, paths=old)) if old else ()
    moves = {file.old_path: file for file in since}
    touched = []
    for file in files:
        move = moves.get(file.old_path) if file.old_path is not None else None
        path = file.path if file.old_path is None else file.old_path
        spans = file.old_lines() if file.old_path is not None else []
        if move is not None:
            path = move.path
            spans = [(move.moved(first), move.moved(last)) for first, last in spans]
        touched.append(Touched(path=path, lines=tuple(joined(spans)) or None))
    return tuple(touched)


def _index_words(branch: str) -> str:
    return (
        f"index: branch {branch}, as its files are now"
        if branch
        else "index: the files as they are"
    )
