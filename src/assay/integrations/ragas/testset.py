"""`TestsetGenerator` as ragas has it, over `assay.testset`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

from assay._middleware.wrapper import Route
from assay._runner.settings import Settings
from assay.errors import InputError
from assay.integrations.ragas.advice import missing, refusal, refuse, reworded
from assay.integrations.ragas.dataset import write_csv
from assay.integrations.ragas.dataset_schema import EvaluationDataset, SingleTurnSample
from assay.integrations.ragas.judges import choose_judges, judge
from assay.integrations.ragas.run_config import RunConfig, TokenUsage
from assay.judges.specs import backend
from assay.testset import Plan, generate
from assay.testset import Testset as Written
from assay.testset.generate import TASKS

__all__ = ["TestDataset", "Testset", "TestsetGenerator", "TestsetSample"]

# Kinds of questions where a script names none: ragas writes none that cannot be answered.
_KINDS = {"single_hop": 0.5, "reasoning": 0.25, "multi_hop": 0.25}
_NO_EFFECT = frozenset(
    {
        *("transforms", "transforms_llm", "transforms_embedding_model", "callbacks", "is_async"),
        *("token_usage_parser", "with_debugging_logs", "raise_exceptions"),
    }
)
_DISTRIBUTION = (
    "leave query_distribution out, or use assay.testset.Plan(kinds=...) with assay.testset.generate"
)


@dataclass(frozen=True)
class TestsetSample:
    """A question, and who wrote it.

    Attributes:
        eval_sample: The question with its reference and passages.
        synthesizer_name: Its kind.
    """

    __test__: ClassVar = False

    eval_sample: SingleTurnSample
    synthesizer_name: str


@dataclass(frozen=True)
class Testset:
    """The questions that were written.

    Attributes:
        assay: Everything that is known of them: sources, quotes, what was rejected and why.
    """

    __test__: ClassVar = False  # by its name pytest would take it for a test

    assay: Written

    def to_list(self) -> list[dict[str, Any]]:
        """A row for each question, with ragas' columns."""
        return [
            {
                "user_input": question.question,
                "reference_contexts": [passage.text for passage in question.passages],
                "reference": question.reference,
                "synthesizer_name": question.kind,
            }
            for question in self.assay.questions
        ]

    def to_evaluation_dataset(self) -> EvaluationDataset:
        """Samples without responses, for the system under test to fill."""
        rows = [{k: v for k, v in row.items() if k != "synthesizer_name"} for row in self.to_list()]
        return EvaluationDataset.from_list(rows)

    def to_pandas(self) -> Any:
        """A data frame of `to_list`."""
        import pandas as pd

        return pd.DataFrame(self.to_list())

    @property
    def samples(self) -> list[TestsetSample]:
        """The questions as objects."""
        pairs = zip(self.to_evaluation_dataset(), self.to_list(), strict=True)
        return [TestsetSample(sample, row["synthesizer_name"]) for sample, row in pairs]

    def features(self) -> list[str]:
        """The names of the columns."""
        return list(self.to_list()[0]) if len(self) else []

    def to_csv(self, path: str | Path) -> None:
        """Write one row a question."""
        write_csv(Path(path), self.to_list())

    def to_hf_dataset(self) -> Any:
        """The questions as a Hugging Face `Dataset` (package `datasets`)."""
        from datasets import Dataset

        return Dataset.from_list(self.to_list())

    def total_tokens(self) -> TokenUsage:
        """Tokens that were paid for; replies that were in the store cost nothing."""
        return TokenUsage(self.assay.tokens_in, self.assay.tokens_out)

    def total_cost(
        self, cost_per_input_token: float, cost_per_output_token: float | None = None
    ) -> float:
        """What these tokens cost."""
        return self.total_tokens().cost(cost_per_input_token, cost_per_output_token)

    upload = refusal(  # there is no server to upload to
        "upload of test sets", "testset.to_jsonl('questions.jsonl') writes them to share"
    )

    def to_jsonl(self, path: str | Path) -> None:
        """Write the rows of assay, which hold more than ragas': see `assay testset`."""
        Path(path).write_text(self.assay.jsonl(), "utf-8")

    def __len__(self) -> int:
        return len(self.assay.questions)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.to_list())


@dataclass
class TestsetGenerator:
    """Writes questions, with the answers and the passages that hold them.

    Replies are kept in `assay.db` in the current folder: the same call resumes where it was
    stopped, and pays for no reply twice.

    Args:
        llm: Who writes: a model of LangChain or LlamaIndex, what `llm_factory` gives, or what
            `assay.evaluate` takes.
        embedding_model: No effect: related passages are found by their rare words.
        knowledge_graph: Not supported.
        persona_list: Not supported.
        critic_llm: Who checks what was written; `llm` if None (ragas 0.1).
    """

    __test__: ClassVar = False

    llm: Any = None
    embedding_model: Any = None
    knowledge_graph: Any = None
    persona_list: Any = None
    llm_context: Any = None
    critic_llm: Any = None

    def __post_init__(self) -> None:
        for name in ("knowledge_graph", "persona_list", "llm_context"):
            if getattr(self, name):
                refuse(f"{name}= of TestsetGenerator", "leave it out: passages are cut and drawn")

    @classmethod
    def from_langchain(
        cls, llm: Any = None, critic_llm: Any = None, embedding_model: Any = None, **others: Any
    ) -> Self:
        """A generator with such models; by position as ragas 0.1 or as later versions."""
        llm = others.pop("generator_llm", llm)
        embeds = others.pop("embeddings", embedding_model)
        if embedding_model is None and critic_llm is not None and _embeds(critic_llm):
            critic_llm, embeds = None, critic_llm  # later versions: the second one embeds
        return cls(llm=llm, critic_llm=critic_llm, embedding_model=embeds, **others)

    from_llama_index = from_langchain

    @classmethod
    def with_openai(
        cls,
        generator_llm: str = "gpt-3.5-turbo-16k",
        critic_llm: str = "gpt-4",
        embeddings: Any = None,
        **others: Any,
    ) -> Self:
        """A generator with two models of OpenAI (ragas 0.1)."""
        llm, critic = f"openai:{generator_llm}", f"openai:{critic_llm}"
        return cls(llm=llm, critic_llm=critic, embedding_model=embeddings, **others)

    generate = refusal(  # there is no knowledge graph to write questions from
        "TestsetGenerator.generate",
        "generate_with_langchain_docs(documents, testset_size=...) writes from documents",
    )
    adapt = save = init_evolution = generate

    def generate_with_langchain_docs(
        self, documents: Any, testset_size: int | None = None, **options: Any
    ) -> Testset:
        """Write questions about documents of LangChain.

        Args:
            documents: The documents.
            testset_size: How many questions (`test_size` in ragas 0.1).
            options: `run_config`; `distributions` by the kinds in `evolutions` (ragas 0.1).
                Transforms, callbacks and flags of ragas have no effect.

        Raises:
            InputError: If documents or models cannot be used; nothing was asked yet.
            Denied: If a model refuses.
        """
        n = testset_size if testset_size is not None else options.pop("test_size", 10)
        run_config: RunConfig | None = options.pop("run_config", None)
        plan = Plan(n=n, kinds=_kinds(options.pop("distributions", None)))
        if options.pop("query_distribution", None):
            refuse("query_distribution= of TestsetGenerator", _DISTRIBUTION)
        if unknown := set(options) - _NO_EFFECT:
            fault = f"generate_with_langchain_docs has no {', '.join(sorted(unknown))}="
            raise InputError(fault, "leave it out")
        settings = Settings(limits=run_config.limits()) if run_config else Settings()
        with reworded():
            judging = self._judge(settings)
            if all(backend(judging).identity(task) is None for task in TASKS.values()):
                raise InputError("the judge cannot write questions", "give llm= a language model")
            return Testset(generate(documents, plan, judge=judging, settings=settings))

    generate_with_llamaindex_docs = generate_with_langchain_docs
    generate_with_llama_index_docs = generate_with_langchain_docs
    generate_with_chunks = generate_with_langchain_docs

    def _judge(self, settings: Settings) -> Any:
        judges = choose_judges(self.llm, None, settings, needed=True)
        judges.warn(())
        writes = judges.judge
        if self.critic_llm is None:
            return writes
        writer = backend(writes)
        kinds = {task.kind: writer for task in TASKS.values()}
        return Route(backend(judge(self.critic_llm)), kinds)


TestDataset = Testset

# Kinds of questions as ragas 0.1 names them: keys of `distributions`.
simple = "single_hop"
reasoning = conditional = "reasoning"
multi_context = "multi_hop"


def _embeds(model: Any) -> bool:
    return any(
        hasattr(model, name) for name in ("embed_query", "get_query_embedding", "embed_text")
    )


def _kinds(distributions: Mapping[str, float] | None) -> dict[Any, float]:
    """Shares by kind; two of ragas' kinds may be one of ours."""
    if not distributions:
        return dict(_KINDS)
    shares: dict[Any, float] = {}
    for kind, share in distributions.items():
        shares[kind] = shares.get(kind, 0.0) + share
    return shares


__getattr__ = partial(missing, "testset")
