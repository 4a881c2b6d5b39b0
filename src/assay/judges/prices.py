"""List prices of hosted models, as the package genai-prices knows them."""

import os
import re
from collections.abc import Sequence
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
    update them. Discounts for cached prompts are not counted, so the amount is an upper bound.

    Args:
        judges: One specification of judges, or several: ``openai:gpt-4o-mini``.
        base_url: Where they are served; None for OPENAI_BASE_URL or OpenAI itself.

    Raises:
        InputError: If genai-prices is not installed, a price is not known, or models of different
            prices are named.
    """
    specs = named([judges] if isinstance(judges, str) else judges)
    models = [match.groups() for spec in specs if (match := _HOSTED.fullmatch(spec))]
    if not models:
        raise InputError("no judge of openai: is named, whose price could be listed", _REMEDY)
    prices = {name: _of(name, base_url, batched=kind != "openai") for kind, name in models}
    if len(set(prices.values())) > 1:
        amounts = [f"{name} {price}" for name, price in prices.items()]
        what = f"judges of different prices ({'; '.join(amounts)}), and one is counted for all"
        raise InputError(what, _REMEDY)
    return next(iter(prices.values()))


_REMEDY = "say what a million tokens cost: 0.15/0.60"


def _of(model: str, base_url: str | None, *, batched: bool) -> Price:
    try:
        import genai_prices
    except ImportError:
        what = "list prices need genai-prices"
        raise InputError(what, f"pip install 'assay[prices]', or {_REMEDY}") from None
    url = Endpoint.find(os.environ, model, base_url, None, {}).url
    million = genai_prices.Usage(input_tokens=1_000_000, output_tokens=1_000_000)
    try:
        listed = genai_prices.calc_price(million, model, provider_api_url=url)
    except LookupError:
        raise InputError(f"no list price is known for {plain(model)} at {url}", _REMEDY) from None
    share = _BATCHED if batched else 1.0
    source = f"US dollars, list prices of genai-prices {version('genai-prices')}"
    return Price(float(listed.input_price) * share, float(listed.output_price) * share, source)
