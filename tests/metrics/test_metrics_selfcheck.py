"""SelfCheckGPT's measures, with numbers worked by hand and against a count of our own."""

from collections import Counter
from dataclasses import replace
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import evaluate
from assay.errors import InputError
from assay.judge import Judge
from assay.judges.scripted import Scripted
from assay.metrics.compat.selfcheck import SelfCheckNgram, SelfCheckNLI, SelfCheckPrompt
from assay.sample import Sample
from assay.score import Unscored
from assay.tasks import Verdict, verify_statements
from support.scripts import Watched, score

SAMPLE = Sample(
    id="1",
    answer="Aa is old. Bb is new.",
    further_answers=("one", "two", " ", "three"),
)


def told(**verdicts):
    """Verdicts on the two sentences, by the further answer."""

    def say(task):
        (text,) = task.contexts
        given = [replace(v, id=i) for i, v in zip(task.ids, verdicts[text], strict=True)]
        return verify_statements.reply(given)

    return {"verify_statements": say}


YES = Verdict("", supported=True)
NO = Verdict("", supported=False, contradicted=True)
ABSENT = Verdict("", supported=False, contradicted=False)
UNSAID = Verdict("", supported=False)
TOLD = told(one=(YES, NO), two=(YES, ABSENT), three=(ABSENT, NO))


class TestNLI:
    async def test_contradicted_is_1_supported_0_and_neither_a_half(self):
        found = await score(SelfCheckNLI(), SAMPLE, TOLD)
        assert [part.value for part in found.parts] == [
            pytest.approx(0.5 / 3),
            pytest.approx(2.5 / 3),
        ]
        assert found.value == pytest.approx(0.5)
        assert found.parts[1].reason == (
            "further answer 1: contradicted; further answer 2: absent; "
            "further answer 3: contradicted"
        )

    async def test_a_probability_says_how_sure_it_is(self):
        sure = replace(YES, probability=0.9), replace(NO, probability=0.2)
        neither = replace(ABSENT, probability=0.1)
        judge = told(one=sure, two=(neither, neither), three=sure)
        found = await score(SelfCheckNLI(), SAMPLE, judge)
        assert found.parts[0].value == pytest.approx((0.1 + 0.5 + 0.1) / 3)
        assert found.parts[1].value == pytest.approx((0.8 + 0.5 + 0.8) / 3)

    async def test_a_judge_that_does_not_tell_contradicted_from_absent_makes_no_number(self):
        judge = told(one=(YES, NO), two=(YES, UNSAID), three=(YES, YES))
        found = await score(SelfCheckNLI(), SAMPLE, judge)
        assert isinstance(found, Unscored)
        assert found.why == "failed"


class TestPrompt:
    async def test_what_is_not_supported_is_1(self):
        found = await score(SelfCheckPrompt(), SAMPLE, TOLD)
        assert [part.value for part in found.parts] == [pytest.approx(1 / 3), 1.0]
        assert found.value == pytest.approx(2 / 3)

    async def test_it_asks_what_the_nli_variant_asks(self):
        one, other = Watched(Scripted(TOLD)), Watched(Scripted(TOLD))
        await score(SelfCheckNLI(), SAMPLE, one)
        await score(SelfCheckPrompt(), SAMPLE, other)
        assert one.asked == other.asked
        assert len(one.asked) == 3


class TestNgram:
    ANSWER = "A b. A c."

    async def of(self, *further, **parameters):
        sample = Sample(id="1", answer=self.ANSWER, further_answers=further)
        return await SelfCheckNgram(**parameters).score(sample, Judge(Scripted({})))

    async def test_unigrams(self):
        # a b . a c . a b .: of nine tokens a 3, b 2, c 1, the full stop 3.
        found = await self.of("a b.")
        three, two, one = log(9 / 3), log(9 / 2), log(9)
        assert found.value == pytest.approx((4 * three + two + one) / 6)
        assert [part.value for part in found.parts] == [
            pytest.approx((2 * three + two) / 3),
            pytest.approx((2 * three + one) / 3),
        ]
        # Sentences count by their length: what is shown tells it.
        assert {part.reason for part in found.parts} == {"the mean over 3 tokens"}

    async def test_the_maximum_is_taken_by_sentence(self):
        found = await self.of("a b.", over="maximum")
        assert found.value == pytest.approx((log(9 / 2) + log(9)) / 2)
        assert {part.reason for part in found.parts} == {"the largest of all tokens"}

    async def test_bigrams_begin_anew_with_each_sentence(self):
        # Bigrams: (_ a) 3, (a b) 2, (b .) 2, (a c) 1, (c .) 1: nine in all.
        found = await self.of("a b.", n=2)
        assert found.value == pytest.approx((2 * log(9 / 3) + 2 * log(9 / 2) + 2 * log(9 / 1)) / 6)

    async def test_what_no_further_answer_says_is_more_surprising(self):
        agreeing, differing = await self.of("A b.", "A c."), await self.of("D e.", "F g.")
        assert agreeing.value < differing.value

    @given(st.lists(st.text("ab c", min_size=1).filter(str.strip), min_size=1, max_size=4))
    async def test_it_is_the_cross_entropy_of_the_tokens(self, further):
        found = await self.of(*further)
        tokens = ["a", "b", ".", "a", "c", "."]
        counts = Counter(tokens) + Counter(word for text in further for word in text.split())
        wanted = [-log(counts[token] / counts.total()) for token in tokens]
        assert found.value == pytest.approx(sum(wanted) / 6)

    @pytest.mark.parametrize("wrong", [{"n": 0}, {"n": 1.5}, {"over": "mean"}])
    def test_wrong_parameters_are_named(self, wrong):
        with pytest.raises(InputError, match=next(iter(wrong))):
            SelfCheckNgram(**wrong)

    def test_a_run_copes_with_a_range_without_an_end(self, tmp_path):
        row = {"answer": "A b.", "further_answers": ["A b.", "A c."]}
        result = evaluate([row], "selfcheck:ngram", Scripted({}), store=tmp_path / "x.db")
        assert result["selfcheck:ngram"][0].value == pytest.approx(
            (2 * log(9 / 3) + log(9 / 2)) / 3
        )


@pytest.mark.parametrize("metric", [SelfCheckNLI(), SelfCheckPrompt(), SelfCheckNgram()])
class TestNothingToCompare:
    @pytest.mark.parametrize("further", [None, (), ("", " ")])
    async def test_without_a_further_answer_it_is_undefined(self, metric, further):
        sample = Sample(id="1", answer="Aa is.", further_answers=further)
        found = await score(metric, sample, {})
        assert found == Unscored("undefined", "there is no further answer")

    async def test_an_empty_answer_is_undefined(self, metric):
        sample = Sample(id="1", answer=" ", further_answers=("x",))
        found = await score(metric, sample, {})
        assert found == Unscored("undefined", "the answer holds no sentence")
