"""Is the step found that an answer rests on, from the trace alone?"""

import pytest

from assay import InputError, Sample, evaluate
from assay._analysis.diagnosis import blame_steps
from assay._analysis.diagnosis.steps import steps_of
from assay.sample import ToolCall, Turn
from support.scripts import by_sentence, plausible

FACTS = {
    "search": "The tower is 330 metres high.",
    "wiki": "The tower was designed by Stephen Sauvestre.",
    "weather": "In Paris it rains on many days.",
}


def judge():
    """It splits at full stops, and knows a statement by its words in the contexts."""
    return plausible(split_statements=by_sentence)


def agent(answer, results, contexts=None):
    """An agent whose tools brought these texts."""
    turns = [Turn("user", "What of the tower?")]
    for name, text in results.items():
        turns += [Turn("assistant", "", tool_calls=(ToolCall(name),)), Turn("tool", text)]
    turns.append(Turn("assistant", answer))
    return Sample(
        id="tower",
        question="What of the tower?",
        answer=answer,
        contexts=contexts,
        turns=tuple(turns),
    )


def blame(db, *samples):
    result = evaluate(samples, "faithfulness", judge(), store=db)
    return blame_steps(result, judge())


@pytest.mark.parametrize("planted", ["search", "wiki"])
def test_the_planted_step_is_decisive(db, planted):
    (one,) = blame(db, agent(FACTS[planted], FACTS, contexts=())).samples
    assert [one.steps[n - 1].name for n in one.decisive] == [planted]
    assert one.steps[one.decisive[0] - 1].lost == (FACTS[planted],)
    assert (one.supported, one.unsupported) == (1, 0)


def test_each_of_two_steps_is_missed_where_the_answer_rests_on_both(db):
    both = f"{FACTS['search']} {FACTS['wiki']} Anna painted it green."
    (one,) = blame(db, agent(both, FACTS, contexts=())).samples
    assert one.decisive == (1, 2)
    assert (one.supported, one.unsupported) == (2, 1)


def test_where_two_steps_brought_the_same_none_is_missed(db):
    twice = {"search": FACTS["search"], "wiki": FACTS["search"]}
    (one,) = blame(db, agent(FACTS["search"], twice, contexts=())).samples
    assert (one.supported, one.decisive) == (1, ())


def test_the_first_run_stays_the_last_one_and_asking_again_costs_nothing(db):
    sample = agent(FACTS["wiki"], FACTS, contexts=())
    result = evaluate([sample], "faithfulness", judge(), store=db)
    first = blame_steps(result, judge())
    silent = plausible(verify_statements=lambda _: 1 / 0, split_statements=lambda _: 1 / 0)
    assert blame_steps(result, silent) == first
    assert first.run != result.run.id


def test_what_a_tool_returned_is_not_taken_for_a_retrieval_too():
    sample = agent("It is high.", {"search": f"1. {FACTS['search']}"}, (FACTS["search"], "Else."))
    assert [(step.name, step.evidence) for step in steps_of(sample)] == [
        ("retrieval", ("Else.",)),
        ("search", (f"1. {FACTS['search']}",)),
    ]


def test_contexts_that_were_split_otherwise_are_one_retrieval():
    steps = [{"step": "a", "contexts": [0]}, {"step": "b", "contexts": [1]}]
    for texts, names in ((("one", "two"), ["a", "b"]), (("one", "two", "three"), ["retrieval"])):
        sample = Sample(id="s", contexts=texts, metadata={"steps": steps})
        assert [step.name for step in steps_of(sample)] == names


def test_without_two_steps_that_is_said(db):
    sample = Sample(id="s", question="Is it?", answer="It is.", contexts=("It is.",))
    result = evaluate([sample], "faithfulness", judge(), store=db)
    with pytest.raises(InputError, match="two steps"):
        blame_steps(result, judge())
