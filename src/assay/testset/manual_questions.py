"""Questions made from manuals: what a command, option or field does, and how something is done."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from assay._text import verbs
from assay._text.markup import clean
from assay._text.sentences import spans
from assay.testset.sentence_questions import Fact

_FILE: Final = re.compile(r"\S+\.\w{1,5}$")
_CODE: Final = r"`(?P<code>[^`\n]{2,40})`"
_NO_OBJECT: Final = r"(?:as|at|by|for|from|in|on|only|to|up|with)\b"
_DOES: Final = re.compile(
    rf"(?:The (?:command|option|field|column|function|class|method|key|flag|setting) )?"
    rf"{_CODE}\s+(?P<verb>[a-z]{{3,}})\s+(?!{_NO_OBJECT})(?P<rest>[^:;|]+)"
)
_GIVEN: Final = re.compile(rf"(?P<how>With|Without) {_CODE},?\s+(?P<rest>[^:;|]{{20,}})")
_ENTRY: Final = re.compile(
    rf"^[ \t]*[-*+][ \t]+(?:\*\*)?{_CODE}(?:\*\*)?[ \t]*(?::|--?|\u2013|\u2014)[ \t]+"
    r"(?P<said>[A-Za-z][^\n]{15,}(?:\n[ \t]+\w[^\n]*)*)",
    re.MULTILINE,
)
# What leans on the sentences before it, or goes on behind it.
_LEANS: Final = re.compile(
    r"\b(?:this|these|those|such|too|that one|he|she|they|them|their|above|below|then|therefore|"
    r"however|instead|otherwise|both|another|others|the same|so|here|there|former|latter|"
    r"as follows|following|likewise)\b|^(?:its?|and|or|but)\b|\bdid\b"
)
_IT: Final = re.compile(r"\b(?:it|its)\b")
_COMMAND: Final = re.compile(
    r"^#{1,6}[ \t]+(?P<heading>[A-Z][^\n?]{6,70}?)[ \t#]*\n"
    r"(?:(?!#|[ \t]*```)[^\n]*\n){0,12}?"
    r"```(?:console|sh|bash|shell|shell-session|zsh)[ \t]*\n(?P<code>(?:(?!```)[^\n]*\n)+)",
    re.MULTILINE,
)
_BASES: Final = re.compile(r"(?P<first>[A-Z][a-z]+)\s+(?!(?:and|or|of|is|are)\b)[^,:]+")
_LEAST: Final = 4  # words of what is said of something
_ASKED_BY: Final = frozenset(
    ("accept", "contain", "give", "hold", "list", "mean", "name", "need", "require", "return")
)


def in_document(headings: Sequence[str]) -> str:
    """How a question begins whose thing is known in one document only; "" if that has no title."""
    title = next((one for one in headings if not _FILE.search(one)), "")
    return f"In “{title}”, " if title else ""


def of_manuals(text: str, prose: str, headings: Sequence[str]) -> Iterator[Fact]:
    """The questions that a manual answers.

    Args:
        text: A passage.
        prose: The same, blank where blocks of code stand.
        headings: Title of its document and the headings above it, outermost first.
    """
    where = in_document(headings)
    for start, end in spans(prose):
        raw = re.sub(r"^\s*(?:[-*+]|\d+[.)])?\s+", "", f" {prose[start:end]}")
        yield from _sentence(" ".join(raw.split()), where, (end - len(raw.lstrip()), end))
    for entry in _ENTRY.finditer(prose):
        said = clean(entry["said"]).rstrip(".").split(". ")[0]
        if where and len(said.split()) >= _LEAST and not _LEANS.search(said.lower()):
            name = f"`{_named(entry['code'])}`"
            question, reference = f"{where}what is {name}?", f"{name}: {said}."
            yield Fact("glossary", question, said, name, "is", "", reference, entry.span())
    yield from _how(text, where)


def _sentence(sentence: str, where: str, span: tuple[int, int]) -> Iterator[Fact]:
    """What a sentence says that begins with code, or with what happens with it."""
    if not sentence.endswith("."):
        return
    plain = sentence[:-1]
    if (given := _GIVEN.fullmatch(plain)) and _is_option(given["code"]) and where:
        rest = clean(given["rest"])
        if not _LEANS.search(rest.lower()) and len(rest.split()) > _LEAST:
            name = f"`{_named(given['code'])}`"
            no = "" if given["how"] == "With" else "not "
            question = f"{where}what happens if {name} is {no}given?"
            yield Fact("code", question, rest, name, f"{no}given", "", sentence, span)
    elif does := _DOES.fullmatch(plain):
        name, rest = _named(does["code"]), _small(clean(does["rest"]))
        base = next((b for b in _stems(does["verb"]) if verbs.third_person(b) == does["verb"]), "")
        command = re.fullmatch(r"[a-z][\w-]+(?: [a-z][\w-]+){1,2}", name)
        if not (command or name.endswith("()") or _is_option(name)):
            base = base if base in _ASKED_BY else ""
        elif base not in _ASKED_BY:
            base = base and "do"
        leans = _LEANS.search(rest.lower()) or (_IT.search(rest) and not command)
        if base and not leans and len(rest.split()) >= _LEAST - 1 and (where or command):
            question = f"what does `{name}` {base}?"
            question = f"W{question[1:]}" if command else f"{where}{question}"
            answer = f"{does['verb']} {rest}"
            yield Fact("code", question, answer, f"`{name}`", base, "", sentence, span)


def _small(text: str) -> str:
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def _stems(word: str) -> list[str]:
    return [one for one in (word[:-1], word[:-2], f"{word[:-3]}y") if verbs.is_known(one)]


def _is_option(code: str) -> bool:
    return bool(re.match(r"--?[a-z]", code))


def _named(code: str) -> str:
    """The option without what stands for its value; a command as it is."""
    if not _is_option(code):
        return code
    return re.split(r"=| (?![a-z]+$)", code)[0]


def _how(text: str, where: str) -> Iterator[Fact]:
    """How something is done: a heading that says what, and the first command below it."""
    for found in _COMMAND.finditer(text):
        task = _task(clean(found["heading"]))
        code = found["code"].replace("\\\n", " ")
        commands = [one for one in code.splitlines() if re.match(r"\s*\$ ", one)]
        if task and where and len(commands) == 1:
            run = commands[0].strip()[2:]
            said = re.sub(r"\s+", " ", re.sub(r"\s#\s.*", "", run)).strip()
            of = "" if f"“{found['heading']}”" in where else where
            question = f"{of}{'which' if of else 'Which'} command do you run to {task}?"
            reference = f"To {task}, run `{said}`."
            yield Fact("procedure", question, said, task, "run", "", reference, found.span("code"))


def _task(heading: str) -> str:
    """What a heading says is done, "Review questions" or "Reviewing questions"; "" if nothing."""
    found = _BASES.fullmatch(heading)
    first = found["first"].lower() if found else ""
    base = verbs.base_of_ing(first) if first.endswith("ing") else first
    known = base and verbs.is_known(base) and "base" in verbs.forms(base)
    return f"{base}{heading[len(first) :]}" if known else ""
