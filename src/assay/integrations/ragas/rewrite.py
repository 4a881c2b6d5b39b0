"""Scripts and notebooks written for ragas: their imports changed, the rest listed to do by hand."""

import ast
import difflib
import importlib
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from assay.errors import AssayError, InputError

HERE = "assay.integrations.ragas"
SUFFIXES = (".py", ".ipynb")
_INSTALLED = ("site-packages", "dist-packages", "node_modules")
_MODULE = re.compile(r"ragas(?:\.\w+)*")
_FROM = re.compile(r"from(?P<space>[ \t]+)(?P<module>ragas(?:\.\w+)*)(?=\s)")
_NAMED = re.compile(r"(?<![\w./-])ragas(?:\.\w+)+")
_MAGIC = re.compile(r"^([ \t]*)[%!].*$", re.MULTILINE)
_INSTALL = re.compile(r"\bpip3?\s+install\b.*\bragas\b")
# Modules of ragas that are called otherwise here.
_MOVED = {"experiment": "experiments"}
# What runs, but does less than it did.
_KEYWORDS = {
    "callbacks": "callbacks of LangChain are not called: result.assay has every prompt and reply",
    "return_executor": "no executor is returned: a run that was stopped resumes where it was",
}
_ATTRIBUTES = {
    "upload": "nothing is uploaded: result.assay.report('report.html') writes a page to share",
    "traces": "result.assay.trace(sample, metric) has the evidence of a score",
    "get_prompts": "prompts are replaced by task: Settings(prompts=...)",
    "set_prompts": "prompts are replaced by task: Settings(prompts=...)",
    "adapt_prompts": "prompts are replaced by task: Settings(prompts=...)",
}


@dataclass(frozen=True)
class Rewritten:
    """A text with its imports changed.

    Attributes:
        text: The new text.
        changes: How many imports were changed.
        by_hand: (line, what is to be done) for what needs a hand, in order.
    """

    text: str
    changes: int
    by_hand: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class _Edit:
    start: int
    end: int
    text: str


def files(paths: Iterator[Path]) -> Iterator[Path]:
    """The scripts and notebooks among files and in folders.

    Of a folder, hidden ones in it and installed packages are left out: what stands there is not
    the user's own.

    Raises:
        InputError: For a path that is neither.
    """
    for path in paths:
        if path.is_dir():
            scripts = (p for p in path.rglob("*") if p.suffix in SUFFIXES and p.is_file())
            yield from sorted(p for p in scripts if _is_own_file(p.relative_to(path)))
        elif path.is_file() and path.suffix in SUFFIXES:
            yield path
        else:
            raise InputError(f"'{path}' is not a script, notebook or folder", "give .py or .ipynb")


def _is_own_file(path: Path) -> bool:
    return not any(name.startswith(".") or name in _INSTALLED for name in path.parts)


def rewritten(path: Path) -> Rewritten:
    """A file with its imports changed; the file itself is only read.

    Raises:
        InputError: If it is no UTF-8, no Python or no notebook.
    """
    try:
        text = path.read_bytes().decode("utf-8")  # line ends as they are
        if path.suffix == ".ipynb":
            return notebook(text)
        mark = "\ufeff" if text.startswith("\ufeff") else ""  # as editors on Windows write it
        new = script(text.removeprefix(mark))
        return replace(new, text=mark + new.text)
    except (SyntaxError, ValueError) as error:
        raise InputError(f"'{path}' cannot be read: {error}", "it was not changed") from error


def script(source: str, *, magics: bool = False) -> Rewritten:
    """A script with its imports changed; all else stays as it is, to the letter.

    Args:
        source: The script.
        magics: Whether lines may begin with % or !, as in the cells of a notebook.

    Raises:
        SyntaxError: If it is no Python.
    """
    tree = _parsed(source, magics=magics)
    starts = [0, *(match.end() for match in re.finditer("\n", source)), len(source)]
    edits: list[_Edit] = []
    by_hand: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            edits += _import_edits(node, source, starts)
            by_hand += ((node.lineno, remark) for remark in _unknown(node))
        else:
            by_hand += ((getattr(node, "lineno", 0), remark) for remark in _uses_elsewhere(node))
    for number, line in enumerate(source.split("\n"), 1):
        if _INSTALL.search(line):
            by_hand.append((number, "install assay instead: pip install 'assay[ragas]'"))
    text = source
    for edit in sorted(edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return Rewritten(text, len(edits), tuple(dict.fromkeys(sorted(by_hand))))


def notebook(text: str) -> Rewritten:
    """A notebook with the imports of its cells changed; lines are told as cell and line."""
    document = json.loads(text)
    form = _form(document, text)
    changes, by_hand = 0, list[tuple[int, str]]()
    for number, cell in enumerate(document.get("cells", ()), 1):
        if cell.get("cell_type") != "code":
            continue
        source = cell["source"]
        joined = source if isinstance(source, str) else "".join(source)
        try:
            new = script(joined, magics=True)
        except SyntaxError as error:
            if "ragas" in joined:
                by_hand.append((number, f"the cell is not plain Python: {error.msg}"))
            continue
        changes += new.changes
        by_hand += ((number, f"line {line}: {remark}") for line, remark in new.by_hand)
        lines = new.text.splitlines(keepends=True)
        cell["source"] = new.text if isinstance(source, str) else lines
    return Rewritten(_dump(document, form, text) if changes else text, changes, tuple(by_hand))


def _form(document: Any, text: str) -> tuple[int | None, bool]:
    """How the JSON of a notebook is written: indent, and whether all is ASCII."""
    forms = [(indent, ascii_only) for indent in (1, 2, 4, None) for ascii_only in (False, True)]
    same = (form for form in forms if _dump(document, form, text) == text)
    return next(same, (1, False))


def _dump(document: Any, form: tuple[int | None, bool], text: str) -> str:
    indent, ascii_only = form
    end = "\n" if text.endswith("\n") else ""
    return json.dumps(document, indent=indent, ensure_ascii=ascii_only) + end


def _parsed(source: str, *, magics: bool) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError:
        if not magics:
            raise
    # A line may begin with % and be Python all the same, so magics are looked for only here.
    return ast.parse(_MAGIC.sub(r"\1pass", source))


def _import_edits(
    node: ast.Import | ast.ImportFrom, source: str, starts: list[int]
) -> Iterator[_Edit]:
    def place(node: ast.stmt | ast.alias) -> int:
        line = source[starts[node.lineno - 1] : starts[node.lineno]]
        # Columns are counted in bytes.
        return starts[node.lineno - 1] + len(line.encode()[: node.col_offset].decode())

    if isinstance(node, ast.ImportFrom):
        match = _FROM.match(source, place(node))
        if match and node.level == 0:
            yield _Edit(match.start("module"), match.end("module"), _module(match["module"]))
        return
    for alias in node.names:
        match = _MODULE.match(source, place(alias))
        if match is None or match[0] != alias.name:
            continue
        new = _module(alias.name)
        if alias.asname is None:
            # `import ragas.metrics` makes the name `ragas` known.
            new = f"{HERE} as ragas" + (f", {new}" if "." in alias.name else "")
        yield _Edit(match.start(), match.end(), new)


def _module(name: str) -> str:
    """Where the names of a module of ragas are: the module itself or the nearest above it."""
    module = HERE
    for part in name.split(".")[1:]:
        below = f"{module}.{_MOVED.get(part, part)}"
        try:
            importlib.import_module(below)
        except ModuleNotFoundError as error:
            if error.name != below:
                raise
            break
        module = below
    return module


def _unknown(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """What is imported from ragas and is not here."""
    if not isinstance(node, ast.ImportFrom) or node.level or not node.module:
        return
    if node.module.split(".")[0] != "ragas":
        return
    module = importlib.import_module(_module(node.module))
    for alias in node.names:
        if alias.name == "*":
            continue
        try:
            getattr(module, alias.name)
        except ImportError as error:
            yield str(error)
        except AttributeError:
            if not _is_module(f"{module.__name__}.{alias.name}"):
                yield f"assay's ragas has no {node.module}.{alias.name}"


def _is_module(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        return False
    return True


def _uses_elsewhere(node: ast.AST) -> Iterator[str]:
    """What names ragas, or uses it in a way that does less here, outside of imports."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        mention = _NAMED.search(node.value)
        if mention and len(node.value) < 200:
            yield f"a text names {mention[0]}: {_module(mention[0])} has what is here"
    elif isinstance(node, ast.Call):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name in ("evaluate", "aevaluate"):
            for keyword in node.keywords:
                off = isinstance(keyword.value, ast.Constant) and not keyword.value.value
                if keyword.arg in _KEYWORDS and not off:
                    yield _KEYWORDS[keyword.arg]
    elif isinstance(node, ast.Attribute) and node.attr in _ATTRIBUTES:
        of_a_result = isinstance(node.value, ast.Name) and "result" in node.value.id.lower()
        if of_a_result or node.attr.endswith("_prompts"):
            yield _ATTRIBUTES[node.attr]


def written(path: Path, new: Rewritten) -> None:
    """Put the new text in the place of the old one.

    Raises:
        InputError: If the file cannot be written.
    """
    try:
        path.write_bytes(new.text.encode("utf-8"))
    except OSError as error:
        raise InputError(f"'{path}' cannot be written: {error}") from error


@click.command()
@click.option("--rewrite", "write", is_flag=True, help="Change the files in place.")
@click.option("--diff", "show", is_flag=True, help="Show what would change; write nothing.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), required=True)
def rewrite_command(write: bool, show: bool, paths: tuple[Path, ...]) -> None:  # noqa: FBT001
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
            _rewrite_file(path, show=show)
        except AssayError as error:  # all files are looked at
            click.echo(f"error: {error}", err=True)
            failed = True
    sys.exit(2 if failed else 0)


def _rewrite_file(path: Path, *, show: bool) -> None:
    new = rewritten(path)
    if not new.changes and not new.by_hand:
        return
    if show:
        click.echo("".join(_diff(path, new)), nl=False)
    elif new.changes:
        written(path, new)
    click.echo(_remarks(path, new), err=show)


def _diff(path: Path, new: Rewritten) -> list[str]:
    # Line ends are kept, so that the diff can be applied.
    old = path.read_bytes().decode("utf-8").splitlines(keepends=True)
    new_lines = new.text.splitlines(keepends=True)
    return list(difflib.unified_diff(old, new_lines, str(path), str(path)))


def _remarks(path: Path, new: Rewritten) -> str:
    unit = "cell" if path.suffix == ".ipynb" else "line"
    head = f"{path}: {new.changes} imports changed, {len(new.by_hand)} to do by hand"
    return "\n".join([head, *(f"  {unit} {number}: {remark}" for number, remark in new.by_hand)])
