"""Which commands are there?"""

import importlib
from pathlib import Path

import click

from assay._version import __version__
from assay.cli.edge import EXIT_CODES, Edge

# Imported when asked for, so that one command never pays for the imports of another.
_GROUPS = {
    "Score, and see why": ("run", "show", "runs", "describe", "diagnose", "report"),
    "Compare": ("compare", "history", "items", "gate"),
    "Check the judge": ("repeat", "label", "agree", "correct", "calibrate", "bench"),
    "Make test questions": ("testset",),
    "Look up and check": ("metrics", "explain", "doctor", "check", "schema"),
    "Serve": ("serve", "mcp"),
    "The store": ("export", "import", "verify", "gc"),
}
_COMMANDS = tuple(name for names in _GROUPS.values() for name in names)
# A command whose name cannot be a module's.
_MODULES = {"import": "taking", "gc": "clean"}


class App(Edge):
    """The commands in the order of use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names."""
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name: the attribute `command` of the module of that name."""
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        module = _MODULES.get(cmd_name, cmd_name)
        command: click.Command = importlib.import_module(f"assay.cli.{module}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write them under their headings."""
        width = max(map(len, _COMMANDS))
        for heading, names in _GROUPS.items():
            with formatter.section(heading):
                commands = ((name, self.get_command(ctx, name)) for name in names)
                rows = [(f"{n:{width}}", c.get_short_help_str(80)) for n, c in commands if c]
                formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first argument names; a slip is told what may have been meant."""
        if args[0] not in _COMMANDS:
            import difflib

            near = difflib.get_close_matches(args[0], _COMMANDS, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            ctx.fail(f"No such command '{args[0]}'.{hint}")
        return super().resolve_command(ctx, args)


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
    del debug  # read by the edge
    context = click.get_current_context()
    name = context.invoked_subcommand or ""
    command = main.get_command(context, name)
    if command is not None:
        from assay.cli import configured

        context.default_map = {name: configured.defaults(name, command, Path.cwd())}
