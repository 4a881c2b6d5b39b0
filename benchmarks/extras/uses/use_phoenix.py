"""An annotation is posted."""

from phoenix.client import Client
from said import ROWS, answering

import assay
from assay.integrations import phoenix

with answering({"data": []}) as url:
    result = assay.evaluate(ROWS, ["faithfulness"])
    assert phoenix.send(result, client=Client(base_url=url)).scores == 1
