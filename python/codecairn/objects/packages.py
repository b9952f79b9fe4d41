"""Names the extra to install where a package is missing that a shared index needs."""

from collections.abc import Iterator
from contextlib import contextmanager

from codecairn.errors import UsageError


@contextmanager
def needs(package: str, *, extra: str) -> Iterator[None]:
    """Around an import of an optional package.

    Raises:
        UsageError: If it is not installed; the hint names the extra that brings it.
    """
    try:
        yield
    except ImportError as err:
        raise UsageError(
            f"a shared index there needs the package `{package}`, which is not installed",
            hint=f"install it by `pip install 'codecairn[{extra}]'`",
        ) from err
