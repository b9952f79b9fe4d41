"""Two projects with a memory as some days of work leave it, for the page in the browser and its pictures."""

import time
from pathlib import Path

from codecairn import Workspace
from support.repository import SMALL_PROJECT, Repository

_DAY_MS = 86_400_000

_FACTS = (
    ("decision", "We verify tokens in `shop/tokens.py`, since gateways forward stale ones.", ("shop/tokens.py::verify_token",)),
    ("decision", "Prices are integers in cents, so that totals in `shop/basket.py` never round.", ("shop/basket.py::Basket.total_price",)),
    ("preference", "Use pytest with plain asserts, and no mocks of our own modules.", ()),
    ("project-config", "The tests run with `pytest -q`; the database needs `docker compose up -d db` first.", ()),
    ("error-solution", "A 401 after midnight came from the clock of the token service; NTP was off in its container.", ()),
    ("architecture", "The gateway calls the shop by HTTP alone; there is no shared database.", ()),
    ("learned-pattern", "A new endpoint takes its schema from `schemas.py` and has a contract test.", ()),
    ("task", "Replace the retry loop of the gateway by the client's own retries.", ()),
)  # fmt: skip

_TURNS = (
    ("user", {"body": "We get a 401 after midnight again. Why?"}),
    ("tool", {"tool": "Grep", "command": "verify_token", "path": "shop/tokens.py", "body": "shop/tokens.py:4"}),
    ("tool", {"tool": "Bash", "command": "pytest -q tests/test_tokens.py", "exit_code": 1, "body": "1 failed: test_expiry"}),
    ("tool", {"tool": "Edit", "path": "shop/tokens.py", "body": "compare with a leeway of 30 s"}),
    ("tool", {"tool": "Bash", "command": "pytest -q tests/test_tokens.py", "exit_code": 0, "body": "4 passed"}),
    ("assistant", {"body": "The clock of the token service was 40 s ahead. `verify_token` now allows 30 s, and NTP runs again."}),
)  # fmt: skip


def make_projects(folder: Path) -> tuple[Repository, Repository]:
    """Make both projects in a folder, index them and fill the memory; the first has a session and facts to review."""
    shop, gateway = (Repository.make(folder / name) for name in ("shop", "gateway"))
    shop.write_all(SMALL_PROJECT)
    gateway.write("gateway/client.py", 'def send(request: bytes) -> bytes:\n    """Send it."""\n    return request\n')  # fmt: skip
    for repository in (shop, gateway):
        repository.commit()
    with Workspace.open(shop.root) as workspace:
        workspace.index()
        _fill(workspace)
    with Workspace.open(gateway.root) as workspace:
        workspace.index()
        workspace.memory.add("Retries are the client's; the gateway sends each request once.", type="decision")  # fmt: skip
        workspace.memory.record("g-1", "Why are requests sent twice?", role="user", host="codex")
    shop.write("shop/tokens.py", SMALL_PROJECT["shop/tokens.py"].replace("signature == sign", "hash(signature) == sign"))  # fmt: skip
    return shop, gateway


def _fill(workspace: Workspace) -> None:
    memory = workspace.memory
    for type_, text, anchors in _FACTS:
        memory.add(text, type=type_, anchors=anchors, is_pinned=type_ == "preference")
    old = memory.add("The port of the api is 8000.", type="project-config", subject="api", predicate="port")  # fmt: skip
    memory.update(old.id, text="The port of the api is 8080.", reason="moved behind the gateway")
    now_ms = time.time_ns() // 1_000_000
    _session(workspace, "s-1", now_ms - 3 * _DAY_MS)
    _session(workspace, "s-2", now_ms - 240_000)


def _session(workspace: Workspace, session: str, start_ms: int) -> None:
    memory = workspace.memory
    memory.context(session, part="static", host="claude")
    for number, (role, fields) in enumerate(_TURNS):
        ts_ms = start_ms + number * 20_000
        memory.record(session, role=role, host="claude", model="opus", ts_ms=ts_ms, **fields)
        if role == "user":
            memory.context(session, str(fields["body"]), host="claude")
