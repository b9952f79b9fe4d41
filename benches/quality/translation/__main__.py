"""Make the dictionary of questions in other languages than English, and measure it.

    python -m benches.quality.translation make --mirrors DIR [--write FILE]
    python -m benches.quality.translation measure --mirrors DIR

`--mirrors` has a git directory for each repository of `sources.py`, `OWNER+NAME/repo`. `measure` learns from nine tenths
of the messages, and tells for the others which share of their English words the dictionary gives, and which share of
the words that it gives is among them. numpy, polib, jieba and janome are needed.
"""

import argparse
from pathlib import Path

from benches.quality.translation import alignment, measuring, sources, tokens, writing

FILE = Path(__file__).parents[3] / "native" / "crates" / "lexical" / "weights" / "translations.bin"
_HELD_OUT = 10
"""One message in so many is kept apart by `measure`."""


def main() -> None:
    """Make or measure."""
    options = _options()
    messages = sources.read(options.mirrors)
    languages = []
    for code in sorted(messages):
        pairs = [tokens.split_pair(code, message) for message in messages[code]]
        pairs = [pair for pair in pairs if pair.english and pair.foreign]
        kept = pairs
        if options.step == "measure":
            kept = [pair for at, pair in enumerate(pairs) if at % _HELD_OUT]
        language = alignment.learn(code, kept)
        print(f"{code}: {len(kept)} messages, {len(language.words)} words", flush=True)
        if options.step == "measure":
            print(measuring.measure(language, pairs[::_HELD_OUT]), flush=True)
        languages.append(language)
    if options.step == "make":
        options.write.write_bytes(writing.dictionary(languages))
        print(f"{options.write}: {options.write.stat().st_size:,} bytes")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benches.quality.translation",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    steps = parser.add_subparsers(dest="step", required=True)
    making = steps.add_parser("make", help="write the dictionary")
    making.add_argument("--write", type=Path, default=FILE)
    measuring_step = steps.add_parser("measure", help="measure on messages kept apart")
    for step in (making, measuring_step):
        step.add_argument("--mirrors", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
