"""Connects to a Redis or a FalkorDB with the package `redis`, of the extras `codecairn[redis]` and `codecairn[graphiti]`."""

from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import ConfigError
from codecairn.memory.backends.endpoint import Endpoint

if TYPE_CHECKING:
    import redis


@dataclass(frozen=True, slots=True, kw_only=True)
class RedisOptions:
    """How to connect.

    Attributes:
        place: The address.
        database: The number of the database.
        user: The ACL user; empty for the default user.
        password: The password; empty for none.
        ca_file: A file of certificates that the server's is checked against; empty for those of the system.
        timeout_s: Seconds that connecting, and each command, may take.
        extra: The extra of codecairn that brings the package.
    """

    place: Endpoint
    database: int
    user: str
    password: str
    ca_file: str
    timeout_s: float
    extra: str

    def scrubbed(self, text: str) -> str:
        """A text of the library or of the other side, without the password and what of the address is not shown."""
        return self.place.scrubbed(text, self.password)


def connect_redis(options: RedisOptions) -> "redis.Redis":
    """A client whose answers are texts; the first command connects, and TLS is verified.

    Raises:
        ConfigError: If the package is not installed, or the file of certificates is not there.
    """
    try:
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry
    except ImportError as err:
        raise ConfigError(
            "the package `redis` is not installed",
            hint=f"install it with `pip install 'codecairn[{options.extra}]'`",
        ) from err
    if options.ca_file and not Path(options.ca_file).is_file():
        raise ConfigError(
            f"there is no file of certificates `{options.ca_file}`",
            hint="see `memory.redis_ca_file`",
        )
    return redis.Redis(
        host=options.place.host,
        port=options.place.port,
        db=options.database,
        username=options.user or None,
        password=options.password or None,
        socket_timeout=options.timeout_s,
        socket_connect_timeout=options.timeout_s,
        retry=Retry(NoBackoff(), 0),
        decode_responses=True,
        encoding_errors="replace",
        ssl=options.place.is_encrypted,
        ssl_cert_reqs="required",
        ssl_check_hostname=True,
        ssl_ca_certs=options.ca_file or None,
    )
