"""Runs whose scores a test dictates: the answer is the score."""

import assay
from assay.score import Part, Score, Unscored


@assay.metric(name="quality", needs=("answer",))
def quality(sample):
    """The number that the answer is; "?" is undefined, and "!" fails."""
    return graded(sample)


@assay.metric(name="error_rate", needs=("answer",), higher_is_better=False)
def error_rate(sample):
    """The same, read the other way round."""
    return graded(sample)


@assay.metric(name="right", needs=("reference",))
def right(sample):
    """1 if the reference is "right"."""
    return float(sample.reference == "right")


def graded(sample):
    if sample.answer == "!":
        return Unscored("failed", "the judge is out")
    if sample.answer == "?":
        return Unscored("undefined", "no answer")
    value = float(sample.answer)
    label = "supported" if value >= 0.5 else "unsupported"
    return Score(value, (Part("statement", f"About {sample.id}.", label, value, "as told"),))


def rows(scores, **fields):
    """A row for each score; a field that is a list gives each row its own value."""
    return [
        {
            "id": f"q{i}",
            "question": f"Question {i}?",
            "answer": score if isinstance(score, str) else str(score),
            **{k: v[i] if isinstance(v, list) else v for k, v in fields.items()},
        }
        for i, score in enumerate(scores)
    ]


def run(store, scores, metrics=quality, **fields):
    """A finished run of these scores."""
    judge = assay.Scripted({})
    return assay.evaluate(rows(scores, **fields), metrics, judge, store=store)
