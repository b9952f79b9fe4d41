"""Makes the core's rules for issuers' prefixes from the list of gitleaks.

python -m benches.memory.issuer_rules CHECKOUT [--out FILE]

`CHECKOUT` is a clone of github.com/gitleaks/gitleaks (MIT). Its `config/gitleaks.toml` has a regular expression for each kind of
token. Taken are those that a literal of the token itself tells; rules that need a provider's name beside a value are not, as
the core has its own for names and values. The file names the commit and its date.
"""

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    from re._parser import parse

    import tomllib
else:
    from sre_parse import parse

    import tomli as tomllib

CONFIG = "config/gitleaks.toml"
OUT = Path(__file__).parents[2] / "native/crates/memory/rules/gitleaks.tsv"

BESIDE_A_NAME = r"[\w.-]{0,50}?"
"""How the expressions begin that need a provider's name before the value."""

STRUCTURES = {
    "curl-auth-header",
    "curl-auth-user",
    "facebook-access-token",
    "freemius-secret-key",
    "airtable-personnal-access-token",
    "jwt",
    "jwt-base64",
    "kubernetes-secret-yaml",
    "microsoft-teams-webhook",
    "nuget-config-password",
    "private-key",
    "sidekiq-sensitive-url",
    "slack-webhook-url",
    "sourcegraph-access-token",
}
"""Rules whose token has no literal of its own, that span lines or take an address whole: the core finds these by structure."""

LEAST_KEYWORD = 3
"""Shorter keywords occur in every text."""

ENDS_AT_A_QUOTE = r"""(?:[\x60'"\s;]|\\[nr]|$)"""
ENDS_A_TOKEN = "(?:[^A-Za-z0-9_-]|$)"
"""In a sentence, a call or a query a token ends at other signs, too."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        id: Its name in the list.
        least: The fewest bytes of a match.
        entropy: Bits a character that the token has at least; 0 for any.
        keywords: Literals in small letters, of which a match has one.
        expression: Of the syntax of RE2; the first group, if there is one, is the token.
    """

    id: str
    least: int
    entropy: float
    keywords: tuple[str, ...]
    expression: str

    def row(self) -> str:
        """The rule as a line, its parts between tabs."""
        keywords = " ".join(self.keywords)
        return "\t".join([self.id, str(self.least), f"{self.entropy:g}", keywords, self.expression])


def rules_of(config: dict[str, Any]) -> list[Rule]:
    """The rules of a configuration of gitleaks that are taken, in its order."""
    found = []
    for rule in config["rules"]:
        expression = rule.get("regex", "")
        if not expression or BESIDE_A_NAME in expression or rule["id"] in STRUCTURES:
            continue
        expression = expression.replace(ENDS_AT_A_QUOTE, ENDS_A_TOKEN)
        keywords = tuple(
            keyword.lower() for keyword in rule["keywords"] if len(keyword) >= LEAST_KEYWORD
        )
        if not keywords:
            continue
        entropy = float(rule.get("entropy", 0))
        found.append(Rule(rule["id"], _least_bytes(expression), entropy, keywords, expression))
    return found


def _least_bytes(expression: str) -> int:
    """The fewest characters that match an expression of RE2."""
    spelled = expression.replace("[[:alnum:]]", "[a-z]").replace(r"\z", r"\Z")
    spelled = re.sub(r"\(\?-?[a-z]\)", "", spelled)
    return int(parse(spelled).getwidth()[0])


def _git(checkout: Path, *arguments: str) -> str:
    command = ["git", "-C", str(checkout), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main() -> None:
    """Reads the arguments."""
    parser = argparse.ArgumentParser()
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    commit, date = _git(given.checkout, "log", "-1", "--format=%H %cs").split()
    rules = rules_of(tomllib.loads(_git(given.checkout, "show", f"HEAD:{CONFIG}")))
    head = [
        f"# gitleaks/gitleaks {commit} {date}, {CONFIG}, MIT",
        "# written by benches/memory/issuer_rules.py: id, fewest bytes, entropy, keywords, expression",
    ]
    given.out.write_text("\n".join([*head, *(rule.row() for rule in rules)]) + "\n", "utf-8")
    print(f"{len(rules)} rules of {date}")


if __name__ == "__main__":
    main()
