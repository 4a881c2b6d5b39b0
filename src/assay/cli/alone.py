"""Which options were given that do nothing without another one? They are refused, not ignored."""

import click
from click.core import ParameterSource

from assay.errors import InputError


def refuse(why: str, remedy: str, *names: str) -> None:
    """See that none of these options stands on the command line.

    Args:
        why: What is wrong with giving them: "is for --counterfactual".
        remedy: What to do.
        names: Parameters of the command.

    Raises:
        InputError: If one was given. Defaults, and those of a configuration file, are no wish.
    """
    context = click.get_current_context(silent=True)
    if context is None:
        return
    for option in context.command.params:
        if option.name not in names:
            continue
        if context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE:
            raise InputError(f"{max(option.opts, key=len)} {why}", remedy)
