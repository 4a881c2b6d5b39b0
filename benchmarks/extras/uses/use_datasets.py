"""A data set of Hugging Face, asked by assay and by code written for ragas."""

from datasets import Dataset
from said import ROWS

import assay
from assay.integrations.ragas import evaluate
from assay.integrations.ragas.metrics import faithfulness

data = Dataset.from_list(ROWS)
assert assay.evaluate(data, ["faithfulness"])["faithfulness"][0].value == 0.5
assert evaluate(data, [faithfulness], llm="embedded")["faithfulness"] == [0.5]
