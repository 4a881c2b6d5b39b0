"""The larger reader: a small network of its kind is exported and judges beside the one that ships."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")
safetensors = pytest.importorskip("safetensors.torch")

from training.verifier import large, large_export, large_wheel  # noqa: E402

import assay  # noqa: E402
from assay.judges.embedded import reader  # noqa: E402
from assay.judges.embedded.evidence import prepare  # noqa: E402
from assay.judges.embedded.inference import Adapted, load  # noqa: E402
from assay.judges.embedded.judge import BASE  # noqa: E402

SIZE, HEADS, WORDS = 16, 2, 30_527
CONTEXT = "The tower is 330 m high. It was built in 1889. Nobody lives in it."
STATEMENTS = ["The tower was built in 1889.", "People live in the tower."]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """A folder with weights of the base's form, by chance."""
    torch.manual_seed(0)
    shapes = {
        "embeddings.word_embeddings.weight": (WORDS, SIZE),
        "embeddings.position_embeddings.weight": (514, SIZE),
        "encoder.relative_attention_bias.weight": (32, HEADS),
        "embeddings.LayerNorm.weight": (SIZE,),
        "embeddings.LayerNorm.bias": (SIZE,),
    }
    for n in range(large.LAYERS):
        for name, out, into in (
            *((f"attention.attn.{one}", SIZE, SIZE) for one in "qkvo"),
            ("intermediate.dense", 2 * SIZE, SIZE),
            ("output.dense", SIZE, 2 * SIZE),
        ):
            shapes[f"encoder.layer.{n}.{name}.weight"] = (out, into)
            shapes[f"encoder.layer.{n}.{name}.bias"] = (out,)
        for name in ("attention.LayerNorm", "output.LayerNorm"):
            shapes |= {f"encoder.layer.{n}.{name}.{end}": (SIZE,) for end in ("weight", "bias")}
    state = {name: torch.randn(shape) / 4 for name, shape in shapes.items()}
    folder = tmp_path_factory.mktemp("base")
    safetensors.save_file(state, folder / "model.safetensors")
    return folder


@pytest.fixture(scope="module")
def checkpoint(base, tmp_path_factory):
    """Adapters by chance, as `keep` writes them."""
    network = large.Large(base, rank=4, low=4)
    kept = {name: torch.randn(value.shape).half() / 3 for name, value in network.learnt().items()}
    path = tmp_path_factory.mktemp("kept") / "adapters.pt"
    torch.save({"model": kept, "form": (4, 4), "place": (1, 2, 3.0)}, path)
    return path


def fed():
    (window,) = reader.supporting(STATEMENTS, prepare((CONTEXT,)), reader.tokenise)
    parts = [torch.tensor([part]) for part in (window.ids, window.types, window.positions)]
    return [*parts, torch.from_numpy(reader.visible(window.groups, window.views)[None])]


def test_the_graph_says_what_the_network_does(base, checkpoint, tmp_path):
    feed = fed()
    with torch.no_grad():
        expected = large.read(checkpoint, base)(*feed)[..., : large_export.OUTPUTS]
        merged = large_export.write(large.read(checkpoint, base), tmp_path / "model.onnx")
        assert torch.allclose(merged(*feed), expected, atol=1e-4)
    names = ("ids", "types", "positions", "visible")
    model = load((tmp_path / "model.onnx").read_bytes())
    (logits,) = model.run(
        ["logits"], dict(zip(names, (part.numpy() for part in feed), strict=True))
    )
    assert logits.shape == (1, feed[0].shape[1], 4)
    assert np.abs(logits - expected.numpy()).mean() < 0.1 * np.abs(expected.numpy()).mean()


def test_it_judges_statements_beside_the_network_that_ships(
    base, checkpoint, tmp_path, monkeypatch
):
    package = tmp_path / "assay_large"
    package.mkdir()
    (package / "__init__.py").touch()
    graph = tmp_path / "graph.onnx"
    large_export.write(large.read(checkpoint, base), graph)
    large_wheel.prepare(graph, package, share=0.5)
    monkeypatch.syspath_prepend(tmp_path)

    both = reader.Reader(1, Adapted.at("large", BASE))
    evidence, model = prepare((CONTEXT,)), load(graph.read_bytes())
    (window,) = reader.supporting(STATEMENTS, evidence, reader.tokenise)
    names = ("ids", "types", "positions", "visible")
    fed_window = dict(zip(names, (part.numpy() for part in fed()), strict=True))
    (logits,) = model.run(["logits"], fed_window)[0]
    plain = reader.Reader(1).begin_beside_evidence(STATEMENTS, evidence)()
    mixed = both.begin_beside_evidence(STATEMENTS, evidence)()
    for part, one, other in zip(window.parts, plain, mixed, strict=True):
        own = logits[part.first : part.last, 1:]
        assert np.allclose(other.each[:, :3], (one.each[:, :3] + own) / 2, atol=1e-5)
    question = ("Who lives there?", ["Nobody does."])
    alone, beside = (r.read_beside_question(*question)[0] for r in (reader.Reader(1), both))
    assert np.array_equal(alone.each, beside.each)

    row = {"question": "How high?", "answer": STATEMENTS[1], "contexts": [CONTEXT]}
    result = assay.evaluate([row], "faithfulness", judge="embedded:large", store=tmp_path / "a.db")
    assert 0 <= result["faithfulness"][0].value <= 1
