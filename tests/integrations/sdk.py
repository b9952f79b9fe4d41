"""The OpenAI Agents SDK is the package `agents`, and so is a folder of these tests."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

_TESTS = Path(__file__).parents[1]
_SDK: dict[str, ModuleType] = {}


@contextmanager
def swapped() -> Iterator[None]:
    """`agents` is the SDK."""
    path, ours = sys.path[:], _taken_out()
    sys.path[:] = [each for each in path if Path(each or ".").resolve() != _TESTS]
    sys.modules.update(_SDK)
    try:
        yield
    finally:
        _SDK.update(_taken_out())
        sys.path[:] = path
        sys.modules.update(ours)


def _taken_out() -> dict[str, ModuleType]:
    names = [name for name in sys.modules if name == "agents" or name.startswith("agents.")]
    return {name: sys.modules.pop(name) for name in names}
