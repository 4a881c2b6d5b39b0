"""A model that says what a test wants, and a stand-in for the package that runs real ones."""

import math
import types

from assay.judges.gguf import Answer, Token, TooLong

WORD = 4  # characters that count as a token


def yes_with(probability, text="Yes"):
    """An answer to a yes-or-no question."""
    top = {"Yes": probability, "No": 1 - probability}
    likely = {word: math.log(p) for word, p in top.items() if p > 0}
    return Answer(text, 10, 0, 1, (Token(text, likely),))


class Says:
    """An engine that answers each prompt as a function says, and reads so many tokens at once."""

    def __init__(self, answer, window=10**6):
        self._answer, self._window = answer, window
        self.asked = []
        self.closed = 0

    def ask(self, shared, own, wish, stop):
        prompt = "".join(shared) + own
        if len(prompt) // WORD > self._window:
            raise TooLong(len(prompt) // WORD, self._window)
        self.asked.append((tuple(shared), own, wish))
        found = self._answer(prompt)
        return found if isinstance(found, Answer) else yes_with(found)

    def likelihood(self, prompt, text, stop):
        raise NotImplementedError

    def close(self):
        self.closed += 1


def made_file(folder, name="model.gguf", weights=b"weights"):
    """A file that passes for a model."""
    path = folder / name
    path.write_bytes(b"GGUF" + weights)
    return path


class FakeServer:
    """What xllamacpp's server does to the prompts it is given, without a model.

    It has one slot: of a prompt, what it shares with the one before is cached if that is wished.
    """

    window = 4096
    broken = False

    def __init__(self, params):
        if self.broken:
            raise RuntimeError("Failed to init server")
        self.params = params
        self.bodies = []
        self.cached = []
        self._held = ""

    def handle_chat_completions(self, body, take):
        self.bodies.append(body)
        prompt = body["messages"][0]["content"]
        if len(prompt) > self.window:
            error = {"type": "exceed_context_size_error", "n_prompt_tokens": len(prompt)}
            take({"error": {**error, "n_ctx": self.window}})
            return
        same = next((n for n, (a, b) in enumerate(zip(prompt, self._held, strict=False)) if a != b),
                    min(len(prompt), len(self._held)))  # fmt: skip
        cached = same if body["cache_prompt"] else 0
        self.cached.append(cached)
        self._held = prompt
        if take({"choices": [], "prompt_progress": {"processed": len(prompt)}}):
            return
        for word in ("Y", "es"):
            top = [{"token": word, "logprob": -0.1}, {"token": "No", "logprob": -3.0}]
            token = {"token": word, "top_logprobs": top}
            choice = {"delta": {"content": word}, "logprobs": {"content": [token]}}
            if take({"choices": [choice]}):
                return
        details = {"cached_tokens": cached}
        usage = {"prompt_tokens": len(prompt), "completion_tokens": 2}
        take({"choices": [], "usage": {**usage, "prompt_tokens_details": details}})


def fake_xllamacpp(**attributes):
    """A module to be put in the place of xllamacpp."""
    module = types.ModuleType("xllamacpp")

    def params():
        parts = ("model", "cpuparams", "cpuparams_batch")
        return types.SimpleNamespace(**{part: types.SimpleNamespace() for part in parts})

    module.CommonParams = params  # type: ignore[attr-defined]
    module.Server = type("Server", (FakeServer,), attributes)  # type: ignore[attr-defined]
    return module
