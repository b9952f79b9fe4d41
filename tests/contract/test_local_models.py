"""Models that run in this process, by the real libraries, on small models that these tests make."""

import json
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.config.settings import Settings
from codecairn.embedding.choice import plan_of
from contract.conftest import FUNCTIONS
from support.repository import Repository

WORDS = ["[PAD]", "[UNK]", "combine", "two", "numbers", "compute", "left", "right", "return", "way"]
DIMENSIONS = 16


def _tokenizer(folder: Path) -> object:
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: at for at, word in enumerate(WORDS)}, "[UNK]")
    )
    made.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [tokenizers.pre_tokenizers.Whitespace(), tokenizers.pre_tokenizers.Punctuation()]
    )
    made.save(str(folder / "tokenizer.json"))
    return made


def _rows() -> list[list[float]]:
    return [
        [((row * 7 + at * 3) % 11) - 5.0 for at in range(DIMENSIONS)] for row in range(len(WORDS))
    ]


@pytest.fixture
def model2vec_folder(tmp_path: Path) -> Path:
    numpy = pytest.importorskip("numpy")
    model2vec = pytest.importorskip("model2vec")
    folder = tmp_path / "static"
    folder.mkdir()
    vectors = numpy.array(_rows(), dtype=numpy.float32)
    model2vec.StaticModel(vectors, _tokenizer(folder)).save_pretrained(folder)
    return folder


@pytest.fixture
def onnx_folder(tmp_path: Path) -> Path:
    """A model whose hidden state is a row for each token."""
    numpy, onnx = pytest.importorskip("numpy"), pytest.importorskip("onnx")
    pytest.importorskip("fastembed")
    folder = tmp_path / "onnx"
    folder.mkdir()
    _tokenizer(folder)
    table = onnx.numpy_helper.from_array(numpy.array(_rows(), dtype=numpy.float32), "table")
    ids, mask = (
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask")
    )
    out = onnx.helper.make_tensor_value_info(
        "last_hidden_state", onnx.TensorProto.FLOAT, ["batch", "length", DIMENSIONS]
    )
    nodes = [
        onnx.helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
        onnx.helper.make_node("Cast", ["attention_mask"], ["mask"], to=onnx.TensorProto.FLOAT),
        onnx.helper.make_node("Unsqueeze", ["mask", "axis"], ["wide"]),
        onnx.helper.make_node("Mul", ["rows", "wide"], ["last_hidden_state"]),
    ]
    axis = onnx.numpy_helper.from_array(numpy.array([2], dtype=numpy.int64), "axis")
    graph = onnx.helper.make_graph(nodes, "tiny", [ids, mask], [out], [table, axis])
    opset = [onnx.helper.make_opsetid("", 17)]
    onnx.save(
        onnx.helper.make_model(graph, opset_imports=opset, ir_version=8), str(folder / "model.onnx")
    )
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0, "hidden_size": DIMENSIONS}))
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"model_max_length": 512, "pad_token": "[PAD]", "unk_token": "[UNK]"})
    )
    (folder / "special_tokens_map.json").write_text(
        json.dumps({"pad_token": "[PAD]", "unk_token": "[UNK]"})
    )
    return folder


def _is_used(texts: Repository, **settings: object) -> str:
    given = {f"embedding.{name}": value for name, value in settings.items()}
    with Workspace.open(texts.root, settings=given) as workspace:
        report = workspace.index().embedding
        assert report is not None
        assert (report.pending, report.failed, report.stopped) == (0, 0, ""), report.detail
        assert report.embedded >= FUNCTIONS
        assert report.destination == "this machine"
        assert report.spending.micro_usd == 0
        result = workspace.search("combine two numbers")
        assert result.hits
        assert result.notes == ()
        status = workspace.status().embedding
        assert status is not None
        assert status.state.is_active
        return report.space


def test_model2vec_folder_is_loaded_and_tells_its_dimensions(
    texts: Repository, model2vec_folder: Path
) -> None:
    space = _is_used(texts, provider="model2vec", model=str(model2vec_folder))
    assert space.endswith(f"@{DIMENSIONS}")
    (model2vec_folder.parent / "elsewhere").mkdir()
    moved = model2vec_folder.rename(model2vec_folder.parent / "elsewhere" / "static")
    settings = Settings(embedding_provider="model2vec", embedding_model=str(moved))
    plan = plan_of(settings)
    assert plan is not None
    assert plan.space == space, "a folder that moved is the same model"
    (moved / "config.json").write_text('{"other": true}')
    other = plan_of(settings)
    assert other is not None
    assert other.space != space


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
def test_onnx_folder_is_loaded(texts: Repository, onnx_folder: Path) -> None:
    _is_used(texts, provider="fastembed", model=str(onnx_folder), dimensions=DIMENSIONS)


@pytest.mark.parametrize("provider", ["model2vec", "fastembed"])
@pytest.mark.filterwarnings("ignore")
def test_folder_that_is_no_model_is_told(texts: Repository, tmp_path: Path, provider: str) -> None:
    pytest.importorskip(provider)
    empty = tmp_path / "empty"
    empty.mkdir()
    settings = {
        "embedding.provider": provider,
        "embedding.model": str(empty),
        "embedding.dimensions": DIMENSIONS,
    }
    with Workspace.open(texts.root, settings=settings) as workspace:
        report = workspace.index().embedding
        assert report is not None
        assert report.stopped == "provider"
        assert f"{provider} can't load the model" in report.detail
        assert workspace.search("combine two numbers").hits


def test_library_that_is_missing_names_the_extra(
    texts: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "model2vec", None)
    settings = {
        "embedding.provider": "model2vec",
        "embedding.model": str(tmp_path),
        "embedding.dimensions": 4,
    }
    with Workspace.open(texts.root, settings=settings) as workspace:
        report = workspace.index().embedding
    assert report is not None
    assert "codecairn[local-models]" in report.detail
