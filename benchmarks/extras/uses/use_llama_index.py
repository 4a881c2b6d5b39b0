"""A query engine is watched, its rows are scored, and a model judges."""

from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.schema import TextNode

import assay
from assay.integrations.llama_index import Collector, Evaluator

index = VectorStoreIndex(
    [TextNode(text="It was built in 1889.")], embed_model=MockEmbedding(embed_dim=4)
)
with Collector() as seen:
    index.as_query_engine(llm=MockLLM()).query("When was it built?")
assert assay.evaluate(seen.rows, ["context_relevance"])["context_relevance"][0].value is not None
assert Evaluator("faithfulness").evaluate("Q?", "It is red.", ["It is red."]).score == 1.0
assert assay.backend(MockLLM()).name.startswith("llama-index:MockLLM")
