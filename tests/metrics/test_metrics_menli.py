"""MENLI's formulas, directions and mixtures, with numbers worked by hand."""

import pytest

from assay.errors import InputError
from assay.judges.scripted import Scripted
from assay.metrics import parse
from assay.sample import Sample
from assay.tasks import ChooseLabel, EmbedTokens, Label, Verdict, VerifyStatements
from support.over import over
from support.scripts import Watched, score

PAIR = Sample(id="1", question="?", answer="It is old. It is red.", reference="It is ancient.")


def entailing(by_text, label="contradicted"):
    """A judge that gives each whole text its verdict, and labels what it leaves unsaid."""

    def say(task):
        (statement,) = task.statements
        return VerifyStatements.reply([by_text[statement.text]])

    return {"verify_statements": say, "choose_label": ChooseLabel.reply(Label(label))}


ENTAILED = Verdict("s1", supported=True, probability=0.9)
DENIED = Verdict("s1", supported=False, probability=0.2, contradicted=True)
ABSENT = Verdict("s1", supported=False, probability=0.4, contradicted=False)
UNSAID = Verdict("s1", supported=False, probability=0.4)
BY_TEXT = {PAIR.answer: DENIED, PAIR.reference: ENTAILED}


@over(("formula", "answer", "reference"), [("e-c", -0.6, 0.9), ("e", 0.2, 0.9), ("-c", -0.8, 0.0)])
async def test_whole_texts_by_formula_and_direction(formula, answer, reference):
    values = {"answer": answer, "reference": reference, "both": (answer + reference) / 2}
    for direction, value in values.items():
        metric = parse(f"nli_score(level=text,formula='{formula}',direction={direction})")
        judge = Watched(Scripted(entailing(BY_TEXT)))
        found = await score(metric, PAIR, judge)
        assert found.value == pytest.approx(value)
        assert metric.range[0] <= found.value <= metric.range[1]
        assert judge.kinds == {"verify_statements": 2}


async def test_a_contradiction_that_was_left_unsaid_is_asked_for_where_it_alone_counts():
    judge = entailing({PAIR.answer: UNSAID, PAIR.reference: ENTAILED})
    found = await score(parse("nli_score(level=text,formula='-c')"), PAIR, judge)
    assert found.value == pytest.approx(-0.3)
    judge.pop("choose_label")
    found = await score(parse("nli_score(level=text,formula='-c')"), PAIR, judge)
    assert found.why == "failed"
    # Where e counts, too, what is unsaid is not subtracted.
    assert (await score(parse("nli_score(level=text)"), PAIR, judge)).value == pytest.approx(0.65)


async def test_an_empty_text_denies_nothing_and_is_not_perfect_for_it():
    empty = Sample(id="1", question="?", answer="", reference="It is ancient.")
    judge = entailing(BY_TEXT)
    assert (await score(parse("nli_score(level=text,formula='-c')"), empty, judge)).why == (
        "undefined"
    )
    assert (await score(parse("nli_score(level=text)"), empty, judge)).value == 0


class TestCombined:
    async def test_both_are_moved_to_the_unit_interval_and_mixed(self):
        judge = entailing({PAIR.answer: ABSENT, PAIR.reference: ENTAILED}) | {
            "embed_tokens": lambda task: EmbedTokens.reply(
                [task.text], [(3, 4) if task.text == PAIR.answer else (5, 0)]
            )
        }
        found = await score(parse("menli_combined(weight=0.3)"), PAIR, judge)
        nli, bert = (0.4 + 0.9) / 2, 0.6
        assert found.details == pytest.approx({"nli_score": nli, "bert_score": bert}, abs=0.01)
        assert found.value == pytest.approx(0.3 * nli + 0.7 * (bert + 1) / 2, abs=0.01)
        assert {part.kind for part in found.parts} >= {"statement", "token"}
        spread = parse("menli_combined(weight=0.3,formula=e-c)")
        assert (await score(spread, PAIR, judge)).value == pytest.approx(
            0.3 * (nli + 1) / 2 + 0.7 * (bert + 1) / 2, abs=0.01
        )

    async def test_another_metric_can_be_mixed_in_and_is_all_that_is_asked(self):
        judge = Watched(Scripted(entailing(BY_TEXT)))
        found = await score(parse("menli_combined(other=token_f1,weight=0.5)"), PAIR, judge)
        # Shared words: it, is; of 6 and of 3 (SQuAD's rules).
        assert found.value == pytest.approx((0.55 + 4 / 9) / 2)
        assert set(judge.kinds) == {"verify_statements"}

    async def test_where_one_of_the_two_has_no_score_the_mixture_has_none(self):
        blank = Sample(id="1", question="?", answer="", reference="It is ancient.")
        found = await score(parse("menli_combined"), blank, entailing(BY_TEXT))
        assert (found.why, found.detail) == ("undefined", "the answer or the reference is empty")

    @over(("given", "what"), [("weight=1.5", "weight"), ("other=latency", "other must be one of")])
    def test_what_cannot_be_mixed_is_refused(self, given, what):
        with pytest.raises(InputError, match=what):
            parse(f"menli_combined({given})")

    def test_contradiction_alone_cannot_leave_contradiction_out(self):
        with pytest.raises(InputError, match="formula -c"):
            parse("nli_score(contradiction=False,formula='-c')")
