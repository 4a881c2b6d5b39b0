"""When, in which order and how long something was, by the dates of the evidence."""

import pytest

from assay.judges.embedded.reader import Reader
from assay.judges.embedded.times import compare_times
from assay.judges.embedded.verification import DENIED, RESTATED, support
from assay.judges.embedded.wordings import Near

READER = Reader(1)
LOCK = "The lock was opened on 14 June 1931 and closed in 1974. It was repaired in March 1952."
TERM = "Mayor Orla Finn served from 1998 to 2010. She died in 2015."


@pytest.mark.parametrize(
    ("context", "right", "wrong"),
    [
        (LOCK, "The lock was opened on June 14, 1931.", "The lock was opened on 14 July 1931."),
        (LOCK, "The lock was repaired before 1960.", "The lock was repaired before 1950."),
        (LOCK, "The lock was closed after it was repaired.", "The lock was closed before it was repaired."),
        (TERM, "Orla Finn served for twelve years.", "Orla Finn served for twenty years."),
    ],
)  # fmt: skip
def test_dates_tell_when_in_which_order_and_how_long(context, right, wrong):
    good, bad = support([right, wrong], [context], READER)
    assert good.supported
    assert (bad.supported, bad.contradicted) == (False, True)
    assert bad.probability <= DENIED


def test_a_length_of_time_that_is_not_written_may_follow_from_two_dates():
    (found,) = support(["Orla Finn served for twelve years."], [TERM], READER)
    assert found.probability >= RESTATED
    (wrong,) = support(["Orla Finn served for twenty years."], [TERM], READER)
    assert "From '1998' to '2010' it is not that long" in wrong.reason


@pytest.mark.parametrize(
    ("context", "statement"),
    [
        ("The invoice was sent on 3 May 2021 and paid a week later.", "The invoice was paid on 10 May 2021."),
        ("In 2013 the fair was held in Ulm; in 2015 the fair was held in Ulm again.", "The fair was held in Ulm in 2015."),
        ("The shop did not open in 2019.", "The shop opened in 2020."),
        ("The road was planned by 1990.", "The road was planned in 1985."),
        ("The fair was held in 1988. The fair was held in 1996.", "The fair was held before the fair was held."),
        ("The rule applied from 2001 to 2005.", "The rule applied until 2003 for two years."),
    ],
)  # fmt: skip
def test_what_the_dates_leave_open_is_not_decided(context, statement):
    assert compare_times(statement, [Near(context)]) is None
