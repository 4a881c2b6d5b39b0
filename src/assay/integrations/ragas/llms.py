"""Language models by ragas' names: factories, wrappers, base classes of a user's own."""

from abc import ABC
from functools import partial
from typing import Any, TypeVar

from assay.errors import InputError, Unavailable
from assay.integrations.ragas.advice import completed, missing
from assay.judge import CUT
from assay.judges.llm import settled

# What a judge of assay takes; all else goes into the body of its requests.
_KNOWN = ("base_url", "api_key", "temperature", "max_tokens", "timeout", "headers", "extra_body")
_SERVED = ("openai", "azure", "ollama", "groq", "together", "deepseek", "mistral", "vllm")


class Wrapped:
    """A model in a wrapper of ragas; assay takes the model itself.

    Args:
        model: The model.
        others: Kept for ragas' sake: evaluate() takes the `run_config` that counts, and replies
            are kept in the store.
    """

    def __init__(self, model: Any, **others: Any) -> None:
        self.model = model
        self.others = others

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model!r})"


class BaseRagasLLM(ABC):  # noqa: B024 - one of two methods is enough
    """Base of a user's own model that writes: `generate_text(prompt)` or `agenerate_text`.

    They give an object whose `generations[0][0].text` is the text (LangChain's `LLMResult`).
    """

    run_config: Any = None

    def set_run_config(self, run_config: Any) -> None:
        """Keep it; evaluate() takes the one that counts."""
        self.run_config = run_config

    def get_temperature(self, n: int) -> float:
        """The temperature for n texts."""
        return 0.3 if n > 1 else 0.01

    def is_finished(self, response: Any) -> bool:
        """Whether no text of a response was cut short."""
        infos = [(text.generation_info or {}) for texts in response.generations for text in texts]
        return not any(info.get("finish_reason") == "length" for info in infos)

    async def generate(self, prompt: Any, n: int = 1, **how: Any) -> Any:
        """The texts that it writes.

        Raises:
            Unavailable: If one was cut short.
        """
        ask: Any = getattr(self, "agenerate_text", None) or getattr(self, "generate_text", None)
        response = await settled(ask(prompt, n=n, **how))
        if not self.is_finished(response):
            raise Unavailable(f"a text of {type(self).__name__} {CUT}")
        return response


class _Writes(Wrapped, BaseRagasLLM):
    async def agenerate_text(self, prompt: Any, n: int = 1, **how: Any) -> Any:
        """The texts that the model writes after a prompt."""
        from assay.integrations.ragas.judges import written

        del how
        return await written(self.model, prompt, n)

    def generate_text(self, prompt: Any, n: int = 1, **how: Any) -> Any:
        """`agenerate_text` run to completion."""
        return completed(self.agenerate_text(prompt, n, **how))


class LangchainLLMWrapper(_Writes):
    """A chat model or LLM of LangChain."""

    def __init__(self, langchain_llm: Any, *args: Any, **others: Any) -> None:
        super().__init__(langchain_llm, args=args, **others)
        self.langchain_llm = langchain_llm


class LlamaIndexLLMWrapper(_Writes):
    """An LLM of LlamaIndex."""

    def __init__(self, llm: Any, *args: Any, **others: Any) -> None:
        super().__init__(llm, args=args, **others)
        self.llm = llm


class InstructorBaseRagasLLM(ABC):  # noqa: B024 - one of two methods is enough
    """Base of a user's own model that fills forms: `generate(prompt, response_model)`.

    It, or `agenerate`, gives an instance of the response model.
    """


InstructorLLM = InstructorBaseRagasLLM


def llm_factory(
    model: str = "gpt-4o-mini",
    provider: str = "openai",
    client: Any = None,
    **options: Any,
) -> Any:
    """The judge that ragas' factory stands for; assay's own `openai:MODEL` without a client.

    It also fills forms for a script: `generate(prompt, response_model)` and `agenerate`.

    Args:
        model: The model's name.
        provider: Whose it is; one with an OpenAI-compatible interface.
        client: An `OpenAI` or `AsyncOpenAI` object, else the environment says where and by what
            key.
        options: `base_url`, `default_headers`, `temperature`, `max_tokens`, and what is sent along
            (`top_p`).

    Raises:
        InputError: For a provider with another interface.
    """
    if provider not in _SERVED:
        what = f"llm_factory(provider={provider!r}) has no OpenAI-compatible interface"
        raise InputError(what, f"give its chat model as a LangChain object, or {_SERVED}")
    if headers := options.pop("default_headers", None):
        options["headers"] = headers
    for unused in ("adapter", "cache", "run_config", "mode"):
        options.pop(unused, None)
    further = {name: options.pop(name) for name in list(options) if name not in _KNOWN}
    if further:
        options["extra_body"] = {**options.get("extra_body", {}), **further}
    from assay.integrations.ragas.judges import ClientModel, OpenAIModel

    if client is not None:
        check_client(client)
        return ClientModel(client, model, **options)
    if provider == "ollama":
        return OpenAIModel.ollama(model, **options)
    return OpenAIModel(model, **options)


def check_client(client: Any) -> None:
    """Refuse what is no client of the openai package.

    Raises:
        InputError: If it is none.
    """
    if not hasattr(client, "chat") or not hasattr(client, "base_url"):
        what = f"a {type(client).__name__} is not a client of the openai package"
        raise InputError(what, "give an OpenAI or AsyncOpenAI object")


def instructor_llm_factory(
    provider: str, model: str | None = None, client: Any = None, **options: Any
) -> Any:
    """`llm_factory` as ragas 0.3 has it: the provider comes first.

    Args:
        provider: Whose the model is, "openai", or both in one, "openai/gpt-4o-mini".
        model: The model's name.
        client: See `llm_factory`.
        options: See `llm_factory`.
    """
    if model is None:
        provider, _, model = provider.partition("/")
    return llm_factory(model or "gpt-4o-mini", provider, client, **options)


InstructorTypeVar = TypeVar("InstructorTypeVar")

__getattr__ = partial(missing, "llms")
