"""What is said of a judge that was measured, in whatever form it is shown?"""

from collections.abc import Mapping
from typing import Any, Final

from assay.backends.embedded import card as cards
from assay.backends.embedded.card import CardFigure, Standing
from assay.report import numbers

Json = Mapping[str, Any]
HEADS: Final = ("measured", "value", "95 % interval", "n", "base rate", "floor", "others", "beside")
RIGHT: Final = frozenset(("value", "n", "base rate"))
_ALWAYS: Final = 4  # columns that are shown even where they are empty
_OF_CARD: Final = CardFigure.__struct_fields__


def table(one: Json, beside: Json | None) -> tuple[list[str], list[list[str]]]:
    """(heads, a row a figure) of a set, without columns in which nothing stands."""
    cells = [_cells(figure, beside) for figure in one["figures"]]
    full = [i for i in range(len(HEADS)) if i < _ALWAYS or any(row[i] for row in cells)]
    return [HEADS[i] for i in full], [[row[i] for i in full] for row in cells]


def _cells(figure: Json, beside: Json | None) -> list[str]:
    base = figure["base_rate"]
    shown = _figure(figure)
    return [
        figure["name"],
        cards.number(shown.value) if shown else numbers.DASH,
        cards.interval(shown) if shown else "",
        numbers.count(figure["n"]),
        "" if base is None else f"{base:.2f}",
        cards.floor(shown) if shown else "",
        figure["reference"],
        _theirs(figure, beside),
    ]


def standing(figure: Json) -> Standing | None:
    """Where its interval lies to the floor."""
    shown = _figure(figure)
    return shown.standing if shown else None


def remarks(figure: Json) -> str:
    """What has to be read beside it."""
    undefined = "" if figure["value"] is not None or figure["note"] else "undefined on these rows"
    return figure["note"] or undefined


def sources(one: Json) -> str:
    """Where the published figures of a set stand; "" if there are none."""
    found = dict.fromkeys(figure["source"] for figure in one["figures"] if figure["source"])
    return f"Others: {'; '.join(found)}" if found else ""


def took(one: Json) -> str:
    """What the judge took for a set."""
    parts = [numbers.plural(one["calls"], "reply")]
    if tokens := one["tokens_in"] + one["tokens_out"]:
        parts.append(f"{tokens:,} tokens")
    parts.append(numbers.seconds(one["seconds"]))
    if one["money"] is not None:
        parts.append(f"cost {numbers.money(one['money'])}")
    if one["unanswered"]:
        parts.append(f"{one['unanswered']:,} without a readable reply")
    return ", ".join(parts)


def title(card: Json) -> str:
    """Who was measured, and on how many rows."""
    return f"{card['judge']}, {rows(card)}"


def rows(card: Json) -> str:
    """On how many rows it was measured."""
    if card["full"]:
        return "all rows"
    if card["limit"] is not None:
        return f"at most {numbers.plural(card['limit'], 'row')} of each kind"
    return "each set's usual rows"


def notes(card: Json, beside: Json | None) -> list[str]:
    """What must be read beside the figures."""
    found = [*card["notes"]]
    found.append("A judge whose interval does not lie above the floor adds nothing to that rule.")
    if any(one["figures"] for one in card["sets"]):
        found.append(
            "Intervals are 95 % bootstrap intervals in which whole sources are drawn. Replies, "
            "tokens and seconds include known replies; seconds of calls at the same time add up."
        )
    if card["limit"] is not None and card["limit"] < 100:
        found.append("So few rows bear no fine comparison: see the intervals.")
    if beside:
        found.append(f"beside: {title(beside)}")
    if card["stopped"]:
        found.append(f"Stopped: {card['stopped']}")
    return found


def _figure(figure: Json) -> CardFigure | None:
    if figure["value"] is None:
        return None
    return CardFigure(**{name: figure[name] for name in _OF_CARD})


def _theirs(figure: Json, beside: Json | None) -> str:
    same = (other for one in (beside or {"sets": ()})["sets"] for other in one["figures"])
    for other in same:
        if other["name"] == figure["name"] and other["value"] is not None:
            n = "" if other["n"] == figure["n"] else f" (n {other['n']:,})"
            return f"{cards.number(other['value'])}{n}"
    return ""
