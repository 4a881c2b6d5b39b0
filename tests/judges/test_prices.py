"""What judges cost: each at its own price, cached prompt tokens at theirs, before and after alike."""

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Budget, Limits, Price, Settings, cascade, estimate, evaluate, list_price
from assay._middleware.budget import BudgetTracker
from assay._middleware.limiter import Limiter
from assay._middleware.wrapper import Route
from assay._store import Store
from assay._store.maintenance import clean, verify
from assay._store.transfer import export, import_runs
from assay.errors import InputError, OverBudget
from assay.judge import AttributeBackend, Reply
from assay.judges.openai.completion import counted
from assay.tasks import RateAnswer
from support.scripts import plausible, samples

PAIR = Price.by_judge({"openai:a": Price(1.0, 2.0), "openai:a-large": Price(10.0, 20.0)})


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 100}, (0, 0)),
        ({"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 64}}, (64, 0)),
        ({"prompt_tokens": 100, "prompt_tokens_details": None}, (0, 0)),
        ({"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": "many"}}, (0, 0)),
        (
            {
                "prompt_tokens": 100,
                "cache_read_input_tokens": 60,
                "cache_creation_input_tokens": 30,
            },
            (60, 30),
        ),
        ({"prompt_tokens": 100, "cachedContentTokenCount": 50}, (50, 0)),
        ({"prompt_tokens": 100, "prompt_cache_hit_tokens": 50}, (50, 0)),
        ({"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 900}}, (100, 0)),
    ],
)
def test_cached_tokens_are_read_in_the_words_of_every_provider(usage, expected):
    assert counted(usage, "text").cached == expected


def test_cached_tokens_have_a_price_of_their_own():
    price = Price(3.0, 15.0, "", 0.3, 3.75)
    assert price.of(1_000_000, 0) == 3.0
    assert price.of(1_000_000, 0, 400_000, 100_000) == pytest.approx(1.5 + 0.12 + 0.375)
    assert Price(3.0, 15.0).of(1_000_000, 0, 400_000) == 3.0
    assert price.at_most(1_000_000, 0) == 3.75


@pytest.mark.parametrize(
    ("judge", "per_million_in"),
    [
        ("openai:a", 1.0),
        ("openai:a#12ab", 1.0),
        ("openai:a@host/v1?temperature=1#12ab", 1.0),
        ("openai:a-large#12ab", 10.0),
        ("openai:a-larger", 10.0),  # of another judge, as the dearest
        ("", 10.0),
    ],
)
def test_a_price_is_found_by_the_name_of_the_judge(judge, per_million_in):
    assert PAIR.of_judge(judge).per_million_in == per_million_in


@pytest.mark.parametrize("price", [Price(1.0, 2.0), Price(1, 2, "x", 0.0), PAIR])
def test_a_price_is_kept_with_a_run_whole(price):
    assert Price.of_config(price.config()) == price


def test_a_list_price_is_that_of_a_short_prompt_with_what_is_cached(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "https://generativelanguage.googleapis.com/v1beta")
    gemini = list_price("openai:gemini-2.5-pro")  # twice as dear above 200,000 tokens
    assert (gemini.per_million_in, gemini.per_million_cached) == (1.25, 0.125)
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert list_price("openai:gpt-4o-mini").per_million_cached == 0.075


def test_judges_have_each_its_list_price(monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    price = list_price("embedded>openai:gpt-4o-mini>openai:gpt-4o")
    assert price.of_judge("openai:gpt-4o-mini#1").per_million_in == 0.15
    assert price.of_judge("openai:gpt-4o#1").per_million_in == 2.5
    with pytest.raises(InputError, match="has two prices"):
        list_price("openai:gpt-4o,verify_statements=openai-batch:gpt-4o")


class Paid(AttributeBackend):
    """A judge that counts tokens, half of each prompt cached."""

    def __init__(self, name):
        self._name, self._said = name, plausible()

    @property
    def name(self):
        return self._name

    def identity(self, kind):
        said = self._said.identity(kind)
        return said and f"{self._name}#{said}"

    async def reply(self, task, draw=0):
        reply = await self._said.reply(task, draw)
        identity = self.identity(type(task))
        return replace(
            reply, tokens_in=100, tokens_out=10, cached_in=50, cache_written=20, backend=identity
        )


def test_a_run_costs_what_each_of_its_judges_costs_also_in_another_store(db, tmp_path):
    price = Price.by_judge({"openai:a": Price(1.0, 2.0, "", 0.5, 1.5), "openai:b": Price(10, 20)})
    seen = []
    how = Settings(budget=Budget(price=price), on_progress=seen.append)
    judge = Route(Paid("openai:a"), {"verify_statements": Paid("openai:b")})
    result = evaluate(samples(2), "faithfulness", judge, store=db, settings=how)
    expected = (2 * (30 + 25 + 30 + 20) + 2 * (1000 + 200)) / 1e6
    cost = result.cost()
    assert (cost.money, cost.cached_in) == (pytest.approx(expected), 200)
    assert seen[-1].money == pytest.approx(expected)
    with Store(db) as store, Store(tmp_path / "other.db") as other:
        lines = list(export(store, [result.run.id]))
        import_runs(other, lines)
        assert list(export(other, [result.run.id])) == lines
    assert type(result)(tmp_path / "other.db").cost().money == pytest.approx(expected)
    assert verify(tmp_path / "other.db").problems == ()
    clean(tmp_path / "other.db", [result.run.id])
    with Store(tmp_path / "other.db") as other:
        assert other.query("SELECT * FROM prompt_cache") == []


def test_an_estimate_counts_each_judge_at_its_price(tmp_path):
    def money(price):
        judge = Route(Paid("openai:a"), {"verify_statements": Paid("openai:b")})
        how = Settings(budget=Budget(price=price))
        store = tmp_path / "none.db"
        return estimate(samples(2), "faithfulness", judge, store=store, settings=how).money

    free = Price(0.0, 0.0)
    a, b = (
        money(Price(0.0, 0.0, judges={"openai:a": Price(1.0, 2.0)})),
        money(Price(0.0, 0.0, judges={"openai:b": Price(1.0, 2.0)})),
    )
    assert a > 0 < b
    assert a + b == pytest.approx(money(Price(1.0, 2.0)))
    assert money(Price(1.0, 2.0, judges={"openai:a": free, "openai:b": free})) == 0


class Varied(AttributeBackend):
    """A judge whose replies are as long as it is told; notes what each costs that is sent."""

    def __init__(self, name, price, lengths, sent):
        self._name, self._price, self._lengths, self._sent = name, price, lengths, sent

    @property
    def name(self):
        return self._name

    def identity(self, kind):
        return f"{self._name}#1"

    async def reply(self, task, draw=0):
        tokens = self._lengths.pop() if self._lengths else (50, 10)
        self._sent.append(self._price.of(*tokens))
        await asyncio.sleep(0.001 * (tokens[1] % 3))
        return Reply(("p",), "{}", *tokens, backend=f"{self._name}#1", kind=task.kind, draw=draw)


LENGTHS = st.lists(st.tuples(st.integers(1, 3000), st.integers(1, 3000)), max_size=60)


@given(
    lengths=LENGTHS, money=st.floats(0.0, 2.0), dear=st.floats(1.0, 1000.0), most=st.integers(1, 64)
)
def test_a_budget_is_exceeded_by_no_more_than_the_calls_in_flight(lengths, money, dear, most):
    prices = {"openai:cheap": Price(1.0, 2.0), "openai:dear": Price(dear, 3 * dear)}
    sent: list[float] = []
    tracker = BudgetTracker(Budget(money=money, price=Price.by_judge(prices)))
    judges = [
        Limiter(Varied(name, price, lengths, sent), Limits(concurrency=most), budget=tracker)
        for name, price in prices.items()
    ]
    spent, over = tracker.spend, []

    def watched(*args):
        spent(*args)
        if not over and tracker.usage.money > money:
            over.append(sum(sent))  # paid for, or under way

    tracker.spend = watched  # type: ignore[method-assign]

    async def ask():
        asked = (judges[n % 2].reply(RateAnswer(f"Question {n}?", "Answer.")) for n in range(60))
        return await asyncio.gather(*asked, return_exceptions=True)

    found = asyncio.run(ask())
    assert all(isinstance(one, Reply | OverBudget) for one in found)
    # Once it is exceeded, only what is under way at that moment is still paid for.
    assert tracker.usage.money <= (over[0] + 1e-9 if over else money)
    assert tracker._spending.reserved.money == 0


def test_an_estimate_of_a_cascade_has_both_bounds(tmp_path):
    cheap, dear = Paid("openai:a"), Paid("openai:b")
    price = Price.by_judge({"openai:a": Price(1.0, 2.0), "openai:b": Price(10.0, 20.0)})
    how = Settings(budget=Budget(price=price))

    def counted_for(judge):
        return estimate(samples(4), "faithfulness", judge, store=tmp_path / "no.db", settings=how)

    most, least = counted_for(dear), counted_for(Route(dear, {"verify_statements": cheap}))
    both = counted_for(cascade(cheap, dear, audit=0.25))
    assert (both.calls, both.least_calls) == (12, 9)  # 4 splits, 4 asked of each; one checked
    verified = (most.money - least.money) / 0.9  # of it, at the price of the dear one
    assert both.least_money == pytest.approx(least.money + verified / 4)
    assert both.money == pytest.approx(least.money + verified)
    assert most.least_calls is None is most.least_money
