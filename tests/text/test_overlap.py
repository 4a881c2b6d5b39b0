"""How much of one text stands in another?"""

from assay.text.words import Weights, weighted_recall


def test_the_order_of_a_set_changes_no_digit_of_a_recall():
    small = {f"w{n}": 1.0 for n in range(40)}
    weights = Weights({"huge": 1e16, **small})
    # Added one by one behind the huge one, the small ones would be lost.
    assert weighted_recall({"huge", *small}, {"huge"}, weights) == 1e16 / (1e16 + 40)
