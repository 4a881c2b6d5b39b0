"""Whether something holds at a time, beside evidence that says from when or until when."""

import pytest

from assay.judges.embedded.intervals import compare_intervals
from assay.judges.embedded.reader import Reader
from assay.judges.embedded.verification import DENIED, RESTATED, support
from assay.judges.embedded.wordings import Near

READER = Reader(1)
DESK = "The pool is open from 7:00 to 21:00 on weekdays and from 9:00 to 18:00 on Saturdays."
LEAVE = "Her sabbatical lasted from May to October 2018."
RELEASE = (
    "Release 3.0 is supported until the end of 2025. Support for release 2.9 ended on 3 June 2023."
)
SHOW = "The show runs from 3 March to 9 June."


@pytest.mark.parametrize(
    ("context", "right", "wrong"),
    [
        (DESK, "The pool closes at 9 pm on weekdays.", "The pool closes at 8 pm on weekdays."),
        (DESK, "The pool is open at noon on a Tuesday.", "The pool is open at 8 am on Saturdays."),
        (DESK, "The pool is closed at 10 pm on weekdays.", "The pool is closed at 10 am on weekdays."),
        (DESK, "The pool is closed at 10 pm on a Monday.", "The pool is closed at 10 am on a Monday."),
        (LEAVE, "In July 2018 she was on her sabbatical.", "In December 2018 she was on her sabbatical."),
        (RELEASE, "In 2024 release 2.9 was no longer supported.", "Release 2.9 is still supported in 2024."),
        (RELEASE, "Support for release 3.0 ends in December 2025.", "Release 3.0 is still supported in 2026."),
        (SHOW, "The show closes on 9 June.", "The show opens in April."),
    ],
)  # fmt: skip
def test_what_holds_from_and_until_tells_when_it_holds(context, right, wrong):
    good, bad = support([right, wrong], [context], READER)
    assert good.probability >= RESTATED
    assert (bad.supported, bad.contradicted) == (False, True)
    assert bad.probability <= DENIED


@pytest.mark.parametrize(
    ("context", "statement"),
    [
        ("The match starts at 15:00, half an hour after the gates open.", "The gates open at 14:30."),
        ("The shop is open from 9:00 to 17:00 on Mondays.", "The shop is open at 18:00 on Sundays."),
        ("The fair was shown from 2015 to 2017. In 2019 the fair was shown.", "The fair was shown in 2019."),
        ("The rule applied from 2001 to 2005.", "The tax applied in 2007."),
        ("The club is open until 22:00.", "If the club is full, it is open at 23:00."),
    ],
)  # fmt: skip
def test_what_intervals_leave_open_is_not_decided(context, statement):
    assert compare_intervals(statement, [Near(context)]) is None
