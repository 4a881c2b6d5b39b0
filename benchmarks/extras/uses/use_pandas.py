"""A data frame in, a data frame out."""

import pandas as pd
from said import ROWS

import assay

result = assay.evaluate(pd.DataFrame(ROWS), ["faithfulness"])
assert result.to_pandas()["faithfulness"].tolist() == [0.5]
assert len(result.summary().to_pandas()) == 1
