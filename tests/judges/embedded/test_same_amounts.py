"""Does the judge know an amount, a time or a date that is written otherwise, and another one?"""

import asyncio

import assay
from assay.judge import Judge
from assay.judges.embedded import Embedded
from assay.tasks import Statement, VerifyStatements
from support.over import over

# The context, the same in other words, something else.
PAIRS = [
    ("The shop closes at 8:30 p.m. on weekdays.",
     "The shop closes at 20:30 on weekdays.", "The shop closes at 21:30 on weekdays."),
    ("The film lasts one and a half hours.",
     "The film lasts 90 minutes.", "The film lasts 80 minutes."),
    ("The trip takes 2.5 hours by train.",
     "The trip takes two and a half hours by train.",
     "The trip takes three and a half hours by train."),
    ("The drive took half an hour.", "The drive took 30 minutes.", "The drive took 50 minutes."),
    ("The contract was signed on 2020-05-13.",
     "The contract was signed on May 13, 2020.", "The contract was signed on May 18, 2020."),
    ("The offer ends on 31.12.2024.",
     "The offer ends on December 31, 2024.", "The offer ends on November 30, 2024."),
    ("She visited Rome twice in 2019.",
     "She visited Rome two times in 2019.", "She visited Rome five times in 2019."),
    ("About half of the voters stayed at home.",
     "About 50% of the voters stayed at home.", "About 70% of the voters stayed at home."),
    ("Three quarters of the patients recovered.",
     "75% of the patients recovered.", "65% of the patients recovered."),
    ("Half a million people attended.",
     "500,000 people attended.", "800,000 people attended."),
    ("The bridge is 1.2 km long.",
     "The bridge is 1,200 metres long.", "The bridge is 1,500 metres long."),
    ("The tower is 300 m tall.", "The tower is 300 metres tall.", "The tower is 330 metres tall."),
    ("The class has two dozen pupils.",
     "The class has 24 pupils.", "The class has 34 pupils."),
    ("The study ran for 18 months.",
     "The study ran for a year and a half.", "The study ran for two and a half years."),
    ("The crystal has a refractive index of 2.417.",
     "The refractive index of the crystal is 2.42.",
     "The refractive index of the crystal is 2.71."),
    ("The route is 48.7 km long.",
     "The route is about 49 km long.", "The route is about 63 km long."),
    ("Version 3.0 was released on 2023-03-14.",
     "Version 3.0 was released in March 2023.", "Version 3.0 was released in May 2023."),
]  # fmt: skip


@over(("context", "same", "other"), PAIRS)
def test_the_same_is_supported_and_another_is_not(context, same, other):
    def probability(text):
        statement = Statement("s1", text, (0, len(text)))
        (verdict,) = asyncio.run(Judge(Embedded())(VerifyStatements((statement,), (context,))))
        return verdict.probability

    assert probability(other) < 0.5 <= probability(same)


@over(
    ("context", "right", "wrong"),
    [
        ("The starting dose is 250 mg twice a day.", "250 mg", "250 g"),
        ("The carrier lies at 3.5 GHz.", "3.5 GHz", "3.5 MHz"),
        ("It costs £12 a month.", "£12", "€12"),
        ("The uplink offers 50 Mbit/s.", "50 Mbit/s", "50 Gbit/s"),
        ("The rate was raised by 50 basis points.", "50 basis points", "50 percent"),
        ("The course is 42 km long.", "42 kilometres", "42 miles"),
        ("The oven is set to 180 °C.", "180 °C", "180 °F"),
        ("The boat leaves at 6:45 pm.", "6:45 pm", "6:45 am"),
    ],
)
def test_a_number_with_another_unit_is_another_amount(context, right, wrong):
    said, other = (context.replace(right.replace("kilometres", "km"), it) for it in (right, wrong))
    supported, contradicted = assay.verify([said, other], [context])
    assert supported.supported
    assert contradicted.contradicted
    assert contradicted.probability <= 0.1
    assert f"not '{wrong.split()[0]}" in contradicted.reason


@over(
    ("context", "right", "wrong"),
    [
        ("At least four screws are needed.", "no fewer than four", "at most four"),
        ("The minimum deposit is $500.", "at least $500", "no more than $500"),
        ("Up to 64 characters are allowed.", "at most 64 characters", "at least 64 characters"),
    ],
)
def test_a_lower_bound_is_no_upper_one(context, right, wrong):
    said, other = (f"One needs {bound}." for bound in (right, wrong))
    supported, contradicted = assay.verify([said, other], [context])
    assert contradicted.contradicted
    assert contradicted.probability <= 0.1 < supported.probability


@over(
    ("context", "statement"),
    [
        ("The dose is 250 mg, which is 0.25 g.", "The dose is 0.25 g."),
        ("The table gives 40 for the first and 40 kg for the second.", "The first is 40 g."),
        ("The child is 3 years old and fell 2 feet.", "The child of 3 pounds fell."),
        ("The dose is 250 mg.", "The dose is not 250 g."),
    ],
)
def test_a_number_that_may_be_of_another_thing_settles_nothing(context, statement):
    (verdict,) = assay.verify([statement], [context])
    assert " not '" not in verdict.reason


@over(
    ("context", "statement"),
    [
        (
            "The office is in Berlin. It has 20 desks, and every desk has two screens.",
            "All desks have two screens.",
        ),
        ("Adults need a card that costs 20 euros a year.", "The card costs 20 euros every year."),
        ("Adults need a card that costs 20 euros a year.", "The card costs 20 euros annually."),
        ("The reading room is closed on Mondays.", "The reading room is not open on Mondays."),
    ],
)
def test_the_same_in_other_small_words_is_supported(context, statement):
    (verdict,) = assay.verify([statement], [context])
    assert verdict.supported
