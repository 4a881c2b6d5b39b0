"""The reader is trained for a few steps, cut off, resumed, and judges from its folder."""

import hashlib
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

import assay  # noqa: E402
from assay.experiments import reader_training  # noqa: E402
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
    state = reader_training.restored(shipped)
    assert set(state) == set(reader_training.Verifier().state_dict())
    reader_training.save(state, tmp_path / "model.onnx")
    again = reader_training.restored(tmp_path / "model.onnx")
    # One step of seven bits, at most.
    for name, value in state.items():
        assert float((again[name] - value).abs().max()) < 0.05, name


# Adapts in FOLDER, tells each step, and kills itself where the phase begins.
CHILD = """
import os, signal, sys
from assay.experiments import judge_adaptation as adapting, reader_training
from support.tower_corpus import corpus

phase, folder = sys.argv[1:]
plan = reader_training.Plan
reader_training.Plan = lambda **how: plan(**how | {"save_every": 0})

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

def progress(done, total):
    print(done, flush=True)
    if (phase, done) == ("training", 2):
        die()

begins = {"cases": "windows", "comparison": "measure_all", "fitting": "out_of_fold",
          "choice": "_chosen", "writing": "refit"}
if phase in begins:
    setattr(adapting, begins[phase], die)
settings = adapting.JudgeAdapting(steps=3, threads=1)
adapting.adapt_judge(corpus(), labels=f"{folder}/../labels.jsonl", out=f"{folder}/judge", settings=settings,
                     on_progress=progress)
"""


def adapted(phase, folder):
    """The steps that the process made, and how it ended."""
    command = [sys.executable, "-c", CHILD, phase, str(folder)]
    tests = Path(__file__).parents[1]
    made = subprocess.run(command, cwd=tests, stdout=subprocess.PIPE, text=True, check=False)
    return [int(line) for line in made.stdout.split()], made.returncode


def test_killed_in_every_phase_it_ends_with_the_same_folder_and_trains_nothing_twice(tmp_path):
    rows = [
        {
            "statement": f"The mast at site {n} is {30 + n + 7 * (n % 2)} metres high.",
            "contexts": [f"The mast at site {n} is {30 + n} metres high and stands on a hill."],
            "supported": n % 2 == 0,
        }
        for n in range(40)
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "labels.jsonl").write_text(lines, "utf-8")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    assert adapted("", whole) == ([1, 2, 3], 0)

    steps = {}
    for phase in ("cases", "training", "comparison", "fitting", "choice", "writing"):
        steps[phase], code = adapted(phase, killed)
        assert code == -signal.SIGKILL, phase
        assert not (killed / "judge").exists()
    # The second step was on its way when the process died.
    assert steps == {
        "cases": [], "training": [1, 2], "comparison": [2, 3], "fitting": [], "choice": [],
        "writing": [],
    }  # fmt: skip
    assert adapted("", killed) == ([], 0)
    assert [path.name for path in killed.iterdir()] == ["judge"]
    texts = [
        {path.name: path.read_bytes() for path in (folder / "judge").iterdir()}
        for folder in (whole, killed)
    ]
    cards = [json.loads(each.pop("card.json")) for each in texts]
    assert texts[0] == texts[1]
    assert [{**card, "folder": ""} for card in cards] == [{**cards[0], "folder": ""}] * 2
