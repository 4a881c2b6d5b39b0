"""Which file does --out ask for, and can it be written?"""

import json
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.data.files import is_uri, landing, located, shown_uri
from assay.errors import InputError, Problem
from assay.runner.config_files import FILES

if TYPE_CHECKING:
    from assay.runner.result import Result

_FORMS = {
    ".html": "the report, one page that needs nothing else",
    ".md": "the score table in Markdown",
    ".jsonl": "one line a sample: its fields, scores and evidence",
    ".json": "all that the report shows",
    ".parquet": "one row a sample: its id, scores and why there is none",
}


def check(outs: Sequence[str], *others: str, forms: Mapping[str, str] = _FORMS) -> None:
    """See before anything is spent that every file can be written and is not read as well.

    Args:
        outs: The files to be written.
        others: The files that are read.
        forms: What each ending makes, in words.

    Raises:
        InputError: Naming every one that is not so.
    """
    problems = [problem for out in outs for problem in _problems(out, others, forms)]
    if problems:
        raise InputError(problems)


def _problems(out: str, others: Sequence[str], forms: Mapping[str, str]) -> list[Problem]:
    path = Path(out)
    if path.suffix.lower() not in forms:
        known = "; ".join(f"{form} {what}" for form, what in forms.items())
        what = f"--out {_shown(out)}: no report ends in '{path.suffix}', but in {', '.join(forms)}"
        return [Problem(what, known)]
    if path.suffix.lower() == ".parquet" and find_spec("pyarrow") is None:
        return [Problem(f"--out {_shown(out)} needs pyarrow", "pip install 'assay[parquet]'")]
    if is_uri(out):
        located(out)  # whether it may be written there, the store tells when it is
        return []
    return _places("--out", out, others)


def check_place(option: str, file: str | None, *others: str) -> None:
    """See that a file of another option than --out can be written and is not read as well.

    Args:
        option: The option.
        file: Its value.
        others: The files that are read, or written besides.

    Raises:
        InputError: If that is not so.
    """
    if file and (problems := _places(option, file, others)):
        raise InputError(problems)


def _places(option: str, file: str, others: Sequence[str]) -> list[Problem]:
    path = Path(file)
    if path.is_dir() or not path.parent.is_dir():
        what = f"{option} {path} cannot be written"
        return [Problem(what, "name a file in an existing folder")]
    configuration = [name for name in FILES if Path(name).is_file()]
    if any(path.resolve() == Path(other).resolve() for other in (*others, *configuration)):
        what = f"{option} {path} would overwrite what this command reads"
        return [Problem(what, "name another")]
    return []


def write_data(data: Any, outs: Sequence[str], writers: Mapping[str, Callable[[Any], str]]) -> None:
    """Write what a command found: by the writer of the file's ending, else as JSON.

    Raises:
        InputError: If a file cannot be written.
    """
    for out in outs:
        write_text("--out", out, writers.get(Path(out).suffix.lower(), _json)(data))


def write_text(option: str, file: str, text: str) -> None:
    """Write the file that an option names.

    Raises:
        InputError: If it cannot be written.
    """
    try:
        with landing(file) as path:
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        what = f"{option} {_shown(file)} cannot be written: {error.strerror or error}"
        raise InputError(what, "name another file, or make room for it") from error


def written(outs: Sequence[str]) -> list[tuple[str, str]]:
    """What is said of the files at the end, for `screen.tell`: the same by every command."""
    return [("report", _shown(out)) for out in outs]


def _shown(file: str) -> str:
    """A file as messages name it: of a URI without password and query."""
    return shown_uri(file) if is_uri(file) else file


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def write(result: "Result", outs: Sequence[str]) -> None:
    """Write every file.

    Raises:
        InputError: If one cannot be written.
    """
    for out in outs:
        try:
            with landing(out) as path:
                _write(result, path)
        except OSError as error:
            what = f"--out {_shown(out)} cannot be written: {error.strerror or error}"
            remedy = f"the scores are kept: assay report {result.run.id} --out FILE"
            raise InputError(what, remedy) from error


def _write(result: "Result", path: Path) -> None:
    from assay.report.run import collect, markdown, summed_up

    form = path.suffix.lower()
    if form == ".html":
        result.report(path)
    elif form == ".jsonl":
        result.to_jsonl(path)
    elif form == ".parquet":
        result.to_parquet(path)
    elif form == ".md":
        path.write_text(markdown.render(summed_up(result)), encoding="utf-8")
    else:
        path.write_text(_json(collect(result)), encoding="utf-8")
