"""Metrics of each kind, files, and code written for ragas, with no other package."""

from said import ROWS

import assay
from assay.integrations.ragas import evaluate
from assay.integrations.ragas.metrics import faithfulness

result = assay.evaluate(ROWS, ["faithfulness", "answer_similarity", "exact_match"])
result.report("report.html")
result.to_jsonl("scores.jsonl")
assert evaluate(ROWS, [faithfulness], llm="embedded")["faithfulness"] == [0.5]
