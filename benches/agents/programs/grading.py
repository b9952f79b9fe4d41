"""Blind grading: writes the answers of both sides for a grader, and reads the grades.

    python -m benches.agents.programs.grading FOLDER [--out FILE]

FOLDER has `grading.json`, which a measurement wrote: the answers of both sides in one shuffled order, each with a code, its
question and the words of a right answer. The grader writes a number from 0 (wrong) to 1 (right) as `grade` of each. Which code
is which run stands in `grading-key.json`, which the grader is not given.
"""

import argparse
import hashlib
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from benches.agents.programs.figures import all_figures
from benches.agents.programs.kept_runs import Run, write
from benches.agents.programs.scoring import GRADE
from benches.agents.programs.sides import WITH, WITHOUT
from benches.results import Results
from codecairn.errors import UsageError

SHEET, KEY = "grading.json", "grading-key.json"
_TELLING = re.compile(
    r"(?:mcp_+)?codecairn\w*(?:[._/]\w+)*|\b(?:codebase|memory|index|call)_(?:search|peek|context|graph|edit_context)\w*",
    re.IGNORECASE,
)


def blinded(answer: str) -> str:
    """An answer without the names that tell its side."""
    return _TELLING.sub("[tool]", answer)


def write_sheet(folder: Path, answers: Iterable[tuple[Run, str]]) -> Path:
    """Write the sheet and its key; grades that were given to the same answers stay."""
    rows, key = [], {}
    given = _read_sheet(folder / SHEET)
    for run, answer in answers:
        shown = blinded(answer)
        seed = f"{run.name}\0{shown}"
        code = hashlib.sha256(seed.encode()).hexdigest()[:8]
        key[code] = {"question": run.question.id, "side": run.side, "number": run.number}
        row: dict[str, object] = {"code": code, "question": run.question.text, "answer": shown}
        row |= {"answer_key": list(run.question.answer_key), "grade": given.get(code)}
        rows.append(row)
    rows.sort(key=lambda row: str(row["code"]))
    random.Random(len(rows)).shuffle(rows)
    for name, document in ((SHEET, rows), (KEY, key)):
        write(folder / name, json.dumps(document, ensure_ascii=False, indent=1) + "\n")
    return folder / SHEET


def _read_sheet(sheet: Path) -> dict[str, object]:
    if not sheet.exists():
        return {}
    rows = json.loads(sheet.read_text(encoding="utf-8"))
    return {row["code"]: row.get("grade") for row in rows}


def read_grades(folder: Path) -> dict[str, dict[str, list[dict[str, float]]]]:
    """The grades by side and question.

    Raises:
        UsageError: If a file is missing, or a grade is missing or no number from 0 to 1.
    """
    try:
        rows = json.loads((folder / SHEET).read_text(encoding="utf-8"))
        key = json.loads((folder / KEY).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(
            f"`{folder}` has no sheet with its key: {error}",
            hint=f"`python -m benches.agents.programs` writes `{SHEET}` and `{KEY}`",
        ) from error
    found: dict[str, dict[str, list[dict[str, float]]]] = {
        side: defaultdict(list) for side in (WITH, WITHOUT)
    }
    for row in rows:
        grade, run = row.get("grade"), key.get(row.get("code"))
        if run is None:
            raise UsageError(
                f"`{row.get('code')}` is not in `{KEY}`", hint="take the pair as it was"
            )
        if not isinstance(grade, int | float) or isinstance(grade, bool) or not 0 <= grade <= 1:
            raise UsageError(
                f"`{row['code']}` has the grade {grade!r}", hint="grades are numbers from 0 to 1"
            )
        found[run["side"]][run["question"]].append({GRADE: float(grade)})
    return found


def main() -> None:
    """Read the grades, and write their figures."""
    parser = argparse.ArgumentParser(prog="python -m benches.agents.programs.grading")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, help="default: FOLDER/grades.json")
    options = parser.parse_args()
    try:
        values = read_grades(options.folder)
    except UsageError as error:
        parser.error(f"{error} ({error.hint})")
    results = Results("Answers of agents, graded")
    results.add([*all_figures(values)])
    results.write(options.out or options.folder / "grades.json")


if __name__ == "__main__":
    main()
