"""The larger reader: a small network of its kind is exported and judges beside the one that ships."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")
safetensors = pytest.importorskip("safetensors.torch")

from training.verifier import large, large_export  # noqa: E402

from assay.judges.embedded import reader  # noqa: E402
from assay.judges.embedded.evidence import prepare  # noqa: E402
from assay.judges.embedded.inference import load  # noqa: E402

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
