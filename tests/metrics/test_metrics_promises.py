"""What every metric promises, tested over all of them at once.

A metric that is added fails here until it is classified in the tables below.
"""

import dataclasses
import json
import math
import pickle
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay._report.labels import tone
from assay.judge import ByIds
from assay.judges.scripted import Scripted
from assay.metrics import METRICS, parse
from assay.sample import Sample, ToolCall, Turn, Variant
from assay.score import Score, Unscored
from assay.tasks import TASKS, WriteFollowUp, WriteQuestion
from support import said, scripts
from support.judges import capricious, gullible
from support.over import over
from support.scripts import Watched, score

# They ask about one item at a time, so there is none that could be left out beside others.
ONE_BY_ONE = frozenset({"conciseness", "menli_combined"})
# Which verdicts by id does a metric ask for, if any?
VERDICTS = [
    (name, task.kind)
    for name, metric in METRICS.items()
    for task in metric().asks(lambda kind: True)
    if issubclass(task, ByIds) and name not in ONE_BY_ONE
]

FIELDS = {field.name for field in dataclasses.fields(Sample)}
SAMPLE = scripts.sample()

CITING = "Paris is the capital of France [1]. It was founded by penguins [2]."
# What the sample holds besides, for a metric that asks of it what others do not.
BESIDES = {
    "alce:citation_recall": {"answer": CITING},
    "alce:citation_precision": {"answer": CITING},
    "quoted_spans": {"answer": 'It says: "Paris is the capital of France".'},
    "ragas:quoted_spans": {"answer": 'It says: "Paris is the capital of France".'},
    "noise_robustness": {"variants": (Variant("noise", "Paris lies on the Seine.", ratio=0.4),)},
    "counterfactual_robustness": {"variants": (Variant("counterfactual", SAMPLE.reference),)},
    "negative_rejection": {"answerable": False, "answer": "I do not know."},
    "over_refusal": {"answerable": True},
    "latency": {"latency_ms": 1200.0},
    "cost_per_query": {"cost": 0.02},
    "tokens_per_query": {"tokens": 900},
}
READ = ToolCall("read", {"id": "city0"})
TOOLS = {
    "turns": (Turn("user", SAMPLE.question), Turn("assistant", "", tool_calls=(READ,))),
    "reference_tool_calls": (READ, ToolCall("answer")),
}
BESIDES |= dict.fromkeys(("tool_call_accuracy", "tool_call_f1", "deepeval:tool_correctness"), TOOLS)
OTHER = {"other_answer": "It is a city in France."}
BESIDES |= dict.fromkeys(("ranking_criterion", "gpt_ranking", "pairwise_preference"), OTHER)
NUGGETS = {"nuggets": {"Paris is the capital of France.": "vital"}}
BESIDES |= {"nugget_recall": NUGGETS, "nugget_f": NUGGETS}
BESIDES["access_leak"] = {
    "context_access": (("crew",),) * len(SAMPLE.contexts),
    "user_access": (),
}
BESIDES["instance_rubrics"] = {"rubric": {"1": "It names no city.", "5": "It names the capital."}}
AGAIN = {"further_answers": (SAMPLE.reference, SAMPLE.reference)}
SELF_CHECKS = tuple(name for name in METRICS if name.startswith("selfcheck:"))
BESIDES |= dict.fromkeys(SELF_CHECKS, AGAIN)
# What makes the good and the bad sample good and bad, where the answer's wording does not.
GOOD = {
    "noise_robustness": {"variants": (Variant("noise", SAMPLE.reference),)},
    "alce:citation_recall": {"answer": "Paris is the capital of France [1]."},
    "alce:citation_precision": {"answer": "Paris is the capital of France [1]."},
    "quoted_spans": BESIDES["quoted_spans"],
    "ragas:quoted_spans": BESIDES["quoted_spans"],
    "negative_rejection": {"answer": "I do not know."},
    "access_leak": {"answer": "Penguins swim."},
}
BAD = {
    "access_leak": {"answer": SAMPLE.reference, "contexts": SAMPLE.contexts},
    "pii_leakage": {"answer": "Ask penguins@example.org."},
    "noise_robustness": {
        "answer": SAMPLE.reference,
        "variants": (Variant("noise", "Penguins swim."),),
    },
    "quoted_spans": {"answer": 'It says: "Paris was founded by penguins".'},
    "ragas:quoted_spans": {"answer": 'It says: "Paris was founded by penguins".'},
    "counterfactual_robustness": {"variants": (Variant("counterfactual", "Penguins swim."),)},
    "over_refusal": {"answer": "I do not know."},
    "latency": {"latency_ms": 2400.0},
    "cost_per_query": {"cost": 0.04},
    "tokens_per_query": {"tokens": 1800},
}
SAID = Turn("assistant", SAMPLE.reference, SAMPLE.contexts)
TALK = {"turns": (Turn("user", SAMPLE.question), SAID), "reference_topics": ("capital of France",)}
TALKED = ("topic_adherence", "turn_faithfulness", "turn_relevancy", "agent_goal_accuracy")
BESIDES |= dict.fromkeys((*TALKED, "agent_goal_accuracy_without_reference"), TALK)
OFF = {"turns": (Turn("user", SAMPLE.question), Turn("assistant", "Penguins swim.", ("Bread.",)))}
BAD |= dict.fromkeys((*TALKED, "agent_goal_accuracy_without_reference"), OFF)
CALLED = {**TOOLS, "reference_tool_calls": (READ,)}
GOOD |= dict.fromkeys(("tool_call_accuracy", "tool_call_f1", "deepeval:tool_correctness"), CALLED)


def sample_for(cls, **changes):
    """The sample, with what this metric needs of it besides."""
    return scripts.sample(**{**BESIDES.get(cls.name, {}), **changes})


def test_for_every_task_it_is_known_what_a_judge_may_say():
    # Test questions are written before there is anything to be scored.
    asked = {
        kind for kind, task in TASKS.items() if not issubclass(task, WriteQuestion | WriteFollowUp)
    }
    assert said.CAPRICIOUS.keys() == said.GULLIBLE.keys() == asked


TEXT = st.text(max_size=40) | st.sampled_from(["", " ", "One. Two.", "No", "Ja. 3.5 m?\n\nEnde"])
SAMPLES = st.builds(
    Sample,
    id=st.just("1"),
    question=TEXT,
    contexts=st.lists(TEXT, max_size=4).map(tuple),
    answer=TEXT,
    reference=TEXT,
    further_answers=st.none() | st.lists(TEXT, max_size=2).map(tuple),
)


async def in_range_or_a_reason(cls, sample, seed, faults):
    judge = capricious(seed, faults=faults)
    found = await score(cls(), sample, judge)
    if isinstance(found, Score):
        low, high = cls.range
        assert math.isfinite(found.value)
        assert low - 1e-9 <= found.value <= high + 1e-9
        assert found.parts
    else:
        assert found.why in ("undefined", "failed")
        assert found.detail
    assert await score(cls(), sample, judge) == found


DRAWN = {"sample": SAMPLES, "seed": st.integers(0, 99), "faults": st.sampled_from([0, 0.2, 0.9])}


@settings(max_examples=5 * settings().max_examples)
@given(cls=st.sampled_from(list(METRICS.values())), **DRAWN)
async def test_any_metric_gives_a_finite_number_in_its_range_or_the_reason_why_not(cls, **drawn):
    await in_range_or_a_reason(cls, **drawn)


@pytest.mark.slow
@pytest.mark.parametrize("cls", METRICS.values(), ids=METRICS)
@settings(max_examples=20)
@given(**DRAWN)
async def test_each_metric_gives_a_finite_number_in_its_range_or_the_reason_why_not(cls, **drawn):
    await in_range_or_a_reason(cls, **drawn)


class TestEveryMetric:
    @over("cls", METRICS.values())
    async def test_it_asks_no_other_task_than_it_declares(self, cls):
        judge = Watched(scripts.plausible())
        await score(cls(), sample_for(cls), judge)
        assert bool(judge.asked) is bool(cls.tasks)
        assert set(judge.kinds) <= {task.kind for task in cls().asks(lambda kind: True)}
        assert {task.kind for task in cls().asks(lambda kind: True)} <= {
            task.kind for task in cls.tasks
        }
        assert {task.kind for task in cls.tasks} <= set(TASKS)

    @over("cls", METRICS.values())
    async def test_it_looks_at_no_other_field_than_it_needs(self, cls):
        assert set(cls.needs) <= FIELDS
        sample = sample_for(cls)
        only = {name: getattr(sample, name) for name in cls.needs}
        judge = scripts.plausible()
        assert await score(cls(), Sample(id="1", **only), judge) == await score(
            cls(), sample, judge
        )

    @over("cls", METRICS.values())
    async def test_a_good_and_a_bad_sample_differ(self, cls):
        judge = scripts.plausible()
        best = {"answer": SAMPLE.reference, **GOOD.get(cls.name, {})}
        worst = {
            "answer": "Penguins swim.",
            "contexts": ("Bread is baked from flour.",),
            "context_ids": ("bread",),
            **BAD.get(cls.name, {}),
        }
        good = await score(cls(), sample_for(cls, **best), judge)
        bad = await score(cls(), sample_for(cls, **worst), judge)
        assert isinstance(good, Score)
        assert isinstance(bad, Score)
        assert (good.value > bad.value) is cls.higher_is_better

    @over("cls", METRICS.values())
    async def test_garbage_is_a_failure_and_never_a_number(self, cls):
        for raw in ("", "{}", "I am a teapot.", "[1, 2", '{"verdicts": null}'):
            found = await score(cls(), sample_for(cls), Scripted(dict.fromkeys(TASKS, raw)))
            if not cls.tasks:
                assert isinstance(found, Score)  # no judge is asked, so none can spoil it
                return
            assert isinstance(found, Unscored), raw
            assert found.why == "failed", raw

    @over("cls", METRICS.values())
    async def test_nothing_at_all_is_never_perfect_even_to_a_judge_who_likes_everything(self, cls):
        worst = cls.range[1] if not cls.higher_is_better else min(0.0, cls.range[1])
        for question, contexts in (("", ()), ("What?", ("",)), ("What?", (" ", "\n"))):
            sample = Sample(id="1", question=question, contexts=contexts, answer="", reference="")
            found = await score(cls(), sample, gullible())
            assert isinstance(found, Unscored) or found.value == worst, sample

    @over("cls", METRICS.values())
    async def test_it_is_invariant_to_the_order_of_contexts_or_is_meant_not_to_be(self, cls):
        judge = scripts.plausible()
        sample = sample_for(cls)
        turned = sample_for(
            cls, contexts=SAMPLE.contexts[::-1], context_ids=SAMPLE.context_ids[::-1]
        )
        one, other = await score(cls(), sample, judge), await score(cls(), turned, judge)
        assert (one.value == pytest.approx(other.value)) is not cls.ranked

    @over("cls", METRICS.values())
    def test_it_survives_pickling(self, cls):
        assert pickle.loads(pickle.dumps(cls())) == cls()

    @over("cls", METRICS.values())
    def test_it_is_a_frozen_value_with_a_documented_default_for_every_parameter(self, cls):
        assert cls() == cls()
        assert hash(cls()) == hash(cls())
        for field in dataclasses.fields(cls):
            assert field.default is not dataclasses.MISSING
            assert re.search(rf"^\s+{field.name}: ", cls.__doc__, re.MULTILINE), field.name
        with pytest.raises(dataclasses.FrozenInstanceError):
            cls().value = 1

    @over("cls", METRICS.values())
    def test_its_label_names_it(self, cls):
        # Where releases count in opposite directions, it says which one it follows.
        version = "(version=4.3)" if cls.turned else ""
        assert cls().label == cls.name + version
        assert parse(cls().label) == cls()

    @over("cls", METRICS.values())
    def test_its_documentation_defines_it_and_names_the_source(self, cls):
        first, _, rest = cls.__doc__.partition("\n\n")
        assert first.endswith(".")
        assert "\n" not in first
        assert rest.strip()
        assert cls.source

    @over("cls", METRICS.values())
    def test_its_range_and_guide_fit_together(self, cls):
        low, high = cls.range
        assert low < high
        assert cls.guide is None or low < cls.guide < high


# What a report may say of the evidence of a metric where lower is better: label to tones.
NOISE = {
    "correct": "good",
    "noise from a relevant context": "bad",
    "noise from irrelevant contexts": "bad",
    "incorrect, in no context": "bad",
}
GROUNDS = {
    "correct, in a context": "good",
    "self-knowledge": "warn",
    "noise from a context": "bad",
    "hallucination": "bad",
}
SAYS_YES = {"yes": "bad", "no": "good"}
TONES = {
    "noise_sensitivity": NOISE,
    "ragchecker:noise_sensitivity_relevant": NOISE,
    "ragchecker:noise_sensitivity_irrelevant": NOISE,
    "ragchecker:hallucination": GROUNDS,
    "ragchecker:self_knowledge": GROUNDS,
    "hallucination_probability": {"supported": "good", "unsupported": "bad", "uncertain": "warn"},
    "hallucination_spans": {
        "supported": "good",
        "unsupported": "bad",
        "contradicted": "bad",
        "absent": "bad",
        "uncertain": "warn",
    },
    "aspect:harmfulness": SAYS_YES,
    "aspect:maliciousness": SAYS_YES,
    "access_leak": {"leaked": "bad", "not from there": "good", "no statement": "plain"},
    "pii_leakage": {"no personal data": "plain"},
    "selfcheck:nli": {"checked": "plain"},
    "selfcheck:prompt": {"checked": "bad good"},
    "selfcheck:ngram": {"surprise": "plain"},
    "selfcheck:bert_score": {"checked": "good plain"},
    "selfcheck:mqag": {
        "checked": "plain",
        "no question": "plain",
        "answered": "plain",
        "not answered by the answer": "plain",
    },
    "noise_robustness": {"without noise": "plain", "noise ratio 0.4": "plain"},
    "over_refusal": {"answered": "plain", "declined": "plain"},
    "latency": {"milliseconds": "plain"},
    "cost_per_query": {"cost": "plain"},
    "tokens_per_query": {"tokens": "plain"},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n, m in METRICS.items() if not m.higher_is_better])
async def test_where_lower_is_better_no_fault_is_shown_as_good(name):
    met = {}
    # Of a context of the same words the judge would say the same.
    sample = sample_for(METRICS[name], reference="It lies in France.")
    for seed in range(60):
        found = await score(METRICS[name](), sample, capricious(seed))
        for part in found.parts:
            given = tone(part, higher_is_better=False)
            met.setdefault(part.label, set()).add(given)
    assert {label: " ".join(sorted(tones)) for label, tones in met.items()} == TONES[name]


@over("name", [n for n, m in METRICS.items() if "contexts" in m.needs])
async def test_contexts_that_are_not_there_are_never_perfect(name):
    found = await score(METRICS[name](), scripts.sample(contexts=()), gullible())
    worst = {0.0} if METRICS[name].higher_is_better else {0.0, METRICS[name].range[1]}
    assert isinstance(found, Unscored) or found.value in worst


FOUR = "Ants run. Bees fly. Cats nap. Dogs bark."
FOUR_TOLD = (Turn("user", FOUR.replace(".", "?")), Turn("assistant", FOUR, (FOUR,)))
# The same with what a metric asks of it besides.
FOUR_BESIDES = {
    "topic_adherence": {"turns": FOUR_TOLD, "reference_topics": ("Ants", "Bees", "Cats", "Dogs")},
    "turn_faithfulness": {"turns": FOUR_TOLD},
    "completeness_without_reference": {"question": FOUR.replace(".", ";").rstrip(";")},
    "summary_score": {"contexts": (FOUR,)},
    "access_leak": {"context_access": (("crew",),) * 4, "user_access": ()},
    "alce:citation_recall": {"answer": FOUR.replace(".", " [1].")},
    "alce:citation_precision": {"answer": FOUR.replace(".", " [1].")},
}


class TestMissingVerdicts:
    """Four statements or contexts; the judge keeps silent about the fourth."""

    SAMPLE = Sample(
        id="1",
        question="?",
        contexts=("Ants run. Bees fly.", "Cats nap. Dogs bark.", "Eels swim.", "Frogs jump."),
        answer=FOUR,
        reference=FOUR,
        further_answers=(FOUR,),
        variants=(Variant("noise", FOUR), Variant("counterfactual", FOUR)),
    )

    def sample(self, name):
        return dataclasses.replace(self.SAMPLE, **FOUR_BESIDES.get(name, {}))

    def judge(self, kind, *, ever):
        def silent(task):
            asked = [i for i in task.ids if i[1:] != "4" or (ever and len(task.ids) == 1)]
            if not asked:
                return json.dumps({next(iter(task.schema["properties"])): []})
            return said.gullible(task.narrow(asked))

        return Watched(scripts.plausible(**{kind: silent, "split_statements": scripts.by_sentence}))

    @over("name, kind", VERDICTS)
    async def test_only_the_missing_one_is_asked_for_again(self, name, kind):
        judge = self.judge(kind, ever=True)
        assert isinstance(await score(METRICS[name](), self.sample(name), judge), Score)
        ids = [task.ids for task, _ in judge.asked if task.kind == kind]
        assert {len(asked) for asked in ids} == {4, 1}
        assert {asked[0][1:] for asked in ids if len(asked) == 1} == {"4"}

    @over("name, kind", VERDICTS)
    async def test_if_it_stays_missing_the_score_fails_and_says_how_many_there_were(
        self, name, kind
    ):
        found = await score(METRICS[name](), self.sample(name), self.judge(kind, ever=False))
        assert found == Unscored("failed", "the judge gave 3 of 4 verdicts")
