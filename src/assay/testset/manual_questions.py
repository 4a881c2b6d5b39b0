"""Questions made from manuals: commands, options, settings and functions."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from assay._text import verbs
from assay._text.grammar import Words
from assay._text.markup import clean as without_marks
from assay._text.predicates import find_subject
from assay._text.sentences import sentences, spans
from assay.testset.sentence_questions import Fact

_REFERENCE_LINK: Final = re.compile(r"\[([^\[\]\n]{1,200})\]\[[^\[\]\n]{0,100}\]")
NO_DUTY: Final = re.compile(
    r"^(?:(?:with|of|as|only|what|for|in|on|by|like|same|see|all|if|when|where|which)\b|\w+ it\b)"
    r"|\bthis$",
    re.IGNORECASE,
)
# What is no title of a document: a file's name, a release of a list of changes.
_FILE: Final = re.compile(
    r"\S+\.\w{1,5}$|^(?:.*\b[Vv]ersion\b.*|v)?\d+(?:\.\d+)+|^(?:New Features|Changes|Introduction|"
    r"Overview|Preface|Description|Usage|Options|Notes|Installation|Protocol|Attributes|"
    r"Reporting Bugs|General|Contents|Summary|Abstract|Examples?)$",
    re.IGNORECASE,
)
_CODE: Final = r"`(?P<code>[^`\n]{2,40})`"
_NO_OBJECT: Final = r"(?:as|at|by|for|from|in|on|only|to|up|with)\b"
_DOES: Final = re.compile(
    rf"(?:The (?:(?:command|option|field|column|function|class|method|key|flag|setting) )?)?"
    rf"{_CODE}(?: (?:command|constructor|function|method|option))?"
    rf"\s+(?P<verb>[a-z]{{3,}})\s+(?!{_NO_OBJECT})(?P<rest>[^:;|]+)"
)
_GIVEN: Final = re.compile(rf"(?P<how>With|Without) {_CODE},?\s+(?P<rest>[^:;|]{{20,}})")
_ENTRY: Final = re.compile(
    rf"^[ \t]*[-*+][ \t]+(?:\*\*)?{_CODE}(?:\*\*)?[ \t]*(?::|--?|\u2013|\u2014)[ \t]+"
    r"(?P<meaning>[A-Za-z][^\n]{15,}(?:\n[ \t]+\w[^\n]*)*)",
    re.MULTILINE,
)
# "Valid values are:", above its items.
_VALUES: Final = re.compile(
    r"\b(?:values?|available|supported|choices?|one of|modes|levels|strings|following)\b.*:$"
)
_CALLED: Final = re.compile(r"^#{1,6}[ \t]+(?=(`[^`\n]+\(\)`)?)", re.MULTILINE)
_TWO_WORDS: Final = re.compile(r"[a-z][\w-]+(?: [a-z][\w-]+){1,2}")  # of a command
# "## `pyenv rehash`", and below it "Installs shims for all known binaries."
_HEADED: Final = re.compile(
    rf"^#{{1,6}}[ \t]+{_CODE}[ \t]*\n+(?P<meaning>[A-Z][a-z]+[ ](?:[^\n#]+\n?)+)", re.MULTILINE
)
# What leans on the sentences before it, or goes on behind it.
_LEANS: Final = re.compile(
    r"\b(?:this|these|those|such|too|also|as well|that one|he|she|they|them|their|above|"
    r"below|then|therefore|however|while|whereas|instead|otherwise|both|another|others|the same|so|"
    r"here|there|former|latter|as follows|following|likewise)\b|^(?:its?|and|or|but)\b|\bdid\b"
)
_OF_MANY: Final = re.compile(r"=[a-z\d]|\[")  # one value of many, or a whole synopsis
# "`-o a.html` writes a page, `-o a.md` writes a table": two facts.
_ANOTHER: Final = re.compile(r",\s+(?:and\s+)?`[^`]+`\s+[a-z]+s\b")
_IT: Final = re.compile(r"\b(?:it|its)\b")
# "-v, --verbose", then what it does: behind two blanks or a colon, or below and further in.
_OPTION: Final = re.compile(
    r"^(?P<indent>[ \t]*)(?:[-*][ ])?`?(?P<short>--?[A-Za-z][\w-]*)`?(?:[ =\[]{0,2}<?[\w.]+>?\]?)?"
    r"(?:,[ ]+`?(?P<long>--[\w-]+)`?)?(?:[ =\[]{1,2}[^\s.,:]+)?"
    r"(?:[ \t]?:[ ]+|[ \t]{2,}|[ \t]*\n(?P=indent)[ \t]+)"
    r"(?P<meaning>[A-Z][^\n]*(?:\n[ \t]+(?!-)[^\s-][^\n]*)*)",
    re.MULTILINE,
)
_VAGUE: Final = re.compile(
    r"^(?:Deprecated|Is only|Only|Normally|Usually|By default|Since|Because|As|Obsolete|Ignored|"
    r"Undocumented|See|Synonym|Same|Equivalent|Takes an? (?:[\w-]+ )?argument)\b|\.\.\.|:$"
)
# "#### `loglevel`", and below it "- Default: "notice"".
_SETTING: Final = re.compile(
    rf"^#{{1,6}}[ \t]+{_CODE}[ \t]*\n+(?:(?![#`])[^\n]*\n){{0,6}}?"
    r"(?:[-*+][ \t]+)?\**Default\**:\**[ \t]+(?P<value>\S[^\n]{0,60}?)(?:\.?[ \t]*$|\.[ ])",
    re.MULTILINE,
)
# "- **retries** `number` - How often it is tried. Default: `5`".
_LISTED_SETTING: Final = re.compile(
    r"^[ \t]*[-*+][ \t]+(?P<mark>`|\*\*)(?P<code>[A-Za-z][\w.-]+)(?P=mark)[ \t:][^\n]*?"
    r"\b[Dd]efault:(?:\*\*)?[ \t]+`(?P<value>[^`\n]{1,40})`",
    re.MULTILINE,
)
_ADDED: Final = re.compile(
    rf"^#{{1,6}}[ \t]+{_CODE}[ \t]*\n+(?:(?![#`])[^\n]*\n){{0,20}}?"
    r"(?:Added|New) in version (?P<version>\d[\w.]*\w)\b",
    re.MULTILINE,
)
_NOTHING: Final = re.compile(r"\W*(?:null|none|undefined|see|depends|fall ?back)\b", re.IGNORECASE)
_COMMAND: Final = re.compile(
    r"^#{1,6}[ \t]+(?P<heading>[A-Z][^\n?]{6,70}?)[ \t#]*\n"
    r"(?:(?!#|[ \t]*```)[^\n]*\n){0,12}?"
    r"```(?:console|sh|bash|shell|shell-session|zsh)[ \t]*\n(?P<code>(?:(?!```)[^\n]*\n)+)",
    re.MULTILINE,
)
_FIRST_NAME: Final = re.compile(r"(?P<first>[A-Z][a-z]+)\s+(?!(?:and|or|of|is|are)\b)[^,:]+")
_LEAST_WORDS: Final = 4  # words of what is said of something
# "Use braces" says what the reader does, not the thing; "Set if" is no verb of it.
_TOLD: Final = frozenset(("see", "use", "note", "refer", "consult", "remember", "consider"))
_ASKED_BY: Final = frozenset(("accept", "contain", "hold", "list", "mean", "require", "return"))


def clean(text: str) -> str:
    """A text without mark-up, "[guide][]" among it."""
    return without_marks(_REFERENCE_LINK.sub(r"\1", text))


def in_document(headings: Sequence[str]) -> str:
    """How a question begins whose thing is known in one document only; "" if that has no title."""
    title = next((heading for heading in headings if not _FILE.search(heading)), "")
    return f"In “{title}”, " if title else ""


def of_manuals(text: str, prose: str, headings: Sequence[str]) -> Iterator[Fact]:
    """The questions that a manual answers.

    Args:
        text: A passage.
        prose: The same, blank where blocks of code stand.
        headings: Title of its document and the headings above it, outermost first.
    """
    prefix = in_document(headings)
    for start, end in spans(prose):
        raw = re.sub(r"^\s*(?:[-*+]|\d+[.)])?\s+", "", f" {prose[start:end]}")
        yield from _sentence(" ".join(raw.split()), prefix, (end - len(raw.lstrip()), end))
    if prefix:
        yield from _entries(prose, prefix, headings)
        yield from _headed(text, prefix)
        yield from _settings(prose, prefix)
        yield from _versions(prose, prefix)
        yield from _listed_options(prose, prefix)
        yield from _procedures(text, prefix)


def _entries(text: str, prefix: str, headings: Sequence[str]) -> Iterator[Fact]:
    """What the entries of a list say that begin with code: parameters, fields, files."""
    for entry in _ENTRY.finditer(text):
        first = sentences(" ".join(f"{entry['meaning'].rstrip('. ')}.".split()))[0]
        meaning = clean(first).rstrip(".")
        clause = find_subject(Words(meaning), 0)  # "A power cut may undo it" says not what it is
        long = len(meaning.split()) >= _LEAST_WORDS and entry["code"] not in meaning
        order = re.match(r"[A-Z][a-z]+ (?:to|the|an?)\b", meaning)  # "Change to the remote part"
        value = re.search(r"=[\[{a-z\d]|^\W*\d+\W*$|: |^\*", entry["code"])  # one of many
        if (
            value
            or re.match(r"Takes an? (?:[\w-]+ )?argument", meaning)
            or " : " in meaning
            or _VALUES.search(_announcing(text[: entry.start()]))
            or _is_option(entry["code"])
            or (order and _is_base(order.group().split()[0].lower()))
        ):
            continue
        if long and clause is None and not _LEANS.search(meaning.lower()):
            name = f"`{_option_name(entry['code'])}`"
            above = "".join(f"# {heading}\n" for heading in headings) + text[: entry.start()]
            if (function := "".join(_CALLED.findall(above)[-1:])) and name not in function:
                name = f"the parameter {name} of {function}"
            question, reference = f"{prefix}what is {name}?", f"{name}: {meaning}."
            yield Fact("glossary", question, meaning, name, "is", "", reference, entry.span())


def _headed(text: str, prefix: str) -> Iterator[Fact]:
    """What is said first below a heading that is code."""
    for headed in _HEADED.finditer(text):
        first, _, predicate = clean(headed["meaning"]).split(". ")[0].rstrip(".").partition(" ")
        bases = (*_present_stems(first.lower()), first.lower())  # not "Added in v15"
        base = next((verb for verb in bases if _is_base(verb)), "")
        name = f"`{_option_name(headed['code'])}`"
        leans = (
            _LEANS.search(predicate)
            or ":" in predicate[:20]
            or re.search(r"^\w+ing\b|[,:]$", predicate)
        )
        is_command = base in _TOLD or re.match(
            r"(?:set (?:when|if|by|to)|list of)\b", f"{base} {predicate}"
        )
        base = "" if leans or is_command else base.removeprefix("like")
        if base and len(predicate.split()) >= _LEAST_WORDS - 1:
            is_two_words = _TWO_WORDS.fullmatch(headed["code"])
            question = f"What is {name} for?" if is_two_words else f"{prefix}what is {name} for?"
            question = f"{prefix}what does {name} return?" if base == "return" else question
            reference = f"{name} {verbs.third_person(base)} {predicate}."
            yield Fact("code", question, predicate, name, "for", "", reference, headed.span())


def _announcing(above: str) -> str:
    """The line that announces the list which a text ends with."""
    lines = (line for line in reversed(above.splitlines()) if line.strip())
    return next((line.rstrip() for line in lines if not re.match(r"\s|[-*+] ", line)), "")


def _settings(text: str, prefix: str) -> Iterator[Fact]:
    """The defaults of settings, each under a heading of its own or in an item of a list."""
    for setting in (*_SETTING.finditer(text), *_LISTED_SETTING.finditer(text)):
        code = setting.re is _LISTED_SETTING  # "[429, 500]" is no mark-up
        name, value = f"`{_option_name(setting['code'])}`", setting["value"]
        default = f"`{value}`" if code else clean(value)
        if not _NOTHING.match(default):
            question = f"{prefix}what is the default of {name}?"
            small = re.sub(r"^(?:An?|The) ", lambda match: match.group().lower(), default)
            reference = f"The default of {name} is {small}."
            yield Fact("setting", question, default, name, "default", "", reference, setting.span())


def _versions(text: str, prefix: str) -> Iterator[Fact]:
    """In which version something came, under a heading of its own."""
    for added in _ADDED.finditer(text):
        name = f"`{added['code']}`"
        question = f"{prefix}in which version was {name} added?"
        reference = f"{name} was added in version {added['version']}."
        version = f"version {added['version']}"
        yield Fact("version", question, version, name, "added", "", reference, added.span())


def _listed_options(text: str, prefix: str) -> Iterator[Fact]:
    """What an option does, by the list of a page of man, of `--help` or of a web page."""
    for entry in _OPTION.finditer(text):
        first = sentences(" ".join(clean(entry["meaning"]).split()))[0]
        meaning = re.sub(r"^(?:This|The) (?:option|flag|switch)\s+|^This (?=[a-z]+s\b)", "", first)
        name = f"`{entry['long'] or entry['short']}`"
        known = name.strip("`-").lower() in {"h", "help", "v", "version"}
        if known or len(meaning.split()) < _LEAST_WORDS or not first.endswith("."):
            continue
        if _LEANS.search(meaning.lower()) or NO_DUTY.search(meaning) or _VAGUE.search(meaning):
            continue
        duty = f"{meaning[:1].upper()}{meaning[1:]}"
        question = f"{prefix}what is the option {name} for?"
        yield Fact("option", question, duty, name, "for", "", f"{name}: {duty}", entry.span())


def _is_base(word: str) -> bool:
    return verbs.is_known(word) and "base" in verbs.forms(word)


def _sentence(sentence: str, prefix: str, span: tuple[int, int]) -> Iterator[Fact]:
    """What a sentence says that begins with code, or with what happens with it."""
    if not sentence.endswith("."):
        return
    plain = sentence[:-1]
    if (code := re.search(_CODE, plain)) and _OF_MANY.search(code["code"]):
        return
    if (option := _GIVEN.fullmatch(plain)) and _is_option(option["code"]) and prefix:
        consequence = clean(option["rest"])
        if not _LEANS.search(consequence.lower()) and len(consequence.split()) > _LEAST_WORDS:
            name = f"`{_option_name(option['code'])}`"
            no = "" if option["how"] == "With" else "not "
            question = f"{prefix}what happens if {name} is {no}given?"
            yield Fact("code", question, consequence, name, f"{no}given", "", sentence, span)
    elif does := _DOES.fullmatch(plain):
        name, consequence = _option_name(does["code"]), _with_small_initial(clean(does["rest"]))
        base = next(iter(_present_stems(does["verb"])), "")
        command = _TWO_WORDS.fullmatch(name)
        if not (command or name.endswith("()") or _is_option(name)):
            base = base if base in _ASKED_BY else ""
        elif base not in _ASKED_BY:
            base = base and "do"
        leans = _LEANS.search(consequence.lower()) or (_IT.search(consequence) and not command)
        leans = leans or bool(_ANOTHER.search(does["rest"]))
        leans = leans or (does["verb"] == "takes" and name.endswith("()"))  # an argument
        if (
            base
            and not leans
            and len(consequence.split()) >= _LEAST_WORDS - 1
            and (prefix or command)
        ):
            question = f"what does `{name}` {base}?"
            question = f"W{question[1:]}" if command else f"{prefix}{question}"
            answer = f"{does['verb']} {consequence}"
            yield Fact("code", question, answer, f"`{name}`", base, "", sentence, span)


def _with_small_initial(text: str) -> str:
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def _present_stems(word: str) -> list[str]:
    """The verbs of which this is the third person."""
    stems = (word[:-1], word[:-2], f"{word[:-3]}y")
    known = [stem for stem in stems if verbs.is_known(stem) and verbs.third_person(stem) == word]
    return known if not word.endswith("ings") else []


def _is_option(code: str) -> bool:
    return bool(re.match(r"--?[A-Za-z]", code))


def _option_name(code: str) -> str:
    """The option without what stands for its value; a command as it is."""
    if not _is_option(code):
        return code
    return re.split(r"=| (?![a-z]+$)", code)[0]


def _procedures(text: str, prefix: str) -> Iterator[Fact]:
    """How something is done: a heading that says what, and the first command below it."""
    for match in _COMMAND.finditer(text):
        task = _task(clean(match["heading"]))
        code = match["code"].replace("\\\n", " ")
        commands = [line for line in code.splitlines() if re.match(r"\s*\$ ", line)]
        if task and len(commands) == 1:
            run = commands[0].strip()[2:]
            command = re.sub(r"\s+", " ", re.sub(r"\s#\s.*", "", run)).strip()
            own_prefix = "" if f"“{match['heading']}”" in prefix else prefix
            question = (
                f"{own_prefix}{'which' if own_prefix else 'Which'} command do you run to {task}?"
            )
            reference = f"To {task}, run `{command}`."
            span = match.span("code")
            yield Fact("procedure", question, command, task, "run", "", reference, span)


def _task(heading: str) -> str:
    """What a heading says is done, "Review questions" or "Reviewing questions"; "" if nothing."""
    match = _FIRST_NAME.fullmatch(heading)
    first = match["first"].lower() if match else ""
    if first == "command" or re.match(r"\w+ \w+ing\b", heading):  # "Spell checking"
        return ""
    base = verbs.base_of_ing(first) if first.endswith("ing") else first
    return f"{base}{heading[len(first) :]}" if base and _is_base(base) else ""
