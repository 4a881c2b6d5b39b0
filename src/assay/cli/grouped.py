"""How is a long help kept readable? Its options stand under headings."""

from collections.abc import Mapping, Sequence
from typing import Any

import click


class Grouped(click.Command):
    """A command whose help shows its options in groups.

    Args:
        groups: Heading -> the names of its options; those that no group names stand in "Other".
    """

    def __init__(self, *args: Any, groups: Mapping[str, Sequence[str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.groups = groups

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups."""
        options = (p for p in self.get_params(ctx) if isinstance(p, click.Option))
        rows = {option.name: row for option in options if (row := option.get_help_record(ctx))}
        for heading, names in self.groups.items():
            with formatter.section(heading):
                formatter.write_dl([rows.pop(name) for name in names])
        with formatter.section("Other"):
            formatter.write_dl(list(rows.values()))
