"""PersonaMem without a model of language: recall of the turn that a question refers to, and whether a block shows it.

    python -m benches.public.personamem FOLDER [--size 32k] [--system NAME ...] [--part choose judge] [--out FILE]

FOLDER has `questions_32k.csv` and `shared_contexts_32k.jsonl` of PersonaMem; nothing is fetched. Each question is asked at its
own place of the conversation: what is said later is not recorded yet, and the session that it is asked in counts as ended. A
session begins with a message of the system, which tells the persona and is not recorded. `data` says how the turn is found;
`conversation_scores` defines the measures. Which of the four options is right is not asked: options are long, and differ by
what they imply of earlier talks, so counting words in common with a block would measure their wording.
"""

import argparse
from pathlib import Path

from benches.public.conversation_scores import score
from benches.public.memory_systems import add_option
from benches.public.parts import PARTS, part_of
from benches.public.personamem.data import SIZES, gpt_4o_tokens, persona_of, read
from benches.results import Results, default_folder


def main() -> None:
    """Ask, and write the figures."""
    parser = argparse.ArgumentParser(prog="python -m benches.public.personamem")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", choices=SIZES, default=SIZES[0])
    add_option(parser)
    parser.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--out", type=Path, help="default: benches/runs/…/public-personamem.json")
    options = parser.parse_args()
    asked = read(options.folder, options.size, gpt_4o_tokens())
    results = Results("PersonaMem: personas over sessions, without a model")
    results.add(
        score(
            f"PersonaMem {options.size}",
            asked.conversations,
            lambda name: part_of(persona_of(name)),
            options.part,
            options.system,
        )
    )
    out = options.out or default_folder() / "public-personamem.json"
    results.write(out, left_out=asked.left_out)


if __name__ == "__main__":
    main()
