"""What a script asks a model by itself, by the methods that ragas gives models."""

import asyncio
import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from assay.errors import InputError, Unreadable
from assay.integrations.openai import Client, ClientEmbedder
from assay.integrations.ragas.advice import completed, reworded
from assay.integrations.ragas.embeddings.base import BaseRagasEmbedding
from assay.integrations.ragas.llms.base import InstructorBaseRagasLLM
from assay.judge import Backend
from assay.judges.embedder import Embedder
from assay.judges.llm import LLM
from assay.judges.openai.embeddings import OpenAIEmbedder
from assay.judges.openai.judge import OpenAI
from assay.judges.specs import backend
from assay.tasks import Embed
from assay.tasks.reading import decode

T = TypeVar("T")

_DRAWS = 3  # replies that are asked for until one fits the form
_AS_JSON = "Answer with one JSON object, of this schema:"


@dataclass
class Generation:
    """One text that a model wrote, as LangChain gives it."""

    text: str
    generation_info: dict[str, Any] | None = None


@dataclass
class Generations:
    """The texts that a model wrote, as LangChain's `LLMResult` gives them."""

    generations: list[list[Generation]]
    llm_output: dict[str, Any] | None = field(default=None)


async def written(model: Any, prompt: Any, n: int = 1) -> Generations:
    """Texts that a model writes after a prompt.

    Args:
        model: What assay takes as a judge.
        prompt: A text, or a prompt of LangChain.
        n: How many texts.

    Raises:
        InputError: If the model writes no text.
        JudgeError: If nothing came.
    """
    llm = backend(model)
    if not isinstance(llm, LLM):
        raise InputError(f"{llm.name} writes no text", "wrap a language model")
    asked = prompt if isinstance(prompt, str) else str(prompt.to_string())
    found = await asyncio.gather(*(llm.complete(asked, None, "text", draw) for draw in range(n)))
    usage = {
        "prompt_tokens": sum(made.tokens_in for made in found),
        "completion_tokens": sum(made.tokens_out for made in found),
    }
    texts = [Generation(made.text, {"finish_reason": _ended(cut=made.cut)}) for made in found]
    return Generations([texts], {"token_usage": usage})


def _ended(*, cut: bool) -> str:
    return "length" if cut else "stop"


async def vectors(model: Any, texts: Sequence[str]) -> list[list[float]]:
    """The vectors of texts.

    Args:
        model: What assay takes as an embedder.
        texts: The texts.

    Raises:
        InputError: If the model makes no embeddings.
        JudgeError: If nothing came.
    """
    made = backend(model, embedder=True)
    if made.identity(Embed) is None:
        raise InputError(f"{made.name} makes no embeddings", "wrap an embedding model")
    if isinstance(made, Embedder):
        found, _ = await made.vectors(list(texts)) if texts else ([], 0)
        return [list(vector) for vector in found]
    return list(await asyncio.gather(*(_vector(made, text) for text in texts)))


async def _vector(made: Backend, text: str) -> list[float]:
    task = Embed(text)
    return list(task.read((await made.reply(task)).raw))


class Forms(InstructorBaseRagasLLM):
    """A model that fills forms: `generate(prompt, response_model)`."""

    @abstractmethod
    async def complete(
        self, prompt: str, schema: Mapping[str, Any] | None, kind: str, draw: int
    ) -> Any:
        """What it writes after the prompt; see `LLM`."""

    async def agenerate(self, prompt: str, response_model: type[T] | None = None) -> T:
        """What it fills into a form.

        Args:
            prompt: What is asked.
            response_model: The form, a model of pydantic.

        Raises:
            InputError: If no form is given.
            JudgeError: If nothing came that fits the form.
        """
        form: Any = response_model
        if form is None:
            raise InputError("generate needs a form", "give response_model=, a pydantic model")
        schema = _closed(form.model_json_schema())
        asked = f"{prompt}\n\n{_AS_JSON}\n{json.dumps(schema, ensure_ascii=False)}"
        with reworded():
            for draw in range(_DRAWS):
                found = await self.complete(asked, schema, form.__name__, draw)
                try:
                    filled: T = _filled(found.text, form)
                except (Unreadable, ValueError) as error:
                    last = error
                else:
                    return filled
            raise Unreadable(f"no reply fits {form.__name__}: {last}", raw=found.text)

    def generate(self, prompt: str, response_model: type[T] | None = None) -> T:
        """`agenerate` run to completion."""
        return completed(self.agenerate(prompt, response_model))


def _closed(schema: Any) -> Any:
    """A schema as servers take it that keep to it: every field required, no others."""
    if isinstance(schema, list):
        return [_closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: _closed(part) for name, part in schema.items() if name != "default"}
    if isinstance(properties := found.get("properties"), dict):
        found |= {"required": list(properties), "additionalProperties": False}
    return found


def _filled(raw: str, form: Any) -> Any:
    """The form that a reply holds, among code fences and prose.

    Raises:
        Unreadable: If it holds none.
        ValueError: If what it holds is not as the form wants it.
    """
    names = {name: given.alias or name for name, given in form.model_fields.items()}
    fields = [
        (name, Any)
        if given.is_required()
        else (name, Any, msgspec.field(default_factory=lambda: msgspec.UNSET))
        for name, given in form.model_fields.items()
    ]
    struct = msgspec.defstruct(form.__name__, fields, kw_only=True, rename=names)
    found = decode(raw, struct)
    given = {names[name]: getattr(found, name) for name in names}
    return form.model_validate({k: v for k, v in given.items() if v is not msgspec.UNSET})


class Vectors(BaseRagasEmbedding):
    """A model that embeds: `embed_text(text)`, `embed_texts(texts)`, and both to be awaited."""

    async def aembed_texts(self, texts: Sequence[str], **_: Any) -> list[list[float]]:
        """The vectors of several texts, asked for in one request."""
        with reworded():
            return await vectors(self, texts)

    async def aembed_text(self, text: str, **_: Any) -> list[float]:
        """The vector of a text."""
        return (await self.aembed_texts([text]))[0]

    def embed_texts(self, texts: Sequence[str], **_: Any) -> list[list[float]]:
        """`aembed_texts` run to completion."""
        return completed(self.aembed_texts(texts))

    def embed_text(self, text: str, **_: Any) -> list[float]:
        """`aembed_text` run to completion."""
        return completed(self.aembed_text(text))


class OpenAIModel(OpenAI, Forms):
    """`assay.OpenAI` with the methods of a model of ragas."""


class ClientModel(Client, Forms):
    """A model that a client object reaches, with the methods of a model of ragas."""


class OpenAIVectors(Vectors, OpenAIEmbedder):
    """An embedding model served the OpenAI way, with the methods of an embedder of ragas."""


class ClientVectors(Vectors, ClientEmbedder):
    """An embedding model that a client object reaches, with the methods of one of ragas."""
