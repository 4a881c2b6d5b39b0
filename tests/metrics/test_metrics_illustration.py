"""One answer, four verdicts, several definitions: print which one a number is.

Of four statements the context bears out two, is silent about the third and contradicts the
fourth. Those who count what is supported say 0.50, those who only count what is contradicted as
wrong say 0.75, and one who judges the answer as a whole says 0.
"""

import assay
from assay.judges.scripted import Scripted
from assay.metrics import parse
from assay.metrics.criteria import AspectCritic
from assay.sample import Sample
from assay.tasks import GiveGrade, Grade, Verdict, VerifyStatements
from support.over import over
from support.scripts import Watched, by_sentence, score

ANSWER = "The bridge opened in 1932. It is made of steel. It was painted red. It has six lanes."
SAMPLE = Sample(
    id="bridge",
    question="What is known about the bridge?",
    contexts=("The bridge, opened in 1932, is made of steel and carries eight lanes.",),
    answer=ANSWER,
)
# The end of each statement, whether the context supports it, whether it says the opposite.
KNOWN = {
    "1932.": (True, False),
    "steel.": (True, False),
    "red.": (False, False),
    "lanes.": (False, True),
}


def known(text):
    return KNOWN[text.split()[-1]]


def verify(task):
    """The verdicts on single statements."""
    said = [(s.id, *known(s.text)) for s in task.statements]
    return VerifyStatements.reply([Verdict(i, yes, contradicted=no) for i, yes, no in said])


def grade(task):
    """The best grade to what is supported as a whole, else the worst."""
    text = dict(task.shown).get("statement") or ANSWER
    supported = text != ANSWER and known(text)[0]
    return GiveGrade.reply(Grade(task.grades[-1 if supported else 0][0]))


JUDGE = {
    "split_statements": by_sentence,
    "verify_statements": verify,
    "give_grade": grade,
    "paper_statements": ANSWER.replace(". ", ".\n"),
    "paper_verdicts": "Yes, yes. Not said. No.\nFinal verdict: Yes. Yes. No. No.",
}
WHOLE = AspectCritic("Is everything that the answer says supported by the contexts?")
SAYS = {
    "faithfulness": 0.50,
    "paper:faithfulness": 0.50,
    "ragas:faithfulness": 0.50,
    "ragchecker:faithfulness": 0.50,
    "trulens:groundedness": 0.50,
    "deepeval:faithfulness": 0.75,
    WHOLE: 0.0,
}


@over(("metric", "value"), SAYS.items())
async def test_the_same_verdicts_are_another_number_by_another_definition(metric, value):
    metric = parse(metric) if isinstance(metric, str) else metric
    assert (await score(metric, SAMPLE, JUDGE)).value == value


def test_those_who_count_statements_do_so_on_the_very_same_replies(tmp_path):
    names = [
        "faithfulness",
        "ragas:faithfulness",
        "ragchecker:faithfulness",
        "deepeval:faithfulness",
    ]
    judge = Watched(Scripted(JUDGE))
    row = {
        "question": SAMPLE.question,
        "contexts": list(SAMPLE.contexts),
        "answer": ANSWER,
    }
    result = assay.evaluate([row], names, judge, store=tmp_path / "four.db")
    assert [result[name][0].value for name in names] == [0.50, 0.50, 0.50, 0.75]
    assert judge.kinds == {"split_statements": 1, "verify_statements": 1}
