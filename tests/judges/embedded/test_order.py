"""Does the embedded judge say the same in whatever order the contexts are given?"""

from itertools import permutations

import pytest

from assay.judge import Judge
from assay.judges.embedded import Embedded
from assay.tasks import JudgeContexts, SelectSentences, VerifyStatements
from assay.tasks.contexts import Passage
from assay.tasks.statements import Statement

QUESTION = "When was the tower built, and how tall is it?"
CONTEXTS = (
    "The tower was built from 1887 to 1889. It stands in Paris.",
    "At 330 metres it was the tallest building in the world. It is painted every seven years.",
    "Towers of iron rust. The tower was built by 300 workers.",
    "Bananas are yellow when ripe.",
)
ORDERS = list(permutations(range(len(CONTEXTS))))
STATEMENTS = tuple(
    Statement(f"s{i}", text)
    for i, text in enumerate(
        ("The tower was built in 1889.", "It is 330 metres tall.", "It was built by 300 men."), 1
    )
)


@pytest.fixture
def judge():
    return Judge(Embedded())


async def test_verdicts(judge):
    found = set()
    for order in ORDERS:
        contexts = tuple(CONTEXTS[i] for i in order)
        verdicts = await judge(VerifyStatements(STATEMENTS, contexts))
        found.add(
            tuple(
                (
                    v.probability,
                    v.contradicted,
                    v.quote,
                    None if v.context is None else order[v.context],
                )
                for v in verdicts
            )
        )
    assert len(found) == 1


async def test_sentences_that_help(judge):
    found = set()
    for order in ORDERS:
        passages = tuple(
            Passage(f"{place}.{n}", text)
            for place, i in enumerate(order, 1)
            for n, text in enumerate(CONTEXTS[i].split(". "), 1)
        )
        texts = {passage.id: passage.text for passage in passages}
        chosen = await judge(SelectSentences(QUESTION, passages))
        found.add(frozenset((texts[choice.id], choice.probability) for choice in chosen))
    assert len(found) == 1


@pytest.mark.parametrize("target", ["1889", "The tower was built in 1889."])
async def test_contexts_that_are_useful(judge, target):
    found = set()
    for order in ORDERS:
        contexts = tuple(CONTEXTS[i] for i in order)
        useful = await judge(JudgeContexts(QUESTION, target, contexts))
        found.add(frozenset((contexts[n], u.probability) for n, u in enumerate(useful)))
    assert len(found) == 1
