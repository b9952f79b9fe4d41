"""The hot tier: lists and values that expire, in a Redis, or in this process while the Redis can't be reached.

What was written meanwhile is written to the Redis when it is reached again. Keys and expiry are those of opencode-graphiti.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from codecairn.clock import Clock
from codecairn.config.settings import Settings
from codecairn.core.closeable import Closeable
from codecairn.errors import ConfigError, ProviderRefused, ProviderUnavailable
from codecairn.memory.backends.backoff import backoff_ms
from codecairn.memory.backends.endpoint import REDIS, endpoint, require_reachable, secret
from codecairn.memory.backends.redis_connection import RedisOptions, connect_redis

if TYPE_CHECKING:
    import redis

NAME = "redis"

_PORT = 6379


class Tier(Protocol):
    """Lists and values that expire. Texts come back as they were put in."""

    def values(self, key: str) -> list[str]:
        """A list, the newest first; empty if there is none."""
        ...

    def push(self, key: str, texts: Sequence[str], ttl_s: int) -> None:
        """Put texts before a list, the last one first, and let it expire later."""
        ...

    def get(self, key: str) -> str | None:
        """A value."""
        ...

    def set(self, key: str, text: str, ttl_s: int) -> None:
        """Put a value in place."""
        ...

    def set_fields(self, key: str, fields: Mapping[str, str], ttl_s: int) -> None:
        """Put a table of fields in place."""
        ...

    def remove(self, key: str, texts: Sequence[str]) -> None:
        """Take texts out of a list."""
        ...


class RedisTier(Closeable):
    """A tier in a Redis. The first call connects."""

    def __init__(self, options: RedisOptions, *, prefix: str, allow_link_local: bool) -> None:
        self._options = options
        self._prefix = prefix
        self._allow_link_local = allow_link_local
        self._client: redis.Redis | None = None

    def close(self) -> None:
        """Let go of the connection."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def values(self, key: str) -> list[str]:
        """See `Tier`."""
        return [
            str(text) for text in self._run(lambda client: client.lrange(self._key(key), 0, -1))
        ]

    def push(self, key: str, texts: Sequence[str], ttl_s: int) -> None:
        """See `Tier`; both steps are one transaction."""

        def work(client: "redis.Redis") -> object:
            with client.pipeline(transaction=True) as pipeline:
                if texts:
                    pipeline.lpush(self._key(key), *texts)
                pipeline.expire(self._key(key), ttl_s)
                return pipeline.execute()

        self._run(work)

    def get(self, key: str) -> str | None:
        """See `Tier`."""
        value = self._run(lambda client: client.get(self._key(key)))
        return None if value is None else str(value)

    def set(self, key: str, text: str, ttl_s: int) -> None:
        """See `Tier`."""
        self._run(lambda client: client.set(self._key(key), text, ex=ttl_s))

    def set_fields(self, key: str, fields: Mapping[str, str], ttl_s: int) -> None:
        """See `Tier`; all steps are one transaction."""

        def work(client: "redis.Redis") -> object:
            with client.pipeline(transaction=True) as pipeline:
                pipeline.delete(self._key(key))
                for name, text in fields.items():
                    pipeline.hset(self._key(key), name, text)
                pipeline.expire(self._key(key), ttl_s)
                return pipeline.execute()

        self._run(work)

    def remove(self, key: str, texts: Sequence[str]) -> None:
        """See `Tier`."""

        def work(client: "redis.Redis") -> object:
            with client.pipeline(transaction=True) as pipeline:
                for text in texts:
                    pipeline.lrem(self._key(key), 0, text)
                return pipeline.execute()

        if texts:
            self._run(work)

    def ping(self) -> None:
        """See that the Redis answers.

        Raises:
            ProviderUnavailable: If it does not.
        """
        self._run(lambda client: client.ping())

    def _key(self, key: str) -> str:
        return f"{self._prefix}{key}"

    def _run(self, work: "Callable[[redis.Redis], Any]") -> Any:  # noqa: ANN401 - the protocol's values
        if self._client is None:
            require_reachable(
                self._options.place, name=NAME, allow_link_local=self._allow_link_local
            )
            self._client = connect_redis(self._options)
        import redis

        try:
            return work(self._client)
        except (redis.AuthenticationError, redis.ResponseError) as err:
            self.close()
            raise ProviderRefused(
                f"{NAME} at `{self._options.place.shown}` refused a command: {self._options.scrubbed(str(err))}",
                hint="check `memory.redis_user`, `memory.redis_password` and what the user may do",
                provider=NAME,
            ) from err
        except (redis.RedisError, OSError) as err:
            self.close()
            raise ProviderUnavailable(
                f"no answer from {NAME} at `{self._options.place.shown}`: {self._options.scrubbed(str(err))}",
                hint="check `memory.redis_url`, and that the Redis runs",
                provider=NAME,
            ) from err


@dataclass(slots=True, kw_only=True)
class _Entry:
    """A list (the newest first) or one text, and when it expires in seconds of the monotonic clock."""

    texts: list[str]
    is_list: bool
    until_s: float


class ProcessTier:
    """A tier in this process, which ends with it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._entries: dict[str, _Entry] = {}
        self._removed: list[tuple[str, str]] = []
        self._fields: dict[str, tuple[Mapping[str, str], float]] = {}

    def values(self, key: str) -> list[str]:
        """See `Tier`."""
        entry = self._live(key)
        return list(entry.texts) if entry is not None and entry.is_list else []

    def push(self, key: str, texts: Sequence[str], ttl_s: int) -> None:
        """See `Tier`."""
        older = self.values(key)
        self._put(key, [*reversed(texts), *older], ttl_s, is_list=True)

    def get(self, key: str) -> str | None:
        """See `Tier`."""
        entry = self._live(key)
        return entry.texts[0] if entry is not None and not entry.is_list else None

    def set(self, key: str, text: str, ttl_s: int) -> None:
        """See `Tier`."""
        self._put(key, [text], ttl_s, is_list=False)

    def set_fields(self, key: str, fields: Mapping[str, str], ttl_s: int) -> None:
        """See `Tier`."""
        self._fields[key] = (dict(fields), self._clock.monotonic_s() + ttl_s)

    def remove(self, key: str, texts: Sequence[str]) -> None:
        """See `Tier`."""
        self._removed.extend((key, text) for text in texts)
        entry = self._live(key)
        if entry is not None:
            entry.texts = [text for text in entry.texts if text not in texts]

    def replay(self, tier: Tier) -> None:
        """Write to another tier what was written here, and forget it; of a list, what the other does not have."""
        while self._removed:
            key, text = self._removed[0]
            tier.remove(key, [text])
            del self._removed[0]
        for key in [*self._fields]:
            fields, until_s = self._fields[key]
            if until_s > self._clock.monotonic_s():
                tier.set_fields(key, fields, self._left_s(until_s))
            del self._fields[key]
        for key in [*self._entries]:
            entry = self._live(key)
            if entry is None:
                continue
            ttl_s = self._left_s(entry.until_s)
            if entry.is_list:
                known = frozenset(tier.values(key))
                tier.push(key, [text for text in reversed(entry.texts) if text not in known], ttl_s)
            else:
                tier.set(key, entry.texts[0], ttl_s)
            del self._entries[key]

    def _left_s(self, until_s: float) -> int:
        return max(1, round(until_s - self._clock.monotonic_s()))

    def _put(self, key: str, texts: list[str], ttl_s: int, *, is_list: bool) -> None:
        until_s = self._clock.monotonic_s() + ttl_s
        self._entries[key] = _Entry(texts=texts, is_list=is_list, until_s=until_s)

    def _live(self, key: str) -> _Entry | None:
        entry = self._entries.get(key)
        if entry is not None and entry.until_s <= self._clock.monotonic_s():
            del self._entries[key]
            return None
        return entry


class FallbackTier(Closeable):
    """A Redis, and this process while it can't be reached. Not thread-safe."""

    def __init__(self, redis_tier: RedisTier, clock: Clock) -> None:
        self._redis = redis_tier
        self._process = ProcessTier(clock)
        self._clock = clock
        self._failures = 0
        self._due_s = 0.0
        self.error = ""

    def close(self) -> None:
        """Let go of the connection."""
        self._redis.close()

    @property
    def is_reached(self) -> bool:
        """Whether the Redis answered last."""
        return not self.error

    def values(self, key: str) -> list[str]:
        """See `Tier`."""
        found: list[str] = self._either(lambda tier: tier.values(key))
        return found

    def push(self, key: str, texts: Sequence[str], ttl_s: int) -> None:
        """See `Tier`."""
        self._either(lambda tier: tier.push(key, texts, ttl_s))

    def get(self, key: str) -> str | None:
        """See `Tier`."""
        found: str | None = self._either(lambda tier: tier.get(key))
        return found

    def set(self, key: str, text: str, ttl_s: int) -> None:
        """See `Tier`."""
        self._either(lambda tier: tier.set(key, text, ttl_s))

    def set_fields(self, key: str, fields: Mapping[str, str], ttl_s: int) -> None:
        """See `Tier`."""
        self._either(lambda tier: tier.set_fields(key, fields, ttl_s))

    def remove(self, key: str, texts: Sequence[str]) -> None:
        """See `Tier`."""
        self._either(lambda tier: tier.remove(key, texts))

    def _either(self, work: Callable[[Tier], Any]) -> Any:  # noqa: ANN401 - what the work returns
        """Do the work in the Redis, unless it failed a moment ago, or else here."""
        if self._failures and self._clock.monotonic_s() < self._due_s:
            return work(self._process)
        try:
            if self._failures:
                self._redis.ping()
                self._process.replay(self._redis)
            done = work(self._redis)
        except ProviderUnavailable as err:
            self._failures += 1
            self._due_s = self._clock.monotonic_s() + backoff_ms(self._failures) / 1000
            self.error = err.message
            return work(self._process)
        self._failures, self.error = 0, ""
        return done


def open_redis(settings: Settings) -> RedisTier:
    """The Redis that the settings name; the first call connects.

    Raises:
        ConfigError: If the address can't be used.
    """
    password = secret("memory.redis_password", settings.memory_redis_password)
    place = endpoint(
        "memory.redis_url",
        settings.memory_redis_url,
        schemes=REDIS,
        default_port=_PORT,
        has_secret=bool(password),
    )
    number = place.url.partition("://")[2].partition("/")[2]
    if number and not number.isdecimal():
        raise ConfigError(
            "`memory.redis_url` ends in no number of a database",
            hint=f"write `{place.url.partition('://')[0]}://{place.host}:{place.port}/0`",
        )
    options = RedisOptions(
        place=place,
        database=int(number or 0),
        user=settings.memory_redis_user,
        password=password,
        ca_file=settings.memory_redis_ca_file,
        timeout_s=settings.memory_redis_timeout_ms / 1000,
        extra="redis",
    )
    return RedisTier(
        options,
        prefix=settings.memory_redis_prefix,
        allow_link_local=settings.network_allow_link_local,
    )
