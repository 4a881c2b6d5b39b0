"""The reader is trained for a few steps, cut off, resumed, and judges from its folder."""

import hashlib

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

import assay  # noqa: E402
from assay.experiments import reader_network  # noqa: E402
from assay.experiments.judge_adaptation import JudgeAdapting, train_network  # noqa: E402
from assay.experiments.judge_cases import synthetic, windows  # noqa: E402
from assay.judges.embedded.inference import folder  # noqa: E402
from assay.judges.embedded.judge import BASE  # noqa: E402
from support.tower_corpus import corpus  # noqa: E402

HOW = JudgeAdapting(steps=3, threads=1)


class Killed(BaseException):
    """Ends a process."""


def test_a_run_that_was_cut_off_gives_the_same_network(tmp_path, monkeypatch):
    learnt = windows(synthetic(corpus()))[:12]
    whole, again = tmp_path / "whole.onnx", tmp_path / "model.onnx"
    assert train_network(learnt, tmp_path / "a.pt", whole, HOW, lambda *_: None) == 3

    from assay.experiments import reader_training

    plan = reader_training.Plan
    often = lambda **how: plan(**how | {"save_every": 0})  # noqa: E731 - at every step
    monkeypatch.setattr(reader_training, "Plan", often)

    def killed(done, total):
        if done == 2:
            raise Killed

    with pytest.raises(Killed):
        train_network(learnt, tmp_path / "b.pt", again, HOW, killed)
    seen = []
    train_network(learnt, tmp_path / "b.pt", again, HOW, lambda done, total: seen.append(done))
    assert seen == [2, 3]  # the second step was not saved yet
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (whole, again)]
    assert digests[0] == digests[1]

    (tmp_path / "adapted.json").write_text(f'{{"base": "{BASE}"}}', "utf-8")
    row = {"question": "How high?", "answer": "It is 3 m high.", "contexts": ["It is 3 m high."]}
    result = assay.evaluate(
        [row], "faithfulness", judge=f"embedded:{tmp_path}", store=tmp_path / "a.db"
    )
    assert 0 <= result["faithfulness"][0].value <= 1


def test_the_shipped_graph_survives_a_round_trip(tmp_path):
    shipped = folder("reader").joinpath("model.onnx").read_bytes()
    state = reader_network.restored(shipped)
    assert set(state) == set(reader_network.Verifier().state_dict())
    reader_network.save(state, tmp_path / "model.onnx")
    again = reader_network.restored(tmp_path / "model.onnx")
    # One step of seven bits, at most.
    for name, value in state.items():
        assert float((again[name] - value).abs().max()) < 0.05, name
