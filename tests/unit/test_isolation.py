"""A child process imports nothing from its environment or its working directory."""

import os
import shutil
import site
import sys
from pathlib import Path
from types import ModuleType

import pytest

from codecairn import launch
from codecairn.core import isolation
from codecairn.core.isolation import add_site_packages, child_environment, drop_working_directory
from codecairn.hooks import background
from codecairn.version import VERSION


def test_child_has_of_python_s_variables_only_where_the_user_s_packages_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONWARNINGS"):
        monkeypatch.setenv(name, "planted")
    monkeypatch.setenv("PYTHONUSERBASE", str(tmp_path))
    monkeypatch.setenv("PYTHONNOUSERSITE", "1")
    monkeypatch.setenv("OTHER", "kept")
    found = child_environment()
    ours = {name: value for name, value in found.items() if name.startswith("PYTHON")}
    assert ours == {"PYTHONUSERBASE": str(tmp_path), "PYTHONNOUSERSITE": "1"}
    assert found["OTHER"] == "kept"
    monkeypatch.setenv("PYTHONUSERBASE", "planted")
    assert "PYTHONUSERBASE" not in child_environment()


def test_child_finds_programs_in_absolute_folders_and_our_home_wherever_it_works(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", "bin", str(tmp_path / "bin")]))
    monkeypatch.setenv("CODECAIRN_HOME", "ours")
    found = child_environment()
    assert (found["PATH"], found["CODECAIRN_HOME"]) == (
        str(tmp_path / "bin"),
        str(tmp_path / "ours"),
    )
    monkeypatch.setenv("CODECAIRN_HOME", "~/ours")
    assert child_environment()["CODECAIRN_HOME"] == "~/ours"


@pytest.mark.parametrize(
    ("base", "switched_off", "is_wanted"),
    [("/home/ann/.local", "", True), ("/home/ann/.local", "1", False), ("planted", "", True)],
)
def test_user_s_packages_are_added_where_the_user_has_them_and_not_below_the_working_directory(
    monkeypatch: pytest.MonkeyPatch, base: str, switched_off: str, *, is_wanted: bool
) -> None:
    added: list[str | None] = []
    monkeypatch.setenv("PYTHONUSERBASE", base)
    monkeypatch.setenv("PYTHONNOUSERSITE", switched_off)
    monkeypatch.setattr(site, "ENABLE_USER_SITE", None)
    monkeypatch.setattr(site, "USER_BASE", None)
    monkeypatch.setattr(site, "main", lambda: added.append(site.getuserbase()))
    add_site_packages()
    assert site.ENABLE_USER_SITE is is_wanted
    assert len(added) == 1
    assert Path(str(added[0])).is_absolute()
    assert os.environ.get("PYTHONUSERBASE") == (base if Path(base).is_absolute() else None)


def test_nothing_is_imported_from_the_working_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    for folder in (here / "lib", elsewhere):
        folder.mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(here)
    monkeypatch.chdir(here)
    monkeypatch.setenv("PYTHONPATH", f"lib{os.pathsep}{elsewhere}")
    monkeypatch.setenv("PATH", f"lib{os.pathsep}/usr/bin")
    package, library = str(Path(isolation.FOLDER).parent), str(Path(os.__file__).parent)
    planted = ["", "lib", str(here), str(link), str(here / "lib")]
    monkeypatch.setattr(sys, "path", [*planted, str(elsewhere), package, library])
    drop_working_directory()
    assert sys.path == [str(elsewhere), package, library]
    assert os.environ["PATH"] == "/usr/bin"


def test_working_directory_that_is_gone_drops_relative_folders_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gone, elsewhere = tmp_path / "gone", tmp_path / "elsewhere"
    gone.mkdir()
    monkeypatch.chdir(gone)
    shutil.rmtree(gone)
    monkeypatch.setenv("PATH", os.environ["PATH"])
    monkeypatch.setattr(sys, "path", ["", "lib", str(elsewhere)])
    drop_working_directory()
    assert sys.path == [str(elsewhere)]


@pytest.fixture
def launching(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process is as it was when a script that was launched has ended."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(site, "main", lambda: None)
    monkeypatch.chdir(Path.cwd())
    for name in ("PATH", "PYTHONUSERBASE"):
        monkeypatch.setenv(name, os.environ.get(name, "/nowhere"))
    for name in [name for name in sys.modules if name.partition(".")[0] == "codecairn"]:
        monkeypatch.setitem(sys.modules, name, sys.modules[name])


@pytest.mark.usefixtures("launching")
def test_launched_script_loads_the_package_that_it_lies_in(monkeypatch: pytest.MonkeyPatch) -> None:
    other = ModuleType("codecairn")
    monkeypatch.setitem(sys.modules, "codecairn", other)
    launch.load_package()
    loaded = sys.modules["codecairn"]
    assert loaded is not other
    assert Path(str(loaded.__file__)) == Path(launch.__file__).with_name("__init__.py")


@pytest.mark.usefixtures("launching")
def test_launched_script_is_the_command(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["launch.py", "--version"])
    launch.main(["--version"])
    assert capfd.readouterr() == (f"codecairn {VERSION}\n", "")


@pytest.mark.usefixtures("launching")
def test_launched_background_process_works_in_the_package_s_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    looked_after: list[tuple[list[str], str]] = []
    monkeypatch.setattr(
        background, "main", lambda arguments: looked_after.append((arguments, str(Path.cwd())))
    )
    monkeypatch.chdir(tmp_path)
    launch.main(["--background", "/project", "when-quiet"])
    assert looked_after == [(["/project", "when-quiet"], isolation.FOLDER)]
