"""Models of a script written for ragas: as judges of assay, and asked by the script itself."""

import asyncio
import json
import os
import warnings
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from assay._middleware.concurrency import settled
from assay._runner.settings import Settings
from assay._runner.stack import choose
from assay.errors import InputError, Unreadable, Unsupported
from assay.integrations.objects import member, was_cut
from assay.integrations.openai import Client, ClientEmbedder
from assay.integrations.ragas.advice import completed, reworded
from assay.integrations.ragas.base_models import (
    BaseRagasEmbedding,
    BaseRagasEmbeddings,
    BaseRagasLLM,
    InstructorBaseRagasLLM,
    Wrapped,
)
from assay.judge import Backend, Reply, Task
from assay.judges.code_digest import class_digest, text_digest
from assay.judges.embedder import Embedder
from assay.judges.llm import LLM, Completion
from assay.judges.openai.judge import OpenAI, OpenAIEmbedder
from assay.judges.specs import DEFAULT, backend
from assay.metrics.base import Can
from assay.tasks import Embed
from assay.tasks.parsing import decode

_UNNAMED = "no llm= was given and OPENAI_API_KEY is not set: assay's embedded judge is asked"
_RATED = (
    "the judge generates no questions and so rates each answer directly, in [0, 1], which is not "
    "ragas' mean cosine; for that, give llm= a model that writes (with rated=False it is NaN)"
)
CHAT, EMBEDDING = "openai:gpt-4o-mini", "openai:text-embedding-3-small"


@dataclass(frozen=True)
class Judges:
    """Who is asked by an evaluation.

    Attributes:
        judge: Who judges, as assay takes it.
        embedder: Who embeds; None for assay's own choice.
        can: Which kinds of task they can do.
        named: Whether the script named a judge, or a key says whom it means.
    """

    judge: Any
    embedder: Any
    can: Can
    named: bool = True

    def warn(self, rated: Sequence[str]) -> None:
        """Warn, once, where another judge is asked than ragas would, or is asked otherwise.

        Args:
            rated: Names of the metrics that are not computed as ragas does, since the judge
                cannot.
        """
        messages = [] if self.named else [_UNNAMED]
        messages += [f"{', '.join(rated)}: {_RATED}"] if rated else []
        if messages:
            warnings.warn("; ".join(messages), stacklevel=2)


def choose_judges(llm: Any, embeddings: Any, settings: Settings, *, needed: bool) -> Judges:
    """Who is asked where a script names these models, or none.

    Args:
        llm: What the script gives as its judge.
        embeddings: What it gives as its embedder.
        settings: What could change who answers what.
        needed: Whether anything will be asked at all.

    Raises:
        InputError: If they are no models.
    """
    judging = judge(llm, needed=needed)
    embedding = embedder(embeddings, judging)
    if not needed:
        return Judges(judging, embedding, lambda _: True)
    named = llm is not None or judging == CHAT
    return Judges(judging, embedding, choose(judging, embedding, settings).serves, named)


def judge(model: Any, *, needed: bool = True) -> Any:
    """What assay takes as the judge that a script names; a default if it names none.

    Args:
        model: What the script gives.
        needed: Whether anything will be asked at all.
    """
    model = model.model if isinstance(model, Wrapped) else model
    if model is None:
        # As in ragas, a script that names no model means OpenAI's; without a key none can be asked.
        return CHAT if needed and os.environ.get("OPENAI_API_KEY") else DEFAULT
    if isinstance(model, LLM):
        return model
    if isinstance(model, BaseRagasLLM):
        return UserTextModel(model)
    return UserFormModel(model) if isinstance(model, InstructorBaseRagasLLM) else model


def embedder(model: Any, judging: Any) -> Any:
    """What assay takes as the embedder that a script names; None for assay's own choice."""
    model = model.model if isinstance(model, Wrapped) else model
    if isinstance(model, Embedder):
        return model
    if isinstance(model, BaseRagasEmbedding | BaseRagasEmbeddings):
        return UserEmbeddings(model)
    if model is None and judging == CHAT:
        return EMBEDDING
    return model


class _UserModel(LLM):
    """A user's own subclass of a base class of ragas."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self._model = model
        self._name = user_model_name(model)

    @property
    def name(self) -> str:
        """Its class with the digest of its code, and the model that it names."""
        return self._name


class UserTextModel(_UserModel):
    """One that writes text: `generate_text(prompt)` gives generations (ragas' BaseRagasLLM)."""

    async def complete(
        self, prompt: str, schema: Mapping[str, Any] | None, kind: str, draw: int
    ) -> Completion:
        """What it writes."""
        del schema, kind, draw
        ask = getattr(self._model, "agenerate_text", None) or self._model.generate_text
        response = await settled(ask(_Prompt(prompt)))
        first = response.generations[0][0]
        return Completion(str(first.text), cut=was_cut(member(first, "generation_info")))


class UserFormModel(_UserModel):
    """One that fills a form: `agenerate(prompt, response_model)` gives an instance of it."""

    async def complete(
        self, prompt: str, schema: Mapping[str, Any] | None, kind: str, draw: int
    ) -> Completion:
        """What it fills into the form of the task."""
        del draw
        ask = getattr(self._model, "agenerate", None) or self._model.generate
        response = await settled(ask(prompt, form(kind, schema or {"type": "object"})))
        return Completion(json.dumps(response.model_dump()))


class _Prompt(str):
    """A text that can be asked for as ragas' prompts can."""

    __slots__ = ()

    def to_string(self) -> str:
        """The text."""
        return str(self)

    @property
    def text(self) -> str:
        """The text."""
        return str(self)


def form(kind: str, schema: Mapping[str, Any]) -> type[Any]:
    """A pydantic model that takes any reply and says that it is to be like the schema."""
    from pydantic import BaseModel, ConfigDict

    class Form(BaseModel):
        model_config = ConfigDict(extra="allow")

        @classmethod
        def __get_pydantic_json_schema__(cls, core: Any, handler: Any) -> Any:
            return dict(schema)

    Form.__name__ = kind
    return Form


class UserEmbeddings:
    """A user's own subclass of a base class of embeddings of ragas."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.name = user_model_name(model)

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """Its name, for embeddings and nothing else."""
        return self.name if kind is Embed else None

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The vector of a text, as the task reads it."""
        if not isinstance(task, Embed):
            raise Unsupported(f"{self.name} makes embeddings only")
        methods = ("aembed_query", "embed_query", "aembed_text", "embed_text")
        ask = next(getattr(self._model, name) for name in methods if hasattr(self._model, name))
        vector = await settled(ask(task.text))
        raw = Embed.reply([float(number) for number in vector])
        return Reply(task.inputs(), raw, backend=self.name, kind=task.kind, draw=draw)


def user_model_name(model: Any) -> str:
    """Class and model, with a digest of its code and plain attributes: all that can be known."""
    kind = type(model)
    plain = {
        name: value
        for name, value in sorted(getattr(model, "__dict__", {}).items())
        if isinstance(value, str | int | float | bool)
    }
    named = plain.get("model") or plain.get("model_name") or ""
    return f"ragas:{kind.__qualname__}:{named}@{text_digest(f'{class_digest(kind)}{plain}')}"


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
    text = prompt if isinstance(prompt, str) else str(prompt.to_string())
    calls = (llm.complete(text, None, "text", draw) for draw in range(n))
    completions = await asyncio.gather(*calls)
    usage = {
        "prompt_tokens": sum(completion.tokens_in for completion in completions),
        "completion_tokens": sum(completion.tokens_out for completion in completions),
    }
    texts = [
        Generation(completion.text, {"finish_reason": _ended(cut=completion.cut)})
        for completion in completions
    ]
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
    embedder = backend(model, embedder=True)
    if embedder.identity(Embed) is None:
        raise InputError(f"{embedder.name} makes no embeddings", "wrap an embedding model")
    if isinstance(embedder, Embedder):
        embedded, _ = await embedder.vectors(list(texts)) if texts else ([], 0)
        return [list(vector) for vector in embedded]
    return list(await asyncio.gather(*(_vector(embedder, text) for text in texts)))


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
        text = f"{prompt}\n\n{_AS_JSON}\n{json.dumps(schema, ensure_ascii=False)}"
        with reworded():
            for draw in range(_DRAWS):
                reply = await self.complete(text, schema, form.__name__, draw)
                try:
                    filled: T = _filled(reply.text, form)
                except (Unreadable, ValueError) as error:
                    problem = error
                else:
                    return filled
            raise Unreadable(f"no reply fits {form.__name__}: {problem}", raw=reply.text)

    def generate(self, prompt: str, response_model: type[T] | None = None) -> T:
        """`agenerate` run to completion."""
        return completed(self.agenerate(prompt, response_model))


def _closed(schema: Any) -> Any:
    """A schema as servers take it that keep to it: every field required, no others."""
    if isinstance(schema, list):
        return [_closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _closed(part) for name, part in schema.items() if name != "default"}
    if isinstance(properties := closed.get("properties"), dict):
        closed |= {"required": list(properties), "additionalProperties": False}
    return closed


def _filled(raw: str, form: Any) -> Any:
    """The form that a reply holds, among code fences and prose.

    Raises:
        Unreadable: If it holds none.
        ValueError: If what it holds is not as the form wants it.
    """
    names = {name: info.alias or name for name, info in form.model_fields.items()}
    fields = [
        (name, Any)
        if info.is_required()
        else (name, Any, msgspec.field(default_factory=lambda: msgspec.UNSET))
        for name, info in form.model_fields.items()
    ]
    struct = msgspec.defstruct(form.__name__, fields, kw_only=True, rename=names)
    reply = decode(raw, struct)
    values = {names[name]: getattr(reply, name) for name in names}
    return form.model_validate({k: v for k, v in values.items() if v is not msgspec.UNSET})


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


class OpenAIModel(OpenAI, Forms):  # type: ignore[override]
    """`assay.OpenAI` with the methods of a model of ragas."""


class ClientModel(Client, Forms):  # type: ignore[override]
    """A model that a client object reaches, with the methods of a model of ragas."""


class OpenAIVectors(Vectors, OpenAIEmbedder):  # type: ignore[override]
    """An embedding model served the OpenAI way, with the methods of an embedder of ragas."""


class ClientVectors(Vectors, ClientEmbedder):  # type: ignore[override]
    """An embedding model that a client object reaches, with the methods of one of ragas."""
