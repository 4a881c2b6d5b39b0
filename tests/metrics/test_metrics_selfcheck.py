"""SelfCheckGPT's measures, with numbers worked by hand and against a count of our own."""

from collections import Counter
from dataclasses import replace
from math import log
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import evaluate
from assay.errors import InputError
from assay.judge import Judge
from assay.judges.scripted import Scripted
from assay.metrics import parse
from assay.metrics.compat.selfcheck import SelfCheckNgram, SelfCheckNLI, SelfCheckPrompt
from assay.sample import Sample
from assay.score import Unscored
from assay.tasks import (
    AnswerClosedBook,
    AnswerMultipleChoice,
    AskMultipleChoice,
    ChosenOption,
    EmbedTokens,
    MultipleChoice,
    Verdict,
    VerifyStatements,
)
from support.over import over
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
        return VerifyStatements.reply(given)

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

    @over("wrong", [{"n": 0}, {"n": 1.5}, {"over": "mean"}])
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


# Directions in the plane: the cosine of two words is that of their angle.
DIRECTIONS = {"north": (0, 5), "east": (5, 0), "slant": (3, 4), "south": (0, -5)}


def compass(task):
    """Every direction is one token; other words are none."""
    tokens = [word for word in task.text.lower().rstrip(".").split() if word in DIRECTIONS]
    return EmbedTokens.reply(tokens, [DIRECTIONS[token] for token in tokens])


class TestBERTScore:
    JUDGE: ClassVar = {"embed_tokens": compass}

    async def test_the_closest_sentence_of_each_further_answer_counts(self):
        sample = Sample(
            id="1", answer="North. East.", further_answers=("Slant. North.", "East. South.", " ")
        )
        found = await score(parse("selfcheck:bert_score"), sample, self.JUDGE)
        # F1 of two single tokens is their cosine where it is above 0, else 0.
        north, east = 1 - (1 + 0) / 2, 1 - (0.6 + 1) / 2
        assert [part.value for part in found.parts] == pytest.approx([north, east], abs=0.01)
        assert found.value == pytest.approx((north + east) / 2, abs=0.01)
        assert found.parts[0].reason == "closest in each further answer: 1.00, 0.00"

    async def test_the_score_of_unrelated_texts_can_be_put_at_zero(self):
        sample = Sample(id="1", answer="East.", further_answers=("Slant.",))
        metric = parse("selfcheck:bert_score(baseline=0.2)")
        found = await score(metric, sample, self.JUDGE)
        assert found.value == pytest.approx(1 - (0.6 - 0.2) / 0.8, abs=0.01)
        with pytest.raises(InputError, match="baseline"):
            parse("selfcheck:bert_score(baseline=1.0)")

    @over(("answer", "further"), [("Up.", "North."), ("North.", "Up.")])
    async def test_without_a_token_there_is_nothing_to_compare(self, answer, further):
        sample = Sample(id="1", answer=answer, further_answers=(further,))
        found = await score(parse("selfcheck:bert_score"), sample, self.JUDGE)
        assert found.why == "undefined"
        assert found.detail.endswith("has a token")


def examined(**options):
    """One question about each sentence; the options that each text chooses, None for no answer."""

    def ask(task):
        return AskMultipleChoice.reply([MultipleChoice(f"{task.sentence}?", ("new", "old"))])

    def choose(task):
        chosen = zip(task.ids, options[task.text.split()[0].lower()], strict=True)
        return AnswerMultipleChoice.reply([ChosenOption(i, o) for i, o in chosen])

    return {"ask_multiple_choice": ask, "answer_multiple_choice": choose}


class TestMQAG:
    async def test_options_are_counted_by_bayes_rule_and_no_answer_counts_in_neither(self):
        judge = examined(aa="BA", one="BB", two="BA", three=("A", None))
        found = await score(parse("selfcheck:mqag"), SAMPLE, judge)
        # b1 = b2 = .8: g1 = g2 = 4. Two agree and one does not; then one each.
        values = [part.value for part in found.parts if part.kind == "question"]
        assert values == pytest.approx([4 / (16 + 4), 0.5])
        assert found.value == pytest.approx((0.2 + 0.5) / 2)
        assert found.parts[1].reason == (
            "answer: 'old'; further answers: 2 the same, 1 another, 0 none"
        )

    async def test_the_two_probabilities_weigh_agreement_and_denial(self):
        judge = examined(aa="BA", one="BA", two="BB", three="BB")
        found = await score(parse("selfcheck:mqag(b1=0.6,b2=0.9)"), SAMPLE, judge)
        g1, g2 = 0.9 / 0.4, 0.6 / 0.1
        values = [part.value for part in found.parts if part.kind == "question"]
        assert values == pytest.approx([1 / (g1**3 + 1), g2**2 / (g1 + g2**2)])

    async def test_a_question_that_the_answer_does_not_answer_is_left_out(self):
        judge = examined(aa=(None, "A"), one="AA", two="AA", three="AA")
        found = await score(parse("selfcheck:mqag"), SAMPLE, judge)
        assert found.value == pytest.approx(1 / (4**3 + 1))
        assert [(p.kind, p.label) for p in found.parts[:2]] == [
            ("answer sentence", "no question"),
            ("question", "not answered by the answer"),
        ]

    async def test_nothing_to_count_is_undefined(self):
        none = {"ask_multiple_choice": AskMultipleChoice.reply([])}
        found = await score(parse("selfcheck:mqag"), SAMPLE, none)
        assert (found.why, found.detail) == ("undefined", "no question was made from the answer")
        silent = examined(aa=(None, None), one="AA", two="AA", three="AA")
        found = await score(parse("selfcheck:mqag"), SAMPLE, silent)
        assert found.why == "undefined"

    async def test_an_option_that_is_not_there_is_no_answer(self):
        judge = examined(aa="BA", one="BC", two="BA", three="BA")
        found = await score(parse("selfcheck:mqag"), SAMPLE, judge)
        assert found.why == "failed"
        assert "no option 'C'" in found.detail

    def test_a_probability_of_0_or_1_is_refused(self):
        with pytest.raises(InputError, match="b1 and b2"):
            parse("selfcheck:mqag(b1=1.0)")


class TestDrawsOfTheJudge:
    ROW: ClassVar = {"id": "1", "question": "Who?", "answer": "Aa is old. Bb is new."}

    def ran(self, path, row, *metrics):
        """The result, and the draws in which the judge was asked for an answer."""
        texts = ["the most likely one", *(f"Aa is old: {n}." for n in (1, 2, 3))]
        verdicts = (YES, NO)
        script = {
            "answer_from_passages": texts,
            "answer_closed_book": [AnswerClosedBook.reply(a) for a in ([], [], texts[2:3])],
            "verify_statements": lambda task: VerifyStatements.reply(
                [replace(v, id=i) for i, v in zip(task.ids, verdicts, strict=True)]
            ),
        }
        judge = Watched(Scripted(script))
        result = evaluate([row], list(metrics), judge, store=path / "runs.db")
        return result, [draw for task, draw in judge.asked if task.kind.startswith("answer")]

    def test_they_are_samples_written_once_for_all_variants_and_kept_with_the_score(self, tmp_path):
        prompt, ngram = "selfcheck:prompt(draws=3)", "selfcheck:ngram(draws=3)"
        row = {**self.ROW, "contexts": ["Aa is old."], "further_answers": ["not this one"]}
        result, draws = self.ran(tmp_path, row, prompt, ngram)
        assert sorted(draws) == [1, 2, 3]
        (outcome,) = result[prompt]
        assert outcome.value == 0.5
        assert [part.text for part in outcome.parts if part.kind == "further answer"] == [
            "Aa is old: 1.",
            "Aa is old: 2.",
            "Aa is old: 3.",
        ]
        assert self.ran(tmp_path, row, "selfcheck:nli(draws=3)")[1] == []

    def test_without_contexts_the_judge_answers_from_memory_and_may_not_know(self, tmp_path):
        result, draws = self.ran(tmp_path, self.ROW, "selfcheck:prompt(draws=2)")
        assert draws == [1, 2]
        (outcome,) = result["selfcheck:prompt(draws=2)"]
        assert outcome.parts[0].reason == "further answer 1: supported"

    def test_a_judge_that_writes_nothing_is_refused_before_the_run(self, tmp_path):
        with pytest.raises(InputError, match="asks for answer_from_passages, which embedded"):
            evaluate([self.ROW], "selfcheck:ngram(draws=2)", store=tmp_path / "runs.db")

    @over("draws", [-1, 1000, True])
    def test_it_is_a_number_of_draws(self, draws):
        with pytest.raises(InputError, match="draws must be"):
            SelfCheckNgram(draws=draws)
