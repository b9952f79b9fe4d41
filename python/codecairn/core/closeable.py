"""The base of everything that `close` or the end of a `with` block releases."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self


class Closeable(ABC):
    """Something that a `with` closes when it is left."""

    @abstractmethod
    def close(self) -> None:
        """Give back what is held."""

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()
