"""List prices of hosted models, as the package genai-prices knows them."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version

from assay._middleware.budget import Price
from assay._text.sanitize import plain
from assay.errors import InputError
from assay.judges.openai.endpoint import Endpoint
from assay.judges.specs import named

_HOSTED = re.compile(r"(openai|openai-batch):(.+)")
_BATCHED = 0.5  # of the price, as providers offer it


def list_price(judges: str | Sequence[str], base_url: str | None = None) -> Price:
    """The list price of a million tokens, in US dollars, of the models that judges name.

    Prices are those that the installed version of genai-prices holds: update the package to
    update them. Several judges have each its own; what a provider read from its prompt cache, or
    wrote into it, has its own as well. A model whose price rises with the length of the prompt is
    listed as for a short one.

    Args:
        judges: One specification of judges, or several: ``openai:gpt-4o-mini``.
        base_url: Where they are served; None for OPENAI_BASE_URL or OpenAI itself.

    Raises:
        InputError: If genai-prices is not installed, a price is not known, or the same model is
            asked both at once and in batches, whose tokens are kept under one name.
    """
    specs = named([judges] if isinstance(judges, str) else judges)
    models = [match.groups() for spec in specs if (match := _HOSTED.fullmatch(spec))]
    if not models:
        raise InputError("no judge of openai: is named, whose price could be listed", _REMEDY)
    prices = {spec: Price(0.0, 0.0) for spec in specs if spec.startswith("ollama:")}
    prices |= {
        f"{kind}:{name}": _list_price(name, base_url, batched=kind != "openai")
        for kind, name in models
    }
    return price_of_all(prices)


def price_of_all(prices: Mapping[str, Price], usual: Price | None = None) -> Price:
    """The price of a run whose judges cost these, by their specifications.

    Args:
        prices: By judge.
        usual: What every other judge costs; None for as much as the dearest of them.

    Raises:
        InputError: If two of them are kept under one name and cost something else.
    """
    by_name: dict[str, Price] = {}
    for spec, price in prices.items():
        name = _OPENAI.sub("openai:", spec)
        if by_name.setdefault(name, price) != price:
            fault = (
                f"{plain(spec)} has two prices ({by_name[name]}; {price}), one of them in batches"
            )
            raise InputError(fault, "ask it in one way, or give one price for both")
    if usual is not None:
        return replace(usual, judges=by_name)
    return Price.by_judge(by_name) if len(by_name) > 1 else next(iter(by_name.values()))


_REMEDY = "say what a million tokens cost: 0.15/0.60"
# What these judges are called where their replies are kept.
_OPENAI = re.compile(r"^(?:openai-batch|ollama):")


def _list_price(model: str, base_url: str | None, *, batched: bool) -> Price:
    try:
        import genai_prices
    except ImportError:
        fault = "list prices need genai-prices"
        raise InputError(fault, f"pip install 'assay[prices]', or {_REMEDY}") from None
    url = Endpoint.find(os.environ, model, base_url, None, {}).url

    def cost(**tokens: int) -> float:
        """What 1,000 tokens cost, times 1,000."""
        usage = genai_prices.Usage(**tokens)
        calculated = genai_prices.calc_price(usage, model, provider_api_url=url)
        return float(calculated.total_price * 1000) * (_BATCHED if batched else 1.0)

    try:
        return Price(
            cost(input_tokens=1000),
            cost(output_tokens=1000),
            f"US dollars, list prices of genai-prices {version('genai-prices')}",
            cost(input_tokens=1000, cache_read_tokens=1000),
            cost(input_tokens=1000, cache_write_tokens=1000),
        )
    except LookupError:
        raise InputError(f"no list price is known for {plain(model)} at {url}", _REMEDY) from None
