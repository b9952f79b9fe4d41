"""Finding a workspace's root, and refusing some."""

from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

import pytest

from codecairn.errors import BadWorkspace
from codecairn.paths import root as root_paths
from codecairn.paths.bare_layout import is_bare_layout
from codecairn.paths.root import find_root, forbidden_reason, holds_many_files, resolve_folder
from support.repository import Repository

POSIX_HOME = PurePosixPath("/home/ann")
WINDOWS_HOME = PureWindowsPath("C:\\Users\\Ann")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/", "the root of a file system"),
        ("/home", "a folder of home folders"),
        ("/home/ann", "a home folder"),
        ("/home/carl", "a home folder"),
        ("/Users/ann", "a home folder"),
        ("/Users", "a folder of home folders"),
        ("/root", "a home folder"),
        ("/home/ann/project", None),
        ("/root/project", None),
        ("/srv/code", None),
        ("/tmp", None),
    ],
)
def test_forbidden_posix_folders(path: str, reason: str | None) -> None:
    assert forbidden_reason(PurePosixPath(path), home=POSIX_HOME) == reason


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("C:\\", "the root of a file system"),
        ("D:\\", "the root of a file system"),
        ("\\\\server\\share\\", "the root of a file system"),
        ("C:\\Users", "a folder of home folders"),
        ("c:\\users\\ANN", "a home folder"),
        ("C:\\Users\\carl", "a home folder"),
        ("C:\\Users\\Ann\\project", None),
        ("D:\\code\\project", None),
        ("\\\\server\\share\\project", None),
    ],
)
def test_forbidden_windows_folders(path: str, reason: str | None) -> None:
    assert forbidden_reason(PureWindowsPath(path), home=WINDOWS_HOME) == reason


def test_home_folder_in_an_unusual_place_is_refused() -> None:
    home: PurePath = PurePosixPath("/data/people/ann")
    assert forbidden_reason(home, home=home) == "a home folder"
    assert forbidden_reason(home.parent, home=home) == "a folder of home folders"
    assert forbidden_reason(PurePosixPath("/data/code"), home=home) is None


def _root(start: Path, home: Path, *with_stores: Path) -> Path:
    return find_root(start, home=home, has_store=with_stores.__contains__)


def test_folder_without_git_is_its_own_root(folder: Repository, home: Path) -> None:
    assert _root(folder.root, home) == folder.root


def test_root_is_the_top_level_of_git(repository: Repository, home: Path) -> None:
    inner = repository.root / "a" / "b"
    inner.mkdir(parents=True)
    assert _root(inner, home) == repository.root


def test_nearest_store_comes_before_the_top_level_of_git(
    repository: Repository, home: Path
) -> None:
    inner = repository.root / "part" / "src"
    inner.mkdir(parents=True)
    part = repository.root / "part"
    assert _root(inner, home, part, repository.root) == part


def test_store_above_a_repository_is_the_root(repository: Repository, home: Path) -> None:
    inner = Repository.make(repository.root / "vendor" / "library")
    assert _root(inner.root, home) == inner.root
    assert _root(inner.root, home, repository.root) == repository.root


def test_linked_worktree_inside_its_main_worktree_is_a_root(
    repository: Repository, home: Path
) -> None:
    repository.write("a.py", "x = 1\n")
    repository.commit()
    repository.git("worktree", "add", "--quiet", "trees/feature")
    worktree = repository.root / "trees" / "feature"
    inner = worktree / "deep"
    inner.mkdir()
    assert _root(inner, home, repository.root) == worktree


def test_submodule_belongs_to_an_indexed_superproject(repository: Repository, home: Path) -> None:
    module = repository.root / "module"
    (repository.root / ".git" / "modules" / "module").mkdir(parents=True)
    module.mkdir()
    (module / ".git").write_text("gitdir: ../.git/modules/module\n")
    assert _root(module, home) == module
    assert _root(module, home, repository.root) == repository.root


def test_repository_of_dotfiles_in_a_home_does_not_swallow_its_folders(home: Path) -> None:
    Repository(home).git("init", "--quiet")
    notes = home / "notes"
    notes.mkdir()
    assert _root(notes, home) == notes
    assert _root(home, home) == home


def test_store_in_a_home_gives_way_to_a_repository_below(home: Path) -> None:
    inner = Repository.make(home / "project").root
    notes = home / "notes"
    notes.mkdir()
    assert _root(inner, home, home) == inner
    assert _root(notes, home, home) == home


def test_large_folder_without_a_marker_is_refused(
    folder: Repository, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(root_paths, "MANY_FILES", 5)
    for number in range(5):
        folder.write(f"{number % 2}/{number}.txt", "x")
    with pytest.raises(BadWorkspace, match="no project marker") as caught:
        root_paths.require_reasonable(folder.root, home=home)
    assert "codecairn index" in caught.value.hint
    folder.write("go.mod", "module x\n")
    root_paths.require_reasonable(folder.root, home=home)


MARKERS = """
.git .hg .svn .jj .codecairn.toml BUILD.bazel CMakeLists.txt Cargo.toml Gemfile Makefile Package.swift build.gradle
build.gradle.kts build.sbt build.zig composer.json deno.json dune-project go.mod meson.build mix.exs package.json pom.xml
pubspec.yaml pyproject.toml rebar.config requirements.txt setup.cfg setup.py stack.yaml
"""


@pytest.mark.parametrize("name", MARKERS.split())
def test_large_folder_with_a_marker_is_a_project(
    folder: Repository, home: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(root_paths, "MANY_FILES", 1)
    folder.write("notes.txt", "x")
    with pytest.raises(BadWorkspace, match="no project marker"):
        root_paths.require_reasonable(folder.root, home=home)
    folder.write(name, "")
    root_paths.require_reasonable(folder.root, home=home)


def test_counting_files_stops_at_the_limit(folder: Repository) -> None:
    for number in range(4):
        folder.write(f"{number}/file.txt", "x")
    assert holds_many_files(folder.root, limit=4)
    assert not holds_many_files(folder.root, limit=5)


def test_bare_repository_is_refused(repository: Repository, home: Path) -> None:
    bare = repository.root.parent / "bare.git"
    repository.git("clone", "--quiet", "--bare", str(repository.root), str(bare))
    with pytest.raises(BadWorkspace, match="inside of a git repository"):
        root_paths.require_reasonable(bare, home=home)
    root_paths.require_reasonable(repository.root, home=home)


@pytest.mark.parametrize(
    ("bare", "is_absolute"),
    [(".bare", False), ("meta/store", False), ("repo.git", True), (".git", False)],
)
def test_folder_around_a_bare_repository_is_refused_with_its_worktrees(
    repository: Repository, home: Path, bare: str, is_absolute: bool
) -> None:
    repository.write("a.py", "x = 1\n")
    repository.commit()
    project = Repository(repository.root.parent / "project")
    project.root.mkdir()
    project.git("clone", "--quiet", "--bare", str(repository.root), bare)
    if bare != ".git":
        project.write(".git", f"gitdir: {project.root / bare if is_absolute else f'./{bare}'}\n")
    with pytest.raises(BadWorkspace, match="around a bare git repository") as caught:
        root_paths.require_reasonable(project.root, home=home)
    assert "worktree add" in caught.value.hint
    for name in ("main-tree", "trees/feat"):
        project.git("worktree", "add", "--quiet", "-b", name.replace("/", "-"), name)
    project.git("worktree", "add", "--quiet", "-b", "out", str(project.root.parent / "out"))
    with pytest.raises(BadWorkspace) as caught:
        root_paths.require_reasonable(project.root, home=home)
    for shown in ("`main-tree`", "`trees/feat`", f"`{project.root.parent / 'out'}`"):
        assert shown in caught.value.hint
    root_paths.require_reasonable(project.root / "main-tree", home=home)


@pytest.mark.parametrize(
    ("shared", "own", "is_bare"),
    [
        ("[core]\n\tbare = true\n", "", True), ("[core] bare\n", "", True), ('[CORE]\nBare="Yes" ; x\n', "", True),
        ("[core]\nbare = true\nbare = false\n", "", False), ("[core]\nbare = true\n[core]\nbare = # x\n", "", False),
        ("[core]\nbare = no\nbare = 2\n", "", True), ('[core "x"]\nbare = true\n', "", False),
        ("[core]\nbare = true\n", "[core]\nbare = false\n", True), ("", "[core]\nbare = true\n", False),
        ("[core]\nbare = true\n[extensions]\nworktreeConfig = true\n", "[core]\nbare = false\n", False),
        ("[extensions]\nworktreeConfig = true\n", "[core]\nbare = true\n", True),
    ],
)  # fmt: skip
def test_the_last_value_says_whether_a_repository_is_bare(
    repository: Repository, shared: str, own: str, is_bare: bool
) -> None:
    (repository.root / ".git" / "config").write_text(
        f"[core]\nrepositoryformatversion = 0\n{shared}"
    )
    (repository.root / ".git" / "config.worktree").write_text(own)
    answer = repository.git("rev-parse", "--is-bare-repository").strip()
    assert (answer == "true") == is_bare
    assert is_bare_layout(repository.root) == is_bare


def test_repository_whose_folder_lies_elsewhere_is_no_bare_one(
    folder: Repository, home: Path
) -> None:
    folder.git("init", "--quiet", "--separate-git-dir=meta")
    assert (folder.root / ".git").is_file()
    root_paths.require_reasonable(folder.root, home=home)


@pytest.mark.parametrize(
    "text", ["", "gitdir:", "gitdir: ./nowhere", "bare = true", "gitdir: \0", "gitdir: ."]
)
def test_pointer_that_names_no_repository_refuses_nothing(
    folder: Repository, home: Path, text: str
) -> None:
    folder.write(".git", text)
    folder.write("a.py", "x = 1\n")
    root_paths.require_reasonable(folder.root, home=home)


@pytest.mark.parametrize("missing", ["HEAD", "objects", "refs"])
def test_a_folder_with_a_part_of_a_repository_is_none(folder: Repository, missing: str) -> None:
    for name in {"objects", "refs"} - {missing}:
        (folder.root / name).mkdir()
    if missing != "HEAD":
        folder.write("HEAD", "ref: refs/heads/main\n")
    assert not root_paths.is_git_folder(folder.root)


def test_paths_that_name_no_folder_are_refused(tmp_path: Path) -> None:
    for path in ("", "~nobody-by-this-name/x", "a\0b", "x" * 5000):
        with pytest.raises(BadWorkspace):
            resolve_folder(path)


def test_missing_folder_and_file_are_refused(folder: Repository) -> None:
    with pytest.raises(BadWorkspace, match="does not exist"):
        resolve_folder(folder.root / "nowhere")
    file = folder.write("a.txt", "x")
    with pytest.raises(BadWorkspace, match="is not a folder"):
        resolve_folder(file)
