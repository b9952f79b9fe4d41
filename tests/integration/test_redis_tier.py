"""The hot tier, with a real Redis: sessions of several machines, losses, expiry, users, encryption."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codecairn import Workspace
from codecairn.config.layers import load
from codecairn.config.settings import Settings
from codecairn.errors import ConfigError, ProviderRefused, ProviderUnavailable
from codecairn.memory.backends.hot_tier import FallbackCache, ProcessCache, open_redis
from codecairn.memory.backends.reports import BackendStatus, DrainReport
from codecairn.memory.backends.shared_sessions import SharedSessions, note_events
from support.certificate import self_signed
from support.clock import FakeClock
from support.redis_server import RedisServer, running_redis
from support.repository import Repository

slow = pytest.mark.slow


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    with running_redis(tmp_path) as server:
        yield server


def _settings(root: Path, **values: object) -> Settings:
    return load(
        root, arguments={f"memory.redis_{name}": value for name, value in values.items()}
    ).settings


def _client(server: RedisServer) -> Any:
    import redis

    return redis.Redis(port=server.port, decode_responses=True)


class Machine:
    """One of a person's machines: a memory of its own, and a checkout of the same project."""

    def __init__(self, root: Path, data: Path, url: str, **more: object) -> None:
        settings: dict[str, object] = {
            "memory.path": str(data / "memory.db"),
            "memory.project": "shop",
            "memory.redis_url": url,
        }
        self.workspace = Workspace.open(root, settings=settings | more)
        self.memory = self.workspace.memory

    def say(self, *texts: str, session: str = "s") -> None:
        for text in texts:
            self.memory.record(session, text, role="user")

    def sync(self) -> DrainReport:
        return self.memory.upkeep.backends.drain(is_forced=True)[0]

    def status(self) -> BackendStatus:
        return self.memory.upkeep.backends.status()[1]

    def said(self) -> list[str]:
        return sorted(
            event.body for event in self.memory.events(limit=1000) if event.role == "user"
        )

    def close(self) -> None:
        self.workspace.close()


@pytest.fixture
def machines(tmp_path: Path, server: RedisServer) -> Iterator[tuple[Machine, Machine]]:
    both = []
    for name in ("laptop", "tower"):
        root, data = tmp_path / name / "shop", tmp_path / name / "data"
        root.mkdir(parents=True)
        data.mkdir()
        both.append(Machine(root, data, server.url))
    yield both[0], both[1]
    for machine in both:
        machine.close()


@slow
def test_two_machines_see_one_session(
    machines: tuple[Machine, Machine], server: RedisServer
) -> None:
    laptop, tower = machines
    laptop.say("Use SQLite for storage", "Then write the parser")
    assert laptop.sync().sent == 2
    tower.say("Good morning", session="other")
    report = tower.sync()
    assert (report.pulled, report.sent) == (2, 1)
    assert tower.said() == ["Good morning", "Then write the parser", "Use SQLite for storage"]
    assert [each.body for each in tower.memory.events(session="s")] == [
        "Then write the parser",
        "Use SQLite for storage",
    ]
    assert laptop.sync().pulled == 1
    assert laptop.said() == tower.said()
    for machine in machines:
        again = machine.sync()
        assert (again.sent, again.pulled) == (0, 0)
    client = _client(server)
    rows = [json.loads(text) for text in client.lrange("session:s:events", 0, -1)]
    assert [row["body"] for row in rows] == ["Then write the parser", "Use SQLite for storage"]
    assert {row["role"] for row in rows} == {"user"}


@slow
def test_keys_have_the_names_and_the_expiry_of_the_original(
    machines: tuple[Machine, Machine], server: RedisServer
) -> None:
    laptop, _ = machines
    laptop.say("We decided to use SQLite for storage because it is enough")
    laptop.sync()
    client = _client(server)
    assert client.type("session:s:events") == "list"
    assert 86_000 < client.ttl("session:s:events") <= 86_400
    assert client.type("session:s:snapshot") == "string"
    assert 172_000 < client.ttl("session:s:snapshot") <= 172_800
    assert "SQLite" in client.get("session:s:snapshot")


@slow
def test_what_the_redis_loses_is_written_again(
    machines: tuple[Machine, Machine], server: RedisServer
) -> None:
    laptop, tower = machines
    laptop.say("One remark", "Another remark")
    laptop.sync()
    server.kill()
    laptop.say("A third remark")
    report = laptop.sync()
    assert "no answer" in report.obstacle
    assert laptop.status().state == "failing"
    server.start()
    assert laptop.sync().sent == 3
    assert laptop.status().state == "idle"
    tower.say("Hello", session="other")
    assert tower.sync().pulled == 3


@slow
def test_a_purged_event_leaves_the_redis_and_never_comes_back(
    machines: tuple[Machine, Machine], server: RedisServer
) -> None:
    laptop, tower = machines
    laptop.say("The quetzal remark", "Another remark")
    laptop.sync()
    tower.say("Hello", session="other")
    tower.sync()
    laptop.memory.purge(containing="quetzal")
    assert laptop.sync().removed == 1
    client = _client(server)
    assert "quetzal" not in str(client.lrange("session:s:events", 0, -1))
    for machine in (tower, laptop, tower, laptop):
        machine.sync()
    assert "The quetzal remark" not in laptop.said()
    assert "quetzal" not in str(client.lrange("session:s:events", 0, -1))


@slow
def test_private_events_stay_on_their_machine(machines: tuple[Machine, Machine]) -> None:
    laptop, tower = machines
    laptop.memory.record("s", "A private remark", role="user", privacy_tags=["private"])
    laptop.say("A remark")
    assert laptop.sync().sent == 1
    tower.say("Hello", session="other")
    assert tower.sync().pulled == 1


@slow
def test_a_childs_events_are_in_the_list_of_its_root(
    machines: tuple[Machine, Machine], server: RedisServer
) -> None:
    laptop, tower = machines
    laptop.say("The root's remark", session="root")
    laptop.memory.record("child", "The child's remark", role="user", parent_session="root")
    laptop.sync()
    client = _client(server)
    assert client.llen("session:root:events") == 2
    tower.say("Hello", session="other")
    tower.sync()
    assert {each.id for each in tower.memory.session("root")} == {"root", "child"}


@slow
def test_what_others_put_there_is_read_as_text_from_outside_or_not_at_all(
    machines: tuple[Machine, Machine], server: RedisServer
) -> None:
    laptop, _ = machines
    laptop.say("A remark")
    laptop.sync()
    secret = "ghp_" + "a1B2" * 9
    client = _client(server)
    rows = [
        "no json", "[]", "[" * 50_000, json.dumps({"id": 7}), json.dumps({"id": "x"}),
        json.dumps({"id": "y", "role": "root", "ts": 1, "metadata": {"key": "k"}}),
        json.dumps({"id": "z", "role": "user", "ts": 1, "body": f"key {secret}", "metadata": {"key": "z", "tags": 3}}),
    ]  # fmt: skip
    client.lpush("session:s:events", *rows)
    assert laptop.sync().pulled == 1
    assert all(secret not in text for text in laptop.said())


@slow
def test_keys_have_the_prefix_of_the_settings(tmp_path: Path, server: RedisServer) -> None:
    root = tmp_path / "shop"
    root.mkdir()
    machine = Machine(root, tmp_path, server.url, **{"memory.redis_prefix": "team:"})
    machine.say("A remark")
    machine.sync()
    machine.close()
    client = _client(server)
    assert all(key.startswith("team:") for key in client.scan_iter())


@slow
def test_an_acl_user_needs_its_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    acl = tmp_path / "users.acl"
    acl.write_text("user default off\nuser ann on >pass-word-1 ~* +@all\n")
    with running_redis(tmp_path, "--aclfile", str(acl)) as server:
        monkeypatch.setenv("REDIS_PASSWORD", "pass-word-1")
        good = _settings(tmp_path, url=server.url, user="ann", password="{env:REDIS_PASSWORD}")
        with open_redis(good) as tier:
            tier.ping()
        monkeypatch.setenv("REDIS_PASSWORD", "wrong-word-2")
        with open_redis(good) as tier, pytest.raises(ProviderRefused) as caught:
            tier.ping()
        assert "wrong-word-2" not in f"{caught.value.message}{caught.value.hint}"


@slow
def test_a_user_that_may_not_ask_for_sizes_reads_lists_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    acl = tmp_path / "users.acl"
    acl.write_text("user default on nopass ~* +@all\nuser ann on >pass-word-1 ~* +@all -memory\n")
    monkeypatch.setenv("REDIS_PASSWORD", "pass-word-1")
    with running_redis(tmp_path, "--aclfile", str(acl)) as server:
        settings = _settings(tmp_path, url=server.url, user="ann", password="{env:REDIS_PASSWORD}")
        with open_redis(settings) as tier:
            tier.push("list", ["one", "two"], 60)
            for _ in range(2):
                assert tier.values("list", limit=5) == ["two", "one"]


@slow
def test_an_encrypted_connection_is_verified(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path, addresses=["127.0.0.1"])
    with running_redis(tmp_path) as plain:
        port = plain.port
    options = [
        "--tls-port",
        str(port),
        "--tls-cert-file",
        certificate.name,
        "--tls-key-file",
        key.name,
        "--tls-auth-clients",
        "no",
    ]
    server = RedisServer(data=tmp_path, options=["--port", "0", *options])
    server.port = port
    server.start()
    try:
        url = f"rediss://127.0.0.1:{port}"
        with open_redis(_settings(tmp_path, url=url, ca_file=str(certificate))) as tier:
            tier.ping()
        with open_redis(_settings(tmp_path, url=url)) as tier, pytest.raises(ProviderUnavailable):
            tier.ping()
    finally:
        server.kill()


@slow
def test_while_the_redis_is_away_this_process_keeps_values_and_writes_them_later(
    tmp_path: Path, server: RedisServer
) -> None:
    clock = FakeClock()
    with FallbackCache(open_redis(_settings(tmp_path, url=server.url)), clock) as cache:
        cache.set("first", "one", 100)
        server.kill()
        cache.set("value", "text", 100)
        cache.set_fields("table", {"a": "b"}, 100)
        assert (cache.get("value"), cache.get("first")) == ("text", None)
        server.start()
        clock.time_s += 60
        assert cache.get("value") == "text"
        client = _client(server)
        assert client.get("value") == "text"
        assert client.hgetall("table") == {"a": "b"}
        assert 0 < client.ttl("value") <= 40


def test_values_of_this_process_expire() -> None:
    clock = FakeClock()
    cache = ProcessCache(clock)
    cache.set("value", "text", 5)
    cache.set("kept", "text", 10)
    clock.time_s = 6
    assert (cache.get("value"), cache.get("kept")) == (None, "text")
    other = ProcessCache(clock)
    cache.replay(other)
    assert (other.get("kept"), other.get("value"), cache.get("kept")) == ("text", None, None)


@slow
def test_what_is_read_of_the_redis_is_bounded(
    tmp_path: Path, server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = _client(server)
    client.rpush("list", *range(1_200))
    client.set("long", "x" * 2_000)
    client.set("broken", b"\xff" * 10)
    with open_redis(_settings(tmp_path, url=server.url)) as tier:
        assert tier.values("list", limit=1_100) == [str(number) for number in range(1_100)]
        assert tier.values("none", limit=5) == []
        assert tier.get("broken") == "\ufffd" * 10
        assert tier.get("long") == "x" * 2_000
        monkeypatch.setattr("codecairn.memory.backends.hot_tier._MAX_TEXT_BYTES", 1_000)
        assert tier.get("long") is None
        monkeypatch.setattr("codecairn.memory.backends.hot_tier._MAX_LIST_BYTES", 1_000)
        with pytest.raises(ProviderRefused) as caught:
            tier.values("list", limit=10)
        assert "`list`" in caught.value.message


@slow
def test_a_purge_leaves_no_snapshot_and_no_answer_of_a_graph(
    machines: tuple[Machine, Machine], server: RedisServer
) -> None:
    laptop, tower = machines
    laptop.say("Use SQLite for storage", "Then use the quetzal library for it")
    laptop.sync()
    tower.say("Hello", session="other")
    tower.sync()
    client = _client(server)
    assert "quetzal" in client.get("session:s:snapshot")
    cached = f"memory-cache:{laptop.status().group}"
    client.set(cached, "the quetzal answer")
    laptop.memory.purge(containing="quetzal")
    laptop.sync()
    assert "SQLite" in client.get("session:s:snapshot")
    for machine in (tower, laptop, tower):
        machine.sync()
        assert "quetzal" not in (client.get("session:s:snapshot") or "")
    assert client.get(cached) is None


@slow
def test_the_purge_of_a_session_that_is_over_is_followed(
    machines: tuple[Machine, Machine], server: RedisServer, tmp_path: Path
) -> None:
    laptop, _ = machines
    an_hour_ago = time.time_ns() // 1_000_000 - 3_600_000
    laptop.memory.record("s", "The quetzal remark", role="user", ts_ms=an_hour_ago)
    laptop.sync()
    laptop.close()
    root = laptop.workspace.root
    later = Machine(root, tmp_path / "laptop/data", server.url, **{"memory.redis_session_s": 60})
    later.sync()
    client = _client(server)
    assert "quetzal" in str(client.lrange("session:s:events", 0, -1)), "others hold it for a day"
    later.memory.purge(containing="quetzal")
    assert later.sync().removed == 1
    assert "quetzal" not in str(client.lrange("session:s:events", 0, -1))
    later.sync()
    assert later.said() == []
    later.close()


@slow
@pytest.mark.parametrize("place", ["SharedSessions._push", "note_events"])
def test_a_pulled_event_that_is_purged_before_it_is_noted_does_not_come_back(
    machines: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    laptop, tower = machines
    laptop.say("The quetzal remark")
    laptop.sync()
    tower.say("Hello", session="other")
    calls: list[object] = []
    module = "codecairn.memory.backends.shared_sessions"
    plain = note_events

    def end(*arguments: object, **named: object) -> int:
        calls.append(arguments)
        if place == "note_events" and len(calls) == 1:
            return plain(*arguments, **named)  # type: ignore[arg-type]
        raise ProviderUnavailable("the process ends here", provider="redis")

    monkeypatch.setattr(f"{module}.{place}", end)
    assert "ends here" in tower.sync().obstacle
    assert "The quetzal remark" in tower.said()
    monkeypatch.undo()
    tower.memory.purge(containing="quetzal")
    for machine in (tower, laptop, tower):
        machine.sync()
    assert tower.said() == ["Hello"]


@slow
def test_what_is_purged_while_it_is_written_leaves_the_redis(
    machines: tuple[Machine, Machine], server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop, _ = machines
    laptop.say("The quetzal remark", "Another remark")
    plain = SharedSessions._documents

    def purge(self: SharedSessions, session: str) -> object:
        monkeypatch.setattr(SharedSessions, "_documents", plain)
        laptop.memory.purge(containing="quetzal")
        return plain(self, session)

    monkeypatch.setattr(SharedSessions, "_documents", purge)
    laptop.sync()
    texts = str(_client(server).lrange("session:s:events", 0, -1))
    assert "Another remark" in texts
    assert "quetzal" not in texts


@slow
def test_a_purged_project_does_not_come_back(
    machines: tuple[Machine, Machine], server: RedisServer, tmp_path: Path
) -> None:
    laptop, tower = machines
    laptop.say("The quetzal remark")
    laptop.sync()
    tower.say("Hello", session="other")
    tower.sync()
    laptop.memory.purge(whole_project=True)
    # Another project of the same memory removes what is left.
    root = tmp_path / "garden"
    root.mkdir()
    data = tmp_path / "laptop/data"
    garden = Machine(root, data, server.url, **{"memory.project": "garden"})
    garden.say("A remark of the garden", session="g")
    assert garden.sync().removed == 1
    garden.close()
    client = _client(server)
    assert client.lrange("session:s:events", 0, -1) == []
    laptop.say("A new beginning", session="new")
    for machine in (laptop, tower, laptop):
        machine.sync()
    assert laptop.said() == ["A new beginning", "Hello"]


@slow
def test_what_comes_from_the_redis_is_text_from_outside(
    machines: tuple[Machine, Machine],
) -> None:
    laptop, tower = machines
    laptop.say("We decided to use SQLite for storage because it is enough.")
    assert [fact.origin for fact in laptop.memory.list(limit=9)] == ["user"]
    laptop.sync()
    tower.say("Hello", session="other")
    assert tower.sync().pulled == 1
    (event,) = tower.memory.events(session="s")
    assert (event.origin, event.hook) == ("external", "redis")
    assert tower.memory.list(limit=9) == ()
    assert "SQLite" not in tower.memory.context("new", part="static").text
    for shown in (
        tower.memory.context("new", "what did we decide to use for storage").text,
        tower.memory.context("s", part="compaction").text,
    ):
        assert "SQLite" in shown
        assert "quoted from outside" in shown


@slow
def test_a_moment_of_the_far_future_is_now(
    machines: tuple[Machine, Machine], server: RedisServer
) -> None:
    laptop, _ = machines
    laptop.say("A remark")
    laptop.sync()
    row = {
        "id": "z",
        "role": "user",
        "ts": 10**15,
        "body": "From the future",
        "metadata": {"key": "z"},
    }
    _client(server).lpush("session:s:events", json.dumps(row))
    assert laptop.sync().pulled == 1
    (event,) = [each for each in laptop.memory.events() if each.body == "From the future"]
    assert event.ts_ms <= time.time_ns() // 1_000_000


@pytest.mark.parametrize(
    "url", ["localhost", "http://localhost", "redis://a:b@localhost", "redis://localhost/x"]
)
def test_an_address_that_is_none_is_an_error(tmp_path: Path, url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        open_redis(_settings(tmp_path, url=url))
    assert "memory.redis_url" in caught.value.message


def test_a_redis_that_is_not_there_is_told_and_costs_no_event(
    folder: Repository, tmp_path: Path
) -> None:
    machine = Machine(folder.root, tmp_path, "redis://127.0.0.1:1")
    machine.say("A remark")
    report = machine.sync()
    assert "no answer" in report.obstacle
    assert (machine.status().state, machine.said()) == ("failing", ["A remark"])
    machine.close()
