"""A metric scores a prediction."""

import dspy
from said import ROWS

from assay.integrations.dspy import DSPyMetric

example = dspy.Example(question=ROWS[0]["question"]).with_inputs("question")
prediction = dspy.Prediction(answer=ROWS[0]["answer"], context=ROWS[0]["contexts"])
assert DSPyMetric("faithfulness")(example, prediction) == 0.5
