"""RAGChecker: the four matrices, the eleven numbers that they give, and who is asked for them."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.errors import InputError
from assay.judges.scripted import Scripted
from assay.metrics import METRICS, parse
from assay.metrics.groundedness import NoiseSensitivity
from assay.sample import Sample
from assay.score import Score, Unscored
from support.over import over
from support.scripts import Watched, by_sentence, sample, score, verify_if

ELEVEN = [name for name in METRICS if name.startswith("ragchecker:")]
DOWN = [name for name in ELEVEN if not METRICS[name].higher_is_better]


def world(right, told, retrieved, grounded):
    """A sample and a judge in which exactly these entailments hold.

    Args:
        right: Per statement of the answer, whether the reference entails it.
        told: Per statement of the reference, whether the answer entails it.
        retrieved: Per statement of the reference, whether each context entails it.
        grounded: Per statement of the answer, whether each context entails it.
    """
    mine = [f"Mine {n}." for n in range(len(right))]
    theirs = [f"Theirs {n}." for n in range(len(told))]
    contexts = tuple(f"context {k}" for k in range(len((retrieved + grounded or [[]])[0])))
    answer, reference = " ".join(mine), " ".join(theirs)
    # As premises the two texts are the statements that they make.
    holds = {(s, "\n".join(theirs) or reference) for s, yes in zip(mine, right, strict=True) if yes}
    holds |= {(g, "\n".join(mine) or answer) for g, yes in zip(theirs, told, strict=True) if yes}
    for texts, rows in ((mine, grounded), (theirs, retrieved)):
        for text, row in zip(texts, rows, strict=True):
            holds |= {(text, c) for c, yes in zip(contexts, row, strict=True) if yes}
    judge = {
        "split_statements": by_sentence,
        "verify_statements": verify_if(lambda text, given: (text, given[0]) in holds),
    }
    return Sample(
        id="1", question="?", contexts=contexts, answer=answer, reference=reference
    ), judge


async def values(names, row, judge):
    """The outcome of each metric, its number where it has one."""
    found = {name: await score(parse(name), row, judge) for name in names}
    return {n: o.value if isinstance(o, Score) else o.why for n, o in found.items()}


# Five statements of the answer, four of the reference, three contexts; the second is irrelevant.
WORKED = {
    "right": [1, 1, 0, 0, 0],
    "told": [1, 1, 0, 1],
    "retrieved": [[1, 0, 0], [1, 0, 1], [0, 0, 1], [0, 0, 0]],
    "grounded": [[1, 0, 0], [0, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 0]],
}


class TestNumbers:
    async def test_the_worked_example(self):
        assert await values(ELEVEN, *world(**WORKED)) == pytest.approx(
            {
                "ragchecker:precision": 2 / 5,
                "ragchecker:recall": 3 / 4,
                "ragchecker:f1": 2 * 0.4 * 0.75 / (0.4 + 0.75),
                "ragchecker:claim_recall": 3 / 4,
                "ragchecker:context_precision": 2 / 3,
                "ragchecker:context_utilization": 2 / 3,
                "ragchecker:noise_sensitivity_relevant": 1 / 5,
                "ragchecker:noise_sensitivity_irrelevant": 1 / 5,
                "ragchecker:hallucination": 1 / 5,
                "ragchecker:self_knowledge": 1 / 5,
                "ragchecker:faithfulness": 3 / 5,
            }
        )

    @pytest.mark.slow
    @given(data=st.data())
    async def test_on_any_matrices_they_are_what_numpy_makes_of_them(self, data):
        n, m, k = (data.draw(st.integers(1, 4)) for _ in range(3))

        def matrix(*shape):
            bits = data.draw(st.lists(st.booleans(), min_size=int(np.prod(shape)), max_size=64))
            return np.array(bits[: int(np.prod(shape))]).reshape(shape)

        right, told, retrieved, grounded = matrix(n), matrix(m), matrix(m, k), matrix(n, k)
        relevant = retrieved.any(axis=0)
        of_relevant = (grounded & relevant).any(axis=1)
        of_irrelevant = (grounded & ~relevant).any(axis=1) & ~of_relevant
        recalled, borne = retrieved.any(axis=1), grounded.any(axis=1)
        p, r = right.mean(), told.mean()
        expected = {
            "precision": p,
            "recall": r,
            "f1": 2 * p * r / (p + r) if p and r else 0,
            "claim_recall": recalled.mean(),
            "context_precision": relevant.mean(),
            "context_utilization": (recalled & told).sum() / recalled.sum()
            if recalled.any()
            else 0,
            "noise_sensitivity_relevant": (of_relevant & ~right).mean(),
            "noise_sensitivity_irrelevant": (of_irrelevant & ~right).mean(),
            "hallucination": (~borne & ~right).mean(),
            "self_knowledge": (~borne & right).mean(),
            "faithfulness": borne.mean(),
        }
        row, judge = world(*(x.tolist() for x in (right, told, retrieved, grounded)))
        found = await values(ELEVEN, row, judge)
        assert found == pytest.approx({f"ragchecker:{name}": v for name, v in expected.items()})
        mine = {mode: NoiseSensitivity(mode=mode) for mode in ("relevant", "irrelevant")}
        for mode, metric in mine.items():
            ours = await score(metric, row, judge)
            assert ours.value == pytest.approx(expected[f"noise_sensitivity_{mode}"])


class TestNothing:
    async def test_without_statements_of_the_answer_what_is_good_is_0_and_the_rest_undefined(self):
        row, judge = world([], [1], [[1]], [])
        found = await values(ELEVEN, row, judge)
        assert {found[name] for name in DOWN} == {"undefined"}
        empty = ("precision", "f1", "faithfulness")
        assert {found[f"ragchecker:{name}"] for name in empty} == {0}

    async def test_without_statements_of_the_reference_no_context_can_be_relevant(self):
        row, judge = world([0], [], [], [[1]])
        row = Sample(id="1", question="?", contexts=row.contexts, answer="Mine 0.", reference="Hm?")
        judge["split_statements"] = lambda task: by_sentence(
            task if "Mine" in task.text else type(task)("", "")
        )
        found = await values(ELEVEN, row, judge)
        zero = ("recall", "f1", "claim_recall", "context_precision", "context_utilization")
        assert {found[f"ragchecker:{name}"] for name in zero} == {0}
        assert found["ragchecker:noise_sensitivity_relevant"] == "undefined"
        assert found["ragchecker:hallucination"] == 0  # the context entails it

    @over("contexts", [(), ("", " ")])
    async def test_without_a_context_nothing_is_retrieved_and_nothing_can_have_misled(
        self, contexts
    ):
        row, judge = world([1], [1], [[]], [[]])
        row = Sample(
            id="1", question="?", contexts=contexts, answer=row.answer, reference=row.reference
        )
        found = await values(ELEVEN, row, judge)
        assert {found[name] for name in DOWN} == {"undefined"}
        zero = ("claim_recall", "context_precision", "context_utilization", "faithfulness")
        assert {found[f"ragchecker:{name}"] for name in zero} == {0}
        assert found["ragchecker:f1"] == 1

    async def test_an_empty_reference_entails_nothing(self):
        row, judge = world([1], [], [], [[1]])
        row = Sample(id="1", question="?", contexts=row.contexts, answer=row.answer, reference=" ")
        found = await values(ELEVEN, row, judge)
        assert found["ragchecker:precision"] == 0
        assert {found[name] for name in DOWN} == {"undefined"}


class TestEvidence:
    async def test_every_statement_names_all_contexts_that_entail_it(self):
        row, judge = world(**WORKED)
        found = await score(parse("ragchecker:faithfulness"), row, judge)
        assert [(p.text, p.label, p.reason, p.context) for p in found.parts[1:3]] == [
            ("Mine 1.", "unsupported", "no context entails it", None),
            ("Mine 2.", "supported", "entailed by c1, c2", 0),
        ]
        assert [row.answer[slice(*p.span)] for p in found.parts] == [p.text for p in found.parts]

    async def test_every_statement_of_the_answer_is_told_by_its_class(self):
        row, judge = world(**WORKED)
        found = await score(parse("ragchecker:noise_sensitivity_irrelevant"), row, judge)
        assert [p.label for p in found.parts] == [
            "correct",
            "correct",
            "noise from a relevant context",
            "noise from irrelevant contexts",
            "incorrect, in no context",
        ]
        found = await score(parse("ragchecker:self_knowledge"), row, judge)
        assert [p.label for p in found.parts] == [
            "correct, in a context",
            "self-knowledge",
            "noise from a context",
            "noise from a context",
            "hallucination",
        ]

    async def test_a_relevant_context_names_what_it_entails(self):
        found = await score(parse("ragchecker:context_precision"), *world(**WORKED))
        assert [(p.label, p.reason, p.context) for p in found.parts] == [
            ("relevant", "entails: Theirs 0. | Theirs 1.", 0),
            ("irrelevant", "entails nothing of the reference", 1),
            ("relevant", "entails: Theirs 1. | Theirs 2.", 2),
        ]

    async def test_a_statement_that_was_not_retrieved_counts_neither_way_in_utilization(self):
        found = await score(parse("ragchecker:context_utilization"), *world(**WORKED))
        assert [(p.label, p.value) for p in found.parts] == [
            ("used", 1),
            ("used", 1),
            ("not used", 0),
            ("not retrieved", None),
        ]


class TestSharing:
    def test_all_eleven_together_ask_no_question_twice(self, tmp_path):
        row, judge = world(**WORKED)
        watched = Watched(Scripted(judge))
        record = {
            "question": row.question,
            "contexts": list(row.contexts),
            "answer": row.answer,
            "reference": row.reference,
        }
        names = [*ELEVEN, "noise_sensitivity", "noise_sensitivity(mode=irrelevant)"]
        assay.evaluate([record], names, watched, store=tmp_path / "eleven.db")
        assert max(Counter(task for task, _ in watched.asked).values()) == 1
        # Two texts to split; each text against the other, and against each of three contexts.
        assert watched.kinds == {"split_statements": 2, "verify_statements": 2 + 2 * 3}

    @over(
        ("name", "splits", "verifications"),
        [
            ("precision", 2, 1),
            ("recall", 2, 1),
            ("f1", 2, 2),
            ("claim_recall", 1, 2),
            ("context_precision", 1, 2),
            ("context_utilization", 2, 3),
            ("noise_sensitivity_relevant", 2, 5),
            ("noise_sensitivity_irrelevant", 2, 5),
            ("hallucination", 2, 3),
            ("self_knowledge", 2, 3),
            ("faithfulness", 1, 2),
        ],
    )
    async def test_alone_each_asks_for_no_more_than_it_counts(self, name, splits, verifications):
        watched = Watched(Scripted({**world(**WORKED)[1]}))
        await score(parse(f"ragchecker:{name}"), sample(), watched)
        assert watched.kinds == {"split_statements": splits, "verify_statements": verifications}


class TestNoiseSensitivity:
    def test_an_unknown_mode_is_refused(self):
        with pytest.raises(InputError, match="relevant or irrelevant, not 'both'"):
            NoiseSensitivity(mode="both")

    async def test_it_is_undefined_where_nothing_could_mislead(self):
        row, judge = world([0], [1], [[]], [[]])
        found = await score(NoiseSensitivity(), row, judge)
        assert found == Unscored("undefined", "no context was retrieved")
