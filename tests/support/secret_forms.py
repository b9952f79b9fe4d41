"""Planted secrets: the forms of tests/fixtures/secrets, filled with secrets that are the same in every run, and lines without any."""

import base64
import hashlib
import json
import random
import re
import string
import sys
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parents[1] / "fixtures" / "secrets"
FORMS = FOLDER / "forms.toml"
RECENT = tomllib.loads((FOLDER / "forms_2026.toml").read_text(encoding="utf-8"))
BENIGN = FOLDER / "benign.txt"
DRAWS = 10
"""So many lines are made of each line without a secret that has places."""
PLACE = re.compile(r"⟦(=)?(.+?)(?:~([a-z-]+))?⟧", re.DOTALL)
MARK = re.compile(r"\[REDACTED(?::[a-z0-9-]+)?\]")
WINDOW = 6
"""So many characters of a secret in a row, found in what was redacted, are a leak; a shorter secret leaks as a whole."""

LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
SYLLABLES = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]
WORDS = (
    "quilted marmalade trombone velvet harbour pumpkin saddle whisker lantern goblet cobalt fennel"
)


@dataclass(frozen=True, slots=True)
class Form:
    """A text with secrets in it.

    Attributes:
        family: Forms of the same kind; `known` and `listed` for those that are held one by one.
        part: `known`, `fit`, `choose` or `judge`; of the forms of 2025 and 2026 `listed` or `recent`.
        text: What is written down.
        secrets: Each secret as written in the text, in the pieces that its disguise leaves readable.
        template: The text with the secrets' places empty.
    """

    family: str
    part: str
    text: str
    secrets: tuple[str, ...]
    template: str

    def leaks(self, kept: str) -> list[str]:
        """The pieces of its secrets that can still be read in `kept`."""
        kept = MARK.sub("", kept)
        found = []
        for secret in self.secrets:
            size = min(WINDOW, len(secret))
            windows = {secret[at : at + size] for at in range(len(secret) - size + 1)}
            found += [piece for piece in windows if piece in kept and piece not in self.template]
        return sorted(found)


def part_of(family: str) -> str:
    """Half of the families are fitted, a quarter is for choices, a quarter judges."""
    number = hashlib.sha256(family.encode()).digest()[0] % 4
    return ("fit", "fit", "choose", "judge")[number]


def forms() -> list[Form]:
    """Every form, in the order of the file."""
    document = tomllib.loads(FORMS.read_text(encoding="utf-8"))
    found = [_filled("known", "known", form) for form in document["known"]["forms"]]
    for family, table in document["family"].items():
        found += [_filled(family, part_of(family), form) for form in table["forms"]]
    return found


def recent_forms() -> list[Form]:
    """Every form of 2025 and 2026, in the order of the file."""
    found = [_filled("listed", "listed", form) for form in RECENT["listed"]["forms"]]
    for family, table in RECENT["family"].items():
        found += [_filled(family, "recent", form) for form in table["forms"]]
    return found


def benign_lines() -> list[str]:
    """Lines without a secret, each once, in the order of the file."""
    found: dict[str, None] = {}
    for line in BENIGN.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("# "):
            continue
        for number in range(DRAWS if PLACE.search(line) else 1):
            found[_line(line, random.Random(f"{number}/{line}"))] = None
    return list(found)


def _line(line: str, lots: random.Random) -> str:
    return PLACE.sub(lambda place: _secret(place[2], lots), line)


def _filled(family: str, part: str, form: str) -> Form:
    lots = random.Random(f"{family}/{form}")
    secrets: list[str] = []

    def fill(place: re.Match[str]) -> str:
        is_literal, kind, change = place.groups()
        secret = kind if is_literal else _secret(kind, lots)
        if is_literal or kind == "passphrase":
            words = [word for word in re.split(r"[\s,]+", secret) if len(word) > 2]
            secrets.extend(words or [secret])
        elif kind.startswith("card-"):
            secrets.append(secret)
        elif "pem" in kind or "wrapped" in kind or kind in {"pgp", "putty"}:
            lines = re.split(r"\n|\\n", secret)
            secrets.extend(
                line.strip() for line in lines if re.fullmatch(r"\s*[A-Za-z0-9+/=]{20,}", line)
            )
        elif change:
            written, pieces = _changed(secret, change)
            secrets.extend(pieces)
            return written
        else:
            secrets.append(secret)
        return secret

    text = PLACE.sub(fill, form)
    return Form(family, part, text, tuple(secrets), PLACE.sub("", form))


def _changed(secret: str, change: str) -> tuple[str, list[str]]:
    """A secret written differently, and what of it is readable."""
    half = len(secret) // 2
    fillers = {"ansi": "\x1b[1m", "zero-width": "\u200b", "soft-hyphen": "\u00ad"}
    if change in fillers:
        pieces = [secret[:half], secret[half:]]
        return fillers[change].join(pieces), pieces
    if change == "fullwidth":
        written = "".join(
            chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in secret
        )
    elif change == "cyrillic":
        written = secret.translate(str.maketrans("aceopxy", "асеорху"))  # noqa: RUF001
    elif change == "json":
        written = "".join(
            f"\\u{ord(char):04x}" if at % 5 == 1 else char for at, char in enumerate(secret)
        )
    elif change == "url":
        written = urllib.parse.quote(secret, safe="").replace("a", "%61", 1)
    else:
        raise AssertionError(f"no change `{change}`")
    return written, [written]


def _drawn(lots: random.Random, count: int, alphabet: str = LETTERS) -> str:
    made = "".join(lots.choice(alphabet) for _ in range(count))
    # Nearly every token has a digit; one that has none by chance says nothing about a rule.
    return made if count < 12 or re.search(r"\d", made) else made[:-2] + "47"


def _word(lots: random.Random) -> str:
    return "".join(lots.choice(SYLLABLES) for _ in range(lots.randint(4, 5)))


def _weak(lots: random.Random) -> str:
    word = "".join(lots.choice(SYLLABLES) for _ in range(3))
    shapes = (
        lambda: f"{word}{lots.randint(10, 9999)}",
        lambda: f"{word.capitalize()}{lots.randint(2010, 2030)}!",
        lambda: f"{word.replace('a', '4').replace('o', '0')}-{lots.randint(10, 99)}",
        lambda: f"{word.capitalize()}_{_drawn(lots, 4, string.digits)}",
    )
    return lots.choice(shapes)()


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _pem(kind: str, body: bytes, width: int = 64) -> str:
    text = _base64(body)
    lines = [text[at : at + width] for at in range(0, len(text), width)]
    return "\n".join([f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----"])


def _der(lots: random.Random) -> bytes:
    """Looks like PKCS#8 of an RSA key (RFC 5208): its header, then random numbers."""
    algorithm = bytes.fromhex("300d06092a864886f70d0101010500")
    inner = bytes.fromhex("3082025c020100") + lots.randbytes(500)
    body = b"\x02\x01\x00" + algorithm + b"\x04\x82" + len(inner).to_bytes(2, "big") + inner
    return b"\x30\x82" + len(body).to_bytes(2, "big") + body


def _ec(lots: random.Random) -> bytes:
    """Looks like an EC private key (RFC 5915)."""
    point = b"\xa1\x44\x03\x42\x00\x04" + lots.randbytes(64)
    return (
        b"\x30\x77\x02\x01\x01\x04\x20"
        + lots.randbytes(32)
        + bytes.fromhex("a00a06082a8648ce3d030107")
        + point
    )


def _wrapped(text: str) -> str:
    return "\n".join(text[at : at + 76] for at in range(0, len(text), 76))


def _jwt(lots: random.Random) -> str:
    parts = ({"alg": "HS256", "typ": "JWT"}, {"sub": _drawn(lots, 9), "iat": 1516239022})
    texts = [_base64(json.dumps(part).encode()).rstrip("=") for part in parts]
    return ".".join([*texts, _drawn(lots, 43)])


def _card(lots: random.Random, kind: str) -> str:
    """A number of a card scheme with a right check digit (ISO/IEC 7812)."""
    scheme, _, style = kind.partition("-")
    lead, length, groups = {
        "visa": ("4539", 16, (4, 4, 4, 4)),
        "mastercard": ("5412", 16, (4, 4, 4, 4)),
        "amex": ("3782", 15, (4, 6, 5)),
        "discover": ("6011", 16, (4, 4, 4, 4)),
        "jcb": ("3530", 16, (4, 4, 4, 4)),
        "unionpay": ("6221", 16, (4, 4, 4, 4)),
        "diners": ("3622", 14, (4, 6, 4)),
    }[scheme]
    body = lead + _drawn(lots, length - len(lead) - 1, string.digits)
    doubled = [int(digit) * (2 if at % 2 == 0 else 1) for at, digit in enumerate(reversed(body))]
    number = body + str(-sum(value - 9 if value > 9 else value for value in doubled) % 10)
    if style == "tail":
        return number[1:]
    separator = {"": "", "blank": " ", "dash": "-"}[style]
    parts, at = [], 0
    for group in groups:
        parts.append(number[at : at + group])
        at += group
    return separator.join(parts)


# In pieces, so that no scanner trips over this file: a prefix, the number of characters, their alphabet, an ending.
ISSUERS: dict[str, tuple[str, int, str, str]] = {
    "github": ("gh" + "p_", 36, LETTERS, ""),
    "github-fine": ("github" + "_pat_", 59, LETTERS, ""),
    "gitlab": ("gl" + "pat-", 20, LETTERS, ""),
    "gitlab-runner": ("GR" + "1348941", 20, LETTERS, ""),
    "anthropic": ("sk" + "-ant-api03-", 93, LETTERS, "AA"),
    "openai": ("sk" + "-proj-", 48, LETTERS, ""),
    "openai-service": ("sk" + "-svcacct-", 60, LETTERS, ""),
    "openrouter": ("sk" + "-or-v1-", 64, HEX, ""),
    "aws-id": ("AK" + "IA", 16, string.ascii_uppercase + "234567", ""),
    "aws-session-id": ("AS" + "IA", 16, string.ascii_uppercase + "234567", ""),
    "google": ("AI" + "za", 35, LETTERS, ""),
    "google-oauth": ("ya" + "29.", 80, LETTERS, ""),
    "stripe": ("sk" + "_live_", 24, LETTERS, ""),
    "stripe-restricted": ("rk" + "_live_", 24, LETTERS, ""),
    "npm": ("np" + "m_", 36, LETTERS, ""),
    "vault": ("hv" + "s.", 24, LETTERS, ""),
    "pypi": ("py" + "pi-AgEIcHlwaS5vcmc", 70, LETTERS, ""),
    "rubygems": ("ruby" + "gems_", 48, HEX, ""),
    "digitalocean": ("do" + "p_v1_", 64, HEX, ""),
    "cloudflare-ca": ("v1" + ".0-", 24, HEX, "-" + "9f" * 73),
    "alibaba": ("LT" + "AI5t", 20, LETTERS, ""),
    "databricks": ("da" + "pi", 32, HEX, ""),
    "fly": ("fo" + "1_", 43, LETTERS, ""),
    "yandex": ("AQ" + "VN", 36, LETTERS, ""),
    "bitbucket": ("AT" + "BB", 32, LETTERS, ""),
    "atlassian": ("AT" + "ATT3xFfGF0", 180, LETTERS, "=1A2B3C4D"),
    "linear": ("lin" + "_api_", 40, LETTERS, ""),
    "figma": ("fi" + "gd_", 40, LETTERS, ""),
    "notion": ("nt" + "n_", 46, LETTERS, ""),
    "sentry": ("sn" + "tryu_", 64, HEX, ""),
    "dockerhub": ("dckr" + "_pat_", 27, LETTERS, ""),
    "circleci": ("CCI" + "PAT_", 40, LETTERS, ""),
    "jfrog": ("AK" + "Cp", 69, LETTERS, ""),
    "huggingface": ("h" + "f_", 34, LETTERS, ""),
    "groq": ("gs" + "k_", 52, LETTERS, ""),
    "xai": ("xa" + "i-", 80, LETTERS, ""),
    "replicate": ("r" + "8_", 37, LETTERS, ""),
    "perplexity": ("pp" + "lx-", 48, HEX, ""),
    "langsmith": ("lsv2" + "_pt_", 32, HEX, "_1a2b3c4d5e"),
    "tavily": ("tv" + "ly-", 32, LETTERS, ""),
    "square": ("EA" + "AA", 60, LETTERS, ""),
    "shopify": ("sh" + "pat_", 32, HEX, ""),
    "razorpay": ("rzp" + "_live_", 14, LETTERS, ""),
    "flutterwave": ("FLW" + "SECK-", 32, HEX, "-X"),
    "mailgun": ("key" + "-", 32, HEX, ""),
    "sendinblue": ("xkey" + "sib-", 64, HEX, "-a1B2c3D4e5F6g7H8"),
    "mailchimp": ("", 32, HEX, "-us21"),
    "twilio-key": ("S" + "K", 32, HEX, ""),
    "wif": ("5", 50, "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", ""),
    "xprv": ("xprv9", 106, "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", ""),
}

MAKERS: dict[str, Callable[[random.Random], str]] = {
    "word": _word,
    "weak": _weak,
    "strong": lambda lots: "T7" + _drawn(lots, 10) + "x9",
    "symbols": lambda lots: "T7" + _drawn(lots, 5) + "!#%^*" + _drawn(lots, 5),
    "symbols50": lambda lots: (
        "e9" + _drawn(lots, 48, string.ascii_lowercase + string.digits + "!@#%^&*(-_=+)")
    ),
    "passphrase": lambda lots: " ".join(lots.sample(WORDS.split(), 4)),
    "passphrase-dash": lambda lots: "-".join(lots.sample(WORDS.split(), 4)),
    "uuid": lambda lots: "-".join(_drawn(lots, count, HEX) for count in (8, 4, 4, 4, 12)),
    "jwt": _jwt,
    "jwe": lambda lots: ".".join(
        [
            _base64(b'{"alg":"dir","enc":"A256GCM"}').rstrip("="),
            "",
            *(_drawn(lots, n) for n in (16, 80, 22)),
        ]
    ),
    "slack": lambda lots: "xo" + "xb-" + _drawn(lots, 12, string.digits) + "-" + _drawn(lots, 24),
    "sendgrid": lambda lots: "S" + "G." + _drawn(lots, 22) + "." + _drawn(lots, 43),
    "terraform-cloud": lambda lots: _drawn(lots, 14) + ".atlas" + "v1." + _drawn(lots, 67),
    "azure-secret": lambda lots: _drawn(lots, 3) + "8" + "Q~" + _drawn(lots, 34),
    "postman": lambda lots: "PM" + "AK-" + _drawn(lots, 24, HEX) + "-" + _drawn(lots, 34, HEX),
    "paypal": lambda lots: (
        "access" + "_token$production$" + _drawn(lots, 16, HEX) + "$" + _drawn(lots, 32, HEX)
    ),
    "telegram-bot": lambda lots: _drawn(lots, 10, "123456789") + ":A" + "A" + _drawn(lots, 33),
    "discord-bot": lambda lots: (
        "M"
        + _base64(_drawn(lots, 18, string.digits).encode())[1:]
        + ".G"
        + _drawn(lots, 5)
        + "."
        + _drawn(lots, 38)
    ),
    "sas": lambda lots: urllib.parse.quote(_base64(lots.randbytes(32)), safe=""),
    "pem": lambda lots: _pem("PRIVATE" + " KEY", _der(lots)),
    "pem-ec": lambda lots: _pem("EC PRIVATE" + " KEY", _ec(lots)),
    "pem-openssh": lambda lots: _pem(
        "OPENSSH PRIVATE" + " KEY", b"openssh-key-v1\0" + lots.randbytes(300), 70
    ),
    "pem-encrypted": lambda lots: _pem("ENCRYPTED PRIVATE" + " KEY", _der(lots)),
    "pem-escaped": lambda lots: _pem("PRIVATE" + " KEY", _der(lots)).replace("\n", "\\n"),
    "pem-unfinished": lambda lots: _pem("RSA PRIVATE" + " KEY", _der(lots)).rsplit("\n", 3)[0],
    "pem-base64": lambda lots: _base64(_pem("RSA PRIVATE" + " KEY", _der(lots)).encode()),
    "pem-base64-wrapped": lambda lots: _wrapped(
        _base64(_pem("PRIVATE" + " KEY", _der(lots)).encode())
    ),
    "der-base64": lambda lots: _base64(_der(lots)),
    "der-base64-wrapped": lambda lots: _wrapped(_base64(_der(lots))),
    "ec-base64": lambda lots: _base64(_ec(lots)),
    "openssh-base64": lambda lots: _base64(b"openssh-key-v1\0" + lots.randbytes(300)),
    "pgp": lambda lots: _pem("PGP PRIVATE" + " KEY BLOCK", lots.randbytes(400)),
    "putty": lambda lots: (
        "PuTTY-User-"
        + "Key-File-3: ssh-ed25519\nEncryption: none\nComment: a\nPublic-Lines: 1\nAAAA\n"
        "Private-Lines: 1\n"
        + _base64(lots.randbytes(36))
        + "\nPrivate-MAC: "
        + _drawn(lots, 64, HEX)
    ),
    "age": lambda lots: (
        "AGE-SECRET-" + "KEY-1" + _drawn(lots, 58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")
    ),
    "json-base64": lambda lots: _base64(
        json.dumps({"user": "bob", "password": _weak(lots)}).encode()
    ),
    "env-base64": lambda lots: _base64(f"DB_HOST=db\nDB_PASSWORD={_weak(lots)}\n".encode()),
    "userpass-base64": lambda lots: _base64(f"bob:{_weak(lots)}".encode()),
    "plain-base64": lambda lots: _base64(f"\0bob\0{_weak(lots)}".encode()),
    "b64-of-weak": lambda lots: _base64(_weak(lots).encode()),
}


def _secret(kind: str, lots: random.Random) -> str:
    if kind in MAKERS:
        return MAKERS[kind](lots)
    if kind in RECENT["kinds"]:
        recipe = RECENT["kinds"][kind].replace("¦", "")
        return re.sub(r"\{([a-z0-9-]+)\}", lambda part: _secret(part[1], lots), recipe)
    if kind in ISSUERS:
        prefix, count, alphabet, ending = ISSUERS[kind]
        return prefix + _drawn(lots, count, alphabet) + ending
    if kind.startswith("card-"):
        return _card(lots, kind.removeprefix("card-"))
    name, length = re.fullmatch(r"([a-z0-9]*?-?)(\d+)", kind).groups()  # type: ignore[union-attr]
    count = int(length)
    sized: dict[str, Callable[[], Any]] = {
        "hex": lambda: _drawn(lots, count, HEX),
        "alnum": lambda: _drawn(lots, count),
        "digits": lambda: _drawn(lots, count, string.digits),
        "letters": lambda: "".join(lots.choice(string.ascii_letters) for _ in range(count)),
        "lower": lambda: _drawn(lots, count, string.ascii_lowercase + string.digits),
        "upper": lambda: "".join(lots.choice(string.ascii_uppercase) for _ in range(count)),
        "capitals": lambda: _drawn(lots, count, string.ascii_uppercase + string.digits),
        "upperhex": lambda: _drawn(lots, count, HEX.upper()),
        "token": lambda: _drawn(lots, count, LETTERS + "_-"),
        "crypt": lambda: _drawn(lots, count, LETTERS + "./"),
        "bech": lambda: _drawn(lots, count, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
        "base32x": lambda: _drawn(lots, count, string.ascii_uppercase + "234567"),
        "nix": lambda: _drawn(lots, count, "0123456789abcdfghijklmnpqrsvwxyz"),
        "ulid": lambda: _drawn(lots, count, "0123456789ABCDEFGHJKMNPQRSTVWXYZ"),
        "base64raw-": lambda: _base64(lots.randbytes(count)).rstrip("="),
        "base64-": lambda: _base64(lots.randbytes(count)),
        "base64url-": lambda: base64.urlsafe_b64encode(lots.randbytes(count)).decode().rstrip("="),
    }
    return str(sized[name]())
