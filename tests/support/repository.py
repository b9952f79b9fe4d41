"""A real folder, mostly a real git repository, that a test writes its story with."""

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Repository:
    """A folder of files."""

    root: Path

    @classmethod
    def make(cls, root: Path) -> "Repository":
        """A new git repository on branch `main`."""
        root.mkdir(parents=True)
        made = cls(root)
        made.git("init", "--quiet", "--initial-branch=main")
        return made

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a file, and the folders it needs."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def write_all(self, files: dict[str, str]) -> None:
        """Write several files."""
        for path, text in files.items():
            self.write(path, text)

    def git(self, *arguments: str) -> str:
        """Run git here; returns what it printed."""
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def commit(
        self, message: str = "change", *, author: str | None = None, date: str | None = None
    ) -> str:
        """Commit everything; returns the commit's id."""
        self.git("add", "--all")
        extra = [f"--author={author}"] if author else []
        extra += [f"--date={date}"] if date else []
        self.git("commit", "--quiet", "--allow-empty", f"--message={message}", *extra)
        return self.git("rev-parse", "HEAD")


SMALL_PROJECT = {
    "pyproject.toml": '[project]\nname = "shop"\n',
    "shop/__init__.py": '"""A shop."""\n',
    "shop/tokens.py": '''"""Tokens that prove who somebody is."""


def verify_token(token: str) -> bool:
    """Check the signature and the expiry of a session token.

    A token has three parts, joined by dots; the last one signs the first two.
    """
    header, payload, signature = token.split(".")
    return signature == sign(header, payload)


def sign(header: str, payload: str) -> str:
    """Sign a header and a payload.

    Whoever does not know the secret can not make a signature that fits, nor change what has
    been signed without anybody seeing it.
    """
    return f"{header}{payload}"[::-1]
''',
    "shop/basket.py": '''"""What a customer is about to buy."""


class Basket:
    """A list of items and their prices."""

    def __init__(self) -> None:
        self.items: list[tuple[str, int]] = []

    def add_item(self, name: str, price: int) -> None:
        """Put an item into the basket.

        The same item may be put in more than once; each time counts, and each time may have
        another price, as when an offer has ended in between.
        """
        self.items.append((name, price))

    def total_price(self) -> int:
        """Sum the prices of all items.

        Neither taxes nor the cost of sending are in it: these depend on the country, which is
        not known before the customer has given an address.
        """
        return sum(price for _, price in self.items)
''',
    "shop/users.js": """/** Finds a user by the number given at registration. */
export function getUserById(id) {
  return database.users.find((user) => user.id === id);
}
""",
    "docs/guide.md": """# Guide

## Paying

Customers pay by invoice. It comes with the parcel, names the day by which it is due, and can be paid
in any currency that the bank takes. Whoever pays late gets a friendly letter first.

## Returns

Goods come back within a month. The parcel needs the slip that came with it; the money is sent back on
the day after the goods have arrived and have been looked at.
""",
}
"""A few files in which each question has one right answer."""
