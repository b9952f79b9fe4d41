"""The hot tier: lists and values that expire, in a Redis. Keys and expiry are those of opencode-graphiti.

Values are also kept in this process while the Redis can't be reached, and written there when it is reached again; lists
are not: what they hold is in the memory.
"""

from collections.abc import Callable, Mapping, Sequence
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
_TEXTS_AT_ONCE = 500
_MAX_TEXT_BYTES = 4 * 1024 * 1024
"""The maximum bytes of a value that is read."""

_MAX_LIST_BYTES = 64 * 1024 * 1024
"""The maximum bytes that a list may take in the Redis to be read."""


class Cache(Protocol):
    """Values that expire. Texts come back as they were put in."""

    def get(self, key: str) -> str | None:
        """A value."""
        ...

    def set(self, key: str, text: str, ttl_s: int) -> None:
        """Put a value in place."""
        ...

    def set_fields(self, key: str, fields: Mapping[str, str], ttl_s: int) -> None:
        """Put a table of fields in place."""
        ...


class RedisTier(Closeable):
    """Lists and values in a Redis. The first call connects. Others can write there, so what is read is bounded."""

    def __init__(self, options: RedisOptions, *, prefix: str, allow_link_local: bool) -> None:
        self._options = options
        self._prefix = prefix
        self._allow_link_local = allow_link_local
        self._client: redis.Redis | None = None
        self._may_measure = True

    def close(self) -> None:
        """Let go of the connection."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def values(self, key: str, *, limit: int) -> list[str]:
        """The first texts of a list, the newest first; empty if there is none.

        Raises:
            ProviderRefused: If the list takes more memory than is read.
        """
        self._require_readable(key)
        found: list[str] = []
        while len(found) < limit:
            count = min(_TEXTS_AT_ONCE, limit - len(found))
            texts = self._page(key, len(found), len(found) + count - 1)
            found.extend(texts)
            if len(texts) < count:
                break
        return found

    def push(self, key: str, texts: Sequence[str], ttl_s: int) -> None:
        """Put texts before a list, the last one first, and let it expire later; both steps are one transaction."""

        def work(client: "redis.Redis") -> object:
            with client.pipeline(transaction=True) as pipeline:
                if texts:
                    pipeline.lpush(self._key(key), *texts)
                pipeline.expire(self._key(key), ttl_s)
                return pipeline.execute()

        self._run(work)

    def get(self, key: str) -> str | None:
        """See `Cache`; a value that is longer than is read counts as none."""
        value = str(
            self._run(lambda client: client.getrange(self._key(key), 0, _MAX_TEXT_BYTES)) or ""
        )
        return value if 0 < len(value.encode("utf-8", "replace")) <= _MAX_TEXT_BYTES else None

    def set(self, key: str, text: str, ttl_s: int) -> None:
        """See `Cache`."""
        self._run(lambda client: client.set(self._key(key), text, ex=ttl_s))

    def set_fields(self, key: str, fields: Mapping[str, str], ttl_s: int) -> None:
        """See `Cache`; all steps are one transaction."""

        def work(client: "redis.Redis") -> object:
            with client.pipeline(transaction=True) as pipeline:
                pipeline.delete(self._key(key))
                for name, text in fields.items():
                    pipeline.hset(self._key(key), name, text)
                pipeline.expire(self._key(key), ttl_s)
                return pipeline.execute()

        self._run(work)

    def remove(self, key: str, texts: Sequence[str]) -> None:
        """Take texts out of a list."""

        def work(client: "redis.Redis") -> object:
            with client.pipeline(transaction=True) as pipeline:
                for text in texts:
                    pipeline.lrem(self._key(key), 0, text)
                return pipeline.execute()

        if texts:
            self._run(work)

    def delete(self, *keys: str) -> None:
        """Delete lists and values."""
        self._run(lambda client: client.delete(*(self._key(key) for key in keys)))

    def ping(self) -> None:
        """See that the Redis answers.

        Raises:
            ProviderUnavailable: If it does not.
        """
        self._run(lambda client: client.ping())

    def _page(self, key: str, first: int, last: int) -> list[str]:
        texts = self._run(lambda client: client.lrange(self._key(key), first, last))
        return [str(text) for text in texts]

    def _require_readable(self, key: str) -> None:
        """See that a list is not larger than is read; a user that may not ask for it reads the list page by page."""
        if not self._may_measure:
            return
        try:
            size = self._run(lambda client: client.memory_usage(self._key(key), samples=0))
        except ProviderRefused:
            self._may_measure = False
            return
        if isinstance(size, int) and size > _MAX_LIST_BYTES:
            raise ProviderRefused(
                f"the list `{self._key(key)}` in {NAME} takes {size:,} bytes, more than the {_MAX_LIST_BYTES:,} that are read",
                hint="see who writes there, and delete the key: what belongs there is written again",
                provider=NAME,
            )

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


class ProcessCache:
    """A cache in this process, which ends with it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._values: dict[str, tuple[str, float]] = {}
        self._fields: dict[str, tuple[Mapping[str, str], float]] = {}

    def get(self, key: str) -> str | None:
        """See `Cache`."""
        text, until_s = self._values.get(key, ("", 0.0))
        return text if until_s > self._clock.monotonic_s() else None

    def set(self, key: str, text: str, ttl_s: int) -> None:
        """See `Cache`."""
        self._values[key] = (text, self._clock.monotonic_s() + ttl_s)

    def set_fields(self, key: str, fields: Mapping[str, str], ttl_s: int) -> None:
        """See `Cache`."""
        self._fields[key] = (dict(fields), self._clock.monotonic_s() + ttl_s)

    def replay(self, cache: Cache) -> None:
        """Write to another cache what was written here and has not expired, and forget it."""
        for key, (text, until_s) in [*self._values.items()]:
            if until_s > self._clock.monotonic_s():
                cache.set(key, text, self._left_s(until_s))
            del self._values[key]
        for key, (fields, until_s) in [*self._fields.items()]:
            if until_s > self._clock.monotonic_s():
                cache.set_fields(key, fields, self._left_s(until_s))
            del self._fields[key]

    def _left_s(self, until_s: float) -> int:
        return max(1, round(until_s - self._clock.monotonic_s()))


class FallbackCache(Closeable):
    """Values in a Redis, and in this process while it can't be reached. Not thread-safe."""

    def __init__(self, tier: RedisTier, clock: Clock) -> None:
        self._tier = tier
        self._process = ProcessCache(clock)
        self._clock = clock
        self._failures = 0
        self._due_s = 0.0

    def close(self) -> None:
        """Let go of the connection."""
        self._tier.close()

    def get(self, key: str) -> str | None:
        """See `Cache`."""
        found: str | None = self._either(lambda cache: cache.get(key))
        return found

    def set(self, key: str, text: str, ttl_s: int) -> None:
        """See `Cache`."""
        self._either(lambda cache: cache.set(key, text, ttl_s))

    def set_fields(self, key: str, fields: Mapping[str, str], ttl_s: int) -> None:
        """See `Cache`."""
        self._either(lambda cache: cache.set_fields(key, fields, ttl_s))

    def _either(self, work: Callable[[Cache], Any]) -> Any:  # noqa: ANN401 - what the work returns
        """Do the work in the Redis, unless it failed a moment ago, or else here."""
        if self._failures and self._clock.monotonic_s() < self._due_s:
            return work(self._process)
        try:
            if self._failures:
                self._tier.ping()
                self._process.replay(self._tier)
            done = work(self._tier)
        except ProviderUnavailable:
            self._failures += 1
            self._due_s = self._clock.monotonic_s() + backoff_ms(self._failures) / 1000
            return work(self._process)
        self._failures = 0
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
