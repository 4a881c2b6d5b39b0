"""As scripts for ragas 0.2 and 0.3 are written: samples and classes."""

import asyncio

from ragas import EvaluationDataset, SingleTurnSample, evaluate
from ragas.cost import get_token_usage_for_openai
from ragas.dataset_schema import MultiTurnSample
from ragas.llms import LangchainLLMWrapper
from ragas.messages import AIMessage, HumanMessage, ToolCall, ToolMessage
from ragas.metrics import (
    AspectCritic,
    FactualCorrectness,
    Faithfulness,
    LLMContextRecall,
    ToolCallAccuracy,
)
from ragas.metrics._string import NonLLMStringSimilarity

from support.judges import capricious

evaluator_llm = LangchainLLMWrapper(capricious(1))
rows = [
    {
        "user_input": "When was the tower built?",
        "retrieved_contexts": ["It was built in 1889.", "It is tall."],
        "response": "In 1889. It is tall.",
        "reference": "It was built in 1889.",
    },
    {
        "user_input": "How many moons has Mars?",
        "retrieved_contexts": ["Mars has two moons."],
        "response": "It has two moons, and one of them is Phobos.",
        "reference": "Mars has two moons.",
    },
]
dataset = EvaluationDataset.from_list(rows)
result = evaluate(
    dataset=dataset,
    metrics=[
        LLMContextRecall(),
        Faithfulness(),
        FactualCorrectness(mode="recall"),
        AspectCritic(name="polite", definition="Is the response polite?"),
        NonLLMStringSimilarity(),
    ],
    llm=evaluator_llm,
    token_usage_parser=get_token_usage_for_openai,
    show_progress=False,
)
tokens = result.total_tokens()
cost = result.total_cost(cost_per_input_token=1e-6, cost_per_output_token=2e-6)

sample = SingleTurnSample(**rows[0])
single = asyncio.run(Faithfulness(llm=evaluator_llm).single_turn_ascore(sample))

calls = [ToolCall(name="weather", args={"city": "Paris"})]
conversation = MultiTurnSample(
    user_input=[
        HumanMessage(content="What is the weather in Paris?"),
        AIMessage(content="Let me see.", tool_calls=calls),
        ToolMessage(content="Sunny"),
        AIMessage(content="It is sunny."),
    ],
    reference_tool_calls=calls,
)
tools = asyncio.run(ToolCallAccuracy().multi_turn_ascore(conversation))
