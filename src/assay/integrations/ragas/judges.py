"""Who judges, where a script hands over what ragas takes: models of many libraries."""

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import Unsupported
from assay.integrations.calling import tell, was_cut
from assay.integrations.ragas.embeddings.base import BaseRagasEmbedding, BaseRagasEmbeddings
from assay.integrations.ragas.llms.base import BaseRagasLLM, InstructorBaseRagasLLM, Wrapped
from assay.judge import Reply, Task
from assay.judges.code_digest import class_digest, text_digest
from assay.judges.embedder import Embedder
from assay.judges.llm import LLM, Completion, settled
from assay.judges.specs import DEFAULT
from assay.metrics.base import Can
from assay.run.connect import choose
from assay.run.settings import Settings
from assay.tasks import Embed
from assay.tasks.embed import reply as vector_reply

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

    def tell(self, rated: Sequence[str]) -> None:
        """Warn, once, where another judge is asked than ragas would, or is asked otherwise.

        Args:
            rated: Names of the metrics that are not computed as ragas does, since the judge
                cannot.
        """
        said = [] if self.named else [_UNNAMED]
        said += [f"{', '.join(rated)}: {_RATED}"] if rated else []
        if said:
            warnings.warn("; ".join(said), stacklevel=2)


def chosen(llm: Any, embeddings: Any, settings: Settings, *, asked: bool) -> Judges:
    """Who is asked where a script names these models, or none.

    Args:
        llm: What the script gives as its judge.
        embeddings: What it gives as its embedder.
        settings: What could change who answers what.
        asked: Whether anything will be asked at all.

    Raises:
        InputError: If they are no models.
    """
    judging = judge(llm, asked=asked)
    embedding = embedder(embeddings, judging)
    if not asked:
        return Judges(judging, embedding, lambda _: True)
    named = llm is not None or judging == CHAT
    return Judges(judging, embedding, choose(judging, embedding, settings).serves, named)


def judge(model: Any, *, asked: bool = True) -> Any:
    """What assay takes as the judge that a script names; a default if it names none.

    Args:
        model: What the script gives.
        asked: Whether anything will be asked at all.
    """
    model = model.model if isinstance(model, Wrapped) else model
    if model is None:
        # As in ragas, a script that names no model means OpenAI's; without a key none can be asked.
        return CHAT if asked and os.environ.get("OPENAI_API_KEY") else DEFAULT
    if isinstance(model, LLM):
        return model
    if isinstance(model, BaseRagasLLM):
        return OwnText(model)
    return OwnForms(model) if isinstance(model, InstructorBaseRagasLLM) else model


def embedder(model: Any, judging: Any) -> Any:
    """What assay takes as the embedder that a script names; None for assay's own choice."""
    model = model.model if isinstance(model, Wrapped) else model
    if isinstance(model, Embedder):
        return model
    if isinstance(model, BaseRagasEmbedding | BaseRagasEmbeddings):
        return OwnVectors(model)
    if model is None and judging == CHAT:
        return EMBEDDING
    return model


class _Own(LLM):
    """A user's own subclass of a base class of ragas."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self._model = model
        self._name = own_name(model)

    @property
    def name(self) -> str:
        """Its class with the digest of its code, and the model that it names."""
        return self._name


class OwnText(_Own):
    """One that writes text: `generate_text(prompt)` gives generations (ragas' BaseRagasLLM)."""

    async def complete(
        self, prompt: str, schema: Mapping[str, Any] | None, kind: str, draw: int
    ) -> Completion:
        """What it writes."""
        del schema, kind, draw
        ask = getattr(self._model, "agenerate_text", None) or self._model.generate_text
        made = await settled(ask(_Prompt(prompt)))
        first = made.generations[0][0]
        return Completion(str(first.text), cut=was_cut(tell(first, "generation_info")))


class OwnForms(_Own):
    """One that fills a form: `agenerate(prompt, response_model)` gives an instance of it."""

    async def complete(
        self, prompt: str, schema: Mapping[str, Any] | None, kind: str, draw: int
    ) -> Completion:
        """What it fills into the form of the task."""
        del draw
        ask = getattr(self._model, "agenerate", None) or self._model.generate
        made = await settled(ask(prompt, form(kind, schema or {"type": "object"})))
        return Completion(json.dumps(made.model_dump()))


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


class OwnVectors:
    """A user's own subclass of a base class of embeddings of ragas."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.name = own_name(model)

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """Its name, for embeddings and nothing else."""
        return self.name if kind is Embed else None

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The vector of a text, as the task reads it."""
        if not isinstance(task, Embed):
            raise Unsupported(f"{self.name} makes embeddings only")
        methods = ("aembed_query", "embed_query", "aembed_text", "embed_text")
        ask = next(getattr(self._model, name) for name in methods if hasattr(self._model, name))
        made = await settled(ask(task.text))
        raw = vector_reply([float(number) for number in made])
        return Reply(task.inputs(), raw, backend=self.name, kind=task.kind, draw=draw)


def own_name(model: Any) -> str:
    """Class and model, with a digest of its code and plain attributes: all that can be known."""
    kind = type(model)
    plain = {
        name: value
        for name, value in sorted(getattr(model, "__dict__", {}).items())
        if isinstance(value, str | int | float | bool)
    }
    said = plain.get("model") or plain.get("model_name") or ""
    return f"ragas:{kind.__qualname__}:{said}@{text_digest(f'{class_digest(kind)}{plain}')}"
