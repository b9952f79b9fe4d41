"""Generated source files, for tests that need many."""

import random

from support.repository import Repository

WORDS = (
    "account", "basket", "cache", "date", "engine", "field", "graph", "header", "item", "journal",
    "key", "ledger", "message", "node", "order", "parcel", "query", "record", "session", "token",
)  # fmt: skip


def module_text(seed: int, *, functions: int, statements: int = 1) -> str:
    """A Python module that depends on the seed alone; with five statements, a function is a chunk of its own."""
    chance = random.Random(seed)
    parts = [f'"""Module number {seed}."""\n']
    for number in range(functions):
        verb, noun, other = (
            chance.choice(("load", "save", "check", "merge")),
            *chance.sample(WORDS, 2),
        )
        parts.append(
            f"def {verb}_{noun}_{seed}_{number}({other}):\n"
            f'    """{verb.title()} the {noun} of a {other}."""\n'
            + f"    {noun} = {other}.{noun}\n" * statements
            + f"    return {noun} or {seed + number}\n"
        )
    return "\n\n".join(parts)


def write_modules(target: Repository, *, files: int, functions: int = 20) -> None:
    """Fill a folder with modules."""
    for seed in range(files):
        target.write(f"package{seed % 10}/module{seed}.py", module_text(seed, functions=functions))
