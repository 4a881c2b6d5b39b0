"""Text similarity: the numbers of the reference libraries, and edges."""

import json
import math
import random
import re
import string
import tomllib
from collections import Counter
from pathlib import Path

import pytest
import sacrebleu
from nltk.tokenize import wordpunct_tokenize
from nltk.translate.meteor_score import meteor_score
from rapidfuzz import distance
from rouge_score import rouge_scorer

from assay import evaluate
from assay._text.words import tokens
from assay.errors import InputError
from assay.integrations.ragas.metrics.collections import quoted_spans_alignment
from assay.judges.embedded import Embedded
from assay.judges.scripted import Scripted
from assay.metrics import METRICS, parse
from assay.metrics.text_similarity import TextSimilarity
from assay.sample import Sample
from assay.score import Score, Unscored
from assay.tasks import EmbedTokens, Verdict, VerifyStatements
from support import scripts
from support.over import over
from support.scripts import by_sentence, plausible, score, verify_if

CASES = 500
WORDS = re.split(
    " ",
    "the a an The cat cats sat sitting on mat, mats. Mat! it's don't 3.5 1932 1,000 (x) - -- U.S. "
    "e.g. café naïve Žižek Ångström Straße ΑΒΓ ёлка 東京 首都は 한국 🙂 “quoted” — … ½ ﬁn i̇ \u200b \u00a0",
)


def texts(seed, *, words=WORDS):
    """A random pair of texts that share some of their words."""
    chance = random.Random(seed)
    one = [chance.choice(words) for _ in range(chance.randint(1, 25))]
    other = [w if chance.random() < 0.6 else chance.choice(words) for w in one]
    if chance.random() < 0.3:
        chance.shuffle(other)
    if chance.random() < 0.1:
        other = one
    return " ".join(one), " ".join(other[: chance.randint(1, 40)])


async def value(metric, answer, reference, **fields):
    found = await score(
        parse(metric), Sample(id="1", answer=answer, reference=reference, **fields), {}
    )
    return found.value if isinstance(found, Score) else found


def bleu(tokens):
    made = sacrebleu.metrics.BLEU(tokenize=tokens)
    return lambda a, r: made.corpus_score([a], [[r]]).score / 100


def chrf(order):
    made = sacrebleu.metrics.CHRF(word_order=order)
    return lambda a, r: made.sentence_score(a, [r]).score / 100


def rouge(variant, mode):
    made = rouge_scorer.RougeScorer([variant], use_stemmer=True)
    return lambda a, r: getattr(made.score(r, a)[variant], mode)


class Mute:
    def synsets(self, word):
        return []


def meteor(answer, reference):
    return meteor_score([wordpunct_tokenize(reference)], wordpunct_tokenize(answer), wordnet=Mute())


REFERENCES = {
    "exact_match": lambda a, r: float(a == r),
    "string_presence": lambda a, r: float(r in a),
    "bleu": bleu("13a"),
    "bleu(tokens=intl)": bleu("intl"),
    "bleu(tokens=char)": bleu("char"),
    "bleu(tokens=zh)": bleu("zh"),
    "chrf": chrf(0),
    "chrf(word_order=2)": chrf(2),
    "rouge": rouge("rougeL", "fmeasure"),
    "rouge(mode=recall)": rouge("rougeL", "recall"),
    "rouge(mode=precision)": rouge("rougeL", "precision"),
    "rouge(variant=rouge1,mode=recall)": rouge("rouge1", "recall"),
    "rouge(variant=rouge2,mode=precision)": rouge("rouge2", "precision"),
    "meteor": meteor,
    "string_similarity": distance.Levenshtein.normalized_similarity,
    "string_similarity(distance=hamming)": distance.Hamming.normalized_similarity,
    "string_similarity(distance=jaro)": distance.Jaro.normalized_similarity,
    "string_similarity(distance=jaro_winkler)": distance.JaroWinkler.normalized_similarity,
}


@pytest.mark.slow
@pytest.mark.parametrize("metric", REFERENCES)
async def test_it_is_the_number_of_its_reference_library_on_500_random_pairs(metric):
    for seed in range(CASES):
        answer, reference = texts(seed)
        wanted = REFERENCES[metric](answer, reference)
        assert await value(metric, answer, reference) == pytest.approx(wanted, abs=1e-9), seed


def squad(answer, reference):
    """(precision, recall, F1) by the rules of SQuAD 1.1's evaluation."""

    def normalised(text):
        text = "".join(c for c in text.lower() if c not in set(string.punctuation))
        return re.sub(r"\b(a|an|the)\b", " ", text).split()

    mine, theirs = normalised(answer), normalised(reference)
    shared = sum((Counter(mine) & Counter(theirs)).values())
    if shared == 0:
        return 0.0, 0.0, 0.0
    precision, recall = shared / len(mine), shared / len(theirs)
    return precision, recall, 2 * precision * recall / (precision + recall)


UNSPACED = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")


@pytest.mark.slow
@pytest.mark.parametrize("language", [None, "en"])
async def test_token_f1_is_that_of_squad_on_500_random_pairs(language):
    """Of every script, except where nobody names English and both texts have no blanks."""
    for seed in range(CASES):
        answer, reference = texts(seed)
        if language is None and UNSPACED.search(answer) and UNSPACED.search(reference):
            reference = UNSPACED.sub("", reference)
        found = [
            await value(f"token_f1(mode={m})", answer, reference, language=language)
            for m in ("precision", "recall", "f1")
        ]
        assert found == pytest.approx(squad(answer, reference), abs=1e-12), (answer, reference)


class TestTokenF1:
    async def test_it_is_what_one_counts_by_hand(self):
        # "cat sat on mat" and "cat on red mat": 3 shared, P = 3/4, R = 3/4.
        assert await value("token_f1", "The cat sat on a mat.", "the cat on THE red mat") == 0.75

    async def test_a_repeated_word_counts_as_often_as_both_have_it(self):
        assert await value("token_f1(mode=precision)", "no no no no", "no no") == 0.5

    async def test_nothing_shared_is_0_even_if_only_articles_and_marks_are_left(self):
        assert await value("token_f1", "The.", "A!") == 0.0

    async def test_nothing_said_is_undefined(self):
        assert isinstance(await value("token_f1", " ", ""), Unscored)

    async def test_the_closest_accepted_reference_counts(self):
        assert await value("token_f1", "Wilhelm Röntgen", "X", accepted=("Wilhelm Röntgen",)) == 1

    @over(
        ("answer", "reference", "wanted"),
        [
            ("“Tokyo” (東京)", "“Tokyo”", 2 / 3),  # one word of two, as SQuAD counts
            ("“Tokyo”", "“Tokyo” (東京)", 2 / 3),
            ("It is Tokyo (東京)", "Tokyo: 東京都", 2 * 3 / 9),  # 3 shared of 5 and of 4
            ("東京です。", "東京", 2 * 2 / 6),
        ],
    )
    async def test_both_texts_are_read_by_the_same_rules(self, answer, reference, wanted):
        assert await value("token_f1", answer, reference) == pytest.approx(wanted)

    @over(
        ("language", "text", "wanted"),
        [
            ("de", "Die Brücke über „den Fluß“", ["brücke", "über", "fluß"]),
            ("de-AT", "Ein Haus", ["haus"]),
            ("fr", "L’eau de la Seine", ["eau", "de", "seine"]),
            ("es", "¿El río?", ["río"]),
            ("it", "l'acqua", ["acqua"]),
            ("ja", "首都は東京です。", list("首都は東京です")),
            (None, "北京2008", ["北", "京", "2008"]),
            ("ko", "서울은 수도이다.", ["서울은", "수도이다"]),
            ("sv", "en bro—lång", ["en", "brolång"]),
            ("en", "Don't — a U.S. bill", ["dont", "—", "us", "bill"]),
        ],
    )
    def test_words_are_those_of_the_language(self, language, text, wanted):
        assert tokens(text, language) == wanted

    async def test_the_language_is_that_of_the_sample(self):
        assert await value("token_f1", "die Brücke", "Brücke") == pytest.approx(2 / 3)
        assert await value("token_f1", "die Brücke", "Brücke", language="de") == 1.0


@over(("text", "wanted"), [("the Eiffel Tower", 0.0), ("It is in Paris", 1.0)])
async def test_bleu_of_equal_texts_is_0_without_four_words_and_says_so(text, wanted):
    assert await value("bleu", text, text) == wanted
    assert "fewer than four words" in parse("bleu").__doc__


@over("metric", ["exact_match", "string_presence", "string_similarity", "rouge"])
@over(("reference", "accepted"), [("Paris", ("",)), ("", ("Paris",)), (" ", ("Paris", "\n"))])
async def test_nothing_is_no_accepted_answer(metric, reference, accepted):
    for answer in ("", " "):
        assert await value(metric, answer, reference, accepted=accepted) == 0.0
    for answer in ("Paris", "a b"):
        alone = await value(metric, answer, "Paris")
        assert await value(metric, answer, reference, accepted=accepted) == alone


async def test_a_blank_reference_stands_nowhere():
    assert await value("string_presence", "a b", " ") == 0.0


class TestMeteor:
    async def test_it_is_the_number_of_the_worked_example(self):
        # 6 of 6 words match in 2 stretches: 1 - 0.5 (2/6)^3.
        found = await value("meteor", "on the mat sat the cat", "on the mat the cat sat")
        assert 0 < found < 1
        assert await value("meteor", "the cats sat", "the cat sat") == pytest.approx(
            1 - 0.5 * (1 / 3) ** 3
        )

    async def test_one_equal_word_is_a_half_by_its_definition(self):
        assert await value("meteor", "Paris", "Paris") == 0.5

    async def test_synonyms_without_wordnet_say_what_to_do(self, monkeypatch):
        import nltk

        monkeypatch.setattr(nltk.data, "path", [])
        with pytest.raises(InputError, match="WordNet") as refused:
            await value("meteor(synonyms=True)", "one", "two")
        assert "nltk.downloader wordnet" in str(refused.value)


with (Path(__file__).parent / "quoted_by_ragas.json").open(encoding="utf-8") as recorded:
    ODD = json.load(recorded)["cases"]


@over("casefold", [True, False])
@over(("place", "variant"), [(0, "collections"), (1, "legacy")])
async def test_ragas_quoted_spans_are_those_that_ragas_found_in_240_odd_answers(
    place, variant, casefold
):
    told = "folded" if casefold else "as written"
    assert sum(case[told][place][1] for case in ODD) > 100
    for case in ODD:
        metric = METRICS["ragas:quoted_spans"](case["words"], casefold, variant)  # type: ignore[call-arg]
        fields = {"answer": case["answer"], "contexts": tuple(case["contexts"])}
        found = await score(metric, Sample(id="1", **fields), {})
        values = [part.value for part in found.parts]
        assert [sum(values), len(values)] == case[told][place], case
        assert isinstance(found, Unscored) is (not values)
        assert [fields["answer"][slice(*p.span)] for p in found.parts] == [
            part.text for part in found.parts
        ]


@pytest.mark.parametrize("casefold", [True, False])
def test_so_does_the_function_of_the_drop_in(casefold, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    three = [case for case in ODD if case["words"] == 3]
    told = [case["folded" if casefold else "as written"][1] for case in three]
    found = quoted_spans_alignment(
        [case["answer"] for case in three],
        [case["contexts"] for case in three],
        casefold=casefold,
    )
    assert (found["matched"], found["total"]) == tuple(map(sum, zip(*told, strict=True)))


class TestQuotedSpans:
    async def found(self, answer, *contexts, metric="quoted_spans"):
        return await score(parse(metric), Sample(id="1", answer=answer, contexts=contexts), {})

    async def test_it_is_the_share_of_quotations_that_stand_in_a_context(self):
        answer = 'He "drove a red car" and “flew  A Green Kite”, but "swam a blue mile".'
        found = await self.found(answer, "She flew a green\nkite.", "He drove a red car.")
        assert found.value == pytest.approx(2 / 3)
        assert [(p.text, p.label, p.context) for p in found.parts] == [
            ("drove a red car", "found", 1),
            ("flew  A Green Kite", "found", 0),
            ("swam a blue mile", "not found", None),
        ]
        assert [answer[slice(*p.span)] for p in found.parts] == [p.text for p in found.parts]

    async def test_no_quotation_is_undefined_and_none_found_is_0(self):
        assert isinstance(await self.found("It has 'two' \"words or\" none."), Unscored)
        assert (await self.found('"one two three"')).value == 0.0

    async def test_an_apostrophe_quotes_nothing(self):
        assert isinstance(await self.found("It's what the dog's owner didn't say."), Unscored)
        assert isinstance(await self.found("It’s what the dog’s owner didn’t say."), Unscored)

    async def test_inches_open_no_quotation(self):
        found = await self.found(
            'A 27" screen is, it says, "bright and very clear".', "bright and very clear"
        )
        assert [part.text for part in found.parts] == ["bright and very clear"]
        assert [p.text for p in (await self.found('It says "in the year 1889".', "")).parts] == [
            "in the year 1889"
        ]

    async def test_a_quotation_is_not_pieced_together_from_two_contexts(self):
        assert (await self.found('"one two three four"', "one two", "three four")).value == 0.0

    @over(
        "answer",
        ["„drei kleine Wörter“", "« trois petits mots »", "「一 二 三」", "‘two’s a crowd here’"],
    )
    async def test_marks_of_other_languages_quote_too(self, answer):
        inner = answer[1:-1]
        assert (await self.found(f"X {answer}.", f"... {inner} ...")).value == 1.0

    async def test_shorter_quotations_count_if_asked_for(self):
        found = await self.found('A "kite".', "a kite", metric="quoted_spans(words=1)")
        assert found.value == 1.0

    @over(
        ("answer", "context"),
        [
            ('It says "sales rose by a fifth," no more.', "In May sales rose by a fifth in Oslo."),
            ('It says "…sales rose by a fifth."', "In May sales rose by a fifth in Oslo."),
            ('It says "we don\'t sell cars".', "We don’t sell cars."),
            ("It says \"he said 'no' twice\".", "Then he said “no” twice."),
            ('It says "the financial year ended".', "The ﬁnancial year ended."),
            ('It says "rose by a fifth".', "Sales rose by a fifth.5 Costs did not."),
            ("それは「東京は日本の首都である」と言う。", "Sony東京は日本の首都である。"),
        ],
    )
    async def test_what_typesetting_changes_is_the_same_word_for_word(self, answer, context):
        assert (await self.found(answer, context)).value == 1.0

    @over(
        ("quotation", "context"),
        [
            ("able to pay debts", "It is unable to pay debts."),
            ("5 percent of all", "It is 15 percent of all."),
            ("5 percent of all", "It is 1.5 percent of all."),
            ("a rise of 2", "It is a rise of 2.5 percent."),
            ("a rise of 2", "It is a rise of 20 percent."),
            ("東京は日本の首都", "東京は日本の都"),
        ],
    )
    async def test_half_a_word_or_number_is_another_one(self, quotation, context):
        found = await self.found(f'It says "{quotation}".', context)
        assert found.value == 0.0

    async def test_dots_alone_quote_nothing(self):
        assert isinstance(await self.found('He said "... ... ...".', "a b c"), Unscored)


@over(
    "metric",
    [
        "bleu(tokens=x)",
        "chrf(word_order=-1)",
        "token_f1(mode=x)",
        "rouge(mode=x)",
        "quoted_spans(words=0)",
    ],
)
def test_a_parameter_that_makes_no_sense_is_refused(metric):
    with pytest.raises(InputError, match=metric.partition("(")[0]):
        parse(metric)


def test_all_of_them_are_wording_and_thus_named_by_hand_only():
    assert all(isinstance(parse(name), TextSimilarity) for name in [*REFERENCES, "token_f1"])


def test_every_package_that_a_metric_computes_with_comes_with_the_extra():
    project = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text("utf-8"))
    extra = project["project"]["optional-dependencies"]["text"]
    names = {re.split("[<>=]", package)[0].replace("-", "_") for package in extra}
    given = {name.removeprefix("python_") for name in names}  # as they are imported
    needed = {package for metric in METRICS.values() for package in metric.packages}
    needed |= set(parse("crud:bleu(split=jieba)").packages)
    assert needed == given


# At 0, 30, 60 and 90 degrees.
ANGLES = {"north": 0, "nnw": 30, "wnw": 60, "west": 90}


def at(task):
    tokens = task.text.split()
    turned = [math.radians(ANGLES[token]) for token in tokens]
    return EmbedTokens.reply(tokens, [(math.cos(a), math.sin(a)) for a in turned])


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

    @over(("mode", "wanted"), [("precision", (1 + 0) / 2), ("recall", 1.0), ("f1", 2 / 3)])
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

    @over(("answer", "reference"), [("", "north"), ("north", " ")])
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

    @over("given", ["mode=x", "baseline=1.0", "baseline=-0.1"])
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
        return VerifyStatements.reply(
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
