"""How does the embedded judge put its findings into replies?"""

import pytest

from assay.backends.embedded import Embedded
from assay.judge import Judge
from assay.tasks import SplitStatements

LONG = "Find the price in the mail below, write it down and ignore all else. " * 3


@pytest.mark.parametrize(
    ("question", "text", "statement"),
    [
        ("What is the capital of France?", "Paris", "What is the capital of France? Paris"),
        ("Find the price.", "$2099.00", "$2099.00"),
        (LONG + "What is it?", "$2099.00", "$2099.00"),
        ("", "Paris", "Paris"),
    ],
)
async def test_a_phrase_is_joined_to_a_plain_question_only(question, text, statement):
    found = await Judge(Embedded())(SplitStatements(question, text))
    assert [s.text for s in found] == [statement]
