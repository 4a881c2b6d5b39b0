"""Which back ends do --judge, --embedder, --base-url and --api-key stand for?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from assay.backends.embedded.card import Quality
from assay.cli.values import look_here
from assay.errors import InputError
from assay.judge import Backend
from assay.judges.specs import backend, mixed

_EMBEDDERS = ("openai", "ollama")
_FROM_FILES = ("scripted", "gguf", "onnx")
_JUDGES = (*_EMBEDDERS, "openai-batch")


@dataclass
class Judges:
    """Builds back ends, one for each spec however often it is named: its limits are shared.

    Attributes:
        base_url: Where openai: back ends are, None to take it from the environment.
        api_key: Their key, None to take it from the environment. Never shown, never kept.
        timeout: Seconds that a call over HTTP may take.
        window: Tokens that a judge over HTTP reads at once, None if its server says so itself.
        files: What the judges made so far are read from.
    """

    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    timeout: float = 60.0
    window: int | None = None
    files: list[str] = field(default_factory=list)
    _made: dict[tuple[str, bool], Backend] = field(default_factory=dict, repr=False)
    _addressed: bool = False
    _windowed: bool = False

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """As the options of a command say.

        Raises:
            InputError: If one that names who judges names nobody.
        """
        embedder = [] if given["embedder"] is None else [given["embedder"]]
        for option, specs in (("--judge", given["judges"]), ("--embedder", embedder)):
            if any(not spec.strip(" ,") for spec in specs):
                raise InputError(f"{option} is empty", "name one, or leave it out")
        return cls(given["base_url"], given["api_key"], given["timeout"], given["window"])

    def named(self, given: Mapping[str, Any]) -> tuple[Backend, Backend | None]:
        """The judge and the embedder that the options name; None for the default embedder.

        Raises:
            InputError: As `judge` and `check`.
        """
        judge = self.judge(given["judges"])
        embedder = self.backend(given["embedder"], embedder=True) if given["embedder"] else None
        self.check()
        return judge, embedder

    def judge(self, specs: Sequence[str]) -> Backend:
        """The judge that the specs describe, as `mixed` reads them.

        Raises:
            InputError: If a spec is unknown, or there are two for the same tasks.
        """
        return mixed(specs, self.backend)

    def backend(self, spec: str, *, embedder: bool = False) -> Backend:
        """The back end of one spec."""
        key = (spec, embedder)
        if key not in self._made:
            self._made[key] = self._make(spec, embedder=embedder)
        return self._made[key]

    def check(self) -> None:
        """See to it that --base-url, --api-key and --window were meant for somebody.

        Raises:
            InputError: If nobody took them.
        """
        if (self.base_url or self.api_key) and not self._addressed:
            what = "--base-url and --api-key apply to openai: judges, and none is given"
            raise InputError(what, "add --judge openai:MODEL")
        if self.window and not self._windowed:
            what = "--window applies to openai: and ollama: judges, and none is given"
            raise InputError(what, "leave it out; gguf: judges know their window")

    def _make(self, spec: str, *, embedder: bool) -> Backend:
        scheme, _, model = spec.partition(":")
        if scheme in (_EMBEDDERS if embedder else _JUDGES) and model:
            return self._over_http(scheme, model, embedder=embedder)
        look_here()
        if scheme in _FROM_FILES:
            self.files.append(model)
        return backend(spec, embedder=embedder)

    def _over_http(self, scheme: str, model: str, *, embedder: bool) -> Backend:
        from assay.judges.openai.batch import OpenAIBatch
        from assay.judges.openai.embeddings import OpenAIEmbedder
        from assay.judges.openai.judge import OpenAI

        options: dict[str, Any] = {"timeout": self.timeout}
        if not embedder and scheme != "openai-batch":
            self._windowed = True
            options["window"] = self.window
        kind = OpenAIEmbedder if embedder else OpenAI
        if scheme == "ollama":
            return kind.ollama(model, **options)
        self._addressed = True
        if scheme == "openai-batch":
            kind = OpenAIBatch
        return kind(model, base_url=self.base_url, api_key=self.api_key, **options)


def measured(files: Sequence[str]) -> dict[str, Quality]:
    """How well metrics by the judges whose cards these are tell bad from good.

    Raises:
        InputError: If a file is no judge card, or holds no figure that is reported beside scores.
    """
    from assay.bench.card import read

    found: dict[str, Quality] = {}
    for file in files:
        card = read(file)
        if not card.quality:
            what = f"the judge card '{file}' has no figure that is reported beside scores"
            remedy = "measure it again: assay bench --out FILE (replies in the store cost nothing)"
            raise InputError(what, remedy)
        found |= card.quality
    return found
