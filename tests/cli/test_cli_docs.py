"""Does docs/cli.md describe every command and every option, in the words of --help?

With ASSAY_WRITE_DOCS=1 the tables are written anew instead.
"""

import os
import re
from pathlib import Path

import click

from assay._cli import main
from assay._cli.errors import EXIT_CODES
from support.over import over

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
CONTEXT = click.Context(main, info_name="assay", **main.context_settings)
COMMANDS = {"assay": main} | {n: main.get_command(CONTEXT, n) for n in main.list_commands(CONTEXT)}

RUN = [option for option in COMMANDS["run"].params if isinstance(option, click.Option)]
FEW = 3


def part(name):
    return re.compile(rf"(<!-- {name} -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def usage(name, command):
    words = ["assay"] if name == "assay" else ["assay", name]
    return " ".join([*words, *command.collect_usage_pieces(click.Context(command, parent=CONTEXT))])


def row(option):
    flags = " / ".join(", ".join(n) for n in (named(option), option.secondary_opts) if n)
    names = flags if option.is_flag else f"{flags} {option.make_metavar(CONTEXT)}"
    default = option.default if option.show_default else None
    text = f"{option.help} Default: {default:g}." if isinstance(default, float) else option.help
    if isinstance(default, (str, int)) and not isinstance(default, bool):
        text = f"{option.help} Default: {default}."
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in (f'`{names}`', text))} |"


def named(option):
    return sorted(option.opts, key=len)


def table(name, command):
    """How a command is called, and its options; many that are those of `run` are named only."""
    options = [option for option in command.params if isinstance(option, click.Option)]
    of_run = () if name == "run" else [row(option) for option in RUN]
    same = [option for option in options if row(option) in of_run]
    if len(same) < FEW:
        same = []
    told = [row(option) for option in options if option not in same]
    if same:
        names = ", ".join(f"`{named(option)[-1]}`" for option in same)
        told.append(f"| {names} | As for [`assay run`](#assay-run). |")
    lines = [f"`{usage(name, command)}`"]
    if told:
        lines += ["", "| option | what it does |", "|---|---|", *told]
    return "\n".join(lines) + "\n"


def exit_codes():
    rows = [line.split(maxsplit=1) for line in EXIT_CODES.splitlines()[1:]]
    lines = ["| code | meaning |", "|---|---|", *(f"| {code} | {text} |" for code, text in rows)]
    return "\n".join(lines) + "\n"


PARTS = {f"options: {name}": table(name, command) for name, command in COMMANDS.items()}
PARTS["exit codes"] = exit_codes()


@over("name", PARTS)
def test_the_page_says_what_help_says(name):
    page = PAGE.read_text("utf-8")
    if os.environ.get("ASSAY_WRITE_DOCS"):
        page = part(name).sub(lambda m: f"{m[1]}{PARTS[name]}{m[3]}", page)
        PAGE.write_text(page, "utf-8")
    found = part(name).search(page)
    assert found, f"docs/cli.md has no part '{name}'"
    assert found[2] == PARTS[name], "write it anew: ASSAY_WRITE_DOCS=1 pytest tests/cli"


def test_the_page_names_both_sides_of_an_option_and_what_one_may_choose():
    page = PAGE.read_text("utf-8")
    for names in ("--together / --apart", "--probe / --no-probe", r"--engine local\|ray"):
        assert f"| `{names}` |" in page
    assert "None`" not in page


def test_every_command_has_its_section_and_there_is_no_other():
    found = re.findall(r"^## assay ([\w ]+)$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert found == main.list_commands(CONTEXT)


@over("name", COMMANDS)
def test_every_command_and_option_says_what_it_does(name):
    command = COMMANDS[name]
    assert command.help
    for option in command.params:
        assert isinstance(option, click.Argument) or option.help.endswith((".", ").")), option.name
