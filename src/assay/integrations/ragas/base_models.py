"""What models and embeddings of a user's own subclass in ragas, and wrap theirs by."""

import asyncio
from abc import ABC
from collections.abc import Sequence
from typing import Any

from assay._middleware.concurrency import settled
from assay.errors import Unavailable
from assay.judge import CUT


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
