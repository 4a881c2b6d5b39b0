"""GPTScore: the mean log-probability of an answer, from a server that echoes and from a GGUF model."""

import math

import pytest
from aiohttp import web

from assay import evaluate
from assay.errors import Denied, InputError, Unavailable
from assay.judge import Judge
from assay.judges.gguf import Answer, Gguf, Token
from assay.judges.openai.judge import OpenAI
from assay.metrics import parse
from assay.sample import Sample
from assay.tasks import MeasureLikelihood
from support.engines import Says, made_file
from support.over import over
from support.scripts import score

SAMPLE = Sample(
    id="1",
    question="Who built it?",
    contexts=("Anna built it.", "It is old."),
    answer=" Anna did. ",
    reference="It was Anna.",
)


class Heard:
    """A judge that says how likely the words are, and keeps what stood before them."""

    def __init__(self, *logprobs):
        self.logprobs, self.before = logprobs, ""

    def __call__(self, task):
        self.before = task.before
        return MeasureLikelihood.reply(task.text.split(), self.logprobs)


class TestMetric:
    async def test_it_is_the_mean_over_the_answers_tokens(self):
        heard = Heard(-1.0, -2.0)
        found = await score(parse("gptscore"), SAMPLE, {"measure_likelihood": heard})
        assert found.value == -1.5
        assert [(part.text, part.value) for part in found.parts] == [("Anna", -1.0), ("did.", -2.0)]
        assert found.details == {"tokens": 2, "perplexity": pytest.approx(math.exp(1.5))}
        assert heard.before == (
            "Answer the question with facts that are consistent with the text.\n\n"
            "context 1: Anna built it.\n\ncontext 2: It is old.\n\nquestion: Who built it?"
        )

    async def test_an_aspect_says_which_texts_stand_before_and_words_of_ones_own_replace_its(self):
        heard = Heard(-1.0, -1.0)
        metric = parse("gptscore(aspect=adequacy,instruction='Say it again.')")
        assert metric.needs == ("reference", "answer")
        await score(metric, SAMPLE, {"measure_likelihood": heard})
        assert heard.before == "Say it again.\n\nreference: It was Anna."

    @over("reply", [Heard(-1.0), Heard(-1.0, 0.5), Heard(-1.0, -2.0, -3.0)])
    async def test_what_is_no_log_probability_of_each_token_is_a_failure(self, reply):
        found = await score(parse("gptscore"), SAMPLE, {"measure_likelihood": reply})
        assert found.why == "failed"

    async def test_an_empty_text_is_undefined(self):
        blank = Sample(id="1", question="Who?", contexts=(" ",), answer="Anna.")
        found = await score(parse("gptscore"), blank, {"measure_likelihood": Heard(-1.0)})
        assert (found.why, found.detail) == ("undefined", "the field 'contexts' is empty")

    def test_a_judge_that_cannot_is_refused_before_anything_is_asked(self, db):
        row = {"id": "1", "question": "Who?", "contexts": ["Anna."], "answer": "Anna."}
        with pytest.raises(InputError, match="measure_likelihood") as refused:
            evaluate([row], "gptscore", store=db)
        assert "--judge measure_likelihood=gguf:FILE" in str(refused.value)


def echoing(*, status=200, text="", echoes=True):
    """A handler of /completions: words are tokens, each likelier the longer it is."""

    async def handle(request):
        asked = await request.json()
        assert (asked["echo"], asked["logprobs"], asked["max_tokens"]) == (True, 1, 1)
        if status != 200:
            return web.json_response({"error": {"message": text}}, status=status)
        prompt = asked["prompt"] if echoes else ""
        first, *words = f"{prompt} More".split(" ")
        tokens = [first, *(f" {word}" for word in words)]
        logprobs = [None, *(-float(len(word)) for word in words)]
        choice = {"text": f"{prompt} More"}
        choice["logprobs"] = {"tokens": tokens, "token_logprobs": logprobs}
        return web.json_response({"choices": [choice], "usage": {"prompt_tokens": 9}})

    return handle


@pytest.fixture
async def serve():
    runners = []

    async def start(handler):
        app = web.Application()
        app.router.add_post("/v1/completions", handler)
        runner = web.AppRunner(app)
        await runner.setup()
        runners.append(runner)
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        return OpenAI("m", base_url=f"http://{host}:{port}/v1", api_key="")

    yield start
    for runner in runners:
        await runner.cleanup()


TASK = MeasureLikelihood("Say who.", "It was Anna.")


class TestServer:
    async def test_only_tokens_of_the_text_count(self, serve):
        judge = await serve(echoing())
        asking = Judge(judge)
        found = await asking(TASK)
        # "who.\nIt" begins before the text, " More" stands after it.
        assert (found.tokens, found.logprobs) == ((" was", " Anna."), (-3.0, -5.0))
        (reply,) = asking.replies
        assert (reply.tokens_in, reply.backend) == (9, f"{judge.name}#echo")
        await judge.aclose()

    @pytest.mark.parametrize(
        "handler",
        [
            echoing(echoes=False),
            echoing(status=404, text="Not Found"),
            echoing(status=400, text="Setting 'echo' and 'logprobs' at the same time is not on"),
        ],
    )
    async def test_a_server_that_tells_none_ends_the_run_with_what_to_take_instead(
        self, serve, handler
    ):
        judge = await serve(handler)
        with pytest.raises(Denied, match="gguf:FILE, or a server that does: vLLM"):
            await judge.reply(TASK)
        await judge.aclose()

    async def test_another_failure_is_told_as_it_is(self, serve):
        judge = await serve(echoing(status=500, text="out of memory"))
        with pytest.raises(Unavailable, match="out of memory"):
            await judge.reply(TASK)
        await judge.aclose()


class Measures(Says):
    """An engine that writes what it has to, word by word."""

    def likelihood(self, prompt, text, stop):
        del stop
        tokens = [Token(word, {word: -1.0 if word in prompt else -4.0}) for word in text.split()]
        return Answer(text, 10, 0, len(tokens), tokens)


class TestGguf:
    async def test_a_model_in_this_process_measures(self, tmp_path):
        judge = Gguf(made_file(tmp_path), engine=Measures(lambda _: 0.5))
        found = await Judge(judge)(MeasureLikelihood("Was it Anna?", "It was Anna"))
        assert found.logprobs == (-4.0, -4.0, -1.0)
        assert judge.identity(MeasureLikelihood) == f"{judge.name}#likelihood"
        await judge.aclose()
