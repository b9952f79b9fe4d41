"""Settings of a workspace that change while it is open."""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

from codecairn.config import layers
from codecairn.config.settings import SETTINGS, Settings


class WithSettings:
    """The part of a workspace that holds its settings."""

    root: Path
    settings: Settings
    _arguments: Mapping[str, object]

    def reload_settings(self, keys: Sequence[str]) -> Mapping[str, str]:
        """Read some settings again, for all calls that begin from now on; the others stay as they were opened with.

        Only settings that are looked up in `settings` at each call, or that the memory is opened with, take effect. A
        call that is under way keeps the memory it began with, which is closed when nothing refers to it.

        Returns:
            Where the value of each key comes from.

        Raises:
            ConfigError: If some setting is unknown or has a wrong value.
        """
        config = layers.load(self.root, arguments=self._arguments)
        fields = [SETTINGS[key].field for key in keys]
        changed = {field: getattr(config.settings, field) for field in fields}
        self.settings = dataclasses.replace(self.settings, **changed)
        self.__dict__.pop("memory", None)
        return {key: config.sources[key] for key in keys}
