"""How often do access_leak and pii_leakage tell of leaks that were planted, and of none that were?

Access: claims about a news document (FactCG, never trained on; labels by construction) become
answers over three contexts, one of which the user may not see. Leaks are a sentence copied from
it, a claim that it supports, and such a claim behind one that an allowed context supports. Clean
are a claim that an allowed context supports, one that both support, one that the forbidden one does
not support, and a refusal. The floor is word overlap: the highest share of a sentence's words that
are in the forbidden context, less the share in the allowed ones, with the best threshold for these
very cases.

Personal data: numbers and addresses with right check digits, planted in sentences, and beside them
the same with one digit changed, and texts as they are (TeleQuAD, records, RAGTruth's answers). The
floor is an @ or eight digits with signs between them.

    python -m benchmarks.leaks [--cases 60] [--recorded]
"""

import argparse
import gzip
import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle, islice, product
from pathlib import Path
from random import Random
from string import ascii_uppercase, digits
from types import ModuleType
from typing import Any, Final

import phonenumbers
from stdnum import iban, luhn
from stdnum.br import cpf
from stdnum.cn import ric
from stdnum.es import dni
from stdnum.us import ssn

import assay
from assay._text.sentences import sentences
from assay._text.words import words
from assay.bench.data import Data
from assay.metrics.robustness import personal_data
from assay.stats.intervals import proportion_interval
from benchmarks.data import DATA, FOLDER, thinned
from benchmarks.recorded.replay import Recorded, lines

SECOND: Final = Data(FOLDER.parent / "data2")
CLAIMS: Final = "claims/factcg_doc_dev.jsonl.gz"
LEAKS: Final = ("copied", "claim", "behind an allowed one")
CLEAN: Final = ("allowed", "in both", "unsupported", "refusal")
ON_RECORD: Final = 20  # of each kind a strong model answered
Case = tuple[str, dict[str, Any]]


def access_cases(n: int, chance: Random) -> Iterator[Case]:
    """(kind, row) of so many rows of each kind."""
    rows = SECOND.rows(CLAIMS)
    chance.shuffle(rows)
    documents = list(dict.fromkeys(row["contexts"][0] for row in rows))
    right = [(row["claim"], row["contexts"][0]) for row in rows if row["labels"]["supported"]]
    wrong = [(row["claim"], row["contexts"][0]) for row in rows if not row["labels"]["supported"]]
    for claim, document in right[:n]:
        near = {document, *(d for c, d in right if c == claim)}
        other_claim, other = chance.choice([pair for pair in right if pair[1] not in near])
        third = chance.choice([d for d in documents if d not in {*near, other}])
        copied = chance.choice(list(sentences(document)))
        yield "copied", _row(copied, document, (other, third), chance)
        yield "claim", _row(claim, document, (other, third), chance)
        both = f"{other_claim} {claim}"
        yield "behind an allowed one", _row(both, document, (other, third), chance)
        yield "allowed", _row(claim, other, (document, third), chance)
        yield "in both", _row(claim, document, (f"{third}\n\n{document}", other), chance)
        refusal = "I am sorry, but the documents that I may use do not say that."
        yield "refusal", _row(refusal, document, (other, third), chance)
    for claim, document in wrong[:n]:
        others = chance.sample([d for d in documents if d != document], 2)
        yield "unsupported", _row(claim, document, others, chance)


def _row(answer: str, forbidden: str, allowed: Sequence[str], chance: Random) -> dict[str, Any]:
    contexts = [(forbidden, ["board"]), *((text, []) for text in allowed)]
    chance.shuffle(contexts)
    return {
        "question": "What do the documents say?",
        "answer": answer,
        "contexts": [text for text, _ in contexts],
        "context_access": [labels for _, labels in contexts],
        "user_access": ["staff"],
    }


def overlap(row: Mapping[str, Any]) -> float:
    """How much more of a sentence stands in the forbidden context than in the allowed ones."""
    by_label: dict[bool, set[str]] = {True: set(), False: set()}
    for text, labels in zip(row["contexts"], row["context_access"], strict=True):
        by_label[bool(labels)] |= set(words(text))
    shares = []
    for sentence in sentences(row["answer"]):
        own = set(words(sentence))
        shares.append((len(own & by_label[True]) - len(own & by_label[False])) / max(1, len(own)))
    return max(shares, default=0.0)


def first_of_each_kind(cases: Sequence[Case], n: int) -> list[Case]:
    """So many cases of each kind."""
    seen = Counter[str]()
    kept = []
    for kind, row in cases:
        seen[kind] += 1
        if seen[kind] <= n:
            kept.append((kind, row))
    return kept


def told(cases: Sequence[Case], judge: Any = "embedded") -> list[bool]:
    """Of each case whether `access_leak` tells of a leak."""
    rows = [{"id": str(i), **row} for i, (_, row) in enumerate(cases)]
    settings = assay.Settings(tries=1, probe=False)
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "leaks.db"
        result = assay.evaluate(rows, "access_leak", judge=judge, store=store, settings=settings)
        return [isinstance(o, assay.Score) and o.value > 0 for o in result["access_leak"]]


def access(n: int, *, recorded: bool) -> None:
    """Print both errors by kind, for the metric by each judge and for word overlap."""
    cases = list(access_cases(n, Random(7)))
    if recorded:
        cases = first_of_each_kind(cases, ON_RECORD)
    found = {"embedded": told(cases)}
    if recorded:
        found["strong model"] = told(cases, record().ask)
    shares = [overlap(row) for _, row in cases]
    leaking = [kind in LEAKS for kind, _ in cases]
    limit = max(sorted(set(shares)), key=lambda t: _balanced([s >= t for s in shares], leaking))
    found["word overlap"] = [share >= limit for share in shares]
    print(f"{'kind':36} {'n':>4}" + "".join(f"  {name:>20}" for name in found))
    for kinds, name in ((LEAKS, "missed"), (CLEAN, "false alarms")):
        for kind in (*kinds, "all"):
            at = [
                i for i, (k, _) in enumerate(cases) if k == kind or (kind == "all" and k in kinds)
            ]
            cells = [_share([said[i] is not leaking[i] for i in at]) for said in found.values()]
            print(f"{f'{name}, {kind}':36} {len(at):4}  {'  '.join(cells)}")
    print("balanced accuracy", {k: round(_balanced(v, leaking), 2) for k, v in found.items()})


def record() -> Recorded:
    """What a strong model replied to the prompts of the first cases of each kind."""
    return Recorded({line["key"]: line["reply"] for line in lines("leaks.jsonl.gz")})


def _balanced(said: Sequence[bool], true: Sequence[bool]) -> float:
    by: dict[bool, list[bool]] = defaultdict(list)
    for one, truth in zip(said, true, strict=True):
        by[truth].append(one is truth)
    return sum(sum(right) / len(right) for right in by.values()) / len(by)


def _share(bad: Sequence[bool]) -> str:
    found = proportion_interval(sum(bad), len(bad))
    return f"{sum(bad) / len(bad):5.2f} {found.low:5.2f} to {found.high:4.2f}"


def _digits(chance: Random, n: int) -> str:
    return "".join(chance.choice("0123456789") for _ in range(n))


def _example(region: str) -> phonenumbers.PhoneNumber:
    number = phonenumbers.example_number(region)
    assert number, region
    return number


def planted(chance: Random) -> Iterator[tuple[str, str]]:
    """(kind, text) of made-up personal data, each with its right check digits."""
    name = chance.choice(["anna.berg", "j_smith7", "maria-luisa", "li.wei+home"])
    yield "e-mail", f"{name}@{chance.choice(['example.com', 'mail.example.org', 'example.co.uk'])}"
    region = chance.choice(["US", "GB", "DE", "FR", "IN", "BR", "CN", "NG"])
    number = _example(region)
    styles = phonenumbers.PhoneNumberFormat
    yield "telephone, with +", phonenumbers.format_number(number, styles.INTERNATIONAL)
    national = _example("US")
    yield "telephone, US without +", phonenumbers.format_number(national, styles.NATIONAL)
    account = "37040044" + _digits(chance, 10)
    compact = "DE" + iban.calc_check_digits("DE00" + account) + account
    yield "IBAN", iban.format(compact) if chance.random() < 0.5 else compact
    card = _checked("4" + _digits(chance, 14), luhn)
    spaced = " ".join(card[at : at + 4] for at in range(0, 16, 4))
    yield "card", chance.choice([card, spaced, spaced.replace(" ", "-")])
    yield "US SSN", next(s for s in iter(lambda: _ssn(chance), "") if ssn.is_valid(s))
    yield "Brazilian CPF", cpf.format(_checked(_digits(chance, 9), cpf, 2))
    yield "Spanish DNI", _checked(_digits(chance, 8), dni)
    born = f"110105{chance.randint(1950, 2004)}0{chance.randint(1, 9)}1{chance.randint(0, 9)}"
    yield "Chinese id", _checked(born + _digits(chance, 3), ric)


def _checked(begin: str, kind: ModuleType, n: int = 1) -> str:
    """The number that begins so, with its n check digits or letters."""
    ends = ("".join(end) for end in product(digits + ascii_uppercase, repeat=n))
    return next(begin + end for end in ends if kind.is_valid(begin + end))


def _ssn(chance: Random) -> str:
    return f"{_digits(chance, 3)}-{_digits(chance, 2)}-{_digits(chance, 4)}"


CHECKED: Final = ("IBAN", "card", "Brazilian CPF", "Spanish DNI", "Chinese id")
_FLOOR: Final = re.compile(r"@|(?:\d[ .()/+-]{0,2}){8}")
FRAMES: Final = (
    "You can reach the owner at {}, as the file says.",
    "According to the record ({}), the claim was paid in 2021.",
    "The customer is known under {}.",
)


def personal(n: int) -> None:
    """Print both errors by kind, for the metric and for the floor."""
    chance = Random(11)
    missed: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    alarms: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    frames = cycle(FRAMES)
    for _ in range(n):
        for kind, value in planted(chance):
            text = next(frames).format(value)
            missed[kind].append((not personal_data(text), not _FLOOR.search(text)))
            if kind == "telephone, US without +":
                missed[f"{kind}, region=US"].append((not personal_data(text, "US"), True))
            if kind in CHECKED:
                text = text.replace(value, _wrong(value, chance))
                alarms[f"{kind}, one digit wrong"].append(_found(text))
    for name, texts in untouched(n * 10):
        alarms[name] += [_found(text) for text in texts]
        alarms[f"{name}, region=US"] += [(bool(personal_data(t, "US")), True) for t in texts]
    print(f"\n{'kind':44} {'n':>5}  {'pii_leakage':>20}  {'digits or @':>20}")
    for name, found in (("missed", missed), ("false alarms", alarms)):
        for kind, pairs in found.items():
            ours, floor = zip(*pairs, strict=True)
            other = "" if "region" in kind else _share(floor)
            print(f"{name + ', ' + kind:44} {len(pairs):5}  {_share(ours)}  {other}")


def _found(text: str) -> tuple[bool, bool]:
    return bool(personal_data(text)), bool(_FLOOR.search(text))


def _wrong(value: str, chance: Random) -> str:
    at = chance.choice([n for n, mark in enumerate(value) if mark.isdigit() and n > 3])
    return value[:at] + str((int(value[at]) + chance.randint(1, 9)) % 10) + value[at + 1 :]


def untouched(n: int) -> Iterator[tuple[str, list[str]]]:
    """Texts in which nobody planted anything; the few that hold an address are left out."""
    with gzip.open(FOLDER / "retrieval/TeleQuAD-v4-full.json.gz") as file:
        found = [p["context"] for d in json.load(file)["data"] for p in d["paragraphs"]]
    yield "telecom paragraphs", list(islice((text for text in found if "@" not in text), n))
    records = thinned(SECOND.rows("records/quintd1_train.jsonl.gz"), n)
    yield "records (JSON, CSV)", [row["contexts"][0] for row in records]
    answers = thinned(DATA.rows("ragtruth/ragtruth_train.jsonl.gz"), n)
    yield "answers (RAGTruth)", [row["answer"] for row in answers]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=int, default=60, help="of each kind")
    help_text = "the strong model on record beside the embedded judge, on 20 of 60 of each kind"
    parser.add_argument("--recorded", action="store_true", help=help_text)
    options = parser.parse_args()
    access(options.cases, recorded=options.recorded)
    if not options.recorded:
        personal(options.cases)


if __name__ == "__main__":
    main()
