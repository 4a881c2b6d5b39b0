"""Years that a text names only by what they follow."""

import pytest

from assay._text.later_years import as_told


@pytest.mark.parametrize(
    ("beside", "statement", "read"),
    [
        (["Acme bought Beta in 2019.", "She left a year later."], "She left in 2020.", "a year later"),
        (["It opened in 1948 and closed 46 years later."], "It closed in 1994.", "46 years later"),
        (["It sued in 2016. Two years before, it had lost."], "It lost in 2015.", None),
        (["It sued in 2016, and five years earlier it had won."], "It won in 2011.", "five years earlier"),
        (["It opened in 1948, moved in 1994 and closed a year later."], "It moved in 1994.", None),
    ],
)  # fmt: skip
def test_a_year_is_read_as_the_texts_tell_it(beside, statement, read):
    assert next((phrase for _, phrase in as_told(statement, beside)), None) == read
