"""Models in this process: Model2Vec, and ONNX models through fastembed, with the extra `codecairn[local-models]`."""

import json
import struct
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from codecairn.core.types.embedding import NOTHING_SPENT, Spending
from codecairn.embedding.base import Answer, Role
from codecairn.embedding.connection import Embedded
from codecairn.embedding.models import Model, find_model
from codecairn.embedding.plan import Plan
from codecairn.embedding.validation import checked
from codecairn.errors import ConfigError, ProviderRefused

_EXTRA_HINT = "install it with `pip install 'codecairn[local-models]'`"

_MAX_HEADER = 16 << 20


def facts_of(provider: str, model: str) -> Model | None:
    """The model's dimensions from its files, without loading it; `None` if they lack them."""
    if provider == "model2vec" and model:
        dimensions = _width(Path(model) / "model.safetensors")
        if dimensions:
            return Model(dimensions=dimensions, text_tokens=1 << 20, usd=0)
    return find_model(model)


class LocalEmbedder:
    """Embeds in this process. The model is loaded when it is first needed. Thread-safe."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._encode: Callable[[list[str]], Sequence[Sequence[float]]] | None = None
        self._lock = threading.Lock()

    def close(self) -> None:
        """Let go of the model."""
        self._encode = None

    def take_note(self, spent: Spending) -> None:
        """Nothing to note: what runs here costs nothing."""

    def unclaimed(self) -> Spending:
        """Nothing: what runs here costs nothing."""
        return NOTHING_SPENT

    def embed(
        self,
        texts: Sequence[str],
        *,
        role: Role,  # noqa: ARG002 - prompts are in the texts
        retries: int | None = None,  # noqa: ARG002 - nothing here passes by itself
        timeout_s: float | None = None,  # noqa: ARG002 - nor can it be broken off
    ) -> Embedded:
        """The vectors of some texts, prompts included in them.

        Raises:
            ProviderError: If the model can't be loaded, or gives something else than vectors.
        """
        with self._lock:
            if self._encode is None:
                self._encode = _LOADERS[self.plan.provider](self.plan)
            vectors = self._encode(list(texts))
        packed = checked(Answer(vectors=vectors), self.plan, count=len(texts))
        return Embedded(vectors=packed, spending=Spending(requests=1, texts=len(texts)))


def _load_model2vec(plan: Plan) -> Callable[[list[str]], Sequence[Sequence[float]]]:
    try:
        from model2vec import StaticModel
    except ImportError as err:
        raise ConfigError("`model2vec` is not installed", hint=_EXTRA_HINT) from err
    loaded = _loaded(plan, lambda: StaticModel.from_pretrained(plan.model))
    return lambda texts: [vector.tolist() for vector in loaded.encode(texts)]


def _load_fastembed(plan: Plan) -> Callable[[list[str]], Sequence[Sequence[float]]]:
    try:
        from fastembed import TextEmbedding
        from fastembed.common.model_description import ModelSource, PoolingType
    except ImportError as err:
        raise ConfigError("`fastembed` is not installed", hint=_EXTRA_HINT) from err
    folder = Path(plan.model)
    if folder.is_dir():
        name = f"local/{folder.resolve().as_posix().lstrip('/')}"

        def load() -> Any:  # noqa: ANN401 - the library has no types
            if all(row["model"] != name for row in TextEmbedding.list_supported_models()):
                TextEmbedding.add_custom_model(
                    model=name,
                    pooling=PoolingType.MEAN,
                    normalization=True,
                    sources=ModelSource(hf=name),
                    dim=plan.facts.dimensions,
                    model_file="model.onnx",
                )
            return TextEmbedding(model_name=name, specific_model_path=str(folder))
    else:

        def load() -> Any:  # noqa: ANN401 - the library has no types
            return TextEmbedding(model_name=plan.model)

    loaded = _loaded(plan, load)
    return lambda texts: [vector.tolist() for vector in loaded.embed(texts)]


def _loaded(plan: Plan, load: Callable[[], Any]) -> Any:  # noqa: ANN401 - the libraries' own types
    try:
        return load()
    except Exception as err:
        raise ProviderRefused(
            f"{plan.provider} can't load the model `{plan.model}`: {err}",
            hint="`embedding.model` is a folder, or a model that can be downloaded from here",
            provider=plan.provider,
            is_general=True,
        ) from err


def _width(file: Path) -> int:
    """The columns of the one matrix in a safetensors file; 0 if unknown."""
    try:
        with file.open("rb") as opened:
            (size,) = struct.unpack("<Q", opened.read(8))
            header = json.loads(opened.read(min(size, _MAX_HEADER)))
        return int(header["embeddings"]["shape"][1])
    except (OSError, ValueError, KeyError, IndexError, TypeError, struct.error):
        return 0


_LOADERS = {"model2vec": _load_model2vec, "fastembed": _load_fastembed}
