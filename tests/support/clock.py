"""A clock that a test advances."""


class FakeClock:
    """Tells the time it was given."""

    def __init__(self) -> None:
        self.time_s = 0.0

    def now_ns(self) -> int:
        """Nanoseconds since 1970."""
        return int(self.time_s * 1e9)

    def monotonic_s(self) -> float:
        """Seconds."""
        return self.time_s
