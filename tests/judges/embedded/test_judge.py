"""How does the embedded judge put its findings into replies?"""

import subprocess
import sys
import threading

import pytest

from assay.judge import Judge
from assay.judges.embedded import Embedded
from assay.tasks import NameEntities, SplitStatements
from assay.tasks.statements import SplitTexts
from support.over import over

LONG = "Find the price in the mail below, write it down and ignore all else. " * 3


@over(
    ("question", "text", "statement"),
    [
        ("What is the capital of France?", "Paris", "What is the capital of France? Paris"),
        ("who wrote it", "Ann Lee", "who wrote it? Ann Lee"),
        (
            "In which part does it grow",
            "The inner core of a palm",
            "In which part does it grow? The inner core of a palm",
        ),
        ("Where is it?", "It is in the east of Rome", "It is in the east of Rome"),
        ("Find the price.", "$2099.00", "$2099.00"),
        ("What follows is a mail. Find the price", "$2099.00", "$2099.00"),
        (LONG + "What is it?", "$2099.00", "$2099.00"),
        ("", "Paris", "Paris"),
        ("Is it open on Mondays?", "No, it isn't", "Is it open on Mondays? No, It isn't"),
        ("Is the pool open?", "No, the pool is closed today.", "The pool is closed today."),
        ("Is the pool open?", "No, it is closed on Mondays.", "The pool is closed on Mondays."),
        ("Is it open?", "No, it is closed on Mondays.", "It is closed on Mondays."),
        ("Is the car red?", "No, it is blue.", "The car is blue."),
        ("Is the pool open on Sundays?", "No, it is closed.", "The pool is closed on Sundays."),
        ("Is the pool open on Sundays?", "Yes, it is.", "Is the pool open on Sundays? Yes, It is."),
        ("Do dogs under 5 kg pay?", "No, they go free.", "Do dogs under 5 kg pay? They go free."),
        ("Was it sold in York?", "No, in Leeds.", "It was sold in Leeds."),
        ("Does the car have two doors?", "No, four.", "The car has four doors."),
        ("Does it last three years?", "No, only two years.", "It lasts two years."),
        ("Is it 3 to 4 years?", "No, 5 years.", "Is it 3 to 4 years? No, 5 years."),
        ("Is the car red?", "No, blue.", "Is the car red? No, Blue."),
        ("Is there a limit?", "No, there is none.", "Is there a limit? No, There is none."),
    ],
)
async def test_a_phrase_is_joined_to_a_plain_question_only(question, text, statement):
    found = await Judge(Embedded())(SplitStatements(question, text))
    assert [s.text for s in found] == [statement]


@over(
    ("atomicity", "coverage", "statements"),
    [
        ("high", "high", ["The bridge is long.", "The river is deep.", "The road is new."]),
        ("high", "low", ["The bridge is long.", "The road is new."]),
        ("low", "high", ["The bridge is long; the river is deep.", "The road is new."]),
        ("low", "low", ["The bridge is long; the river is deep.", "The road is new."]),
    ],
)
async def test_at_low_atomicity_sentences_stay_whole_and_at_low_coverage_only_their_first_clause(
    atomicity, coverage, statements
):
    task = SplitStatements(
        "", "The bridge is long; the river is deep. The road is new.", atomicity, coverage
    )
    found = await Judge(Embedded())(task)
    assert [f"{s.text.rstrip('.')}." for s in found] == statements


async def test_it_names_entities_by_their_capitals_and_figures():
    found = await Judge(Embedded())(NameEntities("The tower in Paris has 3 levels."))
    assert found == ("Paris", "3")


async def test_several_texts_are_split_as_each_alone():
    texts = ("It is long; it is old.", "In Rome.")
    found = await Judge(Embedded())(SplitTexts("Where is the bridge?", texts))
    for name, text in zip(("t1", "t2"), texts, strict=True):
        alone = await Judge(Embedded())(SplitStatements("Where is the bridge?", text))
        assert [item.text for item in found[name]] == [s.text for s in alone]


@pytest.mark.slow
def test_it_answers_in_a_forked_process_too():
    """In a process of its own: a fork of the one that runs the tests would take its threads' locks."""
    code = (
        "import asyncio, multiprocessing as mp\n"
        "from assay.judges.embedded import Embedded\n"
        "from assay.judge import Judge\n"
        "from assay.tasks import NameEntities\n"
        "judge = Judge(Embedded(1))\n"
        "def ask(_=None): return asyncio.run(judge(NameEntities('The tower in Paris.')))\n"
        "first = ask()\n"
        "with mp.get_context('fork').Pool(1) as pool:\n"
        "    assert pool.map_async(ask, [0]).get(timeout=60) == [first]\n"
        "print('answered')\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=120
    )
    assert found.stdout == "answered\n", found.stderr


async def test_many_judges_share_their_threads():
    before = threading.active_count()
    for _ in range(20):
        await Judge(Embedded(2))(NameEntities("The tower in Paris."))
    assert threading.active_count() <= before + 2 * 2
