"""The command line: thin commands over the public API, imported when they are called.

None pays for the imports of another. What a user asks for and cannot have raises InputError
wherever it is noticed; `errors` tells it.
"""

import importlib
import re
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from assay._cli.errors import EXIT_CODES, CommandGroup
from assay._text import misspelt
from assay._version import __version__

__all__ = ["main"]


# Each with its help in short: a command is imported when it is called, not for the list.
_GROUPS = {
    "Score, and see why": {
        "run": "Score a data set and show the scores.",
        "sweep": "Score a system in many configurations: is one best?",
        "robustness": "Ask a system again with noise, wrong contexts and typos.",
        "show": "Show the scores of a run, or the evidence behind one sample.",
        "view": "Read and compare the runs in a browser.",
        "runs": "List the runs in the store.",
        "describe": "Name a run, tag it, note something about it.",
        "diagnose": "Show what went wrong in a run, and what to try.",
        "report": "Write out an earlier run as an HTML report, a table or data.",
    },
    "Compare": {
        "compare": "Compare runs sample by sample, or the samples of one run.",
        "history": "Show the scores over the runs, by metric and configuration.",
        "items": "Show which questions discriminate between runs.",
        "gate": "Pass or fail a run by thresholds and against a baseline.",
        "watch": "Score what arrives, and tell when the scores have changed.",
    },
    "Check the judge": {
        "repeat": "Ask the judge of a run again: how noisy is it?",
        "label": "Label samples in the terminal, or write a sheet for people.",
        "agree": "Measure how far metrics agree with human labels.",
        "correct": "Correct a mean for the judge's errors, from human labels.",
        "calibrate": "Fit a threshold and probabilities to human labels, or apply them.",
        "bench": "Measure a judge on human-labelled sets: its card.",
    },
    "Make test questions": {
        "testset": "Write test questions from documents.",
        "testset add": "Keep failures of a run as test cases.",
        "nuggets": "Find the facts that answers should hold.",
    },
    "Fit to your documents": {
        "adapt": "Fine-tune an embedder to a corpus, and measure the gain.",
        "adapt judge": "Fit the embedded judge to a domain, and measure the gain.",
    },
    "Look up and check": {
        "metrics": "List the metrics, or compare some on the same data.",
        "explain": "Show a definition and every prompt, word for word.",
        "doctor": "See whether everything works, the judge included.",
        "check": "Check data sets without evaluating them.",
        "schema": "Print the JSON schema of data or configuration.",
    },
    "Serve": {
        "serve": "Evaluate over HTTP.",
        "mcp": "Serve evaluation to coding agents (MCP, over stdio).",
    },
    "The store": {
        "export": "Write runs as JSON lines, to be imported elsewhere.",
        "import": "Take in runs that were exported elsewhere.",
        "verify": "Check that a store is whole.",
        "gc": "Drop what no run needs, and whole runs if you name them.",
    },
}
_SHORT_HELP = {name: text for commands in _GROUPS.values() for name, text in commands.items()}
# Commands that do not have a module of their name.
_MODULES = {
    "explain": "metrics",
    "adapt judge": "adapt",
    "describe": "runs",
    "show": "diagnose",
    "view": "serve",
    "history": "compare",
    "items": "compare",
    "watch": "gate",
    "robustness": "repeat",
    "correct": "calibrate",
    "report": "runs",
    "nuggets": "check",
    "schema": "check",
    "mcp": "serve",
    "export": "runs",
    "import": "runs",
    "testset add": "testset",
    "verify": "runs",
    "gc": "runs",
}


_GUESSES = 2  # so many options or commands that may have been meant are named, of more none


class App(CommandGroup):
    """The commands in the order of use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names."""
        del ctx
        return list(_SHORT_HELP)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name: `NAME_command` of its module."""
        del ctx
        if cmd_name not in _SHORT_HELP:
            return None
        module = importlib.import_module(f"assay._cli.{_MODULES.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, f"{cmd_name.replace(' ', '_')}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write them under their headings."""
        del ctx
        width = max(map(len, _SHORT_HELP))
        for heading, commands in _GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:{width}}", text) for name, text in commands.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands and options that begin so."""
        names = (name for name in _SHORT_HELP if name.startswith(incomplete))
        commands = [CompletionItem(name, help=_SHORT_HELP[name]) for name in names]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first arguments name; a slip is told what may have been meant."""
        if (name := " ".join(args[:2])) in _SHORT_HELP and len(args) > 1:
            return name, self.get_command(ctx, name), args[2:]
        if args[0] not in _SHORT_HELP:
            hint = misspelt.did_you_mean(args[0], _SHORT_HELP).capitalize()
            ctx.fail(f"No such command '{args[0]}'. {hint}".rstrip())
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Call a command; an option that it has not is told what may have been meant."""
        try:
            return super().invoke(ctx)
        except click.NoSuchOption as error:
            hint = (
                _meant_option(error.option_name.lstrip("-"), error.ctx.command) if error.ctx else ""
            )
            message = f"No such option '{error.option_name}'. {hint}".rstrip()
            raise click.UsageError(message, error.ctx) from None


def _meant_option(word: str, command: click.Command) -> str:
    """Which option, or else which other command, was meant by the name of an option.

    One that is written alike, or else whose help has the word; "" where that is none, or any of
    many, as no guess is better than a wrong one.
    """
    if any(isinstance(param, click.Argument) and param.name == word for param in command.params):
        return f"Give the {word} by itself, without '--{word}'."
    options = {
        name: param.help or ""
        for param in command.params
        if isinstance(param, click.Option)
        for name in param.opts
        if name.startswith("--")
    }
    like_options = [name for name in options if name.startswith(f"--{word[:1]}")]
    names = (
        misspelt.near(word, like_options)
        or [name for name in options if word.startswith(name[2:]) or word.endswith(name[1:])]
        or [name for name, text in options.items() if _has_word(text, word)]
    )
    if names:
        return misspelt.ask(names).capitalize() if len(names) <= _GUESSES else ""
    help_of_others = {name: text for name, text in _SHORT_HELP.items() if name != command.name}
    commands = (
        [word]
        if word in help_of_others
        else [n for n, text in help_of_others.items() if _has_word(text, word)]
    )
    command_names = " or ".join(f"`assay {name}`" for name in commands)
    return f"See {command_names}." if 0 < len(commands) <= _GUESSES else ""


def _has_word(text: str, word: str) -> bool:
    """Whether a text has the word, or its plural; what stands in parentheses is about others."""
    words = re.findall("[a-z-]+", re.sub(r"\([^)]*\)", "", text.lower()))
    return word in words or f"{word}s" in words


@click.group(
    cls=App,
    epilog="\b\n" + EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="assay")
@click.option("--debug", is_flag=True, help="Show the traceback of a bug (also: ASSAY_DEBUG=1).")
def main(*, debug: bool) -> None:
    """Measure how good a RAG system is, and see the evidence behind every number.

    \b
    assay run data.jsonl -m faithfulness          offline, without a key
    assay run data.jsonl --judge openai:gpt-4o-mini --out report.html
    assay show last                               the scores, the worst samples first
    """  # noqa: D301 - \b keeps click from joining the lines
    del debug  # read by CommandGroup
    context = click.get_current_context()
    name = context.invoked_subcommand or ""
    command = main.get_command(context, name)
    if command is not None:
        from assay._cli.config import defaults

        context.default_map = {name: defaults(name, command, Path.cwd())}
