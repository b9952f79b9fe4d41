"""The page on shared indexes leads from nothing to a shared index: its commands run, and print what it says."""

import re
import shlex
from pathlib import Path

import yaml

from support.documents import PAGES, ROOT, shell_lines
from support.people import People, Person
from support.repository import SMALL_PROJECT, Repository

NAME = "docs/how-to/shared-index.md"
PAGE = PAGES[NAME]


def _section(title: str) -> list[tuple[str, list[str]]]:
    text = PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    found = [(line, shown) for line, shown in shell_lines(text) if line.startswith("codecairn")]
    assert found, title
    return found


def _play(person: Person, title: str, tmp_path: Path) -> None:
    for line, shown in _section(title):
        _, *arguments = shlex.split(line.replace("/srv/indexes", str(tmp_path / "indexes")))
        done = person.done(*arguments)
        for each in shown:
            said = each.replace("/srv/indexes", str(tmp_path / "indexes"))
            assert said in done.out, (line, done.out)


def test_newcomer_gets_from_nothing_to_a_shared_index(
    repository: Repository, tmp_path: Path
) -> None:
    repository.write_all(SMALL_PROJECT)
    repository.commit()
    people = People(tmp_path, repository)
    owner, reader = people.person("owner"), people.person("reader")
    _play(owner, "Begin a shared index", tmp_path)
    (share,) = (line for line, _ in _section("Let others read it") if " remote grant " in line)
    owner.done(*shlex.split(share)[1:])
    (owner.root / "reader.grant").rename(reader.root / "reader.grant")
    for line, shown in _section("Let others read it"):
        if " remote grant " not in line:
            done = reader.done(*shlex.split(line)[1:])
            for each in shown:
                said = each.replace("/srv/indexes", str(tmp_path / "indexes"))
                assert said in done.out, (line, done.out)
    _play(owner, "Let continuous integration publish it", tmp_path)


def test_recipes_are_workflows_that_name_inputs_of_the_action() -> None:
    action = yaml.safe_load((ROOT / ".github/actions/index/action.yml").read_text(encoding="utf-8"))
    blocks = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 3
    given: set[str] = set()
    for block in blocks[:2]:
        for match in re.finditer(r"actions/index@.*?\n\s+with:\n((?:\s{10}\S.*\n)+)", block):
            given |= set(yaml.safe_load(match[1]))
    assert given == {"grant", "folder"}
    rows = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert rows == [*action["inputs"]]
    default = action["inputs"]["package"]["default"]
    assert f"| `package` | `{default}` |" in PAGE
    assert f"'{default}'" in blocks[2]  # GitLab's recipe installs the same


def test_gitlab_s_script_runs(repository: Repository, tmp_path: Path) -> None:
    repository.write_all(SMALL_PROJECT)
    repository.commit()
    people = People(tmp_path, repository)
    owner, runner = people.person("owner"), people.person("runner")
    owner.done("remote", "init", str(tmp_path / "indexes"), "--name", "shop")
    grant = people.grant(owner, "--publisher", "ci")
    recipe = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)[-1]
    shared = runner.root / ".codecairn-shared"
    variables = {
        "$CI_PROJECT_DIR": str(runner.root),
        "$CODECAIRN_GRANT": str(grant),
        "$CI_COMMIT_BRANCH": "main",
    }
    for round_ in range(2):
        for line in yaml.safe_load(recipe)["index"]["script"]:
            for name, value in variables.items():
                line = line.replace(name, value)  # noqa: PLW2901
            if line.startswith("mkdir"):
                shared.mkdir(exist_ok=True)
            elif line.startswith("codecairn pull"):
                assert runner.run("pull").code == (1, 0)[round_]
            elif line.startswith("codecairn"):
                runner.done(*shlex.split(line)[1:])
    assert list(shared.rglob("refs/*"))
