"""The marks by which a user excludes prompts and sessions from the memory.

`codecairn:skip` in a prompt excludes that prompt and everything up to the next one, `codecairn:off` the rest of the session;
`codecairn:on` ends either. Between backticks the marks have no effect.
"""

from codecairn.hooks import state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from codecairn.hooks.event import HookEvent

SKIP, OFF, ON = "codecairn:skip", "codecairn:off", "codecairn:on"
"""The words, anywhere in a prompt."""


def is_off(hook_event: "HookEvent") -> bool:
    """Whether an event is to be left alone; prompts change what holds from then on."""
    name = state.name_of(hook_event.parent or hook_event.session)
    said = said_in(hook_event.prompt)
    now = state.read("sessions", name)
    if said == ON:
        state.remove("sessions", name)
        return False
    if said:
        state.write(said, "sessions", name)
        return True
    if now == SKIP and hook_event.prompt:
        state.remove("sessions", name)
        return False
    return now is not None


def said_in(prompt: str) -> str:
    """The last of the marks in a prompt; empty for none."""
    if "codecairn:" not in prompt:
        return ""
    words = [word.strip("\"'.,;:!?()[]{}<>") for word in prompt.split()]
    return next((word for word in reversed(words) if word in {SKIP, OFF, ON}), "")
