"""Is a grade weighed by the log-probabilities of its place, and left alone where they do not tell?"""

import json
import math

import pytest
from aiohttp import web

from assay.judge import Judge
from assay.judges.gguf import Answer, Gguf
from assay.judges.llm import Token, with_grade_probabilities
from assay.judges.openai.judge import FEWER_LIKELY, MOST_LIKELY, OpenAI
from assay.metrics.criteria import GEval
from assay.sample import Sample
from assay.tasks import GiveGrade, Grade, RateAnswer
from support.engines import Says, made_file
from support.faults import Faults
from support.llm_server import LLMServer
from support.over import over

TASK = GiveGrade("How good?", tuple((float(n), "") for n in range(1, 6)), (("answer", "Yes."),))
RAW = '{"reason": "A 3 would be \\"grade\\": 2.", "grade": 4}'


def token(text, likely=None):
    """A token and the probabilities of the likely ones in its place."""
    return Token(text, {name: math.log(p) for name, p in (likely or {}).items()})


def written(raw, grade):
    """The tokens of a reply: all before its last grade as one, then the grade, then the rest."""
    at = raw.rindex('"grade": ') + len('"grade": ')
    return [token(raw[:at]), grade, token(raw[at + 1 :])]


def shares(raw):
    return TASK.read(raw).probabilities


class TestWeighed:
    def test_the_likely_grades_in_the_place_of_the_grade_are_weighed(self):
        likely = token("4", {"4": 0.5, "5": 0.3, "3": 0.1, "2": 0.05, "x": 0.05})
        found = TASK.read(with_grade_probabilities(TASK, RAW, written(RAW, likely)))
        assert (found.value, found.reason) == (4, TASK.read(RAW).reason)
        total = 0.5 + 0.3 + 0.1 + 0.05
        expected = {1: 0, 2: 0.05, 3: 0.1, 4: 0.5, 5: 0.3}
        assert dict(found.probabilities) == pytest.approx(
            {grade: p / total for grade, p in expected.items()}
        )
        assert found.expected == pytest.approx((0.1 + 0.3 + 2.0 + 1.5) / total)

    def test_a_token_may_begin_before_the_grade_and_end_after_it(self):
        raw = '{"reason": "", "grade": 4}'
        tokens = [
            token('{"reason": "", "grade":'),
            token(" 4}", {" 4}": 0.6, " 5}": 0.3, " 5": 0.1}),
        ]
        assert dict(shares(with_grade_probabilities(TASK, raw, tokens))) == pytest.approx(
            {1: 0, 2: 0, 3: 0, 4: 0.6, 5: 0.4}
        )

    def test_what_begins_a_longer_number_is_no_grade(self):
        likely = token("4", {"4": 0.5, "45": 0.25, "4.5": 0.25})
        assert dict(shares(with_grade_probabilities(TASK, RAW, written(RAW, likely))))[4.0] == 1

    @over(
        "tokens",
        [
            [],
            [token(RAW)],
            [token("What stands elsewhere.", {"4": 1.0})],
            written(RAW, token("4", {"x": 0.9})),
            written(RAW, token("4", {"5": 0.9})),
        ],
    )
    def test_a_reply_whose_tokens_do_not_tell_stays_as_it_is(self, tokens):
        assert with_grade_probabilities(TASK, RAW, tokens) == RAW

    @over("log", [1000, 5.0, 0.1, math.inf, math.nan, -math.inf])
    def test_what_is_no_log_probability_is_passed_over(self, log):
        odd = Token("4", {"4": log, "5": math.log(0.5)})
        assert with_grade_probabilities(TASK, RAW, written(RAW, odd)) == RAW
        other = Token("4", {"4": math.log(0.5), "5": log})
        assert dict(shares(with_grade_probabilities(TASK, RAW, written(RAW, other))))[4.0] == 1

    def test_a_probability_of_one_may_be_rounded_up(self):
        likely = Token("4", {"4": 1e-4, "5": -20.0})
        assert dict(shares(with_grade_probabilities(TASK, RAW, written(RAW, likely))))[
            4.0
        ] == pytest.approx(1)

    @pytest.mark.parametrize("raw", ["I am a teapot.", '{"reason": "", "grade": 9}'])
    def test_a_reply_that_cannot_be_read_stays_as_it_is(self, raw):
        assert with_grade_probabilities(TASK, raw, [token(raw, {"4": 1.0})]) == raw

    def test_what_was_said_stays_and_the_probabilities_stand_after_it(self):
        raw = f"<think>First I thought 2.</think>\nMy view:\n{RAW}\nThat is all."
        likely = token("4", {"4": 0.75, "5": 0.25})
        kept = with_grade_probabilities(TASK, raw, written(raw, likely))
        assert kept.startswith(f"{raw}\n")
        assert len(kept[len(raw) :].strip().splitlines()) == 1
        assert dict(shares(kept)) == pytest.approx({1: 0, 2: 0, 3: 0, 4: 0.75, 5: 0.25})

    def test_a_reply_of_older_stores_is_read_as_before(self):
        probabilities = [[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.75], [5.0, 0.25]]
        old = json.dumps({"reason": "r", "grade": 4.0, "probabilities": probabilities})
        assert TASK.read(old) == Grade(4, "r", tuple(map(tuple, probabilities)))

    def test_the_form_quoted_after_the_answer_is_not_its_grade(self):
        likely = token("4", {"4": 0.75, "5": 0.25})
        note = token(' (the form was {"reason": "...", "grade": ')
        tokens = [*written(RAW, likely), note, token("1", {"1": 0.9, "4": 0.1}), token("})")]
        raw = "".join(t.text for t in tokens)
        assert dict(shares(with_grade_probabilities(TASK, raw, tokens)))[4.0] == pytest.approx(0.75)

    @over("grades", [(0, 10), (0, 0.5, 1), (-1, 1)])
    def test_grades_of_more_than_one_digit_are_not_weighed(self, grades):
        task = GiveGrade("?", tuple((float(g), "") for g in grades), ())
        raw = f'{{"reason": "", "grade": {grades[-1]}}}'
        assert (
            with_grade_probabilities(task, raw, written(raw, token("1", {"1": 0.9, "0": 0.1})))
            == raw
        )


def completion(raw, tokens):
    """What an OpenAI-compatible server sends with log-probabilities."""
    content = [
        {
            "token": t.text,
            "logprob": -0.1,
            "top_logprobs": [{"token": x, "logprob": log} for x, log in t.top.items()],
        }
        for t in tokens
    ]
    return {"choices": [{"message": {"content": raw}, "logprobs": {"content": content}}]}


async def graded_by(body):
    """The raw reply of an LLM whose server sends this."""

    async def handle(_request):
        return web.json_response(body)

    runner = web.ServerRunner(web.Server(handle))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    llm = OpenAI("m", base_url=f"http://127.0.0.1:{runner.addresses[0][1]}/v1")
    try:
        return (await llm.reply(TASK)).raw
    finally:
        await llm.aclose()
        await runner.cleanup()


class TestAServer:
    async def test_its_log_probabilities_weigh_the_grade(self):
        raw = await graded_by(completion(RAW, written(RAW, token("4", {"4": 0.75, "5": 0.25}))))
        assert raw.startswith(RAW)
        assert dict(shares(raw))[5.0] == pytest.approx(0.25)

    @over(
        "logprobs",
        [None, {}, {"content": None}, {"tokens": ["4"]}, {"content": [{"odd": 1}]}, [1], "no"],
    )
    async def test_what_it_tells_in_another_form_or_not_is_passed_over(self, logprobs):
        body = {"choices": [{"message": {"content": RAW}, "logprobs": logprobs}]}
        assert await graded_by(body) == RAW

    async def test_likely_tokens_are_asked_for_with_grades_only(self):
        async with LLMServer() as server:
            llm = OpenAI("m", base_url=server.url)
            await llm.reply(TASK)
            await llm.reply(RateAnswer("Who?", "I."))
            await llm.aclose()
        first, second = (call.body for call in server.log)
        assert (first["logprobs"], first["top_logprobs"]) == (True, MOST_LIKELY)
        assert "logprobs" not in second

    async def test_where_they_are_refused_fewer_are_asked_for_and_then_none(self):
        async with LLMServer(Faults(reject=("logprobs",))) as server:
            llm = OpenAI("m", base_url=server.url)
            await llm.reply(TASK)
            await llm.reply(TASK, draw=1)
            await llm.aclose()
        asked = [call.body.get("top_logprobs") for call in server.log]
        assert asked == [MOST_LIKELY, FEWER_LIKELY, None, None]


async def test_a_gguf_model_weighs_its_grades_and_g_eval_takes_them(tmp_path):
    plan = '{"steps": ["Read.", "Grade."]}'

    def answer(prompt):
        if "steps" in prompt.partition("<<<")[0].rpartition("form:")[2]:
            return Answer(plan)
        return Answer(RAW, tokens=tuple(written(RAW, token("4", {"4": 0.5, "5": 0.5}))))

    model = Gguf(made_file(tmp_path), engine=Says(answer))
    sample = Sample(id="1", question="Is water wet?", answer="Yes.")
    found = await GEval().score(sample, Judge(model))
    assert found.value == pytest.approx((4.5 - 1) / 4)
    assert found.method == "the grades weighted by the probabilities that the judge reports"
    (*_, (_, _, wish)) = model._engine.asked  # type: ignore[attr-defined]
    assert wish.probabilities is True
    assert json.loads(plan)["steps"] == [p.text for p in found.parts if p.kind == "step"]
