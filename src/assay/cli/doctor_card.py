"""What does the embedded judge's card say?"""

import msgspec
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.backends.embedded import Embedded
from assay.backends.embedded import card as cards
from assay.backends.embedded.card import Card, CardSection
from assay.cli import screen
from assay.cli.edge import OK


def show(*, as_json: bool) -> int:
    """Print the card; the exit code."""
    card = cards.card()
    if as_json:
        screen.write_json(msgspec.to_builtins(card))
        return OK
    console = screen.out()
    console.print(Text(f"The card of {card.judge}", style="bold"))
    now = Embedded().name
    if now != card.judge:
        console.print(Text(f"This is {now}: it has not been measured yet.", style="bold red"))
    console.print("A judge whose interval does not lie above the floor adds nothing to that rule.")
    for section in card.sections:
        console.print()
        console.print(_table(section))
        console.print(Text(section.command, style="dim"))
    _words(console, card)
    return OK


def _table(section: CardSection) -> Table:
    table = Table(
        title=section.title, title_justify="left", box=box.SIMPLE, pad_edge=False, expand=True
    )
    table.add_column("measured", ratio=5)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("95 % interval", no_wrap=True)
    table.add_column("n", justify="right", no_wrap=True)
    table.add_column("floor", ratio=3)
    table.add_column("others", ratio=3)
    styles = {"above": "green", "level": "yellow", "below": "red", None: ""}
    for figure in section.figures:
        name = Text(figure.name)
        if figure.note:
            name.append(f"\n{figure.note}", style="dim")
        table.add_row(
            name,
            Text(cards.number(figure.value), style=styles[figure.standing]),
            cards.interval(figure),
            str(figure.n),
            Text(cards.floor(figure)),
            Text(figure.reference),
        )
    return table


def _words(console: Console, card: Card) -> None:
    console.print(Text(f"\nMeasured on {card.machine}. {card.languages}"))
    console.print(Text("\nKnown weaknesses", style="bold"))
    for weakness in card.weaknesses:
        console.print(Text(f"- {weakness}"))
    console.print(Text("\nText seen in training", style="bold"))
    for model, seen in card.training_text.items():
        console.print(Text(f"- {model}: {seen}"))
