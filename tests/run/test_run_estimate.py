"""Does an estimate of many rows agree with the count of all, and does it tell the time?"""

from assay import Limits, Settings, evaluate
from assay.judges.llm import LLM, Completion
from assay.run import estimate as estimating
from assay.run.estimate import estimate
from support import answers

N = 4000


class Far(LLM):
    """A judge over the network."""

    name = "far"

    async def complete(self, prompt, schema, kind, draw):
        return Completion(answers.answer(prompt, kind, schema, draw))


def rows(n):
    """Rows of one to seven sentences."""
    return [
        {
            "question": f"What is {i}?",
            "contexts": [f"The number {i} is a number."],
            "answer": " ".join(f"It is {i} and {k}." for k in range(i * 37 % 7 + 1)),
        }
        for i in range(n)
    ]


def test_of_many_rows_some_are_counted_and_the_error_is_told(db, monkeypatch):
    drawn = estimate(rows(N), "faithfulness", Far(), store=db)
    assert (drawn.samples, drawn.counted) == (N, estimating.DRAWN)
    assert drawn == estimate(rows(N), "faithfulness", Far(), store=db)
    monkeypatch.setattr(estimating, "ALL_COUNTED", N)
    whole = estimate(rows(N), "faithfulness", Far(), store=db, settings=Settings(probe=False))
    assert (whole.counted, whole.margins) == (N, {})
    for name in ("tokens_in", "tokens_out"):
        assert 0 < drawn.margins[name] < 0.1 * getattr(whole, name)
        assert abs(getattr(drawn, name) - getattr(whole, name)) < 2 * drawn.margins[name]
    assert drawn.calls == whole.calls == 2 * N


def test_the_time_is_told_with_what_it_rests_on(db):
    settings = Settings(concurrency=4, probe=False)

    def told(judge, n=80):
        return estimate(rows(n), "faithfulness", judge, store=db, settings=settings)

    assumed = told(Far())
    assert (assumed.calls, assumed.seconds) == (160, 80.0)
    assert assumed.seconds_from == "assuming 2 s a call and 4 calls at once"
    evaluate(rows(30), "faithfulness", Far(), store=db, settings=settings)
    measured = told(Far())
    assert 0 < measured.seconds < 20
    assert measured.seconds_from == "as far took before, with 4 calls at once"
    here = told("embedded", 5)
    assert here.seconds > 0
    assert here.seconds_from == "timed on this machine"


def test_a_rate_that_bounds_a_run_bounds_its_time(db):
    settings = Settings(limits=Limits(requests_per_minute=60), probe=False)
    found = estimate(rows(80), "faithfulness", Far(), store=db, settings=settings)
    assert found.seconds == 160.0
