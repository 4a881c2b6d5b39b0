"""Does what the embedded judge says of a verdict ever speak against it?"""

import assay
from support.over import over

CONTEXT = (
    "The mill on the Aare was built in 1873 by Anna Gruber. It does not grind rye. Prices rose by "
    "4 percent in 2019, and the owner sold the upper floor to the town. Visitors may enter from "
    "May to October, but dogs are not allowed inside."
)
STATEMENTS = [
    "The mill was built in 1873.",
    "The mill was built in 1874.",
    "The mill grinds rye.",
    "The mill does not grind rye.",
    "Prices fell by 4 percent in 2019.",
    "Prices increased by 4 percent in 2019.",
    "The owner disposed of the upper floor, which the town bought.",
    "Dogs may come in.",
    "Dogs must stay outside.",
    "No visitor may enter in December.",
    "Anna Gruber constructed the mill.",
    "Otto Gruber constructed the mill.",
    "The mill has a wheel of oak.",
    "The town never bought anything.",
]
OBJECTIONS = ("not appear", "negated", "opposite", "otherwise", "does not say", "mixes up")


@over("statement", STATEMENTS)
def test_a_reason_agrees_with_its_verdict(statement):
    (verdict,) = assay.verify(statement, CONTEXT)
    if verdict.uncertain:
        assert verdict.reason.startswith("Hard to tell: ")
    elif verdict.supported:
        assert verdict.reason.startswith("The evidence says so")
        assert not any(words in verdict.reason for words in OBJECTIONS)
    else:
        assert "says so" not in verdict.reason
        assert not verdict.reason.startswith("Hard to tell")


SILENT = ("not appear", "does not say")
DENYING = ("otherwise", "opposite", "negated", "mixes up", "gives", "reject", "the evidence has")


@over(
    ("statement", "context"),
    [
        *((statement, CONTEXT) for statement in STATEMENTS),
        ("The guests are brought up in a lift.", "Visitors walk up a staircase of 268 steps."),
        ("A lift brings the guests up.", "Visitors walk up a staircase of 268 steps."),
        (
            "The guests do not take the stairs.",
            "The tower is 300 m tall. Visitors take the stairs.",
        ),
        ("Dogs are welcome.", "An elevator takes visitors to the viewing platform."),
    ],
)
def test_a_reason_agrees_with_whether_it_is_contradicted(statement, context):
    (verdict,) = assay.verify(statement, context)
    if not (verdict.supported or verdict.uncertain):
        words = DENYING if verdict.contradicted else SILENT
        assert any(word in verdict.reason for word in words), verdict


@over(
    ("statement", "context", "quoted", "unwritten"),
    [
        (
            "It is thirty-five feet tall.",
            "It is 30 ft tall.",
            "'thirty-five' does not appear",
            "30 feet",
        ),
        ("It costs 3 million euros.", "It costs $2M to run.", "costs $2M to run", "$2 million"),
        ("They spend 500K on it.", "It takes 200K a year.", "'500K' does not appear", "500,000"),
    ],
)
def test_a_reason_has_the_words_of_the_texts(statement, context, quoted, unwritten):
    (verdict,) = assay.verify([statement], [context])
    assert quoted in verdict.reason
    assert unwritten not in verdict.reason


def test_a_stretch_of_a_long_unit_is_quoted_as_it_is_written():
    context = f"{'and so on ' * 25}it weighs 330,000 lb in all {'and so on ' * 25}"
    (verdict,) = assay.verify(["It weighs 330,000 pounds in all."], [context])
    assert "330,000 lb in all" in verdict.reason
    assert verdict.quote in context
    assert len(verdict.quote) < len(context)


def test_what_names_a_number_that_stands_nowhere_is_never_surely_supported():
    verdicts = assay.verify([f"The mill was built in {year}." for year in (1874, 1973)], CONTEXT)
    assert all(not verdict.supported or verdict.uncertain for verdict in verdicts)


def test_sentences_that_were_not_chosen_carry_reason_and_probability(tmp_path):
    row = {
        "question": "When was the mill built?",
        "contexts": ["The mill was built in 1873. Otters live in the lake."],
    }
    (score,) = assay.evaluate([row], "context_relevance", store=tmp_path / "a.db")[
        "context_relevance"
    ]
    told = {part.label: part for part in score.parts if part.kind == "sentence"}
    assert set(told) == {"relevant", "not relevant"}
    assert told["not relevant"].reason
    assert told["not relevant"].probability < 0.5
