"""Does everything that passes between a metric and a model stand in the protocol `Backend`?"""

import ast
import dataclasses
import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest

import assay
from assay import evaluate
from assay._middleware.cache import ReplyCache, Served
from assay._middleware.wrapper import Adapted, Wrapper, adapted
from assay._store import Store
from assay.judge import Backend, BackendLike, Capabilities, Limits
from assay.judges.code_digest import _Values, _Walk, place_of, text_digest
from assay.tasks import NameEntities, RateAnswer, Statement, Verdict
from support.over import over
from support.scripts import plausible, samples

ROOT = Path(assay.__file__).parent
MEMBERS = {
    name for name, value in vars(Backend).items() if callable(value) or value.__class__ is property
}
MEMBERS = {name for name in MEMBERS if not name.startswith("_")} - {"name", "identity", "reply"}
OPTIONAL = (
    MEMBERS | {field.name for field in dataclasses.fields(Capabilities)} | {"lengths", "prompts"}
)
# Where an object of the user's own becomes a backend.
DOOR = ROOT / "_middleware" / "wrapper.py"


def everything(cls):
    """A class's subclasses, and theirs."""
    for sub in cls.__subclasses__():
        yield sub
        yield from everything(sub)


def wrappers():
    for package in ("judges", "_middleware", "target", "_runner"):
        assert (ROOT / package).is_dir()
        for module in pkgutil.walk_packages([str(ROOT / package)], f"assay.{package}."):
            importlib.import_module(module.name)
    return sorted(
        {cls for cls in everything(Wrapper) if cls.__module__.startswith("assay.")}, key=str
    )


def calls(path, *names):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            yield node


class Recorder(Backend):
    """Says of every member that it was asked for it."""

    def __init__(self):
        self.heard = []

    name = "recorder"
    capabilities = Capabilities(local=True, drifts=True, max_tokens=7, limits=Limits(retries=1))

    def identity(self, kind):
        self.heard.append("identity")
        return f"recorder {kind.kind}"

    async def reply(self, task, draw=0):
        self.heard.append("reply")


def _recording(member):
    if inspect.iscoroutinefunction(getattr(Backend, member)):

        async def method(self, *given):
            self.heard.append(member)
    else:

        def method(self, *given):
            self.heard.append(member)
            return member

    return method


for _member in MEMBERS - {"capabilities"}:
    setattr(Recorder, _member, _recording(_member))

GIVEN = {
    "has": (NameEntities("Paris"), 3),
    "quality": ("faithfulness",),
    "relevance": ("?", "A sentence."),
    "in_batches": (None, None, None),
    "over": ((),),
}


class TestNoSideDoor:
    @pytest.mark.slow
    def test_no_optional_member_of_a_backend_is_looked_for(self):
        for path in sorted(ROOT.rglob("*.py")):
            for call in calls(path, "getattr", "hasattr") if path != DOOR else ():
                name = call.args[1].value if isinstance(call.args[1], ast.Constant) else ""
                assert name not in OPTIONAL, f"{path}:{call.lineno} looks for '{name}'"

    @pytest.mark.slow
    def test_nobody_asks_whether_a_backend_is_wrapped(self):
        names = {cls.__name__ for cls in wrappers()} | {"Wrapper", "Adapted", "Route"}
        for path in sorted(ROOT.rglob("*.py")):
            for call in calls(path, "isinstance"):
                asked = {n.id for n in ast.walk(call.args[1]) if isinstance(n, ast.Name)}
                assert not asked & names, f"{path}:{call.lineno} asks for {asked & names}"


class TestWrapper:
    @over("member", sorted(MEMBERS - {"capabilities"}))
    async def test_it_forwards_every_method(self, member):
        inner = Recorder()
        found = getattr(Wrapper(inner), member)(*GIVEN.get(member, ()))
        if inspect.isawaitable(found):
            await found
        assert inner.heard == [member]

    async def test_it_forwards_what_every_backend_has(self):
        inner = Recorder()
        wrapper = Wrapper(inner)
        assert (wrapper.name, wrapper.capabilities) == (inner.name, inner.capabilities)
        assert wrapper.identity(NameEntities) == "recorder name_entities"
        await wrapper.reply(NameEntities("Paris"))
        assert inner.heard == ["identity", "reply"]

    def test_it_overrides_every_default(self):
        assert MEMBERS | {"name", "identity", "reply"} <= set(vars(Wrapper))

    def test_what_has_one_backend_behind_it_is_a_wrapper(self):
        names = {cls.__name__ for cls in wrappers()}
        assert {"Resampler", "ReplyCache", "Limiter", "Pool", "MicroBatcher", "Batched"} <= names


class Plain:
    """A backend of a user's own, as the documentation has it."""

    name = "plain"

    def __init__(self, **more):
        self.judge = plausible()
        vars(self).update(more)

    def identity(self, kind):
        return self.judge.identity(kind) and f"plain {kind.kind}"

    async def reply(self, task, draw=0):
        return await self.judge.reply(task, draw)


class TestUsersOwn:
    def test_three_members_are_enough(self, db):
        assert isinstance(Plain(), BackendLike)
        assert not isinstance(Plain(), Backend)
        result = evaluate(samples(2), "faithfulness", Plain(), store=db)
        assert result.run.config["judge"] == "plain"
        assert len(result["faithfulness"]) == 2

    def test_all_else_has_its_default(self):
        backend = adapted(Plain())
        assert backend.capabilities == Capabilities()
        assert backend.quality("faithfulness") is None
        assert backend.relevance("?", "x") is None
        assert not backend.has(NameEntities("Paris"))
        assert backend.under_way() == ""

    async def test_what_it_has_besides_counts(self):
        closed = []

        async def aclose():
            closed.append(True)

        own = Plain(
            drifts=True,
            max_tokens=9,
            limits=Limits(retries=0),
            relevance=lambda q, s: 0.5,
            aclose=aclose,
        )
        backend = adapted(own)
        assert backend.capabilities == Capabilities(
            drifts=True, max_tokens=9, limits=Limits(retries=0)
        )
        own.local = True  # type: ignore[attr-defined]
        assert backend.capabilities.local
        assert backend.relevance("?", "x") == 0.5
        await backend.aclose()
        assert closed == [True]

    def test_one_object_is_one_backend(self):
        own = Plain()
        assert adapted(own) is adapted(own)
        assert adapted(own) is not adapted(Plain())
        assert isinstance(adapted(own), Adapted)


class TestStoredPlaces:
    """A function's digest names the classes of what it holds, wherever within assay they stand."""

    @over(
        ("made", "place"),
        [
            (lambda: assay.OpenAI("m", base_url="http://x/v1"), "assay:OpenAI"),
            (Limits, "assay:Limits"),
            (dict, "builtins:dict"),
        ],
    )
    def test_it_is_no_matter_of_the_module_within_assay(self, made, place):
        assert place_of(made()) == place

    def test_no_two_metrics_are_taken_for_one(self):
        classes = set(assay.METRICS.values())
        assert len({place_of(metric) for metric in classes}) == len(classes)

    def test_a_function_that_holds_a_judge_is_the_same_one_as_ever(self):
        judge = assay.OpenAI("m", base_url="http://x/v1", api_key="k", max_tokens=5)
        told = _Values(_Walk(), "user").describe(judge, "x")
        assert text_digest(told) == "b7d4b4ce"

    @over(
        ("held", "digest"),
        [
            (Verdict("s1", supported=True, reason="x"), "d69f3213"),
            ((Statement("s1", "x"),), "1fa646b5"),
            (assay.METRICS["hit_at_k"](k=3), "8bcce956"),  # type: ignore[call-arg]
        ],
    )
    def test_a_function_that_holds_a_value_is_the_same_one_as_ever(self, held, digest):
        assert text_digest(_Values(_Walk(), "user").describe(held, "x")) == digest


async def test_what_is_read_of_a_reply_is_what_is_kept_though_no_file_can_hold_all_of_it(db):
    class Broken(Plain):
        async def reply(self, task, draw=0):
            reply = await self.judge.reply(task, draw)
            return dataclasses.replace(reply, raw=f"{reply.raw} \ud83d")

    with Store(db) as store:
        reply = await ReplyCache(Broken(), store, "run", Served()).reply(
            RateAnswer("Who?", "Anna.")
        )
        assert reply.raw.endswith("} ?")
        assert store.reply(reply.key) == reply
