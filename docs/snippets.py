"""Which code blocks does a page hold, and what do they print when they are run in order?"""  # noqa: INP001

import contextlib
import importlib.util
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
# Pages without files of their own are run beside those that this page shows.
START = ROOT / "docs" / "getting-started.md"

_BLOCK = re.compile(
    r"(?:^<!-- (?P<note>[^\n]*) -->\n)?^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
_OUTPUT = re.compile(r"\s*<!-- generated: output -->(?:\n```text\n(?P<text>.*?)\n```)?", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page.

    Attributes:
        line: Its first line in the page.
        end: Where it ends in the page's text.
        info: What stands behind the opening fence: language and flags.
        note: The HTML comment on the line before it, "" if there is none.
        text: What it holds.
        shown: Whether its output stands below it.
    """

    line: int
    end: int
    info: str
    note: str
    text: str
    shown: bool

    @property
    def language(self) -> str:
        """The first word behind the opening fence."""
        return self.info.split(" ")[0]

    @property
    def runs(self) -> bool:
        """Whether it is Python to be run: a comment ``no-run: REASON`` says of others why not."""
        return self.info == "python" and not self.note.startswith("no-run: ")

    @property
    def missing(self) -> list[str]:
        """The modules that a comment ``needs: MODULE, MODULE`` names and that are not installed."""
        named = self.note.partition("needs: ")[2]
        wanted = [name.strip() for name in named.split(",") if name.strip()]
        return [name for name in wanted if importlib.util.find_spec(name.split(".")[0]) is None]

    @property
    def commands(self) -> list[list[str]]:
        """The words of every `assay` command in a console block."""
        if self.language != "console":
            return []
        joined = self.text.replace("\\\n", " ")
        lines = [line[2:] for line in joined.splitlines() if line.startswith("$ ")]
        found = [shlex.split(line, comments=True) for line in lines]
        return [words for words in found if words[:1] == ["assay"]]


def pages() -> list[Path]:
    """All pages whose code blocks are run."""
    top = [ROOT / "README.md"]
    return [page for page in (*top, *sorted((ROOT / "docs").glob("*.md"))) if page.exists()]


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page, in order."""
    return [
        Block(
            line=text.count("\n", 0, match.start()) + 1,
            end=match.end(),
            info=match["info"].strip(),
            note=match["note"] or "",
            text=match["text"],
            shown=_OUTPUT.match(text, match.end()) is not None,
        )
        for match in _BLOCK.finditer(text)
    ]


def files(text: str) -> dict[str, str]:
    """The files that a page shows: blocks under a comment ``file: NAME``."""
    notes = ((block, block.note.partition("file: ")[2]) for block in blocks(text))
    return {name: block.text for block, name in notes if name}


def run(page: Path, folder: Path) -> Iterator[tuple[Block, str]]:
    """Run the page's Python blocks in order, in one namespace, within the folder.

    Console blocks are run only where their output is shown, and blocks under a comment ``needs:
    MODULE`` only where the module is installed. Gives each block with what it printed.
    The folder of examples is there too.
    """
    text = page.read_text("utf-8")
    for name, content in {**files(START.read_text("utf-8")), **files(text)}.items():
        (folder / name).write_text(content, "utf-8")
    (folder / "examples").symlink_to(ROOT / "examples")
    names: dict[str, Any] = {"__name__": "__page__"}
    with contextlib.chdir(folder):
        for block in blocks(text):
            if block.missing:  # its output stays as it was where all is installed
                shown = _OUTPUT.match(text, block.end)
                yield block, (shown and shown["text"]) or ""
            elif block.runs:
                yield block, _python(block, page, names)
            elif block.commands and block.shown:
                yield block, "".join(map(_command, block.commands))


def _python(block: Block, page: Path, names: dict[str, Any]) -> str:
    # Blank lines in front make the line numbers of a traceback those of the page.
    source = "\n" * block.line + block.text
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, str(page), "exec"), names)  # noqa: S102 - our own pages
    return printed.getvalue()


def _command(words: list[str]) -> str:
    program = Path(sys.executable).with_name("assay")
    quiet: Mapping[str, str] = {"COLUMNS": "90", "NO_COLOR": "1", "TERM": "dumb"}
    done = subprocess.run(  # noqa: S603 - our own pages
        [str(program), *words[1:]],
        env={**os.environ, **quiet},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{shlex.join(words)} ended with {done.returncode}: {done.stderr}")
    return done.stdout
