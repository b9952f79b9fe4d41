"""Edits of texts that hold secrets: other separators, quotes, neighbours, values. Each is the same in every run."""

import json
import random
from collections.abc import Callable, Iterator, Mapping

from support.secret_forms import Form, forms

VALUES = (
    "changeme", "<password>", "${DB_PASS}", "$SECRET", "xxx", "none", "********", "hunter2", "hunter-2",
    "correcthorse", "Tr0ub4dor&3", "12345678", "1234", "get_secret()", "obj->key", "os.environ['X']", "a.b.c",
    "my_password", "passwordHash", "sha256", "md5", "true", "secret", "Password1", "kennwort1", "2024-01-02",
    "/etc/passwd", "C:\\keys\\id", "https://x.io/a", "deadbeefdeadbeef", "0xDEADBEEF", "ab", "a1B2c3D4e5",
    "aaaaaaaaaaaaaaaa", "lower_case_name", "UPPER_CASE", "CamelCaseName", "naïveté9", "ключ77", "p@ss:w0rd",
    "p=ss=w0rd", "s3cr3t!", "'q9w8e7r6'", '"q9w8 e7r6"', "`q9w8e7r6`",
)  # fmt: skip
"""Replacements for a secret, taken in turn: placeholders, names, code, weak passwords, other scripts."""

_VALUES_OF_A_FORM = 3
_MAX_CHARS = 4000

EDITS: Mapping[str, Callable[[str], str]] = {
    "plain": lambda text: text,
    "upper": lambda text: text.upper(),
    "equals": lambda text: text.replace(": ", "=").replace(" = ", "="),
    "colon": lambda text: text.replace(" = ", ": ").replace("=", ": "),
    "spaced": lambda text: text.replace("=", " = ").replace(":", " : "),
    "arrow": lambda text: text.replace(": ", " => ").replace("=", " => "),
    "tabs": lambda text: text.replace(" ", "\t"),
    "doubled": lambda text: text.replace(" ", "  "),
    "glued": lambda text: f"x{text}x",
    "stopped": lambda text: f"{text}.",
    "exclaimed": lambda text: f"{text}! thanks",
    "closed": lambda text: f"({text})",
    "listed": lambda text: f"[{text}, 1]",
    "next": lambda text: f"{text}\nnext line 1",
    "before": lambda text: f"line before\n{text}",
    "crlf": lambda text: text.replace("\n", "\r\n") + "\r\n",
    "question": lambda text: f"{text}?",
    "dashes": lambda text: text.replace("--", "-"),
    "without equals": lambda text: text.replace("=", " "),
    "slashed": lambda text: text.replace(" --", " /").replace(" -", " --"),
    "json": lambda text: json.dumps({"text": text}),
    "long": lambda text: "w " * 300 + text + " w" * 300,
}
"""How the text of a form is edited."""

SECRET_EDITS: Mapping[str, Callable[[str], str]] = {
    "quoted": lambda secret: f'"{secret}"',
    "single": lambda secret: f"'{secret}'",
    "ticked": lambda secret: f"`{secret}`",
    "comma": lambda secret: f"{secret},",
    "half": lambda secret: secret[: len(secret) // 2],
    "three": lambda secret: secret[:3],
    "twice": lambda secret: secret * 2,
    "slash": lambda secret: f"{secret[:4]}/{secret[4:]}",
    "minus": lambda secret: f"-{secret}",
    "under": lambda secret: f"_{secret}",
    "reverse": lambda secret: secret[::-1],
}
"""How the longest secret of a form is edited in place."""


def edited() -> Iterator[tuple[str, str]]:
    """Every edit of every form that is not kept apart to judge: its key, `<family>/<number>/<edit>`, and the text.

    A text that another edit gave before is left out.
    """
    known = set[str]()
    numbers = dict[str, int]()
    for turn, form in enumerate(form for form in forms() if form.part != "judge"):
        number = numbers[form.family] = numbers.get(form.family, -1) + 1
        for name, text in _edits_of(form, turn):
            if text not in known and len(text) < _MAX_CHARS:
                known.add(text)
                yield f"{form.family}/{number}/{name}", text


def _edits_of(form: Form, turn: int) -> Iterator[tuple[str, str]]:
    for name, edit in EDITS.items():
        yield name, edit(form.text)
    secret = max(form.secrets, key=len)
    if secret not in form.text:
        return
    for name, edit in SECRET_EDITS.items():
        yield name, form.text.replace(secret, edit(secret))
    for place in range(_VALUES_OF_A_FORM):
        value = VALUES[(turn * _VALUES_OF_A_FORM + place) % len(VALUES)]
        yield f"={value}", form.text.replace(secret, value)


_SIGNS = "\"'`,;:=|&/\\-_.()[]{}<>#*@?!$ \n\t"
_PARTS = [form for form in forms() if form.part != "judge"]


def scrambled(number: int) -> str:
    """A form with several edits at once, and signs put in and taken out by chance: the same text for the same number."""
    chance = random.Random(number)
    form = chance.choice(_PARTS)
    text, secret = form.text, max(form.secrets, key=len)
    if secret in text and chance.random() < 0.6:
        edit = chance.choice([*SECRET_EDITS.values(), *[lambda _, v=value: v for value in VALUES]])
        text = text.replace(secret, edit(secret))
    for edit in chance.sample(list(EDITS.values()), chance.choice([0, 1, 1, 2])):
        text = edit(text)
    for _ in range(chance.choice([0, 1, 1, 2, 4])):
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice(_SIGNS) + text[at + chance.choice([0, 0, 1, 3]) :]
    if chance.random() < 0.1:
        text = f"{text}\n{chance.choice(_PARTS).text}"
    return text
