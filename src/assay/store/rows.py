"""How values become table rows and back."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from assay.judge import Reply
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.store.keys import text_key

# A text shorter than this is kept where it stands; a reference to it would be longer.
SHORT = 48

REPLY = "key, kind, backend, draw, pieces, raw, tokens_in, tokens_out, ms"
RUN = "id, source, config, n_samples, skipped, stopped, seconds, finished, created"
OUTCOME = "value, why, detail, evidence"
WRITE_OUTCOME = (
    "INSERT OR REPLACE INTO jobs (run, row, metric, value, why, detail, evidence, replies)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
# Fields of a sample that may be long or shared between samples.
TEXTS = ("question", "answer", "reference")
LISTS = ("contexts", "reference_contexts")
# Fields of objects that hold contexts of their own.
NESTED = ("turns", "variants")


class _Evidence(msgspec.Struct, omit_defaults=True):
    parts: tuple[Part, ...] = ()
    method: str = ""
    details: dict[str, Any] = {}


def refer(db: sqlite3.Connection, text: str) -> str:
    """A reference to a text: "=text" where it is short, "#hash" of a kept text otherwise."""
    if len(text) < SHORT:
        return f"={text}"
    key = text_key(text)
    db.execute("INSERT OR IGNORE INTO texts (hash, body) VALUES (?, ?)", (key, text))
    return f"#{key.hex()}"


def resolve(reference: str, text: Callable[[bytes], str]) -> str:
    """The text that a reference stands for."""
    if reference[0] == "=":
        return reference[1:]
    return text(bytes.fromhex(reference[1:]))


def write_reply(db: sqlite3.Connection, reply: Reply, run: str) -> None:
    """Insert a reply and the texts of its prompt."""
    pieces = msgspec.json.encode([refer(db, piece) for piece in reply.pieces]).decode()
    db.execute(
        f"INSERT OR IGNORE INTO replies (run, {REPLY}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            run,
            reply.key,
            reply.kind,
            reply.backend,
            reply.draw,
            pieces,
            reply.raw,
            reply.tokens_in,
            reply.tokens_out,
            reply.ms,
        ),
    )


def reply(row: Sequence[Any], text: Callable[[bytes], str]) -> Reply:
    """A reply from the columns of `REPLY`."""
    key, kind, backend, draw, pieces, raw, tokens_in, tokens_out, ms = row
    prompt = tuple(resolve(piece, text) for piece in msgspec.json.decode(pieces, type=list[str]))
    return Reply(prompt, raw, tokens_in, tokens_out, ms, key, backend, kind, draw)


def write_sample(db: sqlite3.Connection, run: str, row: int, sample: Sample) -> str:
    """Insert a sample; returns its body, which names its content."""
    fields = msgspec.to_builtins(sample)
    for name in TEXTS:
        if fields[name] is not None:
            fields[name] = refer(db, fields[name])
    for name in LISTS:
        if fields[name] is not None:
            fields[name] = [refer(db, text) for text in fields[name]]
    for item in _nested(fields):
        item["contexts"] = [refer(db, text) for text in item["contexts"]]
    # Only None is absent: an empty list of contexts says that nothing was retrieved.
    kept = {name: value for name, value in fields.items() if value is not None}
    body = msgspec.json.encode(kept).decode()
    db.execute(
        "INSERT INTO samples (run, row, id, body) VALUES (?, ?, ?, ?)",
        (run, row, sample.id, body),
    )
    return body


def _nested(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Turns and variants with contexts of their own."""
    items = [item for name in NESTED for item in fields.get(name) or ()]
    return [item for item in items if item["contexts"] is not None]


def sample(body: str, text: Callable[[bytes], str]) -> Sample:
    """A sample from its body."""
    fields = msgspec.json.decode(body, type=dict[str, Any])
    for name in TEXTS:
        if name in fields:
            fields[name] = resolve(fields[name], text)
    for name in LISTS:
        if name in fields:
            fields[name] = [resolve(item, text) for item in fields[name]]
    for item in _nested(fields):
        item["contexts"] = [resolve(found, text) for found in item["contexts"]]
    return msgspec.convert(fields, Sample)


def outcome_values(outcome: Outcome, keys: Sequence[str]) -> tuple[Any, ...]:
    """The columns of `OUTCOME` and the reply keys."""
    details: Mapping[str, Any] = {}
    value, why, detail, method = None, "", "", ""
    if isinstance(outcome, Score):
        value, method, details = outcome.value, outcome.method, outcome.details
    else:
        why, detail = outcome.why, outcome.detail
    evidence = _Evidence(outcome.parts, method, dict(details))
    value = None if value is None else float(value)
    return value, why, detail, _evidence(evidence), " ".join(keys)


def _evidence(evidence: "_Evidence") -> str:
    return msgspec.json.encode(evidence, enc_hook=_number).decode()


def _number(value: Any) -> Any:
    """What numpy computed in a user's metric, as plain numbers."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"the evidence of a score holds a {type(value).__name__}: give plain values")


def outcome(row: Sequence[Any]) -> Outcome:
    """An outcome from the columns of `OUTCOME`."""
    value, why, detail, encoded = row
    evidence = msgspec.json.decode(encoded, type=_Evidence)
    if value is None:
        return Unscored(why, detail, evidence.parts)
    return Score(value, evidence.parts, evidence.method, evidence.details)
