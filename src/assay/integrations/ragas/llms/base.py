"""Language models as ragas names them: factories, wrappers, base classes of a user's own."""

from abc import ABC
from dataclasses import dataclass
from functools import partial
from typing import Any

from assay.errors import InputError
from assay.integrations.ragas.absent import missing

# What a judge of assay takes; all else goes into the body of its requests.
_KNOWN = ("base_url", "api_key", "temperature", "max_tokens", "timeout", "headers", "extra_body")
_SERVED = ("openai", "azure", "ollama", "groq", "together", "deepseek", "mistral", "vllm")


@dataclass
class Wrapped:
    """A model in a wrapper of ragas (`LangchainLLMWrapper(model)`); assay takes the model itself.

    Attributes:
        model: The model.
        run_config: Kept for ragas' sake; evaluate() takes the one that counts.
        cache: Kept for ragas' sake; replies are kept in the store.
        bypass_temperature: Kept for ragas' sake.
        bypass_n: Kept for ragas' sake.
    """

    model: Any
    run_config: Any = None
    cache: Any = None
    bypass_temperature: bool = False
    bypass_n: bool = False


class LangchainLLMWrapper(Wrapped):
    """A chat model or LLM of LangChain."""


class LlamaIndexLLMWrapper(Wrapped):
    """An LLM of LlamaIndex."""


class BaseRagasLLM(ABC):  # noqa: B024 - one of two methods is enough
    """Base of a user's own model that writes: `generate_text(prompt)` or `agenerate_text`.

    They give an object whose `generations[0][0].text` is the text (LangChain's `LLMResult`).
    """


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
    if client is not None:
        from assay.integrations import openai

        return openai.backend(client, model, **options)
    from assay.backends.openai import OpenAI

    if provider == "ollama":
        return OpenAI.ollama(model, **options)
    return OpenAI(model, **options)


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


__getattr__ = partial(missing, "llms.base")
