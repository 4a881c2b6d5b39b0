"""Names of metrics, and messages for a name or parameter that does not exist."""

import re
from contextlib import suppress
from dataclasses import dataclass, fields

import numpy as np
import pytest

from assay.errors import InputError
from assay.metrics import (
    ALIASES,
    METRICS,
    AnswerCorrectness,
    AnswerRelevancy,
    FactualCorrectness,
    Faithfulness,
    Metric,
    PaperFaithfulness,
    parse,
    resolve,
)
from assay.metrics.criteria import AspectCritic, DiscreteCriterion, GEval
from assay.metrics.other_names import instead
from assay.metrics.registry import frozen, meant, pieces
from assay.metrics.retrieval import HitAtK
from assay.score import Score
from support.over import over


@over(
    ("spec", "metric"),
    [
        ("faithfulness", Faithfulness()),
        ("  faithfulness ", Faithfulness()),
        ("faithfulness()", Faithfulness()),
        ("paper:faithfulness", PaperFaithfulness()),
        ("answer_relevancy(n=5)", AnswerRelevancy(n=5)),
        ("factual_correctness(mode=recall)", FactualCorrectness(mode="recall")),
        ("factual_correctness(mode='recall')", FactualCorrectness(mode="recall")),
        ("factual_correctness( beta = 2 , mode = f1 )", FactualCorrectness(beta=2.0)),
        ("factual_correctness(beta=0.5,)", FactualCorrectness(beta=0.5)),
        (
            "answer_correctness(factual_weight=0.7,similarity_weight=0.3)",
            AnswerCorrectness(0.7, 0.3),
        ),
    ],
)
def test_a_spec_names_a_metric_with_its_parameters(spec, metric):
    assert parse(spec) == metric


class TestParametersOfAnotherKind:
    def test_an_array_or_what_cannot_be_compared_is_told_with_what_to_give(self):
        given = (np.array([1, 2]), np.array([[1], [2]]), [1, 2], {"a": 1}, None, "two")
        for name, cls in METRICS.items():
            for field in fields(cls):
                for value in given:
                    # Some are right: a text for a word, a mapping for a rubric ...
                    with suppress(InputError):
                        cls(**{field.name: value}).label  # noqa: B018 - what fails is not told
                with pytest.raises(
                    InputError, match=rf"^{name}: {field.name} must be .*, not array\("
                ) as told:
                    cls(**{field.name: given[0]})
                assert str(told.value).endswith(f" -> such as {field.default!r}")

    @over("value", [[1, 2], {"a": 1}, None, "two"])
    def test_what_is_no_number_is_told(self, value):
        with pytest.raises(InputError, match=r"beta must be a number, not .* -> such as 1\.0"):
            FactualCorrectness(beta=value)

    def test_numbers_of_numpy_are_numbers(self):
        assert FactualCorrectness(beta=np.float64(2)) == FactualCorrectness(beta=2)
        assert HitAtK(k=np.int64(2)) == HitAtK(k=2)

    @over("value", [2.0, 2.5, np.float64(2), float("nan"), float("inf")])
    def test_a_fraction_is_no_whole_number(self, value):
        for name, cls in METRICS.items():
            for field in fields(cls):
                if type(field.default) is int:
                    wanted = (
                        rf"^{name}: {field.name} must be a whole number, not .* -> such as \d+$"
                    )
                    with pytest.raises(InputError, match=wanted):
                        cls(**{field.name: value})

    def test_an_array_in_a_metric_of_the_users_own_is_told_before_anything_is_asked(self):
        @dataclass(frozen=True)
        class Weighted(Metric):
            """One with a check of its own."""

            weights: object = ()

            name = "weighted"
            needs = ()

            def __post_init__(self):
                """Nothing."""

            async def score(self, sample, judge):
                """The first weight."""
                return Score(float(self.weights[0]))

        with pytest.raises(
            InputError, match=r"weighted: weights must be a list, not array\(\[0\.\d*, "
        ):
            resolve([Weighted(np.array([0.25, 0.75]))])
        assert resolve([Weighted((0.25, 0.75))])


@over(("alias", "name"), ALIASES.items())
def test_an_alias_is_the_metric_of_the_standard_name(alias, name):
    assert parse(alias) == METRICS[name]()
    assert alias not in METRICS


@over(
    ("spec", "message"),
    [
        ("faithfullness", "no metric is called 'faithfullness'; did you mean 'faithfulness'"),
        ("Faithfulness", "did you mean 'faithfulness'"),
        ("cost", "did you mean 'cost_per_query'"),
        ("contextrecall", "did you mean .*context_recall"),
        ("paper:faithfullness", "did you mean 'paper:faithfulness'"),
        ("bertscore", "no metric is called 'bertscore'"),
        ("FaithfulnessMetric", "did you mean 'deepeval:faithfulness' or 'faithfulness'"),
        ("ragas:context_recall", "did you mean 'context_recall'"),
        ("LLMContextRecall", "did you mean 'llm_context_recall'"),
        ("groundedness", "did you mean 'trulens:groundedness'"),
        ("context_relevance_with_cot_reasons", "did you mean 'trulens:context_relevance'"),
        ("deepeval:bias", "in its place: aspect_critic\\(definition='.*biased.*', good=false\\)"),
        ("relevance_with_cot_reasons", "in its place: trulens:answer_relevance"),
        ("", "no metric is called ''"),
        ("faithfulness(", "no metric is called"),
        ("faithfulness)", "no metric is called"),
        ("faithfulness(n=3)", "faithfulness has no parameter 'n': it has soft"),
        ("answer_relevancy(k=3)", "answer_relevancy has no parameter 'k': it has n"),
        ("answer_relevancy(n=)", "n must be like 3, not ''"),
        ("answer_relevancy(n=many)", "n must be like 3, not 'many'"),
        ("answer_relevancy(n=2.5)", "n must be like 3, not 2.5"),
        ("answer_relevancy(n=True)", "n must be like 3, not True"),
        ("answer_relevancy(n=1e999)", "n must be like 3, not inf"),
        ("answer_relevancy(n=None)", "n must be like 3, not None"),
        ("answer_relevancy(n=0)", "n must be a whole number from 1"),
        ("factual_correctness(mode=2)", "mode must be like 'f1', not 2"),
        ("factual_correctness(mode=f2)", "mode must be f1, precision or recall"),
        ("factual_correctness(recall)", "no parameter 'recall'"),
        ("factual_correctness(beta=1e999)", "beta must be a number above 0"),
        ("factual_correctness(beta=1e200)", "beta must be a number above 0 and up to 1,000,000"),
        ("ragas:factual_correctness(beta=1e200)", "beta must be a number above 0 and up to"),
        ("ragas:answer_correctness(beta=1e200)", "beta must be a number above 0 and up to"),
        ("ragas:answer_correctness(beta=-1)", "beta must be a number above 0 and up to"),
        ("chrf(word_order=999999999)", "word_order must be 0 to 10, not 999999999"),
        ("discrete_criterion(labels=((((1,),),),))", "each label must be a text, or a pair"),
        ("factual_correctness(beta=nan)", "beta must be like 1.0, not 'nan'"),
        ("answer_correctness(factual_weight=-1)", "weights must be 0 or more"),
    ],
)
def test_a_spec_that_cannot_be_is_refused_with_what_may_have_been_meant(spec, message):
    with pytest.raises(InputError, match=message):
        parse(spec)


@over(
    ("metric", "label"),
    [
        (Faithfulness(), "faithfulness"),
        (FactualCorrectness(), "factual_correctness"),
        (FactualCorrectness(beta=1), "factual_correctness"),
        (FactualCorrectness(beta=2), "factual_correctness(beta=2)"),
        (FactualCorrectness(beta=2.0), "factual_correctness(beta=2)"),
        (FactualCorrectness("recall", 0.5), "factual_correctness(mode=recall,beta=0.5)"),
        (AnswerRelevancy(n=12), "answer_relevancy(n=12)"),
    ],
)
def test_a_label_tells_every_parameter_that_is_not_at_its_default(metric, label):
    assert metric.label == label
    assert parse(label) == metric


@dataclass(frozen=True)
class Mine(Metric):
    """Always the same."""

    value: float = 1.0
    name = "mine"
    needs = ()

    async def score(self, sample, judge):
        return Score(self.value)


@dataclass(frozen=True)
class Impostor(Metric):
    """Not the faithfulness that it is called."""

    name = "faithfulness"
    needs = ()

    async def score(self, sample, judge):
        return Score(1.0)


class TestArgumentsInWords:
    @over(
        ("text", "found"),
        [
            ("a,b", ["a", "b"]),
            ("f(a,b), g", ["f(a,b)", "g"]),
            ('f(a="x, y"), g', ['f(a="x, y")', "g"]),
            ("f(a='say \"hi, you\"',b=2)", ["f(a='say \"hi, you\"',b=2)"]),
            (r"f(a='don\'t, please')", [r"f(a='don\'t, please')"]),
            ("a=the user's, b=1", ["a=the user's", "b=1"]),
            ("a=')', b='('", ["a=')'", "b='('"]),
            ("a=(1, [2, {3: 4}]), b", ["a=(1, [2, {3: 4}])", "b"]),
            ("", [""]),
        ],
    )
    def test_only_commas_outside_quotes_and_brackets_part(self, text, found):
        assert pieces(text) == found

    @over("text", ["(", ")", "(]", "a='b", "f(a='b)", "a='b\\'", "[(])"])
    def test_what_does_not_match_is_refused(self, text):
        with pytest.raises(ValueError, match=r"do not match|never closed"):
            pieces(text)

    @over(
        ("spec", "metric"),
        [
            (
                'aspect_critic(definition="Is it polite, and short?", strictness=3)',
                AspectCritic("Is it polite, and short?", 3),
            ),
            ("aspect_critic(definition=Is it polite?)", AspectCritic("Is it polite?")),
            ("aspect_critic(definition=Is it the user's?)", AspectCritic("Is it the user's?")),
            (
                "aspect_critic(definition='Does it (really) say \"no\"?', good=False)",
                AspectCritic('Does it (really) say "no"?', good=False),
            ),
            (
                'aspect_critic(definition="Is it?", shows="answer, contexts")',
                AspectCritic("Is it?", shows=("answer", "contexts")),
            ),
            (
                "discrete_criterion(labels={'bad': 'wrong, or none', 'ok': 'right'})",
                DiscreteCriterion(labels=(("bad", "wrong, or none"), ("ok", "right"))),
            ),
            (
                "discrete_criterion(labels=['bad', 'ok'])",
                DiscreteCriterion(labels=("bad", "ok")),
            ),
            ('g_eval(steps=("Read.", "Grade."))', GEval(steps=("Read.", "Grade."))),
        ],
    )
    def test_a_criterion_is_given_in_a_spec(self, spec, metric):
        assert parse(spec) == metric
        assert parse(metric.label) == metric

    def test_a_quote_that_is_not_closed_is_named(self):
        with pytest.raises(InputError, match="never closed"):
            parse('aspect_critic(definition="Is it)')

    def test_a_long_definition_leaves_the_label_readable_and_one_of_its_kind(self):
        definition = "Is the answer polite, and does it keep to the tone of a bank? " * 4
        label = AspectCritic(definition + "A").label
        assert label.startswith("aspect_critic(definition='Is the answer polite, and does it keep")
        assert len(label) < 90
        assert label != AspectCritic(definition + "B").label
        assert resolve([AspectCritic(definition + "A"), AspectCritic(definition + "B")])

    def test_a_shortened_label_is_not_taken_for_the_definition(self):
        with pytest.raises(InputError, match="shortened"):
            parse(AspectCritic("Is it polite? " * 20).label)

    def test_lists_and_mappings_become_values_that_can_be_hashed(self):
        assert frozen({"a": [1, 2]}) == (("a", (1, 2)),)
        assert hash(DiscreteCriterion(labels={"a": "", "b": ""}))
        assert DiscreteCriterion(labels=["a", "b"]) == DiscreteCriterion(labels=("a", "b"))


class TestResolve:
    def test_one_name_or_metric_needs_no_list(self):
        assert resolve("faithfulness") == (Faithfulness(),)
        assert resolve(Mine()) == (Mine(),)

    def test_a_text_names_several_at_commas_outside_parentheses(self):
        text = "faithfulness, hit_at_k(k=3),mrr"
        assert [metric.label for metric in resolve(text)] == [
            "faithfulness",
            "hit_at_k(k=3)",
            "mrr",
        ]
        assert resolve([text, "mrr"]) == resolve(text)
        with pytest.raises(InputError, match="parentheses do not match"):
            resolve("faithfulness,hit_at_k(k=3")

    def test_names_and_metrics_mix_and_each_is_there_once(self):
        given = ["faithfulness", Mine(), Faithfulness(), "answer_relevance", "answer_relevancy"]
        assert resolve(given) == (Faithfulness(), Mine(), AnswerRelevancy())

    def test_one_metric_with_two_parameters_is_two(self):
        assert len(resolve(["factual_correctness", "factual_correctness(mode=recall)"])) == 2

    def test_two_different_metrics_of_one_name_are_refused(self):
        with pytest.raises(InputError, match="two different metrics are called faithfulness"):
            resolve(["faithfulness", Impostor()])

    @over("name", ["answer", "mine_why"])
    def test_a_metric_that_is_called_as_a_column_of_the_results_is_refused(self, name):
        with pytest.raises(InputError, match=f"cannot be called '{name}'"):
            resolve([type("Called", (Mine,), {"name": name})()])

    @over("nothing", [[], (), iter(())])
    def test_no_metric_is_refused_with_a_list_of_those_there_are(self, nothing):
        with pytest.raises(InputError, match="no metric was given; there are faithfulness"):
            resolve(nothing)

    @over("wrong", [Faithfulness, None, 3])
    def test_what_is_no_metric_is_refused(self, wrong):
        with pytest.raises(InputError, match=r"a metric is a name or an assay\.Metric"):
            resolve([wrong])


class TestWhatIsNoMetric:
    @over("given", [Faithfulness, [Faithfulness]])
    def test_a_class_is_to_be_called(self, given):
        with pytest.raises(InputError, match=r"not <class .*> -> call it: Faithfulness\(\)"):
            resolve(given)

    def test_a_bare_function_is_to_be_decorated(self):
        with pytest.raises(InputError, match=r"-> write @assay\.metric\(needs="):
            resolve([lambda sample: 1.0])  # type: ignore[list-item]

    @over("given", [None, []])
    def test_none_is_told_as_such(self, given):
        with pytest.raises(InputError, match="no metric was given; there are faithfulness"):
            resolve(given)

    @over("given", [3, [3], [None], int])
    def test_what_is_neither_a_name_nor_a_metric_is_refused(self, given):
        with pytest.raises(InputError, match=r"a metric is a name or an assay\.Metric, not"):
            resolve(given)


PEERS = ("ragas:", "deepeval:", "trulens:", "ragchecker:")


@over("name", [n for n in METRICS if ":" in n])
def test_a_name_of_another_project_says_which_release_or_which_paper_it_follows(name):
    metric = METRICS[name]
    assert bool(re.search(r" \d+\.\d+\.\d+$", metric.follows)) is name.startswith(PEERS)
    assert metric.follows or re.search(r"\b20\d\d\b|telecom|0\.4$", metric.source)


@over(
    ("name", "metric"),
    [
        *(
            ("f1", "token_f1"),
            ("F1 score", "token_f1"),
            ("EM", "exact_match"),
            ("ROUGE-L", "rouge"),
        ),
        *(("rouge1", "rouge(variant=rouge1)"), ("correctness", "answer_correctness")),
        *(("cosine_similarity", "answer_similarity"), ("recall", "context_recall")),
        *(("nDCG@10", "ndcg_at_k(k=10)"), ("precision@5", "precision_at_k(k=5)")),
        *(("hit_rate", "hit_at_k"), ("Hit@3", "hit_at_k(k=3)"), ("hit_rate@3", "hit_at_k(k=3)")),
        *(("recall@k", "recall_at_k"), ("hallucination_rate", "faithfulness")),
    ],
)
def test_what_the_field_calls_a_metric_leads_to_it(name, metric):
    assert parse(metric).label
    assert meant(name) == f"did you mean '{metric}'?"


@over(
    "name",
    [
        *("bias", "fluency", "ToxicityMetric", "deepeval:non_advice", "RoleAdherenceMetric"),
        *("TaskCompletionMetric", "ConversationalGEval", "PromptAlignmentMetric"),
        *("groundedness_measure_with_cot_reasons", "trulens:stereotypes", "qs_relevance"),
    ],
)
def test_what_takes_the_place_of_a_metric_of_another_library_can_be_pasted(name):
    assert parse(instead(name).removeprefix("in its place: ")).label
