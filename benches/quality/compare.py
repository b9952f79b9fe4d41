"""Compare two cross-validated runs query by query, with a bootstrap over repositories.

    python -m benches.quality.compare OURS.json THEIRS.json

Both files map `repository<tab>query` to a list of NDCG@10, one per seed (`fit --out`). Prints the difference of the means
over repositories, and the interval that holds 95 % of what resampled repositories give.
"""

import argparse
import json
import random
import statistics
from pathlib import Path

ROUNDS = 10_000


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(prog="python -m benches.quality.compare")
    parser.add_argument("ours", type=Path)
    parser.add_argument("theirs", type=Path)
    options = parser.parse_args()
    ours, theirs = (
        json.loads(path.read_text(encoding="utf-8")) for path in (options.ours, options.theirs)
    )
    if only_one := set(ours) ^ set(theirs):
        raise SystemExit(f"{len(only_one)} queries are in one of the files only")
    by_repository: dict[str, list[float]] = {}
    for key in sorted(ours):
        difference = statistics.mean(ours[key]) - statistics.mean(theirs[key])
        by_repository.setdefault(key.partition("\t")[0], []).append(difference)
    differences = [statistics.mean(values) for values in by_repository.values()]
    chance = random.Random(0)
    means = sorted(
        statistics.mean(chance.choices(differences, k=len(differences))) for _ in range(ROUNDS)
    )
    low, high = means[ROUNDS // 40], means[-ROUNDS // 40]
    print(
        f"{len(differences)} repositories, {len(ours)} queries: difference "
        f"{statistics.mean(differences):+.4f}, 95 % between {low:+.4f} and {high:+.4f}"
    )


if __name__ == "__main__":
    main()
