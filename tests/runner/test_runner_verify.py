"""Statements verified directly: the verdicts of a run, without a run."""

import asyncio
import json

import pytest

import assay
from assay.tasks import VerifyStatements
from support.llm_server import LLMServer
from support.over import over

TOWER = "The Eiffel Tower was built from 1887 to 1889. It is 330 metres tall."


def reply(statements=1):
    """A reply to `VerifyStatements` that supports all."""
    verdicts = [{"id": f"s{n}", "supported": True} for n in range(1, statements + 1)]
    return json.dumps({"verdicts": verdicts})


def test_each_statement_gets_a_verdict_with_its_evidence():
    true, false = assay.verify(
        ["The Eiffel Tower was built from 1887 to 1889.", "It is 300 metres tall."], [TOWER]
    )
    assert (true.id, true.supported, true.context, true.quote) == (
        "s1",
        True,
        0,
        "The Eiffel Tower was built from 1887 to 1889.",
    )
    assert (false.id, false.supported, false.contradicted, false.quote) == ("s2", False, True, "")
    assert 0 <= false.probability < 0.5 < true.probability <= 1


def test_the_verdicts_are_those_of_a_run(db):
    answer = "The Eiffel Tower was built from 1887 to 1889. The Eiffel Tower is 300 metres tall."
    row = {"id": "a", "question": "How tall is it?", "contexts": [TOWER], "answer": answer}
    parts = assay.evaluate([row], "faithfulness", store=db)["faithfulness"][0].parts
    verdicts = assay.verify([part.text for part in parts], TOWER, row["question"])
    assert [(v.supported, v.probability, v.reason) for v in verdicts] == [
        (part.label == "supported", part.probability, part.reason) for part in parts
    ]


def test_a_short_statement_is_read_as_the_answer_to_the_question():
    asked = []

    class Judge(assay.Scripted):
        async def reply(self, task, draw=0):
            asked.append([s.text for s in task.statements])
            return await super().reply(task, draw)

    judge = Judge({"verify_statements": reply(2)})
    assay.verify(["1889", "It was finished in 1889."], TOWER, "When was it finished?", judge)
    assert asked == [["When was it finished? 1889", "It was finished in 1889."]]


def test_unsupported_words_are_counted_in_the_statement_as_it_was_given():
    (verdict,) = assay.verify("1899", "The tower was finished in 1889.", "When was it finished?")
    assert not verdict.supported
    assert [slice(*span) for span in verdict.spans]
    assert all("1899"[start:end] for start, end in verdict.spans)


def test_nothing_is_asked_where_there_is_nothing_to_support_a_statement():
    judge = assay.Scripted({"verify_statements": "what nobody can read"})
    row = {"statements": ["It is."], "contexts": ["  "]}
    assert assay.verify_many([row, {"statements": [], "contexts": ["x"]}], judge=judge) == [
        (assay.Verdict("s1", supported=False, reason="the text to find it in is empty"),),
        (),
    ]


def test_a_row_that_the_judge_fails_on_leaves_the_others():
    judge = assay.Scripted(
        {"verify_statements": lambda task: "?" * (task.contexts[0] == "bad") or reply()}
    )
    rows = [{"statements": ["It is."], "contexts": [c]} for c in ("good", "bad", "good")]
    first, second, third = assay.verify_many(rows, judge=judge)
    assert first[0].supported
    assert third[0].supported
    assert isinstance(second, assay.Unscored)
    assert second.why == "failed"
    with pytest.raises(assay.Unreadable):
        assay.verify("It is.", "bad", judge=judge)


@over(
    ("row", "message"),
    [
        ({"contexts": ["x"]}, "row 2: statements is None"),
        ({"statements": ["x"]}, "row 2: contexts is None"),
        ({"statements": ["x", " "], "contexts": ["x"]}, "row 2: statement 2 is empty"),
        ({"statements": ["x"], "contexts": [1]}, r"row 2: contexts is \[1\]"),
        ({"statements": ["x"], "contexts": "x", "answer": "y"}, "row 2: unknown field answer"),
        ({"statements": ["x"], "contexts": "x", "question": 1}, "row 2: question is 1"),
        ("x", "row 2: 'x' is no mapping"),
    ],
)
def test_bad_rows_are_named_before_anything_is_asked(row, message):
    judge = assay.Scripted({})
    good = {"statements": ["It is."], "contexts": ["It is."]}
    with pytest.raises(assay.InputError, match=message):
        assay.verify_many([good, row], judge=judge)


def test_a_judge_that_cannot_verify_is_refused():
    with pytest.raises(assay.Unsupported, match="cannot do verify_statements"):
        assay.verify("It is.", "It is.", judge=OnlyEmbeds())


class OnlyEmbeds:
    """A back end that serves no task but embeddings."""

    name = "only-embeds"

    def identity(self, kind):
        return None if kind is VerifyStatements else self.name

    async def reply(self, task, draw=0):
        raise AssertionError


def test_within_a_running_loop_and_over_http():
    rows = [{"statements": [f"It is {n}."], "contexts": [f"It is {n}."]} for n in range(40)]
    with LLMServer().in_thread() as server:
        judge = assay.OpenAI("m", base_url=server.url, api_key="k")

        async def serve():
            one = await assay.averify("It is 1.", ["It is 1."], judge=judge)
            many = await assay.averify_many(rows, judge=judge)
            within = assay.verify("It is 2.", ["It is 2."], judge=judge)
            await judge.aclose()
            return one, many, within

        one, many, within = asyncio.run(serve())
    assert one[0].supported
    assert within[0].supported
    assert [verdicts[0].supported for verdicts in many] == [True] * 40


def test_a_call_that_is_given_up_is_ended_and_leaves_another_on_its_way():
    class Slow(assay.Scripted):
        given_up = 0

        async def reply(self, task, draw=0):
            try:
                await asyncio.sleep(3600 if "2" in task.statements[0].text else 0.05)
            except asyncio.CancelledError:
                self.given_up += 1
                raise
            return await super().reply(task, draw)

    judge = Slow({"verify_statements": reply()})

    async def serve():
        other = asyncio.create_task(assay.averify("It is 1.", "It is 1.", judge=judge))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(assay.averify("It is 2.", "It is 2.", judge=judge), 0.02)
        await asyncio.sleep(0)  # from Python 3.12 on `wait_for` takes no turn of the loop itself
        assert judge.given_up == 1
        (verdict,) = await other
        return verdict.supported and asyncio.all_tasks() == {asyncio.current_task()}

    assert asyncio.run(serve())


def test_a_budget_that_does_not_suffice_is_told():
    settings = assay.Settings(budget=assay.Budget(calls=2))
    rows = [{"statements": ["It is."], "contexts": [f"It is {n}."]} for n in range(9)]
    with LLMServer().in_thread() as server:
        judge = assay.OpenAI("m", base_url=server.url, api_key="k")
        with pytest.raises(assay.OverBudget):
            assay.verify_many(rows, judge=judge, settings=settings)
