"""Names written out in one text and by their first letters in another."""

import pytest

from assay.judges.embedded.surface import plain, vocabulary


@pytest.mark.parametrize(
    ("beside", "statement", "read"),
    [
        ("The Food and Drug Administration met.", "The FDA met.", "The Food and Drug Administration met."),
        ("The ECB raised rates.", "The European Central Bank raised rates.", "The ECB raised rates."),
        ("GDP grew.", "Gross domestic product grew.", "GDP grew."),
        ("It was found in the box.", "IT was found.", "IT was found."),
        ("The WHO met. The World Health Organization met.", "The WHO met.", "The WHO met."),
        ("He takes acetylsalicylic acid.", "He takes aspirin.", "He takes acetylsalicylic acid."),
        ("Hypertension is common.", "High blood pressure is common.", "Hypertension is common."),
        ("Aspirin is acetylsalicylic acid.", "Aspirin is sold.", "Aspirin is sold."),
        ("Bad people met.", "BP is high.", "BP is high."),
    ],
)  # fmt: skip
def test_a_name_is_read_as_the_texts_beside_write_it(beside, statement, read):
    assert plain(statement, vocabulary([beside])).text == read
