"""Does the judge know an amount, a time or a date that is written otherwise, and another one?"""

import asyncio

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
]  # fmt: skip


@over(("context", "same", "other"), PAIRS)
def test_the_same_is_supported_and_another_is_not(context, same, other):
    def probability(text):
        statement = Statement("s1", text, (0, len(text)))
        (verdict,) = asyncio.run(Judge(Embedded())(VerifyStatements((statement,), (context,))))
        return verdict.probability

    assert probability(other) < 0.5 <= probability(same)
