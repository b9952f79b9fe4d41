"""Whatever was edited, in whatever steps: the index equals one made from nothing."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from codecairn import Workspace
from support.answers import answers, answers_of_full_index
from support.corpus import module_text
from support.repository import Repository

PATHS = [
    f"{folder}{stem}.{suffix}"
    for folder in ("", "a/", "a/b/")
    for stem in ("one", "two")
    for suffix in ("py", "md", "txt")
]
BRANCHES = ["main", "feature", "fix"]
paths = st.sampled_from(PATHS)
texts = st.one_of(
    st.builds(module_text, st.integers(0, 30), functions=st.integers(0, 6)),
    st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0"), max_size=200),
)


def _index(workspace: Workspace, paths: list[str] | None = None) -> None:
    """What a run counts by what changed is what there is."""
    report, status = workspace.index(paths=paths), workspace.status()
    assert (report.files, report.chunks) == (status.files, status.chunks)


class Edits(RuleBasedStateMachine):
    """Edits files and switches branches, and indexes now and then."""

    @initialize()
    def start(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="codecairn-property-"))
        self.repository = Repository.make(self.folder / "repository")
        self.branch = "main"
        self.branches = {"main"}
        self.touched: set[str] = set()
        self.repository.write("one.py", module_text(1, functions=2))
        self.repository.commit()

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)

    def _touch(self, file: Path) -> None:
        self.touched.add(file.relative_to(self.repository.root).as_posix())

    def _existing(self) -> list[Path]:
        root = self.repository.root
        return [root / path for path in PATHS if (root / path).exists()]

    @rule(path=paths, text=texts)
    def write(self, path: str, text: str) -> None:
        self.repository.write(path, text)
        self.touched.add(path)

    @precondition(lambda self: self._existing())
    @rule(
        data=st.data(),
        line=st.sampled_from(["import os\n", "\n", "# note\n", "def extra():\n    pass\n\n\n"]),
    )
    def insert_at_the_top(self, data: st.DataObject, line: str) -> None:
        file = data.draw(st.sampled_from(self._existing()))
        file.write_bytes(line.encode() + file.read_bytes())
        self._touch(file)

    @precondition(lambda self: self._existing())
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        file = data.draw(st.sampled_from(self._existing()))
        file.unlink()
        self._touch(file)

    @precondition(lambda self: self._existing())
    @rule(data=st.data(), name=paths)
    def move(self, data: st.DataObject, name: str) -> None:
        source = data.draw(st.sampled_from(self._existing()))
        destination = self.repository.root / name
        destination.parent.mkdir(parents=True, exist_ok=True)
        source.rename(destination)
        self._touch(source)
        self._touch(destination)

    @rule(branch=st.sampled_from(BRANCHES))
    def switch(self, branch: str) -> None:
        self.repository.commit()
        extra = [] if branch in self.branches else ["--create"]
        self.repository.git("switch", "--quiet", *extra, branch)
        self.branches.add(branch)

    @rule()
    def index(self) -> None:
        with Workspace.open(self.repository.root) as workspace:
            _index(workspace)
        self.touched.clear()

    @rule()
    def index_what_was_touched(self) -> None:
        with Workspace.open(self.repository.root) as workspace:
            _index(workspace, paths=sorted(self.touched))
            left = workspace.preview()
            assert (left.added, left.modified, left.removed) == ((), (), ())
        self.touched.clear()

    @rule()
    def collect_garbage(self) -> None:
        with Workspace.open(self.repository.root) as workspace:
            _index(workspace)
            workspace.gc()

    @rule()
    def compare(self) -> None:
        with Workspace.open(self.repository.root) as workspace:
            workspace.index()
            assert workspace.doctor() == ()
        assert answers(self.repository.root) == answers_of_full_index(self.repository.root)


def _check(max_examples: int, steps: int) -> None:
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(
        Edits,
        settings=settings(
            max_examples=max_examples,
            stateful_step_count=steps,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.timeout(300)
def test_delta_index_equals_full_index() -> None:
    _check(8, 12)


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_delta_index_equals_full_index_at_length() -> None:
    _check(150, 30)
