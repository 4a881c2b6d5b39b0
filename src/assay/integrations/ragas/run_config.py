"""How a run is bounded, what it costs and how it fails, by ragas' names."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeAlias

from assay._middleware.limiter import Limits
from assay.errors import AssayError, InputError, JudgeError, Unavailable, Unreadable
from assay.integrations.ragas.advice import missing


@dataclass
class RunConfig:
    """Bounds on the calls of a run.

    Attributes:
        timeout: Seconds a call may take.
        max_retries: How often a call that brought nothing is made again.
        max_wait: Longest wait between two tries, in seconds.
        max_workers: Most calls at the same time.
        exception_types: Kept for ragas' sake; assay knows which errors are worth another try.
        log_tenacity: Kept for ragas' sake; retries are counted in the store.
        seed: Seed of `rng`.
    """

    timeout: int = 180
    max_retries: int = 10
    max_wait: int = 60
    max_workers: int = 16
    exception_types: Any = (Exception,)
    log_tenacity: bool = False
    seed: int = 42

    @cached_property
    def rng(self) -> Any:
        """A generator of random numbers (numpy) made with the seed."""
        import numpy as np

        return np.random.default_rng(self.seed)

    def limits(self) -> Limits:
        """The same bounds in assay's words."""
        return Limits(
            concurrency=max(1, self.max_workers),
            timeout=float(self.timeout),
            retries=self.max_retries,
            patience=float(self.max_wait),
        )


@dataclass
class TokenUsage:
    """Tokens read and written by one model.

    Attributes:
        input_tokens: Tokens of the prompts.
        output_tokens: Tokens of the replies.
        model: The model, "" if it is not known.
    """

    input_tokens: int
    output_tokens: int
    model: str = ""

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        if not self.is_same_model(other):
            raise ValueError("token counts of different models cannot be added up")
        read, written = self.input_tokens, self.output_tokens
        return TokenUsage(read + other.input_tokens, written + other.output_tokens, self.model)

    def is_same_model(self, other: "TokenUsage") -> bool:
        """Whether both are of one model."""
        return self.model == other.model

    def cost(
        self, cost_per_input_token: float, cost_per_output_token: float | None = None
    ) -> float:
        """Their price; tokens written cost as much as tokens read unless it is said."""
        written = cost_per_input_token if cost_per_output_token is None else cost_per_output_token
        return self.input_tokens * cost_per_input_token + self.output_tokens * written


TokenUsageParser: TypeAlias = Callable[[Any], TokenUsage]


def get_token_usage_for_openai(llm_result: Any) -> TokenUsage:
    """The tokens that a result of LangChain says it used, as OpenAI's models tell them.

    An evaluation needs no parser: assay counts the tokens of every reply by itself.

    Args:
        llm_result: An `LLMResult` or `ChatResult`.
    """
    return _of_output(llm_result, ("prompt_tokens", "completion_tokens"))


def get_token_usage_for_azure_ai(llm_result: Any) -> TokenUsage:
    """As `get_token_usage_for_openai`, as models of Azure AI tell them."""
    return _of_output(llm_result, ("input_tokens", "output_tokens"))


def get_token_usage_for_anthropic(llm_result: Any) -> TokenUsage:
    """As `get_token_usage_for_openai`, as Anthropic's models tell them."""
    return _of_messages(llm_result, ("input_tokens", "output_tokens"), "model")


def get_token_usage_for_bedrock(llm_result: Any) -> TokenUsage:
    """As `get_token_usage_for_openai`, as models of Amazon Bedrock tell them."""
    return _of_messages(llm_result, ("prompt_tokens", "completion_tokens"), "model_id")


def _of_output(llm_result: Any, names: tuple[str, str]) -> TokenUsage:
    """What a result says of itself."""
    about = getattr(llm_result, "llm_output", None) or {}
    used = about.get("token_usage") or {}
    read, written = (used.get(name) or 0 for name in names)
    return TokenUsage(read, written, about.get("model_name") or "")


def _of_messages(llm_result: Any, names: tuple[str, str], named: str) -> TokenUsage:
    """The sum of what the messages of a result say of themselves."""
    metadata = [
        getattr(getattr(made, "message", None), "response_metadata", None) or {}
        for several in getattr(llm_result, "generations", None) or ()
        for made in (several if isinstance(several, list) else [several])
    ]
    used = [one.get("usage") or {} for one in metadata]
    read, written = (sum(one.get(name) or 0 for one in used) for name in names)
    model = next((one[named] for one in metadata if one.get(named)), "")
    return TokenUsage(read, written, model)


__all__ = [
    "ExceptionInRunner",
    "LLMDidNotFinishException",
    "MaxRetriesExceeded",
    "RagasError",
    "RagasException",
    "RagasOutputParserException",
    "ValidationError",
]

RagasException = RagasError = AssayError
ExceptionInRunner = JudgeError
RagasOutputParserException = Unreadable
LLMDidNotFinishException = MaxRetriesExceeded = Unavailable
ValidationError = InputError


__getattr__ = partial(missing, "run_config")
