"""Questions made from the structure of documents."""

# ruff: noqa: SIM905 - word lists read better as prose

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final

from assay._text import verbs
from assay._text.grammar import Words
from assay._text.predicates import find_subject
from assay._text.sentences import sentences
from assay._text.words import content_words
from assay.testset.manual_questions import NO_DUTY, clean, in_document, of_manuals
from assay.testset.sentence_questions import Fact, listed

_FENCED: Final = re.compile(
    r"^[ \t]{0,3}(```|~~~).*?(?:^[ \t]{0,3}\1|\Z)", re.MULTILINE | re.DOTALL
)
_ROW: Final = re.compile(r"^[ \t]*\|(.+)\|[ \t]*$", re.MULTILINE)
_RULE: Final = re.compile(r"[\s:|-]+")
_CELL: Final = re.compile(r"(?<!\\)\|")
_DEFAULT: Final = re.compile(
    r"\b[Dd]efaults?(?:\s+is|\s+to|:)?\s+(?P<value>`[^`]+`|[\w./%-]*\w)(?=[.,;)\]]|$)"
)
_DEFAULT_OF: Final = re.compile(r"\bDefault: (?P<value>\S+?)\.?(?=\s|$)")
_ITEM: Final = re.compile(r"[ \t]*(?:[-*+•]|\d{1,2}[.)]|[a-z]\))[ \t]+(?P<item>\S.*)\n*")
_LIST: Final = re.compile(
    r"^(?P<lead>[A-Z][^\n]*):[ \t]*\n\s*"
    rf"(?P<items>(?:{_ITEM.pattern.replace('?P<item>', '')}){{2,9}})",
    re.MULTILINE,
)
_LONGEST_ITEM: Final = 14  # words
_TERM: Final = re.compile(
    r"^[ \t]*(?:[-*+•][ \t]+)?"
    r"(?:\*\*(?P<bold>[^*\n]{2,50}?):?\*\*:?|(?P<plain>[A-Z][\w /()-]{2,40}):)"
    r"[ \t]*(?:[-\u2013\u2014:]+[ \t]+)?(?P<meaning>(?:[Aa]n?|[Tt]he)\s+[^\n]{15,300})$"
    r"(?!\n[ \t]+\w)",
    re.MULTILINE,
)
# An entry of a bibliography: "9th ed. Tarn: Port; 2005:996-1010", behind the name of a book.
_PUBLISHED: Final = re.compile(r"\bet al\b|\bed\. |\d{4};\d|;\s?\d{4}:|\bdoi\b|Available at")
_NO_TERM: Final = re.compile(
    r"(?:notes?|examples?|listing|warning|tip|important|sheet|figure|table|step|case|option|the|an?|"
    r"attributes?|children|processing|analogues?|parameters?|arguments?|returns?|raises|types?|values?|"
    r"defaults?|contents?|names?|description|another|all|no|each|what|how|several|some|many|by)\b|.*\s(?:in|of|by|with|for|to|on|at)\s",
    re.IGNORECASE,
)
_FAQ: Final = re.compile(
    r"^(?:#{1,6}[ \t]+|\*\*|Q(?:uestion)?[:.][ \t]*){1,2}(?P<question>[A-Z][^\n?]{8,120}\?)"
    r"(?:\*\*)?[ \t]*\n+"
    r"(?:A(?:nswer)?[:.][ \t]*)?(?P<answer>[A-Z][^\n]*(?:\n(?!```|[#*|-])[^\n]+)*)",
    re.MULTILINE,
)
# "What each file is for?" is a heading, no question; "What else is there?" and "Is that all?" go
# on, and "Why Tarn?" asks for all of it.
_NO_QUESTION: Final = re.compile(
    r"\S+ \S+\?|(?:is|are|was|does|do) (?:that|this|it|they|these|those)\b|"
    r"(?:still|any|need|having|more|got|new to|want|ready|looking)\b|"
    r"(?:what|where|when|who|how)\s+(?:(?:each|every|the|this|these|all|an?|to|else)\b|about\b)",
    re.IGNORECASE,
)
_EXPANDED: Final = re.compile(
    r"(?<![\"“\w])(?P<long>(?:[A-Za-z][\w/-]*[ ]){1,8})\((?P<short>[A-Z][A-Za-z0-9-]{1,9})\)"
)
_LISTED: Final = re.compile(
    r"^(?P<short>[A-Z][A-Za-z0-9-]{1,9})(?:\t+|[ ]{2,}|: )(?P<long>[A-Z][\w ,/-]{5,70})$",
    re.MULTILINE,
)
_SMALL: Final = frozenset(
    ("of", "and", "for", "the", "in", "on", "to", "by", "with", "a", "an", "de")
)
_SIGNATURE: Final = re.compile(
    r"^[ \t]*(?:async[ ])?def[ ](?P<name>[a-z]\w+)\((?P<parameters>[^()]*)\)", re.MULTILINE
)
_PARAMETER: Final = re.compile(
    r"(?P<name>[a-z]\w*)(?:\s*:\s*[^=,]+)?\s*=\s*(?P<value>\"[^\"]*\"|'[^']*'|[\w.+-]+)"
)
_LEAST: Final = 4  # words of a cell that says what something is or does
_REPEATABLE: Final = re.compile(r"\s*Repeatable\.?$")
_MEANINGS: Final = frozenset(
    ("meaning", "meaning here", "definition", "description", "what was found")
)
_WHAT_IT: Final = re.compile(r"what it (?:often )?(?P<verb>does|means|holds|says|shows|is)")
_THINGS: Final = frozenset(
    "class command component extension feature file folder function library method module package "
    "plugin product program project script service tool".split()
)
_LINK: Final = re.compile(r"\[([^\[\]]+)\]\([^()\s]*\)")
_REMEDIES: Final = frozenset(("what to do", "what to try", "remedy", "fix"))
_ATTRIBUTES: Final = frozenset(
    "licence license author owner unit range type size length weight height price cost "
    "version port format encoding default task language country capital city year date age "
    "population area speed rate limit maximum minimum duration temperature frequency "
    "bandwidth status purpose reason".split()
)
_HEADING: Final = re.compile(r"^#{1,6}[ \t]+(\S.*?)[ \t#]*$", re.MULTILINE)


def found_in(text: str, headings: Sequence[str], small: Collection[str]) -> Iterator[Fact]:
    """The questions that the structure of a text answers.

    Args:
        text: A passage.
        headings: Title of its document and the headings above it, outermost first.
        small: Words that the documents write small.
    """
    prose = _FENCED.sub(lambda fence: re.sub(r"[^\n]", " ", fence.group()), text)
    yield from _signatures(text, prose)
    yield from _tables(prose, headings)
    yield from _abbreviations(prose)
    yield from _terms(prose, in_document(headings))
    yield from _faq_facts(prose)
    is_question = (
        len(headings) == 1 and headings[0].endswith("?") and not _HEADING.match(text.strip())
    )
    if is_question and not _NO_QUESTION.match(headings[0]) and (answer := clean(text)):
        yield Fact("faq", headings[0], answer, "", "", "", answer, (0, len(text)))
    yield from _lists(prose, small)
    yield from of_manuals(text, prose, headings)


def _lists(text: str, small: Collection[str]) -> Iterator[Fact]:
    """What a list names."""
    for match in _LIST.finditer(text):
        lead = sentences(match["lead"])[-1]
        items = [clean(item["item"]).rstrip(".;,") for item in _ITEM.finditer(match["items"])]
        if max(len(item.split()) for item in items) <= _LONGEST_ITEM:
            for fact in listed(clean(lead), items, small):
                reference = f"{clean(lead)}: {fact.answer}."
                span = match.start() + match["lead"].rindex(lead), match.end()
                yield replace(fact, reference=reference, span=span)


def _signatures(text: str, prose: str) -> Iterator[Fact]:
    """Defaults of parameters in the signatures of functions."""
    for signature in _SIGNATURE.finditer(text):
        for parameter in _PARAMETER.finditer(signature["parameters"]):
            name, value = parameter["name"], parameter["value"]
            mention = re.search(rf"`[^`\n]*\b{signature['name']}\b[^`\n]*`", prose)
            if value == "None" or not mention:  # an example's own function
                continue
            parameter_name = f"the parameter `{name}` of `{signature['name']}`"
            question = f"What is the default of {parameter_name}?"
            other_question = f"Which value does {parameter_name} have by default?"
            reference = f"The default of {parameter_name} is {value}."
            span = signature.span()
            yield Fact(
                "option",
                question,
                value,
                parameter_name,
                "default",
                other_question,
                reference,
                span,
            )


def _tables(text: str, headings: Sequence[str]) -> Iterator[Fact]:
    """Cells of tables, by the name of their column and the first cell of their row."""
    rows = list(_ROW.finditer(text))
    head: list[str] = []
    for before, row in zip([None, *rows], rows, strict=False):
        cells = [" ".join(cell.replace("\\|", "|").split()) for cell in _CELL.split(row[1])]
        if (
            before is None
            or text[before.end() : row.start()].strip("\n\r \t")
            or "\n\n" in text[before.end() : row.start()]
        ):
            head = cells
            continue
        if _RULE.fullmatch(row[1]) or len(cells) != len(head) or not cells[0]:
            continue
        above = [*headings, *_HEADING.findall(text[: row.start()])]
        for column, cell in zip(head[1:], cells[1:], strict=True):
            yield from _cell(head[0].lower(), cells[0], column, cell, row.span(), above)


def _cell(
    kind: str, name: str, column: str, cell: str, span: tuple[int, int], headings: Sequence[str]
) -> Iterator[Fact]:
    """What one cell of a table says of its row."""
    if len(cell) < 2 or name.count("`") > 2 or len(name.split()) > 6 or not re.search(r"\w", name):
        return
    column, cell, name = column.lower(), cell.rstrip("."), _LINK.sub(r"\1", name)
    if kind == "option":
        if column in _MEANINGS or _WHAT_IT.fullmatch(column):
            yield from _option(name, cell, span, headings)
        return
    singular = re.fullmatch(r"[a-z]+(?: [a-z]+)?", kind) and not kind.endswith("s")
    kind_prefix = "" if kind == "name" else f"the {kind} "
    row = f"{kind_prefix}{name}" if singular and name.startswith("`") else name
    prefix = in_document(headings)
    if column in _ATTRIBUTES and len(cell.split()) <= 12:
        question_end = f"hat is the {column} of {row}?"
        question = (
            f"{prefix}w{question_end}" if prefix and name.startswith("`") else f"W{question_end}"
        )
        reference = f"The {column} of {row} is {cell}."
        yield Fact("table", question, cell, row, column, "", reference, span)
        return
    asks_what = _WHAT_IT.fullmatch(column)
    meaning = asks_what or column in _MEANINGS
    if not singular or not (meaning or column in _REMEDIES) or len(cell.split()) < _LEAST:
        return
    if re.search(r"[{}]", name) or (meaning and re.match(r"(?:If|We|You|See)\b", cell)):
        return
    row = row if name.startswith("`") else f"{kind_prefix}“{name}”"
    begin = "W" if not prefix else f"{prefix}w"
    plain_cell = clean(_LINK.sub(r"\1", cell))
    if meaning:
        verb = asks_what["verb"] if asks_what else "is" if kind in _THINGS else "means"
        predicate = {"does": "does this"}.get(verb, verb)
        reference = f"{row[:1].upper()}{row[1:]} {predicate}: {plain_cell}."
        question_text = f"is {row}" if verb == "is" else f"does {row} {_BASES[verb]}"
    else:
        reference = f"If the {kind} is {name}: {plain_cell}."
        question_text = f"can you do if the {kind} is {name}"
    yield Fact("table", f"{begin}hat {question_text}?", cell, row, column, "", reference, span)


_BASES: Final = {"does": "do", "means": "mean", "holds": "hold", "says": "say", "shows": "show"}


def _option(name: str, cell: str, span: tuple[int, int], headings: Sequence[str]) -> Iterator[Fact]:
    """What an option of a command does, and its default."""
    flag = re.match(r"`(?:-\w, )?(--[\w-]+)", name)
    if flag is None or re.match(r"(?:As for|See)\b", cell):
        return
    command = next(
        (h for h in headings[::-1] if re.fullmatch(r"[a-z][\w-]+(?: [a-z][\w-]+){0,2}", h)), ""
    )
    option = f"the option `{flag[1]}`{f' of `{command}`' if command else ''}"
    default = _DEFAULT_OF.search(cell) or _DEFAULT.search(cell)
    if default:
        value = default["value"]
        reference = f"The default of {option} is {value}."
        question, other_question = (
            f"What is the default of {option}?",
            f"Which value does {option} have by default?",
        )
        yield Fact("option", question, value, option, "default", other_question, reference, span)
    purpose = clean(_REPEATABLE.sub("", _DEFAULT_OF.sub("", cell)).strip()).rstrip(".")
    if len(purpose.split()) >= _LEAST and not NO_DUTY.search(purpose):
        first, second = purpose.lower().split()[:2]
        verb = "base" in verbs.forms(first) and second != "of"
        verb = verb or second in {"the", "a", "an", "these"}
        predicate = (
            f"is used to {purpose[:1].lower()}{purpose[1:]}" if verb else f"sets this: {purpose}"
        )
        reference = f"{option[:1].upper()}{option[1:]} {predicate}."
        other_question = f"What does {option} do?" if verb else ""
        yield Fact(
            "option",
            f"What is {option} for?",
            purpose,
            option,
            "for",
            other_question,
            reference,
            span,
        )


def _abbreviations(text: str) -> Iterator[Fact]:
    """What abbreviations stand for."""
    for match in (*_EXPANDED.finditer(text), *_LISTED.finditer(text)):
        short = match["short"]
        long = expansion(match["long"].strip(), short)
        if long and not (short.endswith("s") and short[-2:-1].isupper()):
            start = match.start() + match.group().index(long)
            first = min(start, match.start("short"))
            yield Fact(
                "abbreviation",
                f"What does {short} stand for?",
                long,
                short,
                "stands for",
                f"What is {short} short for?",
                f"{short} stands for {long}.",
                (first, max(start + len(long), match.end("short"))),
            )


def expansion(words: str, short: str) -> str:
    """The words at the end of a text that an abbreviation is made of; "" if it is not."""
    letters = [letter.lower() for letter in short if letter.isalpha()]
    if sum(letter.isupper() for letter in short) < 2:
        return ""
    if len(letters) > 2 and short.endswith("s"):
        letters.pop()
    tokens = list(re.finditer(r"[A-Za-z0-9]+", words))
    for start in range(len(tokens) - 1, -1, -1):
        inner = tokens[start:]
        initials = [token.group()[0].lower() for token in inner]
        main = [token.group()[0].lower() for token in inner if token.group().lower() not in _SMALL]
        if letters in (initials, main) and inner[0].group().lower() not in _SMALL:
            return words[inner[0].start() :]
    return ""


def _terms(text: str, prefix: str) -> Iterator[Fact]:
    """Entries of a glossary: a term, then what it is."""
    for match in _TERM.finditer(text):
        term = (match["bold"] or match["plain"]).strip(" `:")
        meaning = clean(match["meaning"]).rstrip(".")
        sentence = sentences(f"{meaning}.")[0].rstrip(".")
        clause = find_subject(Words(sentence), 0)
        if _NO_TERM.match(term) or len(term.split()) > 5 or clause is not None:
            continue
        value = match["plain"] and re.match(r"the\b", meaning, re.IGNORECASE)  # of a field
        open_ = sentence.count("(") != sentence.count(")")
        value = value or _PUBLISHED.search(meaning)
        value = value or (term.isalpha() and term.islower() and not prefix)  # of anything
        if open_ or value or re.search(r"[.;:!?](?:\s|$)", term) or find_subject(Words(term), 0):
            continue
        reference = f"The term “{term}” means: {sentence[:1].lower()}{sentence[1:]}."
        question_end = f"what does the term “{term}” mean?"  # one word may mean much elsewhere
        question = (
            f"{prefix}{question_end}" if prefix and " " not in term else f"W{question_end[1:]}"
        )
        yield Fact("glossary", question, sentence, term, "means", "", reference, match.span())


def _faq_facts(text: str) -> Iterator[Fact]:
    """Questions of the documents with all that stands below them."""
    for match in _FAQ.finditer(text):
        below = re.search(
            r"^#|^(?:\*\*|Q(?:uestion)?[:.])[^\n]*\?", text[match.end() :], re.MULTILINE
        )
        end = match.end() + below.start() if below else len(text)
        body, question = text[match.start("answer") : end].rstrip(), clean(match["question"])
        answer = " ".join(clean(body).split())
        is_answer = 4 <= len(answer.split()) <= _LONGEST_ANSWER and answer[-1] in '.!?)"\u201d'
        is_answer = is_answer and not re.match(r"(?:Go to|See) |The list of\b", answer)
        is_answer = is_answer and not re.search(
            r":\s{20,}|\n[ ]{20,}", text[match.start("answer") : end]
        )
        if is_answer and len(content_words(question)) > 1 and not _NO_QUESTION.match(question):
            span = match.start(), match.start("answer") + len(body)
            yield Fact("faq", question, answer, "", "", "", answer, span)


_LONGEST_ANSWER: Final = 120  # words
