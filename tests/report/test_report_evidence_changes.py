"""Does a comparison say what a piece of evidence was and is, in words that need no glossary?"""

import pytest

from assay.report.comparison import _words


def change(before, after, old=None, new=None):
    return {"before": before, "after": after, "values": [old, new]}


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (change("FN", "covered", 0.0, 1.0), "was missing from the answer, now in the answer"),
        (change("FP", "TP", 0.0, 1.0), "was not in the reference, now in the reference"),
        (change("weight 0.75", "weight 0.75", 0.75, 1.0), "was 0.75, now 1.00"),
        (change("closest", "closest", 0.444, 0.222), "was 0.44, now 0.22"),
        (change("closest", "", 0.9, 0.2), "was 0.90, now 0.20"),
        (change("cosine", "cosine", 0.12341, 0.12349), "was 0.1234, now 0.1235"),
        (
            change("partly matched", "partly matched", 0.5, 0.8),
            "partly matched: was 0.50, now 0.80",
        ),
        (change("3 of 5", "4 of 5", 0.5, 0.75), "was 3 of 5, now 4 of 5"),
        (change("supported", "unsupported", 1.0, 0.0), "was supported, now unsupported"),
        (change(None, "FP", None, 0.0), "new, not in the reference"),
        (change(None, "generated", None, 0.5), "new, 0.50"),
        (change("TP", None, 1.0, None), "was in the reference, now gone"),
        (change("", None), "gone"),
        (change(None, ""), "new"),
    ],
)
def test_what_it_was_and_is(part, words):
    assert _words(part) == words
