"""Rows of tables: how replies, samples and scores are written, and read again.

A text that is long is kept in a table of its own, under a number; "#7" stands for it, "=text" for a
text that is kept in place. Of the fences around the inputs of a prompt only the fact is kept: their
codes follow from the inputs. A fence with another code is kept word for word.
"""

import hashlib
import re
import sqlite3
import time
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias
from uuid import uuid4

import msgspec

from assay._store.connection import Recent
from assay._store.integrity import (
    checksum,
    insert,
    long_key,
    seal,
    short_key,
    short_keys,
    text_key,
    value_checksum,
)
from assay._store.schema import EVIDENCE, ROW, TEXT, Stored, compress, decompress
from assay._text import memoized
from assay.judge import Reply
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored

Refer: TypeAlias = Callable[[str], str]
Resolve: TypeAlias = Callable[[str], str]

# A text shorter than this is kept where it stands.
SHORT = 48
# Within a text, quotes are escaped; what only looks like a reference costs nothing.
_NUMBER = re.compile(r'"#(\d{1,18})"')
# value, why, detail, method, evidence, keys
OutcomeValues: TypeAlias = tuple[float | None, str, str, str, str, str]
NAME = "(SELECT id FROM names WHERE name = ?)"
REPLY = (
    "r.checksum, r.key, p.name, k.name, b.name,"
    " r.draw, r.pieces, r.raw, r.tokens_in, r.tokens_out, r.ms, r.at FROM replies r"
    " LEFT JOIN names p ON p.id = r.run LEFT JOIN names k ON k.id = r.kind"
    " LEFT JOIN names b ON b.id = r.backend"
)
WRITE_REPLY = (
    "INSERT OR IGNORE INTO replies"
    " (checksum, key, run, kind, backend, draw, pieces, raw, tokens_in, tokens_out, ms, at)"
    f" VALUES (?, ?, {NAME}, {NAME}, {NAME}, ?, ?, ?, ?, ?, ?, ?)"
)
WRITE_MODEL = (
    f"INSERT OR REPLACE INTO answering_models (checksum, reply, model) VALUES (?, ?, {NAME})"
)
NOW = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"
RUN = "id, source, config, n_samples, skipped, stopped, seconds, finished, created"
SAMPLE = "checksum, run, row, id, body"
OUTCOME = (
    "checksum, row, value, why, detail, (SELECT name FROM names WHERE id = method), evidence,"
    " replies"
)
# Another process may have scored it in the meantime: what failed here puts nothing in its place.
WRITE_OUTCOME = (
    "INSERT INTO jobs (checksum, value_checksum,"
    " run, metric, row, value, why, detail, method, evidence, replies)"
    f" VALUES (?, ?, {NAME}, {NAME}, ?, ?, ?, ?, {NAME}, ?, ?)"
    " ON CONFLICT (run, metric, row) DO UPDATE SET value = excluded.value, why = excluded.why,"
    " detail = excluded.detail, method = excluded.method, evidence = excluded.evidence,"
    " replies = excluded.replies, checksum = excluded.checksum,"
    " value_checksum = excluded.value_checksum"
    " WHERE jobs.why = 'failed' OR excluded.why != 'failed'"
)
# Of a long sample, so much is known beside its evidence.
MAX_DICTIONARY = 31_000
# Fields of a sample that may be long or shared between samples.
TEXTS = ("question", "answer", "reference")
LISTS = ("contexts", "reference_contexts")
# Fields of objects that hold contexts of their own.
NESTED = ("turns", "variants")


def reference_to(text: str, refer: Refer) -> str:
    """What stands for a text."""
    return f"={text}" if len(text) < SHORT else f"#{refer(text)}"


def text_of(reference: str, resolve: Resolve) -> str:
    """The text that a reference stands for."""
    return reference[1:] if reference[0] == "=" else resolve(reference[1:])


def compress_pieces(pieces: Sequence[str], refer: Refer) -> Stored:
    """The pieces of a prompt as one value."""
    references = [reference_to(piece, refer) for piece in pieces]
    for n in range(1, len(pieces) - 1):
        before, after = pieces[n - 1], pieces[n + 1]
        if not after.endswith(">>>\n"):
            continue
        code = _fence_code(pieces[n])
        if before.endswith(f"<<<{code}\n") and after == f"\n{code}>>>\n":
            references[n - 1] = "<" + before.removesuffix(f"<<<{code}\n")
            references[n + 1] = ">"
    return compress(msgspec.json.encode(references).decode(), ROW)


def read_pieces(stored: Stored, resolve: Resolve) -> tuple[str, ...]:
    """The pieces of a prompt."""
    references = msgspec.json.decode(decompress(stored, ROW), type=list[str])
    texts = [text_of(piece, resolve) if piece[0] in "=#" else "" for piece in references]
    for n, piece in enumerate(references):
        if piece[0] == "<":
            texts[n] = f"{piece[1:]}<<<{_fence_code(texts[n + 1])}\n"
        elif piece[0] == ">":
            texts[n] = f"\n{_fence_code(texts[n - 1])}>>>\n"
    return tuple(texts)


def numbers(body: str) -> set[int]:
    """The numbers of the texts that a row of pieces or a sample refers to."""
    return {int(number) for number in _NUMBER.findall(body)}


@memoized(2_048, longest=20_000)
def _fence_code(text: str) -> str:
    """The code that the fence of a text has in nearly every prompt.

    A part of the format: what it gives for a text must never change.
    """
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    read = (text if text.isascii() else unicodedata.normalize("NFKD", text)).casefold()
    return next(digest[:n] for n in range(4, len(digest) + 1) if digest[:n] not in read)


class _Grouped(msgspec.Struct):
    group: str | None = None


class _Evidence(msgspec.Struct, omit_defaults=True):
    parts: tuple[Part, ...] = ()
    method: str = ""
    details: dict[str, Any] = {}


def keep_names(db: sqlite3.Connection, *names: str, recent: Recent | None = None) -> None:
    """See that names have their numbers."""
    known = recent.names if recent else set()
    new = [(text,) for text in names if text not in known]
    if new:
        db.executemany("INSERT OR IGNORE INTO names (name) VALUES (?)", new)
        known.update(names)


def new_number(db: sqlite3.Connection) -> int:
    """A number for something that has no name yet."""
    values = (f"taken in: {uuid4()}",)
    return db.execute("INSERT INTO names (name) VALUES (?)", values).lastrowid or 0


def rename(db: sqlite3.Connection, number: int, run: str) -> None:
    """Give the samples under a number the name of their run."""
    row = db.execute("SELECT id FROM names WHERE name = ?", (run,)).fetchone()
    if row is None:
        db.execute("UPDATE names SET name = ? WHERE id = ?", (run, number))
        return
    # Something else of that run is there, such as replies that came from another store.
    db.execute("DELETE FROM samples WHERE run = ?", row)
    db.execute("UPDATE samples SET run = ? WHERE run = ?", (*row, number))
    seal(db, "samples", "run = ?", *row)
    db.execute("DELETE FROM names WHERE id = ?", (number,))


def text_keeper(db: sqlite3.Connection, recent: Recent | None = None) -> Refer:
    """Gives the number of a text, which is kept if it was not."""
    numbers = recent.texts if recent else {}

    def refer(text: str) -> str:
        key = text_key(text)
        number = numbers.get(key)
        if number is None:
            number = numbers[key] = _text_number(db, key, text)
        return number

    return refer


# The number of a text, and the next that is free: asked apart they take twice the time.
_NUMBERS = "SELECT (SELECT id FROM texts WHERE hash = ?), ifnull(max(id), 0) + 1 FROM texts"


def _text_number(db: sqlite3.Connection, key: bytes, text: str) -> str:
    known, new = db.execute(_NUMBERS, (key,)).fetchone()
    if known is None:
        insert(db, "texts", new, key, compress(text, TEXT))
    return str(new if known is None else known)


def write_reply(
    db: sqlite3.Connection,
    reply: Reply,
    run: str,
    recent: Recent | None = None,
    *,
    at: int | None = None,
) -> bool:
    """Insert a reply and the texts of its prompt; False if there is one under its key already."""
    keep_names(db, run, reply.kind, reply.backend, recent=recent)
    key = short_key(reply.key)
    values = (
        key,
        run,
        reply.kind,
        reply.backend,
        reply.draw,
        compress_pieces(reply.pieces, text_keeper(db, recent)),
        compress(reply.raw, reply.prompt.encode()),
        reply.tokens_in,
        reply.tokens_out,
        reply.ms,
        int(time.time()) if at is None else at,
    )
    new = db.execute(WRITE_REPLY, (checksum(*values), *values)).rowcount > 0
    if recent:
        recent.replies.add(reply.key)
    if new and (reply.cached_in or reply.cache_written):
        cached = key, reply.cached_in, reply.cache_written
        insert(db, "prompt_cache", *cached, verb="INSERT OR REPLACE")
    if new and reply.model:
        keep_names(db, reply.model, recent=recent)
        db.execute(WRITE_MODEL, (checksum(key, reply.model), key, reply.model))
    return new


def write_paid(db: sqlite3.Connection, reply: Reply, run: str, recent: Recent) -> bool:
    """As `write_reply`; where another process was quicker, what this one cost is kept all the same.

    It is kept as what was billed and is no reply: under a key of its own, with a draw below 0.
    """
    new = write_reply(db, reply, run, recent)
    if not new and (reply.tokens_in or reply.tokens_out):
        draw = min(reply.draw, ~reply.draw)
        unusable = replace(reply, pieces=(), raw="", key=uuid4().hex, draw=draw)
        write_reply(db, unusable, run, recent)
    return new


def has_replies(db: sqlite3.Connection, keys: Sequence[str], recent: Recent | None = None) -> bool:
    """Whether there is a reply under each of the keys."""
    known = recent.replies if recent else frozenset[str]()
    sql = "SELECT 1 FROM replies WHERE key = ?"
    new = [key for key in dict.fromkeys(keys) if key not in known]
    return all(db.execute(sql, (short_key(key),)).fetchone() for key in new)


def read_reply(row: Sequence[Any], resolve: Resolve) -> Reply:
    """A reply from the columns of `REPLY`."""
    _, key, _, kind, backend, draw, stored, raw, tokens_in, tokens_out, ms, _ = row
    pieces = read_pieces(stored, resolve)
    raw_text = decompress(raw, "".join(pieces).encode())
    return Reply(pieces, raw_text, tokens_in, tokens_out, ms, long_key(key), backend, kind, draw)


def sample_body(sample: Sample, refer: Refer) -> str:
    """A sample as JSON in which references stand for its longer texts."""
    fields = msgspec.to_builtins(sample)
    for field in TEXTS:
        if fields[field] is not None:
            fields[field] = reference_to(fields[field], refer)
    for field in LISTS:
        if fields[field] is not None:
            fields[field] = [reference_to(text, refer) for text in fields[field]]
    for item in _nested(fields):
        item["contexts"] = [reference_to(text, refer) for text in item["contexts"]]
    # Only None is absent: an empty list of contexts says that nothing was retrieved.
    filled = {field: value for field, value in fields.items() if value is not None}
    return msgspec.json.encode(filled).decode()


def write_sample(db: sqlite3.Connection, run: int, row: int, sample: Sample) -> str:
    """Insert a sample; returns what names its content."""
    stored = compress(sample_body(sample, text_keeper(db)), ROW)
    insert(db, "samples", run, row, sample.id, stored)
    return sample_content(sample)


def sample_content(sample: Sample) -> str:
    """What names a sample's content: with those of all others, the run that they make."""
    return sample_body(sample, lambda text: text_key(text).hex())


def _nested(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Turns and variants with contexts of their own."""
    items = [item for field in NESTED for item in fields.get(field) or ()]
    return [item for item in items if item["contexts"] is not None]


def read_sample(stored: Stored, resolver: Callable[[set[int]], Resolve]) -> Sample:
    """A sample from its body; `resolver` is told the numbers of all its texts before."""
    body = decompress(stored, ROW)
    resolve, fields = resolver(numbers(body)), msgspec.json.decode(body, type=dict[str, Any])
    for field in TEXTS:
        if field in fields:
            fields[field] = text_of(fields[field], resolve)
    for field in LISTS:
        if field in fields:
            fields[field] = [text_of(item, resolve) for item in fields[field]]
    for item in _nested(fields):
        item["contexts"] = [text_of(text, resolve) for text in item["contexts"]]
    return msgspec.convert(fields, Sample)


def read_fields(stored: Stored) -> dict[str, msgspec.Raw]:
    """The fields of a sample from its body; its texts are not looked up but stay numbers."""
    return msgspec.json.decode(decompress(stored, ROW), type=dict[str, msgspec.Raw])


def read_group(stored: Stored) -> str | None:
    """The group of a sample from its body; its texts are not looked up."""
    return msgspec.json.decode(decompress(stored, ROW), type=_Grouped).group


def write_run(db: sqlite3.Connection, fields: Mapping[str, Any]) -> None:
    """Insert a run as it was in another store."""
    columns = f"fingerprint, {RUN}".split(", ")
    config = msgspec.json.encode(fields["config"]).decode()
    values = [config if column == "config" else fields[column] for column in columns]
    marks = ", ".join("?" * len(columns))
    db.execute(f"INSERT INTO runs ({', '.join(columns)}) VALUES ({marks})", values)
    seal(db, "runs", "id = ?", fields["id"])


def evidence_dictionary(sample: Sample) -> bytes:
    """What evidence is compressed beside: the texts it quotes. Never change it: rows need it."""
    texts = [*(sample.contexts or ()), sample.reference, sample.question, sample.answer]
    return msgspec.json.encode(texts)[-MAX_DICTIONARY:] + EVIDENCE


def outcome_values(outcome: Outcome, keys: Sequence[str]) -> OutcomeValues:
    """What is kept of an outcome, before its evidence is packed."""
    details: Mapping[str, Any] = {}
    value, reason, detail, method = None, "", "", ""
    if isinstance(outcome, Score):
        # 0.0 for -0.0: SQLite has no other.
        value, method, details = float(outcome.value) + 0.0, outcome.method, outcome.details
    else:
        reason, detail = outcome.why, outcome.detail
    evidence = _Evidence(outcome.parts, method, dict(details))
    encoded = msgspec.json.encode(evidence, enc_hook=plain_number).decode()
    return value, reason, detail, method, encoded, " ".join(keys)


def write_outcome(
    db: sqlite3.Connection,
    place: tuple[str, int, str],
    values: OutcomeValues,
    dictionary: bytes,
    recent: Recent | None = None,
) -> None:
    """Insert the outcome of (run, row, metric), or put it in the place of another.

    One that failed replaces only one that failed, too.
    """
    run, row, metric = place
    value, reason, detail, method, evidence, keys = values
    keep_names(db, run, metric, method, recent=recent)
    compressed = compress(evidence, dictionary)
    stored = (run, metric, row, value, reason, detail, method, compressed, short_keys(keys))
    sums = checksum(*stored), value_checksum(run, metric, row, value, reason)
    db.execute(WRITE_OUTCOME, (*sums, *stored))


def plain_number(value: Any) -> Any:
    """What numpy computed in a user's metric, as plain numbers."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"the evidence of a score holds a {type(value).__name__}: give plain values")


def outcome(
    value: float | None, why: Any, detail: str, stored: Stored, dictionary: bytes
) -> Outcome:
    """An outcome as it is kept, and what its evidence was packed beside."""
    evidence = msgspec.json.decode(decompress(stored, dictionary), type=_Evidence)
    if value is None:
        return Unscored(why, detail, evidence.parts)
    return Score(value, evidence.parts, evidence.method, evidence.details)
