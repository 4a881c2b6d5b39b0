"""What the embedded judge says of texts in other languages than English."""

import json

import pytest

import assay
from assay import Score, Unscored
from assay.errors import Unavailable
from assay.judge import Judge
from assay.judges.embedded.judge import Embedded
from assay.tasks import RateAnswer, Statement, VerifyStatements

GERMAN = {
    "question": "Wann wurde der Turm gebaut?",
    "contexts": ["Der Turm wurde im Jahr 1889 gebaut und ist 330 m hoch."],
    "answer": "Der Turm wurde 1889 gebaut.",
}
CHINESE = {
    "question": "这座塔是什么时候建成的？",
    "contexts": ["这座塔建于1889年，高330米。"],
    "answer": "这座塔建于1889年。",
}
ENGLISH = {
    "question": "When was it built?",
    "contexts": ["The tower was built in 1889."],
    "answer": "It was built in 1889.",
}
METRICS = "faithfulness,answer_relevancy,context_relevance"


def run(rows, tmp_path, metrics=METRICS, **more):
    return assay.evaluate(rows, metrics, store=tmp_path / "store.db", **more)


def outcome(result, row, metric="faithfulness"):
    return result.trace(f"row-{row}", metric).outcome


def test_a_language_in_which_it_was_not_measured_is_marked_on_the_score(tmp_path):
    result = run([GERMAN, ENGLISH], tmp_path)
    for metric in METRICS.split(","):
        german, english = outcome(result, 1, metric), outcome(result, 2, metric)
        assert isinstance(german, Score)
        assert german.details["unmeasured_language"] == "German"
        assert "unmeasured_language" not in english.details


def test_one_note_a_judge_counts_the_rows_of_each_language(tmp_path):
    rows = [GERMAN, ENGLISH, {**GERMAN, "answer": "Er wurde 1889 gebaut und ist hoch."}]
    (note,) = [note for note in run(rows, tmp_path).notes if "never measured" in note]
    assert note.startswith("2 of 3 rows are in German, in which the embedded judge was never")
    result = run([*rows, {**ENGLISH, "language": "sv"}], tmp_path)
    (note,) = [note for note in result.notes if "never measured" in note]
    assert note.startswith("2 of 4 rows are in German, 1 in Swedish, in which the embedded judge")


def test_the_language_that_the_data_name_decides(tmp_path):
    rows = [{**ENGLISH, "language": "sv-SE"}, {**GERMAN, "language": "en"}]
    result = run(rows, tmp_path)
    assert outcome(result, 1).details["unmeasured_language"] == "Swedish"
    assert "unmeasured_language" not in outcome(result, 2).details


def test_a_language_that_it_cannot_read_is_unscored(tmp_path):
    result = run([CHINESE, ENGLISH], tmp_path)
    for metric in METRICS.split(","):
        found = outcome(result, 1, metric)
        assert isinstance(found, Unscored)
        assert "in Chinese, which the embedded judge cannot read -> name an LLM" in found.detail
        assert isinstance(outcome(result, 2, metric), Score)


@pytest.mark.parametrize(
    ("answer", "declines"),
    [("抱歉，提供的文档中没有关于这个问题的信息，因此我无法回答。", 1.0), (CHINESE["answer"], 0.0)],
)
def test_whether_an_answer_declines_is_told_all_the_same(tmp_path, answer, declines):
    row = {**CHINESE, "answer": answer, "answerable": False}
    result = run([row], tmp_path, "negative_rejection")
    assert outcome(result, 1, "negative_rejection").value == declines


def test_a_run_of_another_judge_is_not_marked(tmp_path):
    def ask(prompt: str) -> str:
        if "Split the text" in prompt:
            return json.dumps({"statements": ["Der Turm wurde 1889 gebaut."]})
        verdict = {"id": "s1", "reason": "ja", "supported": True}
        return json.dumps({"verdicts": [verdict]})

    result = run([GERMAN], tmp_path, "faithfulness", judge=ask)
    assert "unmeasured_language" not in outcome(result, 1).details
    assert not [note for note in result.notes if "never measured" in note]


async def test_letters_without_any_vector_are_not_read():
    thai = "หอคอยนี้สร้างขึ้นในปีพุทธศักราช"
    task = VerifyStatements((Statement("s1", thai, (0, len(thai))),), (thai,))
    with pytest.raises(Unavailable, match="cannot read"):
        await Judge(Embedded())(task)


async def test_a_rating_that_it_cannot_give_is_no_number():
    rating = await Judge(Embedded())(RateAnswer(CHINESE["question"], CHINESE["answer"]))
    assert rating.relevance is None
    with pytest.raises(Unavailable, match="Chinese"):
        _ = rating.rated


@pytest.mark.parametrize("answer", ["🙂🙂", "…", "答"])
def test_an_answer_without_a_refusal_or_without_words_is_not_rated(tmp_path, answer):
    row = {"question": CHINESE["question"], "answer": answer}
    found = outcome(run([row], tmp_path, "answer_relevancy"), 1, "answer_relevancy")
    assert isinstance(found, Unscored)
