"""The metrics over contexts: their exact numbers on cases made by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay._text.sentences import sentences
from assay.metrics import (
    ContextPrecision,
    ContextPrecisionWithoutReference,
    ContextRelevance,
    PaperContextRelevance,
)
from assay.metrics.contexts import average_precision
from assay.sample import Sample
from assay.score import Unscored
from assay.tasks import Choice, SelectSentences
from support import scripts
from support.over import over
from support.scripts import Watched, score, select, useful

PRECISIONS = (ContextPrecision(), ContextPrecisionWithoutReference())


class TestAveragePrecision:
    @over(
        ("useful", "value"),
        [
            ([1], 1),
            ([1, 1, 0], 1),
            ([1, 0, 1], (1 + 2 / 3) / 2),
            ([0, 1], 1 / 2),
            ([0, 0, 1, 1], (1 / 3 + 2 / 4) / 2),
            ([0, 0], 0),
            ([], 0),
        ],
    )
    def test_it_is_exact(self, useful, value):
        assert average_precision(useful) == value

    @given(st.lists(st.booleans(), min_size=1))
    def test_it_is_1_exactly_when_all_useful_ones_come_first(self, useful):
        value = average_precision(useful)
        assert 0 <= value <= 1
        first = any(useful) and useful == sorted(useful, reverse=True)
        assert (value == 1) == first

    @given(st.lists(st.booleans()), st.integers(0, 20))
    def test_useless_contexts_at_the_end_change_nothing(self, useful, n):
        assert average_precision(useful + [False] * n) == average_precision(useful)

    @given(st.lists(st.booleans(), min_size=2))
    def test_moving_a_useful_context_up_never_lowers_it(self, useful):
        for i in range(len(useful) - 1):
            if useful[i + 1] and not useful[i]:
                moved = [*useful[:i], True, False, *useful[i + 2 :]]
                assert average_precision(moved) > average_precision(useful)


@pytest.mark.parametrize("metric", PRECISIONS, ids=lambda metric: metric.name)
class TestContextPrecision:
    SAMPLE = Sample(id="1", question="?", contexts=("a", "b", "c"), answer="!", reference="R")

    async def test_its_parts_are_the_contexts_in_order_of_rank(self, metric):
        judge = {"judge_contexts": useful(1, 0, 1)}
        found = await score(metric, self.SAMPLE, judge)
        assert found.value == pytest.approx(5 / 6)
        assert [(p.context, p.text, p.label) for p in found.parts] == [
            (0, "a", "useful"),
            (1, "b", "not useful"),
            (2, "c", "useful"),
        ]

    async def test_none_useful_is_0(self, metric):
        judge = {"judge_contexts": useful(0, 0, 0)}
        assert (await score(metric, self.SAMPLE, judge)).value == 0

    async def test_nothing_retrieved_is_undefined(self, metric):
        sample = Sample(id="1", question="?", contexts=(), answer="!", reference="R")
        assert await score(metric, sample, {}) == Unscored("undefined", "no context was retrieved")

    async def test_an_empty_context_keeps_its_rank_and_is_not_useful(self, metric):
        sample = Sample(id="1", question="?", contexts=(" ", "b"), answer="!", reference="R")
        judge = Watched(scripts.Scripted({"judge_contexts": useful(1, 1)}))
        found = await score(metric, sample, judge)
        assert found.value == 0.5
        assert [task.ids for task, _ in judge.asked] == [("c2",)]

    async def test_only_empty_contexts_are_0_and_nobody_is_asked(self, metric):
        sample = Sample(id="1", question="?", contexts=("", " "), answer="!", reference="R")
        assert (await score(metric, sample, {})).value == 0

    async def test_it_arrives_at_the_reference_or_at_the_answer(self, metric):
        judge = Watched(scripts.Scripted({"judge_contexts": useful(1, 1, 1)}))
        await score(metric, self.SAMPLE, judge)
        (task,) = [task for task, _ in judge.asked]
        assert task.target == ("R" if metric.name == "context_precision" else "!")


TWO = Sample(
    id="1",
    question="When was the bridge opened?",
    contexts=(
        "The bridge was opened in 1932 and carries eight lanes. It is made of steel.",
        "Dr. Bradfield designed it. Bread is baked from flour.",
    ),
)
FOUR = [
    "The bridge was opened in 1932 and carries eight lanes.",
    "It is made of steel.",
    "Dr. Bradfield designed it.",
    "Bread is baked from flour.",
]


def _with_passages(*probabilities):
    """A reply that chooses the first sentence and tells how likely each context helps."""
    by_id = {
        f"{rank}.{n}": passage
        for rank, passage in enumerate(probabilities, start=1)
        for n in range(1, len(sentences(TWO.contexts[rank - 1])) + 1)
    }
    return SelectSentences.reply(
        [Choice(i, "why", 0.7, i == "1.1", passage) for i, passage in by_id.items()]
    )


class TestContextRelevance:
    async def test_it_is_the_share_of_chosen_sentences(self):
        judge = {"select_sentences": select("1.1", "2.1", "2.2")}
        found = await score(ContextRelevance(), TWO, judge)
        assert found.value == 0.75
        assert [p.text for p in found.parts] == FOUR
        assert [p.label for p in found.parts] == ["relevant", "not relevant", *["relevant"] * 2]
        assert [TWO.contexts[p.context][slice(*p.span)] for p in found.parts] == FOUR

    async def test_none_chosen_is_0(self):
        assert (await score(ContextRelevance(), TWO, {"select_sentences": select()})).value == 0

    async def test_a_sentence_that_does_not_exist_is_a_failure(self):
        found = await score(ContextRelevance(), TWO, {"select_sentences": select("3.1")})
        assert found.why == "failed"

    async def test_the_probabilities_of_the_contexts_make_it_rank_based(self):
        found = await score(ContextRelevance(), TWO, {"select_sentences": _with_passages(0.2, 0.9)})
        assert found.value == 0.9
        assert "suffice" in found.method
        assert found.details["helpful_contexts"] == pytest.approx(1.1)
        assert found.details["expected_reciprocal_rank"] == pytest.approx(0.2 + 0.8 * 0.9 / 2)
        contexts = [part for part in found.parts if part.kind == "context"]
        assert [(part.label, part.value) for part in contexts] == [
            ("not relevant", 0.2),
            ("relevant", 0.9),
        ]
        assert {part.value for part in found.parts if part.kind == "sentence"} == {None}

    async def test_the_share_of_sentences_is_told_on_demand(self):
        script = {"select_sentences": _with_passages(0.2, 0.9)}
        found = await score(ContextRelevance(soft=False), TWO, script)
        assert found.value == 1 / len(found.parts)
        assert {part.kind for part in found.parts} == {"sentence"}
        assert not found.method

    @over("contexts", [(), ("",), (" ", "\n")])
    @over("metric", [ContextRelevance(), PaperContextRelevance()])
    async def test_contexts_without_a_sentence_are_undefined(self, metric, contexts):
        sample = Sample(id="1", question="?", contexts=contexts)
        assert (await score(metric, sample, {})).why == "undefined"


class TestPaperContextRelevance:
    async def of(self, raw):
        return await score(PaperContextRelevance(), TWO, {"paper_extraction": raw})

    async def test_it_is_the_share_of_copied_sentences(self):
        assert (await self.of(f"{FOUR[0]}\n{FOUR[3]}")).value == 0.5

    async def test_sentences_on_one_line_are_told_apart(self):
        assert (await self.of(" ".join(FOUR[:3]))).value == 0.75

    @over(
        "raw",
        ["Insufficient Information", '"insufficient information".', "Insufficient Information."],
    )
    async def test_insufficient_information_is_0(self, raw):
        found = await self.of(raw)
        assert (found.value, len(found.parts)) == (0, 4)

    @over(
        "copy",
        [
            "the bridge was opened in 1932 and carries eight lanes",
            "- The bridge was opened in 1932  and carries eight lanes.",
            '"The bridge was opened in 1932, and carries eight lanes."',
        ],
    )
    async def test_a_copy_may_differ_in_case_spaces_and_signs(self, copy):
        found = await self.of(copy)
        assert found.value == 0.25
        assert "dropped" not in {p.label for p in found.parts}

    @over(
        "copy",
        [
            "The bridge is painted green.",
            "The bridge was opened in 1933 and carries eight lanes.",
            "The bridge was opened and carries eight lanes.",
        ],
    )
    async def test_a_made_up_or_altered_sentence_is_dropped_and_listed(self, copy):
        found = await self.of(f"{copy}\n{FOUR[1]}")
        assert found.value == 0.25
        (dropped,) = [p for p in found.parts if p.label == "dropped"]
        assert (dropped.text, dropped.value) == (copy, None)

    async def test_a_reply_without_one_real_sentence_is_a_failure_that_lists_what_it_said(self):
        found = await self.of("The bridge is painted green.\nIt is long.")
        assert found.why == "failed"
        assert [p.text for p in found.parts] == ["The bridge is painted green.", "It is long."]

    async def test_a_sentence_copied_twice_counts_once(self):
        found = await self.of(f"{FOUR[1]}\n{FOUR[1]}")
        assert found.value == 0.25
        (dropped,) = [p for p in found.parts if p.label == "dropped"]
        assert (dropped.text, dropped.reason) == (FOUR[1], "copied more often than it occurs")

    @over("copies", [[FOUR[0], FOUR[0]], [FOUR[0], FOUR[0].replace("opened", "opned")]])
    async def test_equal_sentences_take_one_copy_each(self, copies):
        sample = Sample(id="1", question="?", contexts=(FOUR[0], FOUR[1], FOUR[0]))
        script = {"paper_extraction": "\n".join(copies)}
        found = await score(PaperContextRelevance(), sample, script)
        assert [(p.context, p.value) for p in found.parts] == [(0, 1), (1, 0), (2, 1)]
