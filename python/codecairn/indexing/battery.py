"""Waiting for the mains: what nobody waits for is put off while the machine runs on its battery."""

from collections.abc import Callable
from dataclasses import dataclass

from codecairn.indexing.patience import Notify
from codecairn.power import is_on_battery

LOOK_AGAIN_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Mains:
    """Whether to go on.

    Attributes:
        notify: Told when a pause begins and when it ends.
        asked: Whether the machine runs on its battery.
        look_again_s: Seconds between two looks at what feeds it.
    """

    notify: Notify
    asked: Callable[[], bool] = is_on_battery
    look_again_s: float = LOOK_AGAIN_S

    def wait(self, *, pauses: bool, pause: Callable[[float], bool]) -> bool:
        """Return as soon as there is no reason to wait.

        Args:
            pauses: Whether the settings want a pause on battery; without, nobody is asked.
            pause: Waits for some seconds; says true if nobody wants to go on any more.

        Returns:
            Whether to go on.
        """
        if not pauses or not self.asked():
            return True
        self.notify(
            "the machine runs on its battery: indexing in the background waits for the mains"
        )
        while self.asked():
            if pause(self.look_again_s):
                return False
        self.notify("the mains are back: indexing goes on")
        return True
