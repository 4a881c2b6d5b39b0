"""Each back end of a run is bounded by itself."""

import asyncio

from assay import Limits, Settings, evaluate
from assay.judges.llm import LLM, Completion
from assay.middleware.wrapper import Route
from assay.run.connect import LOCAL, choose, open_door
from assay.store import Store
from support import answers
from support.scripts import plausible, samples


class Busy(LLM):
    """An LLM that notes how often it is asked at once."""

    name = ""

    def __init__(self, name, limits=None):
        super().__init__()
        self.name, self.limits = name, limits
        self.now = self.most = 0

    async def complete(self, prompt, schema, kind, draw):
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.01)
        self.now -= 1
        return Completion(answers.answer(prompt, kind, schema, draw), 100, 10)


def test_a_back_end_with_limits_of_its_own_keeps_them(db):
    free, slow = Busy("free"), Busy("slow", Limits(concurrency=2))
    evaluate(
        samples(20),
        ["faithfulness", "context_precision"],
        Route(free, {"verify_statements": slow}),
        embedder=plausible(),
        store=db,
        settings=Settings(limits=Limits(concurrency=8)),
    )
    assert (free.most, slow.most) == (8, 2)


def test_as_much_work_is_begun_as_the_widest_back_end_takes(db):
    with Store(db) as store:
        judge = Route(Busy("a", Limits(concurrency=100)), {"verify_statements": Busy("b")})
        route = choose(judge, plausible(), Settings(limits=Limits(concurrency=3)))
        assert open_door(route, Settings(), store, "run").most == 100
        local = choose("embedded", None, Settings())
        assert open_door(local, Settings(), store, "run").most == LOCAL
