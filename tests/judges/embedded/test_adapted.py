"""The embedded judge with coefficients of a folder: its identity, and what is refused."""

import json
import pickle
from importlib import resources

import pytest

import assay
from assay.errors import InputError
from assay.judges import backend
from assay.judges.embedded.judge import BASE, Embedded
from assay.tasks import GradePassages

ROW = {"question": "How high is it?", "answer": "The tower is 324 metres high, they say."}
ROW |= {"contexts": ["The tower was finished in 1889. It stands 324 m tall."]}


def adapted(folder, base=BASE, file="support.json", **other):
    """A folder with coefficients, of which some are others, and the shipped network."""
    folder.mkdir(exist_ok=True)
    shipped = resources.files("assay.judges.embedded").joinpath(file).read_text("utf-8")
    fitted = json.loads(shipped) | other
    (folder / file).write_text(json.dumps(fitted), "utf-8")
    (folder / "adapted.json").write_text(json.dumps({"base": base}), "utf-8")
    return folder


def test_its_coefficients_decide_and_no_reply_of_another_is_reused(tmp_path):
    strict = f"embedded:{adapted(tmp_path / 'strict', intercept=-9)}"
    usual = f"embedded:{adapted(tmp_path / 'usual')}"
    results = [
        assay.evaluate([ROW], "faithfulness", judge=judge, store=tmp_path / "a.db")
        for judge in (strict, usual, "embedded")
    ]
    scores = [result["faithfulness"][0].value for result in results]
    assert scores[0] < 0.1 < scores[1] == scores[2]
    reports = [result.report(tmp_path / "a.md").read_text("utf-8") for result in results]
    said = ["how often it is wrong has not been measured" in report for report in reports]
    assert said == [True, True, False]  # the card is of the judge that ships


async def test_grades_of_passages_go_by_its_coefficients_too(tmp_path):
    folder = adapted(tmp_path / "strict", file="passage.json", intercept=-20)
    task = GradePassages(ROW["question"], tuple(ROW["contexts"]))
    grades = [await assay.Judge(judge)(task) for judge in (Embedded(), Embedded(folder=folder))]
    assert grades[0][0].grade > grades[1][0].grade == 0


def test_its_identity_follows_what_is_in_the_folder(tmp_path):
    folder = adapted(tmp_path / "a")
    first = Embedded(folder=folder)
    assert first.name != Embedded().name
    assert Embedded(folder=adapted(tmp_path / "b")).name == first.name  # the same judge elsewhere
    assert pickle.loads(pickle.dumps(first)).name == first.name
    assert Embedded(folder=adapted(folder, intercept=-1)).name != first.name
    assert first.quality("faithfulness") is None  # the card is of the shipped judge


def test_what_is_no_adapted_judge_is_refused(tmp_path):
    with pytest.raises(InputError, match="there is no folder 'nowhere'"):
        backend("embedded:nowhere")
    with pytest.raises(InputError, match="did you mean 'embedded:large'"):
        backend("embedded:larg")
    with pytest.raises(InputError, match=r"is no adapted judge: no adapted\.json"):
        backend(f"embedded:{tmp_path}")
    folder = adapted(tmp_path / "old", base="embedded:v1+reader:0+minilm:0")
    with pytest.raises(InputError, match=r"was adapted from embedded:v1.*this is embedded:v"):
        backend(f"embedded:{folder}")
    (folder / "adapted.json").write_text("[]", "utf-8")
    with pytest.raises(InputError, match="cannot be read"):
        backend(f"embedded:{folder}")
