"""Does a claim keep its label beside foreign sentences, and is company no sign of either label?"""

from collections import Counter

from training.verifier import people
from training.verifier.beside import BESIDE, beside

from assay.experiments.reader_windows import Row

ROWS = [
    Row("set", f"source {n}", "", (f"Fact {n} holds.",), text, label, spans)
    for n in range(40)
    for text, label, spans in (
        (f"Fact {n} is so.", "supported", ()),
        (f"Fact {n} is not so.", "refuted", ((10, 13, "refuted"),)),
        (f"Fact {n} is loved.", "neutral", None),
        (f"Fact {n} is one. It is two.", "neutral", None),  # two sentences: no single claim
    )
]
MADE = list(beside(ROWS, most=20))


def own(row: Row) -> str | None:
    """The label of the claim that the row was made of."""
    (number,) = {context.split()[1] for context in row.contexts if context.startswith("Fact")} & {
        row.group.split()[1]
    }
    (found,) = {
        label
        for start, end, label in people.segments(row)
        if row.answer[start:end].strip().startswith(f"Fact {number} ")
    }
    return found


def test_as_many_supported_claims_as_others_have_company():
    assert Counter(own(row) == "supported" for row in MADE) == {True: 20, False: 20}


def test_a_claim_keeps_its_label_and_the_company_is_neutral():
    for row in MADE:
        labels = [label for _, _, label in people.segments(row)]
        assert len(labels) > 1
        assert row.data == f"set{BESIDE}"
        foreign = Counter(labels) - Counter([own(row)])
        assert set(foreign) == {"neutral"}


def test_some_contexts_have_company_too_and_keep_their_own():
    evidence = ["\n".join(row.contexts) for row in MADE]
    number = [row.group.split()[1] for row in MADE]
    assert all(f"Fact {n} holds." in text for n, text in zip(number, evidence, strict=True))
    alone = sum(text == f"Fact {n} holds." for n, text in zip(number, evidence, strict=True))
    assert 0.5 < alone / len(MADE) < 0.9
