"""What may be true and is not in the passage: absence, in whole or in part.

The claim is a sentence whose passage was left without it, or one that the passage holds with
something added to it that only another passage says.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache

from assay._text import entities
from assay._text.words import STOP_WORDS, stems
from assay.experiments.reader_windows import Row
from training.verifier.synthetic import lexicon, paraphrase
from training.verifier.synthetic.corpus import Passage, passages
from training.verifier.synthetic.names import names_in

_PRONOUN = re.compile(r"(?:He|She|It|They|We|His|Her|Its|Their|Such|Both|Another|Here|There)\b")
# The end of a sentence that may be put at the end of another.
_TAILS = (
    re.compile(
        r"(?P<tail>,? (?:because|since|so that|in order to|as a result of|due to|after|before|"
        r"until|despite|along with|as well as|together with|thanks to|without|"
        r"instead of) [^,;.()]{8,70})\.$"
    ),
    re.compile(
        r"(?P<tail> (?:in|on|at|near|from|during|since|until|by) (?:(?:the|early|late|"
        r"mid) )?(?:[A-Z][\w'\u2019]+|\d{4}s?)(?:,? [\w'\u2019]+){0,3})\.$"
    ),
    re.compile(
        r"(?P<tail>, (?:which|who|where|including|making|leading|allowing|according to|"
        r"compared with|especially|mostly) [^,;.()]{10,80})\.$"
    ),
    re.compile(
        r"(?P<tail> (?:for|with|to|by|against|among|between) (?:the|a|an|his|her|its|their|"
        r"other|many|more) [^,;.()]{8,60})\.$"
    ),
)  # fmt: skip


_PLAIN_TAILS = (
    " for the first time", " in recent years", " in {year}", " in {city}", " in {country}",
    ", according to local residents", ", making it one of the largest of its kind",
    ", despite strong criticism", " to great acclaim", ", which surprised many observers",
    " because of rising costs", " after years of planning", " with the help of volunteers",
    ", as experts had predicted", " on behalf of the government", " at the age of {number}",
    ", which was founded in {year}", ", a practice that began in {year}",
    " for about {number} years", ", as confirmed by {name}", " together with {name}",
    ", unlike {name}", ", much to the regret of {name}", " more than {number} times",
    ", and it cost {number} million dollars", " since {year}", ", which is the most common reason",
    " without any side effects", ", especially among young people", ", although this is rare",
    " in at least {number} countries", ", and won several awards for it",
    ", partly due to a lack of funding", ", although {name} disagreed",
    ", and continues to do so today", ", based on a study of {number} people",
    ", and plans to do so again next year", " every {number} days",
    ", which led to a significant increase in popularity", " and is free of charge",
)  # fmt: skip


@cache
def tails() -> tuple[tuple[str, int, str], ...]:
    """Endings of the sentences of all passages: the ending, which pattern, whose it is."""
    found = {}
    for passage in passages():
        for sentence in passage.sentences:
            for number, regex in enumerate(_TAILS):
                match = regex.search(sentence)
                if match and len(match["tail"]) < 0.6 * len(sentence):
                    found[match["tail"]] = (match["tail"], number, passage.group)
    return tuple(found.values())


@cache
def _by_word() -> dict[str, list[int]]:
    """Which endings hold a word, so that one of the same subject can be found."""
    found = defaultdict(list)
    for place, (tail, _, _) in enumerate(tails()):
        for stem in set(stems(tail)):
            found[stem].append(place)
    return {stem: places for stem, places in found.items() if len(places) < 400}


def generate(seed: int = 0) -> Iterator[Row]:
    """Rows of every sort for every passage."""
    for passage in passages():
        rng = random.Random(f"{seed}n{passage.text[:80]}")
        order = rng.sample(range(len(passage.sentences)), min(6, len(passage.sentences)))
        for turn, place in enumerate(order):
            sentence = passage.sentences[place]
            if turn % 3:
                yield from _added(passage, sentence, rng)
                continue
            claim = paraphrase.heavy(sentence, passage, rng)
            yield Row("neutral/stays", passage.group, "", (passage.text,), claim, "supported", ())
            yield from _removed(passage, place, rng)


def starts_with_pronoun(sentence: str) -> bool:
    """Whether it does not stand by itself."""
    return _PRONOUN.match(sentence) is not None


def without(passage: Passage, place: int) -> str | None:
    """The passage without one sentence; None where the others say most of it all the same."""
    sentence = passage.sentences[place]
    rest = " ".join(s for i, s in enumerate(passage.sentences) if i != place)
    have, wanted = set(stems(rest)), set(stems(sentence))
    names = set(entities.names(sentence)) | set(re.findall(r"\d[\d,.]*", sentence))
    new = [word for word in wanted if word not in have]
    if len(new) < 3 and not any(name not in rest for name in names):
        return None
    return rest if len(passage.sentences) > 2 and len(new) >= 2 else None


def _removed(passage: Passage, place: int, rng: random.Random) -> Iterator[Row]:
    """The claim is a sentence that the passage lost, alone or after one that is still there."""
    sentence = passage.sentences[place]
    if starts_with_pronoun(sentence) and rng.random() < 0.7:
        return
    rest = without(passage, place)
    if rest is None:
        return
    claim = paraphrase.light(sentence, passage, rng)
    if rng.random() < 0.5:
        span = ((0, len(claim), "neutral"),)
        yield Row("neutral/removed", passage.group, "", (rest,), claim, "neutral", span)
        return
    others = [
        s for i, s in enumerate(passage.sentences) if i != place and not starts_with_pronoun(s)
    ]
    if not others:
        return
    kept = paraphrase.heavy(rng.choice(others), passage, rng)
    text, start = joined(kept, claim, rng)
    end = start + len(claim) - 1
    if rng.random() < 0.5:
        text, start = joined(claim, kept, rng)
        start, end = 0, len(claim) - 1
    yield Row(
        "neutral/half", passage.group, "", (rest,), text, "neutral", ((start, end, "neutral"),)
    )


def joined(one: str, other: str, rng: random.Random) -> tuple[str, int]:
    """Two sentences as one text, and where the second begins."""
    way = rng.random()
    if way < 0.45 and one[-1] == "." and len(one.split()) < 25:
        link = rng.choice([", and ", ", while ", "; ", ", and "])
        first = other.partition(" ")[0]
        small = first.lower() in STOP_WORDS and first != "I"
        text = one[:-1] + link + (other[0].lower() + other[1:] if small else other)
        return text, len(one) - 1 + len(link)
    link = rng.choice([" ", " ", " Additionally, ", " Moreover, ", " "])
    return one + link + other, len(one) + len(link)


def added_tail(sentence: str, passage: Passage, rng: random.Random) -> tuple[str, int, int] | None:
    """A sentence with the end of one of another source put to it, and where that stands.

    Nearly always one that shares a word with the passage: the likeness must not tell.
    """
    if not sentence.endswith(".") or len(sentence.split()) > 30:
        return None
    near = [
        place for stem in sorted(set(stems(passage.text))) for place in _by_word().get(stem, ())
    ]
    for _ in range(8):
        place = rng.choice(near) if near and rng.random() < 0.9 else rng.randrange(len(tails()))
        tail, _, group = tails()[place]
        new = [word for word in stems(tail) if word not in set(stems(sentence))]
        if group != passage.group and tail.strip(" ,.") not in passage.text and new:
            base = sentence[:-1]
            if any(regex.search(sentence) for regex in _TAILS[1:2]) and tail.startswith(
                (" in ", " on ", " at ")
            ):
                continue
            return f"{base}{tail}.", len(base), len(base) + len(tail)
    return None


def own_tail(sentence: str, passage: Passage, rng: random.Random) -> tuple[str, int, int] | None:
    """A sentence with the end of another sentence of the same passage put to it."""
    ends = [
        match["tail"]
        for other in passage.sentences
        if other != sentence
        for regex in _TAILS
        if (match := regex.search(other)) and match["tail"] not in sentence
    ]
    if not ends or len(sentence.split()) > 30 or not sentence.endswith("."):
        return None
    tail = rng.choice(ends)
    return f"{sentence[:-1]}{tail}.", len(sentence) - 1, len(sentence) - 1 + len(tail)


def _added(passage: Passage, sentence: str, rng: random.Random) -> Iterator[Row]:
    """A detail added; or, the other way round, a detail that the passage lost."""
    if rng.random() < 0.2:
        yield from _detail_lost(passage, sentence, rng)
        return
    made = rng.choice([plain_tail, plain_tail, own_tail, added_tail])(sentence, passage, rng)
    if not made:
        return
    text, start, end = made
    if rng.random() < 0.5:
        span = ((start, end, "neutral"),)
        yield Row("neutral/added", passage.group, "", (passage.text,), text, "neutral", span)
        return
    # The passage says it too: an ending that does not fit must not tell by itself.
    context = passage.text.replace(sentence, text)
    claim = paraphrase.synonyms(text, passage, rng, 0.9) or paraphrase.heavy(text, passage, rng)
    yield Row("neutral/added", passage.group, "", (context,), claim, "supported", ())


def plain_tail(sentence: str, passage: Passage, rng: random.Random) -> tuple[str, int, int] | None:
    """A sentence with an ending put to it that fits nearly everywhere."""
    tail = rng.choice(_PLAIN_TAILS).format(
        year=rng.randint(1900, 2023),
        city=rng.choice(lexicon.CITIES),
        country=rng.choice(list(lexicon.COUNTRIES)),
        number=rng.randint(2, 90),
        name=rng.choice(names_in(passage.text) or ["the authorities"]),
    )
    if not sentence.endswith(".") or tail.strip(" ,") in passage.text or len(sentence.split()) > 30:
        return None
    return f"{sentence[:-1]}{tail}.", len(sentence) - 1, len(sentence) - 1 + len(tail)


def _detail_lost(passage: Passage, sentence: str, rng: random.Random) -> Iterator[Row]:
    """The passage without the end of the sentence, which the claim still has."""
    for regex in _TAILS:
        match = regex.search(sentence)
        if not match or len(match["tail"]) > 0.5 * len(sentence):
            continue
        context = passage.text.replace(sentence, f"{sentence[: match.start()]}.")
        if re.search(
            r"\b(?:prior|due|according|related|compared|such|up|out)$", sentence[: match.start()]
        ):
            continue
        words = set(stems(match["tail"])) - set(stems(context))
        if not words or any(n in context for n in names_in(match["tail"])):
            continue
        place = (match.start("tail"), match.end("tail"), "neutral")
        yield Row("neutral/lost", passage.group, "", (context,), sentence, "neutral", (place,))
        short = paraphrase.light(f"{sentence[: match.start()]}.", passage, rng)
        yield Row("neutral/stays", passage.group, "", (context,), short, "supported", ())
        return
