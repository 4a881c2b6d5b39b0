"""pydantic-ai: a model object as a backend."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from assay.errors import InputError, Unavailable
from assay.integrations.objects import WITHHELD, StructuredOutput, awaited, object_name, was_cut
from assay.judge import Backend, repeated
from assay.judges.llm import LLM, Completion, model_name
from assay.prompt import Template

SAMPLED = 0.7  # the temperature of all draws but the first


class Model(LLM):
    """A model object: it is asked directly, without an agent.

    JSON is asked for by its schema where the model's profile says that it takes one. Draw 0 is
    asked at the temperature of the object's settings, 0 if they name none; the others at 0.7.

    Args:
        model: The object, ``OpenAIChatModel("gpt-4o-mini")`` say.
        prompts: Templates that replace the built-in ones, by kind of task.
    """

    drifts = True

    def __init__(self, model: Any, *, prompts: Mapping[str, Template] | None = None) -> None:
        super().__init__(prompts)
        self._model = model
        self._settings = dict(model.settings or {})
        further = [str(getattr(model, "base_url", "")), _plain_settings(self._settings)]
        name = f"{model.system}:{model.model_name}"
        offered = bool(model.profile.get("supports_json_schema_output", False))
        self._form = StructuredOutput(offered=offered)
        self._name = object_name("pydantic-ai", model, name, further)

    @property
    def name(self) -> str:
        """``pydantic-ai:CLASS:PROVIDER:MODEL`` and a digest of its settings."""
        return self._name

    async def complete(
        self, prompt: str, schema: Mapping[str, Any] | None, kind: str, draw: int
    ) -> Completion:
        """What the model writes."""
        from pydantic_ai.messages import TextPart

        temperature = SAMPLED if repeated(draw) else self._settings.get("temperature", 0.0)
        settings = {**self._settings, "temperature": temperature}
        form = None if schema is None else partial(self._request, prompt, settings, (schema, kind))
        response = await self._form.ask(form, partial(self._request, prompt, settings, None))
        if response.finish_reason == "content_filter":
            raise Unavailable(f"{self.name} {WITHHELD}", permanent=True)
        text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
        return Completion(
            text,
            response.usage.input_tokens or len(prompt) // 4,
            response.usage.output_tokens or len(text) // 4,
            cut=was_cut(response),
            cached=(response.usage.cache_read_tokens, response.usage.cache_write_tokens),
            model=model_name(getattr(response, "model_name", None)),
        )

    async def _request(
        self, prompt: str, settings: Any, form: tuple[Mapping[str, Any], str] | None
    ) -> Any:
        from pydantic_ai.messages import ModelRequest
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.output import OutputObjectDefinition

        parameters = ModelRequestParameters()
        if form:
            schema, kind = form
            output = OutputObjectDefinition(json_schema=dict(schema), name=kind, strict=True)
            parameters = ModelRequestParameters(output_mode="native", output_object=output)
        messages = [ModelRequest.user_text_prompt(prompt)]
        return await awaited(self.name, self._model.request(messages, settings, parameters))


def backend(model: Any, **options: Any) -> Backend:
    """A back end that asks a model object.

    Args:
        model: The object. An agent is none: its instructions would come before assay's own.
        options: Those of `Model`.

    Raises:
        InputError: If it is no model.
    """
    if not hasattr(model, "request") or not hasattr(model, "model_name"):
        fault = f"a {type(model).__name__} of pydantic-ai is not a model"
        raise InputError(fault, "give a model object: OpenAIChatModel('gpt-4o-mini'), say")
    return Model(model, **options)


def _plain_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in settings.items() if isinstance(v, bool | int | float | str)}
