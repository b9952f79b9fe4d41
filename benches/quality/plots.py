"""Draw what the benchmark's harness measured: quality against index time, and quality by language.

    python -m benches.quality.plots --into DIR RESULT.json [RESULT.json ...]

Results are the files that the harness writes, one a system, from one run. Needs matplotlib.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

COLOURS = ("#b4552d", "#4f6d7a", "#9a9a9a", "#c9b458", "#6b8e4e")


def main() -> None:
    """Draw and write."""
    parser = argparse.ArgumentParser(prog="python -m benches.quality.plots")
    parser.add_argument("results", nargs="+", type=Path)
    parser.add_argument("--into", type=Path, required=True)
    options = parser.parse_args()
    results = [json.loads(path.read_text(encoding="utf-8")) for path in options.results]
    options.into.mkdir(parents=True, exist_ok=True)
    against_time(results, options.into / "quality-and-time.png")
    by_language(results, options.into / "quality-by-language.png")


def against_time(results: list[dict[str, Any]], path: Path) -> None:
    """One point a system: the median repository's index time, and NDCG@10."""
    figure, axes = pyplot.subplots(figsize=(6.4, 4), dpi=140)
    for result, colour in zip(results, COLOURS, strict=False):
        time, quality = max(result["index_ms_median"], 1), result["overall"]["ndcg10"]
        axes.scatter(time, quality, color=colour, s=60, zorder=3)
        axes.annotate(result["system"], (time, quality), textcoords="offset points", xytext=(8, -4))
    axes.set_xscale("log")
    axes.set_xlabel("index of the median repository, ms")
    axes.set_ylabel("NDCG@10")
    axes.margins(x=0.35, y=0.15)
    _finish(figure, axes, path)


def by_language(results: list[dict[str, Any]], path: Path) -> None:
    """Bars for each language, best first by the first system."""
    figure, axes = pyplot.subplots(figsize=(9.5, 4), dpi=140)
    first = results[0]["by_language"]
    languages = sorted(first, key=lambda language: -_quality(first[language]))
    width = 0.8 / len(results)
    for at, (result, colour) in enumerate(zip(results, COLOURS, strict=False)):
        places = [place + at * width for place in range(len(languages))]
        heights = [_quality(result["by_language"][language]) for language in languages]
        axes.bar(places, heights, width, color=colour, label=result["system"], zorder=3)
    axes.set_xticks([place + 0.4 - width / 2 for place in range(len(languages))])
    axes.set_xticklabels(languages, rotation=45, ha="right")
    axes.set_ylabel("NDCG@10")
    axes.set_ylim(0, 1)
    axes.legend(loc="lower left", ncols=len(results), frameon=True)
    _finish(figure, axes, path)


def _quality(scores: dict[str, float]) -> float:
    return scores["ndcg10"]


def _finish(figure: Figure, axes: Axes, path: Path) -> None:
    axes.grid(visible=True, color="#dddddd", linewidth=0.6, zorder=0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)


if __name__ == "__main__":
    main()
