"""Metrics that compare words and characters by published packages."""

from said import ROWS

import assay

names = ["bleu", "rouge", "chrf", "string_similarity", "meteor"]
result = assay.evaluate(ROWS, names)
for name in names:
    assert result[name][0].value > 0, name
