"""Damage for stores, byte by byte, and what every command that reads one says of it."""

import random
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from assay import evaluate
from assay._cli import main
from support.scripts import plausible, samples

METRICS = ["faithfulness", "context_precision", "answer_relevancy"]
SUFFIXES = ("", "-wal", "-shm")


def make(path, n=12):
    """A store with two finished runs: verdicts, ratings, embeddings and shared texts."""
    evaluate(samples(n), METRICS, plausible(), store=path)
    evaluate(samples(n // 2), "faithfulness", plausible("another"), store=path)


@dataclass(frozen=True)
class Seen:
    """What the commands print and with which code they end.

    Attributes:
        verify: Of `assay verify`: code, and all that it prints.
        shown: Of every other command.
    """

    verify: tuple[int, str]
    shown: tuple[tuple[int, str], ...]

    def texts(self):
        """All that is shown, without what is said of trouble."""
        return self.shown


def look(path):
    """What there is to be seen of a store."""
    store = str(path)
    commands = [
        ["export", store],
        ["runs", "--store", store],
        ["show", "--store", store],
        ["show", "--sample", "q1", "--raw", "--store", store],
    ]
    return Seen(_call(["verify", store]), tuple(map(_call, commands)))


def _call(arguments):
    done = CliRunner().invoke(main, arguments, env={"COLUMNS": "200"})
    return done.exit_code, done.output


def offsets(size, n, seed=0):
    """(offset, mask) of `n` evenly spaced bytes."""
    draw = random.Random(seed)
    return [(size * (2 * i + 1) // (2 * n), draw.randrange(1, 256)) for i in range(n)]


def write(path, files):
    """Put the files of a store in place, and nothing else."""
    for suffix in SUFFIXES:
        target = Path(f"{path}{suffix}")
        target.unlink(missing_ok=True)
        if suffix in files:
            target.write_bytes(files[suffix])


def read(path):
    """The files of a store but for what readers share."""
    return {s: Path(f"{path}{s}").read_bytes() for s in ("", "-wal") if Path(f"{path}{s}").exists()}


def flipped(content, offset, mask):
    """The content with one byte changed."""
    return content[:offset] + bytes([content[offset] ^ mask]) + content[offset + 1 :]
