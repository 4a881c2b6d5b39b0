"""A score is posted."""

from langfuse import Langfuse
from said import ROWS, answering

import assay
from assay.integrations import langfuse

with answering({"successes": [], "errors": []}) as url:
    client = Langfuse(public_key="pk", secret_key="sk", host=url)
    assert langfuse.send(assay.evaluate(ROWS, ["faithfulness"]), client=client).scores == 1
    client.shutdown()
