"""A model behind an HTTP address: one provider's protocol over the shared transport."""

from collections.abc import Mapping

from codecairn.core.light_dataclass import dataclass
from codecairn.llm.provider import Prompt, Reply, Shape
from codecairn.remote.transport import Transport


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpModel:
    """The model that a shape and a transport reach."""

    shape: Shape
    transport: Transport

    @property
    def name(self) -> str:
        """The provider's name."""
        return self.shape.name

    @property
    def model(self) -> str:
        """The model's name."""
        return self.shape.model

    @property
    def destination(self) -> str:
        """Where texts go, as shown to the user."""
        return self.shape.destination

    @property
    def thought_tokens(self) -> int:
        """Room for what the model thinks before it answers."""
        return self.shape.thought_tokens

    def send(self, prompt: Prompt) -> Mapping[str, object]:
        """The provider's response.

        Raises:
            ProviderError: If there is none.
        """
        return self.transport.send(self.shape.request(prompt))

    def reply(self, document: Mapping[str, object]) -> Reply:
        """Parses the response."""
        return self.shape.reply(document)

    def close(self) -> None:
        """Let go of connections."""
        self.transport.close()
