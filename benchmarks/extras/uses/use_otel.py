"""Traffic is taken from spans, scored, and told as events."""

from opentelemetry.sdk.trace import TracerProvider

import assay
from assay.integrations.opentelemetry import AssaySpanProcessor, emit

provider = TracerProvider()
provider.add_span_processor(AssaySpanProcessor("traffic.jsonl", share=1.0))
with provider.get_tracer("app").start_as_current_span("answer") as span:
    span.set_attribute("openinference.span.kind", "CHAIN")
    span.set_attribute("input.value", "When was it built?")
    span.set_attribute("output.value", "It was built in 1889.")
provider.shutdown()
result = assay.evaluate("traffic.jsonl", ["answer_relevancy"])
assert emit(result).scores == 1
