"""The request of `ask`; see `codecairn.core.requests`."""

from dataclasses import KW_ONLY
from typing import Annotated

from codecairn.context import PROFILES
from codecairn.core.light_dataclass import dataclass
from codecairn.core.requests import Doc


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A question to memory and code."""

    question: Annotated[str, Doc(text="What to ask.", metavar="QUESTION")]
    _: KW_ONLY
    profile: Annotated[
        str,
        Doc(
            text="The kind of question; `auto` decides by its words.",
            metavar="PROFILE",
            choices=("auto", *PROFILES),
        ),
    ] = "auto"
    token_budget: Annotated[
        int,
        Doc(
            text="The approximate maximum number of tokens.",
            alias="tokens",
            metavar="N",
            minimum=200,
        ),
    ] = 1800
