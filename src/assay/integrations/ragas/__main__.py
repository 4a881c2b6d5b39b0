"""`python -m assay.integrations.ragas --rewrite FILE`: what a team does once to leave ragas."""

import difflib
import sys
from pathlib import Path

import click

from assay.errors import AssayError
from assay.integrations.ragas.rewrite import Rewritten, files, rewritten, written


@click.command()
@click.option("--rewrite", "write", is_flag=True, help="Change the files in place.")
@click.option("--diff", "show", is_flag=True, help="Show what would change; write nothing.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), required=True)
def main(write: bool, show: bool, paths: tuple[Path, ...]) -> None:  # noqa: FBT001
    """Change the imports of scripts and notebooks from ragas to assay.

    PATHS are .py and .ipynb files, or folders. What needs a hand is listed with its line.
    """
    if write == show:
        raise click.UsageError("give --rewrite to change the files, or --diff to see how")
    try:
        scripts = list(files(iter(paths)))
    except AssayError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
    failed = False
    for path in scripts:
        try:
            _one(path, show=show)
        except AssayError as error:  # all files are looked at
            click.echo(f"error: {error}", err=True)
            failed = True
    sys.exit(2 if failed else 0)


def _one(path: Path, *, show: bool) -> None:
    new = rewritten(path)
    if not new.changes and not new.by_hand:
        return
    if show:
        click.echo("".join(_diff(path, new)), nl=False)
    elif new.changes:
        written(path, new)
    click.echo(_said(path, new), err=show)


def _diff(path: Path, new: Rewritten) -> list[str]:
    # Line ends are kept, so that the diff can be applied.
    old = path.read_bytes().decode("utf-8").splitlines(keepends=True)
    now = new.text.splitlines(keepends=True)
    return list(difflib.unified_diff(old, now, str(path), str(path)))


def _said(path: Path, new: Rewritten) -> str:
    place = "cell" if path.suffix == ".ipynb" else "line"
    head = f"{path}: {new.changes} imports changed, {len(new.by_hand)} to do by hand"
    return "\n".join([head, *(f"  {place} {at}: {what}" for at, what in new.by_hand)])


if __name__ == "__main__":
    main()
