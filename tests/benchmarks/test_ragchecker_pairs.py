"""Does the benchmark over RAGChecker's pairs compare what it says?"""

import pytest

from assay.score import Score, Unscored
from benchmarks import ragchecker


def pair(n, better, votes=None):
    """A pair of which people say that b is so much better."""
    return {
        "id": f"pair:{n}",
        "question": f"Question {n}?",
        "ground_truth": "Right.",
        "answer_a": "",
        "answer_b": f"Answer {n}.",
        "labels": {"overall": better, "votes": {"overall": votes or [better, better]}},
    }


PAIRS = [pair(n, better) for n, better in enumerate((-2, -1, 1, 2))]


def test_both_answers_of_a_pair_are_scored_against_one_reference_even_an_empty_one():
    a, b = ragchecker.sides(PAIRS[0])
    assert (a["id"], b["id"]) == ("pair:0-a", "pair:0-b")
    assert (a["answer"], b["answer"]) == (ragchecker.NOTHING, "Answer 0.")
    assert a["reference"] == b["reference"] == "Right."


def test_a_difference_is_b_less_a_and_none_where_one_has_no_score():
    found = [Score(0.25), Score(1.0), Unscored("failed", "?"), Score(1.0)]
    assert ragchecker.differences(found) == [0.75, None]


def test_a_line_correlates_with_people_over_the_pairs_that_were_scored():
    text = ragchecker.line("mine", PAIRS, [-4.0, -2.0, None, 4.0], "overall")
    name, n, pearson, *_ = text.split()
    assert (name, n) == ("mine", "3")
    assert float(pearson) == pytest.approx(1, abs=0.01)


def test_the_two_people_are_compared_with_each_other():
    pairs = [pair(n, 0, votes) for n, votes in enumerate(([-2, 2], [0, 0], [2, -2]))]
    assert "-1.00" in ragchecker.between_people(pairs, "overall")
