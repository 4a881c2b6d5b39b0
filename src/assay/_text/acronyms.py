"""Names written out in one text and by their first letters in another."""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from assay._text import alternatives, memoized
from assay._text.expressions import expression
from assay._text.sentences import Span
from assay._text.words import STOP_WORDS, words

_SHORT = expression(r"\b[A-Z]{2,6}\b")
_FEW = 2  # letters: of no more, the name has to be written with capitals
_MOST = 30  # acronyms of a text that are looked up
# Whose names need no capitals, or are one word.
_KNOWN = {
    "AF": "atrial fibrillation", "AI": "artificial intelligence", "BP": "blood pressure",
    "BS": "base station", "CN": "core network", "CT": "computed tomography",
    "CV": "curriculum vitae", "DB": "database", "DL": "downlink", "ECG": "electrocardiogram",
    "EEG": "electroencephalogram", "ER": "emergency room", "GP": "general practitioner",
    "HR": "human resources", "IT": "information technology", "MI": "myocardial infarction",
    "ML": "machine learning", "OS": "operating system", "PR": "public relations",
    "QC": "quality control", "TB": "tuberculosis", "TV": "television", "UE": "user equipment",
    "UI": "user interface", "UL": "uplink", "UV": "ultraviolet", "VM": "virtual machine",
    "VR": "virtual reality",
}  # fmt: skip
# Names of one thing, for those who know and for the others.
_SYNONYMS = (
    "hypertension|high blood pressure", "hypotension|low blood pressure",
    "myocardial infarction|heart attack", "cerebrovascular accident|stroke",
    "acetylsalicylic acid|aspirin", "acetaminophen|paracetamol", "epinephrine|adrenaline",
    "ascorbic acid|vitamin C", "sodium chloride|table salt|common salt",
    "sodium bicarbonate|baking soda|bicarbonate of soda", "nitrous oxide|laughing gas",
    "influenza|flu", "varicella|chickenpox", "herpes zoster|shingles", "pertussis|whooping cough",
    "rubella|German measles", "hyperglycaemia|hyperglycemia|high blood sugar",
    "hypoglycaemia|hypoglycemia|low blood sugar", "renal|kidney", "hepatic|liver",
    "pulmonary|lung", "cardiac|heart", "gastric|stomach", "alopecia|hair loss", "pruritus|itching",
    "oedema|edema|swelling", "epistaxis|nosebleed",
    "dyspnoea|dyspnea|shortness of breath|breathlessness",
    "tachycardia|rapid heartbeat|fast heartbeat", "pyrexia|fever", "emesis|vomiting",
    "analgesic|painkiller", "anticoagulant|blood thinner", "antipyretic|fever reducer",
    "thrombus|blood clot", "haemorrhage|hemorrhage|bleeding", "neoplasm|tumour|tumor",
    "carcinogenic|cancer-causing", "myopia|short-sightedness|nearsightedness",
    "fracture|broken bone", "contusion|bruise", "clavicle|collarbone", "patella|kneecap",
    "femur|thigh bone", "trachea|windpipe", "physician|doctor",
    "general practitioner|family doctor", "paediatrician|pediatrician|children's doctor",
    "medical certificate|doctor's note|sick note", "mobile phone|cell phone|cellphone",
    "petrol|gasoline", "lorry|truck", "lift|elevator", "timber|lumber", "motorway|freeway",
    "two-factor authentication|two-step verification", "access point|hotspot",
    "annual leave|yearly holiday|paid holiday|vacation days",
    "chief executive officer|chief executive|CEO", "chief financial officer|finance director|CFO",
    "value added tax|VAT", "free of charge|at no cost|at no charge|for free",
    "called off|cancelled|canceled", "ascending order|lowest to highest|smallest to largest",
    "descending order|highest to lowest|largest to smallest", "biannual|twice a year|twice-yearly",
    "yearly|annual|every year", "fortnightly|every two weeks", "employees|staff",
    "customers|clients", "salary|wage",
)  # fmt: skip
_FORMS = {form.lower(): tuple(group.split("|")) for group in _SYNONYMS for form in group.split("|")}
_FORM = expression(
    rf"\b(?P<form>{alternatives(sorted(_FORMS, key=len, reverse=True))})(?P<s>s?)\b",
    re.IGNORECASE,
)
_INITIAL = expression(r"\b[A-Za-z]")
_JOINING = r"(?:(?:of|and|the|for|in|on|de)\s+)?"


def as_written(
    text: str, beside: Sequence[str], known: Mapping[str, str]
) -> Iterator[tuple[Span, str]]:
    """Where a text has one form of a name and the texts beside it only the other, with that.

    Args:
        text: A statement.
        beside: The texts that it is read beside.
        known: Their words by their lower case.
    """
    if text.isupper():
        return
    edits = [
        (match.span(), name)
        for match in itertools.islice(_SHORT.finditer(text), _MOST)
        if match[0].lower() not in known and (name := _written_out(match[0], beside))
    ]
    for short in _shorts(tuple(beside)):
        match = _pattern(short).search(text) if _may_stand_for(text, short) else None
        if match and _is_name(match[0], short) and _is_new(match[0], known):
            edits.append((match.span(), short))
    edits += _in_other_words(text, beside)
    end = 0
    for span, read in sorted(edits):
        if span[0] >= end:
            yield span, read
            end = span[1]


def _in_other_words(text: str, other_texts: Sequence[str]) -> Iterator[tuple[Span, str]]:
    """Names of the text that the others have only in other words, with those."""
    matches = list(itertools.islice(_FORM.finditer(text), _MOST))
    if not matches:
        return
    other_forms = {
        match["form"].lower() for other_text in other_texts for match in _FORM.finditer(other_text)
    }
    for match in matches:
        form = match["form"].lower()
        used_forms = [
            form_of_name for form_of_name in _FORMS[form] if form_of_name.lower() in other_forms
        ]
        if form not in other_forms and used_forms:
            read = (
                used_forms[0]
                if match["form"].islower()
                else used_forms[0][:1].upper() + used_forms[0][1:]
            )
            yield match.span(), read + match["s"]


def _written_out(short: str, texts: Sequence[str]) -> str:
    """The one name in the texts that begins with these letters; "" for none or several."""
    names = {
        match[0]
        for text in texts
        if _may_stand_for(text, short)
        for match in _pattern(short).finditer(text)
        if _is_name(match[0], short)
    }
    return names.pop() if len({name.lower() for name in names}) == 1 else ""


@memoized(64, longest=50_000, size=lambda texts: sum(map(len, texts)))
def _shorts(texts: tuple[str, ...]) -> tuple[str, ...]:
    """The first short forms that texts hold, each once."""
    matches = itertools.chain.from_iterable(map(_SHORT.finditer, texts))
    return tuple(dict.fromkeys(match[0] for match in matches))[:_MOST]


@memoized(2048, longest=2000)
def _initials(text: str) -> str:
    return "".join(_INITIAL.findall(text)).lower()


def _may_stand_for(text: str, short: str) -> bool:
    """Whether words of a text begin with these letters in order: patterns take long to compile."""
    initials = iter(_initials(text))
    expansion = _KNOWN.get(short, "")
    letters = short.lower() if " " in expansion or not expansion else expansion[:1]
    return not text.isascii() or all(letter in initials for letter in letters)


@cache
def _pattern(short: str) -> re.Pattern[str]:
    name = _KNOWN.get(short, "")
    if name and " " not in name:
        return re.compile(rf"\b{name}\b", re.IGNORECASE)
    first, further_letters = short[0], short[1:]
    letters = "".join(rf"(?:\s+{_JOINING}|-){letter}[a-z]+" for letter in further_letters)
    return re.compile(rf"\b{first}[a-z]+{letters}\b", re.IGNORECASE)


def _is_name(name: str, short: str) -> bool:
    if _KNOWN.get(short) == name.lower():
        return True
    name_words: list[str] = re.split(r"[\s-]+", name)
    capitals = sum(word[0].isupper() for word in name_words)
    if len(short) <= _FEW or len(name_words) > len(short):
        return capitals >= len(short)
    return STOP_WORDS.isdisjoint(word.lower() for word in name_words)


def _is_new(name: str, known: Mapping[str, str]) -> bool:
    """Whether the texts beside do not have the name themselves."""
    new = [word not in known for word in words(name) if word not in STOP_WORDS]
    return sum(new) > 1 or new == [True]
