"""A component scores within a pipeline."""

import os

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from haystack import Document, Pipeline
from said import ROWS

from assay.integrations.haystack import AssayEvaluator

pipeline = Pipeline()
pipeline.add_component("assay", AssayEvaluator(["faithfulness"]))
given = {
    "questions": [ROWS[0]["question"]],
    "contexts": [[Document(content=text) for text in ROWS[0]["contexts"]]],
    "predicted_answers": [ROWS[0]["answer"]],
}
assert pipeline.run({"assay": given})["assay"]["scores"] == {"faithfulness": 0.5}
