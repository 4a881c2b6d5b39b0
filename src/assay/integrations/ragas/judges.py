"""Models of a script written for ragas as judges of assay, and the bases of a user's own."""

import asyncio
import json
import os
import warnings
from abc import ABC
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay._middleware.concurrency import settled
from assay._runner.settings import Settings
from assay._runner.stack import choose
from assay.errors import Unavailable, Unsupported
from assay.integrations.objects import member, was_cut
from assay.judge import CUT, Reply, Task
from assay.judges.code_digest import class_digest, text_digest
from assay.judges.embedder import Embedder
from assay.judges.llm import LLM, Completion
from assay.judges.specs import DEFAULT
from assay.metrics.base import Can
from assay.tasks import Embed

_UNNAMED = "no llm= was given and OPENAI_API_KEY is not set: assay's embedded judge is asked"
_RATED = (
    "the judge generates no questions and so rates each answer directly, in [0, 1], which is not "
    "ragas' mean cosine; for that, give llm= a model that writes (with rated=False it is NaN)"
)
CHAT, EMBEDDING = "openai:gpt-4o-mini", "openai:text-embedding-3-small"


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

    async def generate(self, prompt: Any, n: int = 1, **options: Any) -> Any:
        """The texts that it writes.

        Raises:
            Unavailable: If one was cut short.
        """
        ask: Any = getattr(self, "agenerate_text", None) or getattr(self, "generate_text", None)
        response = await settled(ask(prompt, n=n, **options))
        if not self.is_finished(response):
            raise Unavailable(f"a text of {type(self).__name__} {CUT}")
        return response


class InstructorBaseRagasLLM(ABC):  # noqa: B024 - one of two methods is enough
    """Base of a user's own model that fills forms: `generate(prompt, response_model)`.

    It, or `agenerate`, gives an instance of the response model.
    """


class BaseRagasEmbedding(ABC):  # noqa: B024 - one of two methods is enough
    """Base of a user's own embeddings: `embed_text(text)` or `aembed_text` gives a vector."""

    def embed_texts(self, texts: Sequence[str], **options: Any) -> list[Any]:
        """`embed_text` of each."""
        return [getattr(self, "embed_text")(text, **options) for text in texts]  # noqa: B009

    async def aembed_texts(self, texts: Sequence[str], **options: Any) -> list[Any]:
        """`aembed_text` of each, at once."""
        calls = [getattr(self, "aembed_text")(text, **options) for text in texts]  # noqa: B009
        return list(await asyncio.gather(*calls))


class BaseRagasEmbeddings(ABC):  # noqa: B024 - one of two methods is enough
    """Base of a user's own embeddings: `embed_query(text)` or `aembed_query` gives a vector."""

    run_config: Any = None

    def set_run_config(self, run_config: Any) -> None:
        """Keep it; evaluate() takes the one that counts."""
        self.run_config = run_config

    async def embed_texts(self, texts: Sequence[str], is_async: bool = True) -> list[Any]:  # noqa: FBT001, FBT002
        """The vectors of several texts."""
        names = ("aembed_documents", "embed_documents")
        ask: Any = getattr(self, names[not is_async], None) or getattr(self, names[is_async])
        return list(await settled(ask(list(texts))))

    async def embed_text(self, text: str, is_async: bool = True) -> Any:  # noqa: FBT001, FBT002
        """The vector of a text."""
        return (await self.embed_texts([text], is_async))[0]


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
    is_named = llm is not None or judging == CHAT
    return Judges(judging, embedding, choose(judging, embedding, settings).serves, is_named)


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
    model_name = plain.get("model") or plain.get("model_name") or ""
    return f"ragas:{kind.__qualname__}:{model_name}@{text_digest(f'{class_digest(kind)}{plain}')}"
