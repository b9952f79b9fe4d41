"""Planted secrets reach no file, and what only looks like one is left alone."""

import base64
import hashlib
import json
import random
import string
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.core.memory_engine import redacted
from support.repository import Repository
from support.secret_forms import Form, benign_lines, forms, recent_forms

LOTS = random.Random(3)
LETTERS = string.ascii_letters + string.digits


def _made(length: int, alphabet: str = LETTERS) -> str:
    return "".join(LOTS.choice(alphabet) for _ in range(length))


def _random_password() -> str:
    return "T7" + _made(10) + "x9"


def _json_web_token() -> str:
    parts = [
        base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
        for part in ({"alg": "HS256", "typ": "JWT"}, {"sub": _made(9), "iat": 1516239022})
    ]
    return ".".join([*parts, _made(43)])


# Written in pieces, so that no scanner trips over this file.
PROVIDERS: list[Callable[[], str]] = [
    lambda: "gh" + "p_" + _made(36),
    lambda: "github" + "_pat_" + _made(22) + "_" + _made(59),
    lambda: "sk" + "-ant-api03-" + _made(93) + "AA",
    lambda: "sk" + "-proj-" + _made(48),
    lambda: "AK" + "IA" + _made(16, string.ascii_uppercase + "234567"),
    lambda: "AI" + "za" + _made(35),
    lambda: (
        "xo" + "xb-" + _made(12, string.digits) + "-" + _made(12, string.digits) + "-" + _made(24)
    ),
    lambda: "gl" + "pat-" + _made(20),
    lambda: "sk" + "_live_" + _made(24),
    _json_web_token,
]
ANY = [_random_password for _ in range(30)]
SECRETS = [make() for make in (*PROVIDERS, *ANY)]
"""Forty: of ten providers, and thirty that only their surroundings reveal."""

FORMATS: list[Callable[[str], str]] = [
    lambda secret: f"export DB_PASSWORD={secret}",
    lambda secret: json.dumps({"user": "ann", "password": secret}),
    lambda secret: f"password: {secret}\nuser: ann",
    lambda secret: f'password = "{secret}"',
    lambda secret: f"postgres://ann:{secret}@db.example.com/shop",
    lambda secret: f"curl -H 'Authorization: Bearer {secret}' https://example.com",
    lambda secret: f"mysql --password={secret} -u ann",
    lambda secret: json.dumps({"log": json.dumps({"password": secret})}),
    lambda secret: f"ALTER USER ann IDENTIFIED BY '{secret}';",
    lambda secret: f"machine example.com login ann password {secret}",
    lambda secret: f"the password is {secret}, do not tell",
    lambda secret: f"<password>{secret}</password>",
]
"""Twelve ways in which a secret is written down."""

PRIVATE = [
    "<private>{}</private>",
    "<PRIVATE reason='x'>{}</PRIVATE>",
    "<private><private>a</private>{}</private>",
    "a <private>{}",
    "{}</private> b",
    "```\n<private>{}</private>\n```",
    "&lt;private&gt;{}&lt;/private&gt;",
    "\\u003cprivate\\u003e{}\\u003c/private\\u003e",
    "<private\n>{}</private >",
    "<private>x</private> y <private>{}</private>",
    # In full-width letters and brackets, and with characters that show nothing.
    "\uff1cprivate\uff1e{}\uff1c/private\uff1e",
    "\uff1c\uff50\uff52\uff49\uff56\uff41\uff54\uff45\uff1e{}\uff1c\uff0f\uff50\uff52\uff49\uff56\uff41\uff54\uff45\uff1e",
    "<pri\u200bvate>{}</pri\u200bvate>",
    "<\u2060private\ufeff>{}<\u00ad/private>",
    "\ufe64private\ufe65 {}",
]

EVENTS: dict[str, dict[str, object]] = {
    "prompt": {"role": "user", "hook": "UserPromptSubmit"},
    "answer": {"role": "assistant", "hook": "Stop"},
    "command": {"role": "tool", "tool": "Bash", "command": "make", "exit_code": 1},
    "edit": {"role": "tool", "tool": "Edit", "path": "a.py"},
    "fetch": {"role": "tool", "tool": "WebFetch"},
    "task": {"role": "tool", "tool": "TodoWrite"},
    "system": {"role": "system", "hook": "SessionStart"},
    "compaction": {"role": "system", "hook": "PreCompact"},
    "end": {"role": "system", "hook": "SessionEnd"},
}


def _bytes_below(*folders: Path) -> bytes:
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    return b"\0".join(file.read_bytes() for file in files)


def test_forty_secrets_in_twelve_formats_are_in_no_byte_of_any_file(
    folder: Repository, home: Path
) -> None:
    assert len(SECRETS) == len(set(SECRETS)) == 40
    exports = []
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        for at, secret in enumerate(SECRETS):
            text = "\n".join(write(secret) for write in FORMATS)
            kind = list(EVENTS)[at % len(EVENTS)]
            memory.record(f"s{at % 3}", f"{kind} {at}\n{text}", **EVENTS[kind])
            memory.record("meta", f"see {at}", role="user", title=FORMATS[at % 12](secret))
            memory.add(f"Fact {at}: {FORMATS[at % 12](secret)}", type="note", tags=[f"t{at}"])
        blocked = folder.root / "blocked"
        blocked.write_text("a file where a folder should be", encoding="utf-8")
        settings = {"memory.path": str(blocked / "memory.db")}
        with Workspace.open(folder.root, settings=settings) as unwritable:
            for at, secret in enumerate(SECRETS):
                assert unwritable.memory.record("w", FORMATS[at % 12](secret) + " z").is_waiting
        exports = [
            memory.export(format=form, with_private=True) for form in ("json", "csv", "markdown")
        ]
        # The log of the database is next to it while it is open.
        everything = _bytes_below(home, folder.root) + "\0".join(exports).encode()
    assert b"Fact 39" in everything
    left = [secret for secret in SECRETS if secret.encode() in everything]
    assert left == []


@pytest.mark.parametrize("kind", list(EVENTS))
def test_what_is_private_in_any_kind_of_event_is_in_no_byte_of_any_file(
    folder: Repository, home: Path, kind: str
) -> None:
    with Workspace.open(folder.root) as workspace:
        for at, form in enumerate(PRIVATE):
            workspace.memory.record("s", f"before {form.format(f'hidden{at}word')}", **EVENTS[kind])
            workspace.memory.record(
                "s", "x", **(EVENTS[kind] | {"title": form.format(f"hidden{at}title")})
            )
        exported = workspace.memory.export(with_private=True).encode()
        everything = _bytes_below(home, folder.root) + exported
    left = [
        f"{at}{where}"
        for at in range(len(PRIVATE))
        for where in ("word", "title")
        if f"hidden{at}{where}".encode() in everything
    ]
    assert left == []


def test_hashes_identifiers_and_images_are_left_as_they_are() -> None:
    lots = random.Random(5)
    data = bytes(lots.randrange(256) for _ in range(3000))
    image = base64.b64encode(data).decode()
    lines = [
        hashlib.sha1(data, usedforsecurity=False).hexdigest(),
        hashlib.sha256(data).hexdigest(),
        hashlib.md5(data, usedforsecurity=False).hexdigest(),
        str(uuid.UUID(int=lots.getrandbits(128), version=4)),
        "commit " + hashlib.sha1(data[1:], usedforsecurity=False).hexdigest(),
        "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode(),
        "github.com/x/y v1.2.3 h1:" + base64.b64encode(hashlib.sha256(data).digest()).decode(),
        "sha256:" + hashlib.sha256(data[2:]).hexdigest(),
        f"![dot](data:image/png;base64,{image})",
        "\n".join(image[at : at + 76] for at in range(0, len(image), 76)),
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI"
        + base64.b64encode(data[:24]).decode()
        + " ann@host",
        "node_modules/.pnpm/@babel+core@7.22.5/node_modules/@babel/core/lib/index.js",
        "def compute_token_count(self, max_tokens: int = 4096) -> int:",
        "password = get_password(user)",
        "The `api_key` setting names the variable that holds the key.",
        "token_count=4096 max_tokens: 512",
        "https://example.com/a/b?page=2&sort=created_at",
        "SessionStore.refreshAccessTokenIfNeeded",
    ]
    changed = [line for line in lines if redacted(line)[0] != line]
    assert changed == []


def test_identifiers_of_real_life_are_left_as_they_are() -> None:
    lots = random.Random(9)

    def drawn(length: int, alphabet: str) -> str:
        return "".join(lots.choice(alphabet) for _ in range(length))

    def hexadecimal(length: int) -> str:
        return drawn(length, "0123456789abcdef")

    def encoded(length: int) -> str:
        return base64.b64encode(lots.randbytes(length)).decode()

    def uuid_7() -> str:
        return f"018f{hexadecimal(4)}-{hexadecimal(4)}-7{hexadecimal(3)}-a{hexadecimal(3)}-{hexadecimal(12)}"

    ulid = "01J" + drawn(23, "0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    lines = [
        f"commit {hexadecimal(40)} (HEAD -> main)",
        f"git diff {hexadecimal(12)}..{hexadecimal(12)}",
        f"index {hexadecimal(7)}..{hexadecimal(7)} 100644",
        f'"integrity": "sha512-{encoded(64)}"',
        f"  checksum: 10c0/{hexadecimal(128)}",
        f"    resolution: {{integrity: sha512-{encoded(64)}}}",
        f'"zod": ["zod@3.22.4", "", {{}}, "sha512-{encoded(64)}"],',
        f'<script integrity="sha384-{encoded(48)}" crossorigin>',
        f"    --hash=sha256:{hexadecimal(64)} \\",
        f'    {{file = "x.whl", hash = "sha256:{hexadecimal(64)}"}},',
        f"golang.org/x/net v0.1.0/go.mod h1:{encoded(32)}",
        f'hash = "sha256-{encoded(32)}";',
        uuid_7(),
        f'{{"sessionId": "{uuid_7()}", "request_id": "{uuid_7()}"}}',
        f"order_id: {ulid}",
        f"GET /orders/{ulid}/items",
        f"docker.io/library/redis@sha256:{hexadecimal(64)}",
        f"sha256:{hexadecimal(64)}: Pulling fs layer",
        f'{hexadecimal(12)}   redis:7   "docker-entrypoint.sh"',
        f"url(data:image/png;base64,{encoded(600)})",
        f"src: url(data:font/woff2;charset=utf-8;base64,{encoded(900)}) format('woff2')",
        f"//# sourceMappingURL=data:application/json;base64,{encoded(700)}",
        "my-app-7d9f8b6c5-x2x4z Running",
        f'ObjectId("{hexadecimal(24)}")',
        f"traceparent: 00-{hexadecimal(32)}-{hexadecimal(16)}-01",
        "Fingerprint=" + ":".join(hexadecimal(2).upper() for _ in range(32)),
        f"dist/main.{hexadecimal(8)}.js 120 kB",
        f"/nix/store/{drawn(32, '0123456789abcdfghijklmnpqrsvwxyz')}-python3-3.11.6/bin",
        f"0x{hexadecimal(64)}",
        "_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE",
    ]
    changed = [line for line in lines if redacted(line)[0] != line]
    assert changed == []


@pytest.mark.parametrize(
    "form",
    ["{}", "token={}", "Cookie: s={}; x=1", '{{"access_token":"{}"}}', "see {}.", "Bearer {}"],
)
def test_json_web_tokens_go_wherever_they_stand(form: str) -> None:
    token = _json_web_token()
    kept = redacted(form.format(token))[0]
    assert not any(part in kept for part in token.split("."))


def test_names_that_look_like_secrets_keep_sessions_and_events_apart(folder: Repository) -> None:
    """Where each of them became the same mark, all sessions would be one, and all events but the first be known already."""
    sessions = [f"ses_{_made(26)}" for _ in range(2)]
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        for session in sessions:
            for number in range(2):
                key = f"toolu_01{_made(22)}"
                told = memory.record(session, f"event {number} of it", role="user", key=key)
                assert told.seq is not None
                assert memory.record(session, "again", role="user", key=key).seq is None
        assert len(memory.sessions()) == 2
        for session in sessions:
            assert len(memory.events(session=session)) == 2
            assert len(memory.session(session)) == 1
        memory.add("only of this session", scope="session", session=sessions[0])
        memory.context(sessions[0], part="static")
        assert memory.context(sessions[0], part="static").is_repeated
        assert memory.purge(session=sessions[0]).events == 2
        assert len(memory.events()) == 2


def _left(found: list[Form]) -> list[Form]:
    return [form for form in found if form.leaks(redacted(form.text)[0])]


def test_each_known_form_is_redacted() -> None:
    assert _left([form for form in forms() if form.part == "known"]) == []


@pytest.mark.parametrize("part", ["fit", "choose"])
def test_of_further_forms_hardly_one_is_missed(part: str) -> None:
    found = [form for form in forms() if form.part == part]
    assert len(_left(found)) <= 0.03 * len(found)


def test_each_form_that_once_reached_the_disk_is_redacted() -> None:
    assert _left([form for form in recent_forms() if form.part == "listed"]) == []


def test_of_forms_of_2025_and_2026_hardly_one_is_missed() -> None:
    found = [form for form in recent_forms() if form.part == "recent"]
    assert len(_left(found)) <= 0.03 * len(found)


def test_of_lines_without_a_secret_hardly_one_loses_something() -> None:
    lines = benign_lines()
    assert len([line for line in lines if redacted(line)[0] != line]) <= len(lines) / 1000


@pytest.mark.parametrize(
    "text",
    [
        "my password manager is 1Password",
        "mein Passwortmanager ist KeePass2",
        "mi gestor de contraseñas es 1Password",
        "パスワードマネージャーは1Passwordです",
        "Set-Cookie: theme=dark",
        "Set-Cookie: theme=dark; Path=/; Max-Age=31536000; SameSite=Lax",
        "cookie: lang=de-DE; sidebar=collapsed",
    ],
)
def test_what_is_named_after_a_secret_stays(text: str) -> None:
    assert redacted(text)[0] == text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("the manager's password is kuradimo77", "kuradimo77"),
        ("my password manager is 1Password and its password is kuradimo77", "kuradimo77"),
        ("Set-Cookie: theme=dark; sid=ab", "sid=ab"),
        ("Set-Cookie: session=kuradimo; theme=dark", "kuradimo"),
        ("Set-Cookie: theme=kuraDImo77x", "kuraDImo77x"),
    ],
)
def test_what_is_named_after_a_secret_is_no_shelter(text: str, secret: str) -> None:
    assert secret not in redacted(text)[0]


def test_redacting_what_was_redacted_changes_nothing() -> None:
    for form in (*forms(), *recent_forms()):
        once = redacted(form.text)[0]
        assert redacted(once)[0] == once, form


def _texts(secrets: list[str], prefix: str) -> list[str]:
    """One text for each, in which the secret has a form that no test of formats has."""
    shapes = (
        "curl -u bob:{}",
        "the password is {}",
        "mysql -p{}",
        "DB_\u200bPASS={}",
        "Passwort lautet {}",
    )
    return [
        f"{prefix} {shapes[at % len(shapes)].format(secret)}" for at, secret in enumerate(secrets)
    ]


def test_a_secret_in_any_field_is_in_no_byte_of_any_file(folder: Repository, home: Path) -> None:
    event_fields = ("title", "command", "path", "tool", "hook", "branch", "commit", "host", "model")
    secrets = [_random_password() for _ in range(60)]
    texts = iter(_texts(secrets, "see"))
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        for field in event_fields:
            memory.record("s", f"event with a {field}", role="tool", **{field: next(texts)})
        memory.record(next(texts), "event of a named session", key=next(texts), role="user")
        memory.record("s", next(texts), role="user", parent_session=next(texts))
        memory.record(
            "s",
            "with tags and more",
            role="user",
            tags=[next(texts)],
            meta={next(texts): next(texts)},
        )
        for field in ("title", "subject", "predicate"):
            memory.add(f"fact with a {field}", type="note", **{field: next(texts)})
        fact = memory.add(
            next(texts),
            type="note",
            tags=[next(texts)],
            session=next(texts),
            meta={"m": next(texts)},
        )
        memory.forget(fact.id, reason=next(texts))
        exports = [
            memory.export(format=form, with_private=True) for form in ("json", "csv", "markdown")
        ]
        everything = _bytes_below(home, folder.root) + "\0".join(exports).encode()
    planted = secrets[: len(secrets) - len(list(texts))]
    assert b"event with a branch" in everything
    assert [secret for secret in planted if secret.encode() in everything] == []


@pytest.mark.parametrize("name", ["mcp__{}__search", "mcp__github_{}__list", "server-{}", "{}"])
def test_a_key_in_the_name_of_a_tool_is_in_no_byte_of_any_file(
    folder: Repository, home: Path, name: str
) -> None:
    secrets = [make() for make in PROVIDERS]
    with Workspace.open(folder.root) as workspace:
        for at, secret in enumerate(secrets):
            workspace.memory.record("s", f"call {at} of it", role="tool", tool=name.format(secret))
        everything = _bytes_below(home, folder.root)
    assert b"call 9 of it" in everything
    assert [secret for secret in secrets if secret.encode() in everything] == []


@pytest.mark.parametrize("text", PRIVATE)
def test_what_is_private_comes_in_by_no_fact_and_no_import(
    folder: Repository, home: Path, text: str
) -> None:
    added, imported = _random_password(), _random_password()
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        memory.add(f"an ordinary fact {text.format(added)} and its end", type="note")
        document = json.loads(memory.export(format="json"))
        private = f"another fact {text.format(imported)} and its end"
        document["facts"][0] |= {"id": "f1", "text": private}
        memory.import_(json.dumps(document))
        everything = _bytes_below(home, folder.root)
    assert added.encode() not in everything
    assert imported.encode() not in everything


def test_a_secret_in_any_field_of_an_import_is_in_no_byte_of_any_file(
    folder: Repository, home: Path
) -> None:
    secrets = [_random_password() for _ in range(4)]
    texts = iter(_texts(secrets, "see"))
    with Workspace.open(folder.root) as workspace:
        workspace.memory.add("an ordinary fact", type="note")
        document = json.loads(workspace.memory.export(format="json"))
        fact = document["facts"][0]
        fact |= {"id": "f1", "text": "another fact"}
        fact |= {field: next(texts) for field in ("branch", "commit", "maker", "superseded_by")}
        workspace.memory.import_(json.dumps(document))
        everything = _bytes_below(home, folder.root)
    assert b"another fact" in everything
    assert [secret for secret in secrets if secret.encode() in everything] == []


BAITS = [
    *(
        "password=(",
        "password=",
        'token: "',
        "eyJ.",
        "eyJaaaaaaaaaa.",
        "cookie:",
        "://a:",
        "curl -u ",
        "curl mysql ",
    ),
    *(
        "-----BEGIN ",
        "login x password ",
        "bearer ",
        "\\u00",
        "\x1b[",
        "\x1b]",
        "&quot",
        "пароль ",
        "密码是",
        "\N{CYRILLIC SMALL LETTER O}",
    ),
    *(
        "a\u200b",
        "4111 ",
        "abandon ",
        "A1b2C3d4E5f6G7h8I9j0+",
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
        "password",
    ),
    *(
        'passphrase "a b ',
        "[REDACTED:x]",
        "x-api-",
        "[MEMORY]\n",
        "<memory>\n",
        "<private>a</private>",
        "sig=",
    ),
    *(
        ":5432:",
        "WIFI:",
        '"kty"',
        "password: |\n ",
        "private-lines: 1\n",
        "echo a | ",
        "the password is ",
    ),
    # Prefixes of tokens, of which each may begin one.
    *("sk-", "glpat-", "recovery codes: a1b2c3 ", "$2y$", "\uff1c", "cookie: a=b;"),
]
"""Texts that make a detector search often, far, or without a result."""


@pytest.mark.parametrize("bait", BAITS)
def test_a_megabyte_of_bait_takes_time_in_proportion(bait: str) -> None:
    start = time.process_time()
    redacted(bait * ((1 << 20) // len(bait.encode())))
    # Seconds of a debug build; what grows with the square of a megabyte takes hours.
    assert time.process_time() - start < 30


def test_every_field_of_a_change_is_cleaned_and_kept(folder: Repository) -> None:
    token = PROVIDERS[0]()
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        fact = memory.add("The lamp is green", tags=["lamp"])
        outside = memory.add("The lamp is blue", origin="external")
        changed = memory.update(
            fact.id, text=f"red {token}", title=f"T {token}", tags=[f"a {token}", "b"], reason=token
        )
        assert token not in str(changed)
        assert changed.tags[1] == "b"
        assert "REDACTED" in changed.tags[0]
        assert "REDACTED" in changed.title
        assert "REDACTED" in changed.reason
        assert memory.update(outside.id, text="The lamp is dark").origin == "external"
        assert memory.update(changed.id, tags=[]).tags == ()
