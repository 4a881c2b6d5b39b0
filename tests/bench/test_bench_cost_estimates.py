"""Is it told before anybody is asked what measuring a judge takes?"""

import pytest
from bench_help import CLAIMS, DEV, TEST500, claim, write

import assay
from assay.bench import measurement
from assay.bench.data import Data
from assay.bench.measurement import FITTING, Sampling, estimate_costs, measure, total_cost
from assay.judges.llm import LLM, Completion
from support import answers

SETS = ["attributionbench", "wikieval"]
PAIRS = "wikieval/wikieval_pairs.jsonl"


class Far(LLM):
    """Answers from the words of its texts, as a judge over the network would be asked."""

    name = "far:1"

    def __init__(self):
        super().__init__()
        self.asked = 0

    async def complete(self, prompt, schema, kind, draw):
        self.asked += 1
        text = answers.answer(prompt, kind)
        return Completion(text, len(prompt) // 4, len(text) // 4)


@pytest.fixture
def folder(tmp_path):
    """A folder with twelve claims and with two pairs of answers of one sentence."""
    write(tmp_path / "data", TEST500, CLAIMS)
    dev = [claim(i, "The bridge is long", supported=i % 2 == 0) for i in range(20, 28)]
    write(tmp_path / "data", DEV, dev)
    pairs = [
        {
            "id": f"w{i}",
            "question": f"Is bridge {i} old?",
            "contexts": [f"Bridge {i} is old."],
            "answer_a": f"Bridge {i} is old.",
            "answer_b": f"Bridge {i} is new.",
            "labels": {"dimension": "faithfulness", "better": "a"},
        }
        for i in range(2)
    ]
    write(tmp_path / "data", PAIRS, pairs)
    return tmp_path / "data"


@pytest.fixture
def arguments(folder, db):
    """What `estimate_costs` and `measure` are called with."""
    settings = assay.Settings(budget=assay.Budget(price=assay.Price(1.0, 10.0)))
    sampling = Sampling(fit=True)
    sets = measurement.chosen(SETS)
    return {
        "sets": sets,
        "data": Data(folder),
        "store": db,
        "sampling": sampling,
        "settings": settings,
    }


def test_calls_and_prompt_tokens_are_those_that_measuring_then_takes(arguments, db):
    judge = Far()
    found = estimate_costs(judge, **arguments)
    assert (judge.asked, db.exists()) == (0, False)
    card = measure(judge, **arguments)
    assert [one.name for one in found] == [FITTING, *SETS]
    assert [one.calls for one in found[1:]] == [one.calls for one in card.sets] == [12, 8]
    assert found[1].tokens_in == card.sets[0].tokens_in
    assert found[2].tokens_in == pytest.approx(card.sets[1].tokens_in, rel=0.05)
    assert total_cost(found).calls == judge.asked
    for one in found:
        assert one.money == pytest.approx((one.tokens_in + 10 * one.tokens_out) / 1e6)
    assert total_cost(found).money == pytest.approx(sum(one.money for one in found))


def test_what_is_in_the_store_costs_nothing(arguments):
    judge = Far()
    measure(judge, **arguments)
    again = total_cost(estimate_costs(judge, **arguments))
    assert (again.calls, again.known, again.tokens_in, again.money) == (0, judge.asked, 0, 0)


def test_limits_hold_and_sets_without_their_file_say_so(arguments, folder):
    (folder / PAIRS).unlink()
    arguments["sampling"] = Sampling(limit=5)
    first, second = estimate_costs(Far(), **arguments)
    assert (first.calls, first.skipped) == (5, "")
    assert (second.calls, second.skipped) == (0, f"skipped: {PAIRS} is not in {folder}")


def test_a_judge_in_this_process_costs_nothing(arguments):
    whole = total_cost(estimate_costs(assay.backend("embedded"), **arguments))
    assert (whole.calls, whole.money) == (0, 0)
    assert whole.local > 0
