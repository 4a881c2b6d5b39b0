"""The reader's network is trained for a few steps, cut off, resumed, and written as it ships."""

import random

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

from training.verifier import network  # noqa: E402
from training.verifier.windows import Row, examples  # noqa: E402

import assay  # noqa: E402
from assay.judges.embedded.inference import folder  # noqa: E402
from assay.judges.embedded.judge import BASE  # noqa: E402

SHIPPED = folder("reader").joinpath("model.onnx").read_bytes()
STEPS = 3


class Killed(BaseException):
    """Ends a process."""


def rows():
    for n in range(12):
        label = "supported" if n % 2 else "unsupported"
        contexts = (f"The mast at site {n} is {30 + n} metres high and stands on a hill.",)
        text = f"The mast at site {n} is {30 + n + 7 * (n % 2 == 0)} metres high."
        yield Row("masts", f"g{n}", "", contexts, text, label, () if n % 2 else None)


def trained(checkpoint, graph, on_step=lambda _: None):
    """How many steps this run made, its graph written."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    steps = []
    while len(steps) < STEPS:
        steps += network.batches(list(examples(rows())), random.Random(0))
    model = network.Verifier()
    model.load(network.restored(SHIPPED))
    start = {name: value.clone() for name, value in model.state_dict().items()}
    plan = network.Plan(steps=steps[:STEPS], out=checkpoint, save_every=0)
    run = network.Run(plan, start)
    begun = run.done
    run.train(on_step)
    network.save({name: value.cpu() for name, value in run.model.state_dict().items()}, graph)
    return run.done - begun


def test_a_run_that_was_cut_off_gives_the_same_network(tmp_path):
    whole, again = tmp_path / "whole.onnx", tmp_path / "model.onnx"
    assert trained(tmp_path / "a.pt", whole) == STEPS

    def killed(run):
        if run.done == 2:
            raise Killed

    with pytest.raises(Killed):
        trained(tmp_path / "b.pt", again, killed)
    assert trained(tmp_path / "b.pt", again) == 2  # the second step was not saved yet
    assert whole.read_bytes() == again.read_bytes()

    (tmp_path / "adapted.json").write_text(f'{{"base": "{BASE}"}}', "utf-8")
    row = {"question": "How high?", "answer": "It is 3 m high.", "contexts": ["It is 3 m high."]}
    result = assay.evaluate(
        [row], "faithfulness", judge=f"embedded:{tmp_path}", store=tmp_path / "a.db"
    )
    assert 0 <= result["faithfulness"][0].value <= 1


def test_the_shipped_graph_survives_a_round_trip(tmp_path):
    state = network.restored(SHIPPED)
    assert set(state) == set(network.Verifier().state_dict())
    network.save(state, tmp_path / "model.onnx")
    again = network.restored(tmp_path / "model.onnx")
    # One step of seven bits, at most.
    for name, value in state.items():
        assert float((again[name] - value).abs().max()) < 0.05, name
