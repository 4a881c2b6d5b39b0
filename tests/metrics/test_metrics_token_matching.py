"""Are tokens matched greedily as BERTScore does, and entailment counted both ways?"""

import math

import pytest

from assay import evaluate
from assay.backends.embedded import Embedded
from assay.errors import InputError
from assay.judges.scripted import Scripted
from assay.metrics import parse
from assay.sample import Sample
from assay.score import Score, Unscored
from assay.tasks import Verdict, embed_tokens, verify_statements
from support import scripts
from support.scripts import by_sentence, plausible, score, verify_if

# At 0, 30, 60 and 90 degrees.
ANGLES = {"north": 0, "nnw": 30, "wnw": 60, "west": 90}


def at(task):
    tokens = task.text.split()
    turned = [math.radians(ANGLES[token]) for token in tokens]
    return embed_tokens.reply(tokens, [(math.cos(a), math.sin(a)) for a in turned])


def sample(answer, reference, **fields):
    return Sample(id="1", question="?", answer=answer, reference=reference, **fields)


class TestBertScore:
    JUDGE = Scripted({"embed_tokens": at})

    async def test_it_is_the_number_computed_by_hand(self):
        # north is 60 degrees from wnw; nnw 30: P = (1/2 + cos 30) / 2. wnw: R = cos 30.
        found = await score(parse("bert_score"), sample("north nnw", "wnw"), self.JUDGE)
        p, r = (0.5 + math.sqrt(3) / 2) / 2, math.sqrt(3) / 2
        assert found.value == pytest.approx(2 * p * r / (p + r), abs=0.01)
        assert found.details == pytest.approx(
            {"precision": p, "recall": r, "f1": found.value}, abs=0.01
        )
        assert [(part.kind, part.text, part.reason) for part in found.parts] == [
            ("token", "north", "closest: wnw"),
            ("token", "nnw", "closest: wnw"),
            ("reference token", "wnw", "closest: nnw"),
        ]

    @pytest.mark.parametrize(
        ("mode", "wanted"), [("precision", (1 + 0) / 2), ("recall", 1.0), ("f1", 2 / 3)]
    )
    async def test_the_mode_is_a_parameter(self, mode, wanted):
        found = await score(
            parse(f"bert_score(mode={mode})"), sample("north west", "north"), self.JUDGE
        )
        assert found.value == pytest.approx(wanted, abs=0.01)

    async def test_a_baseline_puts_unrelated_texts_at_0_and_equal_ones_at_1(self):
        metric = parse("bert_score(baseline=0.5)")
        assert float(await score(metric, sample("north", "wnw"), self.JUDGE)) == pytest.approx(
            0, abs=0.01
        )
        assert float(await score(metric, sample("north", "north"), self.JUDGE)) == 1.0
        assert float(await score(metric, sample("north", "west"), self.JUDGE)) == -1.0

    async def test_the_closest_accepted_reference_counts(self):
        found = await score(
            parse("bert_score"), sample("north", "west", accepted=("nnw", "north")), self.JUDGE
        )
        assert found.value == pytest.approx(1.0)

    @pytest.mark.parametrize(("answer", "reference"), [("", "north"), ("north", " ")])
    async def test_nothing_to_match_is_undefined(self, answer, reference):
        found = await score(parse("bert_score"), sample(answer, reference), self.JUDGE)
        assert isinstance(found, Unscored)

    async def test_the_embedded_encoder_puts_a_paraphrase_above_an_unrelated_text(self):
        judge = Embedded()
        near = await score(
            parse("bert_score"), sample("The capital is Paris.", "Paris is the capital."), judge
        )
        far = await score(
            parse("bert_score"), sample("Bread needs flour.", "Paris is the capital."), judge
        )
        assert near.value > 0.8 > 0.4 > far.value
        assert {p.text for p in near.parts if p.kind == "token"} >= {"capital", "paris"}

    async def test_equal_texts_score_1_however_long(self):
        text = "The mill stands by the river and grinds corn. " * 60
        found = await score(parse("bert_score"), sample(text, text), Embedded())
        assert found.value == pytest.approx(1.0, abs=1e-6)

    @pytest.mark.parametrize("given", ["mode=x", "baseline=1.0", "baseline=-0.1"])
    def test_a_parameter_that_makes_no_sense_is_refused(self, given):
        with pytest.raises(InputError, match="bert_score"):
            parse(f"bert_score({given})")


class Chatting(Scripted):
    """A judge that makes no vectors."""


class Sentences(Scripted):
    """An embedder behind an API: vectors of whole texts only."""


class TestWhoEmbedsTokens:
    def test_a_judge_that_makes_no_vectors_is_helped_by_the_embedded_encoder(self, db):
        judge = Chatting({"split_statements": by_sentence})
        data = [scripts.sample(answer="Paris.")]
        result = evaluate(data, "bert_score", judge, store=db)
        assert isinstance(result["bert_score"][0], Score)
        assert "embed_tokens" in result.run.config["routes"]

    def test_an_embedder_of_whole_texts_cannot_and_it_is_said_how_to_go_on(self, db):
        judge = Chatting({"split_statements": by_sentence})
        embedder = Sentences({"embed": '{"embedding": "AACAPw=="}'}, name="sentences")
        with pytest.raises(InputError, match="embed_tokens") as refused:
            evaluate([scripts.sample()], "bert_score", judge, embedder=embedder, store=db)
        assert "--judge JUDGE+embedded" in str(refused.value)


def probable(*verdicts):
    """Says these (probability, contradicted) of the statements of each task in turn."""

    def say(task):
        given = zip(task.ids, verdicts, strict=False)
        return verify_statements.reply(
            [Verdict(i, p >= 0.5, probability=p, contradicted=c) for i, (p, c) in given]
        )

    return plausible(split_statements=by_sentence, verify_statements=say)


class TestNli:
    SAMPLE = sample("One. Two.", "Three. Four.")

    async def test_it_is_the_mean_of_both_directions_of_entailment_less_contradiction(self):
        # Both directions: 0.9 and 0.2 - 0.8, mean 0.15.
        found = await score(parse("nli_score"), self.SAMPLE, probable((0.9, None), (0.2, True)))
        assert found.value == pytest.approx(0.15)
        assert found.method == ""
        assert found.details == pytest.approx({"answer": 0.15, "reference": 0.15})
        assert [p.value for p in found.parts] == pytest.approx([0.9, -0.6] * 2)

    async def test_contradiction_may_be_left_out(self):
        metric = parse("nli_score(contradiction=False)")
        found = await score(metric, self.SAMPLE, probable((0.9, None), (0.2, True)))
        assert found.value == pytest.approx(0.55)
        assert (metric.range, parse("nli_score").range) == ((0, 1), (-1, 1))

    WORDS = plausible(
        split_statements=by_sentence,
        verify_statements=verify_if(lambda text, contexts: text in contexts[0]),
    )

    async def test_a_judge_without_probabilities_counts_with_verdicts_and_it_is_said(self):
        found = await score(
            parse("nli_score"), sample("Mars is red.", "Mars is red. It rains."), self.WORDS
        )
        assert found.details == {"answer": 1.0, "reference": 0.5}
        assert found.value == 0.75
        assert "no probabilities" in found.method

    async def test_one_direction_can_be_chosen(self):
        pair = sample("Mars is red.", "Mars is red. It rains.")
        assert (await score(parse("nli_score(direction=answer)"), pair, self.WORDS)).value == 1.0
        assert (await score(parse("nli_score(direction=reference)"), pair, self.WORDS)).value == 0.5

    async def test_a_text_without_a_statement_entails_nothing(self):
        assert (
            await score(parse("nli_score"), sample("", "Mars is red."), self.WORDS)
        ).value == 0.0
        assert isinstance(await score(parse("nli_score"), sample("", ""), self.WORDS), Unscored)

    async def test_what_is_not_asked_says_nothing_about_the_judge(self):
        found = await score(parse("nli_score"), sample("", "One."), probable((0.9, None)))
        assert (found.value, found.method) == (0.0, "")

    async def test_it_asks_what_factual_correctness_asks(self):
        asked = []
        for name in ("nli_score", "factual_correctness"):
            judge = scripts.Watched(plausible())
            await score(parse(name), scripts.sample(), judge)
            asked.append([task for task, _ in judge.asked])
        assert asked[0] == asked[1]

    async def test_the_embedded_judge_gives_probabilities(self):
        found = await score(
            parse("nli_score"), sample("Mars has two moons.", "Mars has two moons."), Embedded()
        )
        assert found.value > 0.8
        assert found.method == ""
