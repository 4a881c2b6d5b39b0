"""Drafts of questions that rules make of a corpus, and of questions that it does not answer."""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from assay._text import verbs
from assay._text.markup import clean
from assay._text.quotes import comparable
from assay._text.sentences import spans
from assay._text.statements import statements
from assay._text.words import recall, stems
from assay.sample import Sample
from assay.testset import checks
from assay.testset.manual_questions import in_document
from assay.testset.passages import Corpus, Passage, as_printed, unwrapped
from assay.testset.plan import Kind
from assay.testset.questions import dangling, gives_answer
from assay.testset.sentence_questions import PERSON, Fact, facts
from assay.testset.structure_questions import found_in

_BOILERPLATE: Final = 2  # options; what more of them say is the same for all commands
_MOST_PASSAGES: Final = 1500  # of more, as many are drawn evenly
SAME_ANSWER: Final = 0.6  # of the words of an answer another one has
_SAME_ENTRY: Final = 0.95  # ... where two entries may differ in one word
_SHARED: Final = 0.08  # of the passages have a word that two things share which are of one kind
_RARE: Final = 0.03  # of the passages have a word that says what is meant
_MAIN: Final = 0.2  # of them have the name of what they are about
# What names one thing: "TS 23.501", "max_delay", "`--seed`", "4G", "Rome" behind the first word.
_NAME: Final = re.compile(
    r"`[^`]+`|“[^”]+”|\b\w*(?:[A-Z]\w*[A-Z0-9]|\d[A-Za-z]|[a-z]_[a-z])\w*|(?<=\s)[A-Z][\w-]+"
)
_YEAR: Final = re.compile(r"\bin ((?:1\d|20)\d\d)\b")
_ACRONYM: Final = re.compile(r"(?<=[a-z] )[A-Z]{3,5}(?= [a-z]|[.,;)]\s)")
_LEAST_USES: Final = 2  # of an abbreviation
_ROMAN: Final = re.compile(r"[IVXLCDM]+")


@dataclass(frozen=True, slots=True)
class Draft:
    """A question that a rule made of some passages.

    Attributes:
        fact: What is asked.
        passages: Numbers of the passages that it is about.
        quotes: Stretches of them that bear the answer out, one of each.
        sure: Whether the form of the text says that it is the answer, so that it is not sought.
    """

    fact: Fact
    passages: tuple[int, ...]
    quotes: tuple[str, ...] = ()
    sure: bool = False

    def asking(self, question: str, template: str = "") -> "Draft":
        """Another question about the same place, which nothing answers."""
        template = template or self.fact.template
        fact = replace(self.fact, question=question, template=template, other="", reference="")
        return replace(self, fact=fact, sure=True)


class Drafts:
    """All questions that the rules make of a corpus."""

    def __init__(self, corpus: Corpus, seed: int) -> None:
        self.corpus = corpus
        self._rng = random.Random(seed)  # noqa: S311 - no secret
        self._text = "\n\n".join(passage.text for passage in corpus.passages)
        self._small = _written_small(self._text) | _ARTICLES
        order = corpus.evenly(seed)
        numbers = [next(order) for _ in range(min(len(corpus.passages), _MOST_PASSAGES))]
        self._stems = [frozenset(stems(passage.text)) for passage in corpus.passages]
        self._spread = Counter(stem for stem_set in self._stems for stem in stem_set)
        self.facts: list[Draft] = []
        for number in numbers:
            own_drafts = [*self._of_structure(number), *self._of_sentences(number)]
            self._rng.shuffle(own_drafts)
            self.facts += own_drafts
        counts = Counter(d.fact.predicate + d.fact.answer for d in self.facts if d.sure)
        self.facts = [
            draft
            for draft in self.facts
            if draft.fact.template not in {"option", "setting", "table"}
            or counts[draft.fact.predicate + draft.fact.answer] <= _BOILERPLATE
        ]
        self._answers: dict[str, list[str]] = defaultdict(list)
        for draft in self.facts:
            if draft.fact.answer:
                self._answers[comparable(draft.fact.question)].append(draft.fact.answer)

    def of(self, kind: Kind) -> list[Draft]:
        """The drafts of a kind, in the order in which they are tried: one of each passage first.

        What is kept least often comes last.
        """
        if kind == "multi_hop":
            return list(self._joined_drafts())
        if kind == "unanswerable":
            drafts = [
                *(*self._unexpanded(), *self._without_default()),
                *(*self._without_attribute(), *self._other_entity(), *self._other_year()),
            ]
            self._rng.shuffle(drafts)
            return drafts
        turn = Counter[tuple[int, ...]]()
        turns: list[tuple[bool, int, int]] = []
        for index, draft in enumerate(self.facts):
            turns.append((draft.fact.template in _LAST, turn[draft.passages], index))
            turn[draft.passages] += 1
        return [self.facts[index] for *_, index in sorted(turns)]

    def fault(self, kind: Kind, draft: Draft) -> checks.Fault | None:
        """What is wrong with a draft as far as words tell."""
        fact = draft.fact
        if leaning := dangling(fact.question):
            return "not standalone", f"'{leaning}'"
        if kind == "unanswerable":
            return None
        if not self._names_something(draft):
            return "not standalone", "it names nothing that only one thing is called"
        letters = re.sub(
            r"[\W_]", "", fact.subject.lower()
        )  # "SocketError": an error of the socket
        telling = stems(fact.answer)
        trivial = draft.sure and telling and all(stem in letters for stem in telling)
        if trivial or gives_answer(Sample(id="", question=fact.question, reference=fact.answer)):
            return "answer given", fact.answer
        for answer in self._answers[comparable(fact.question)]:
            fact_stems, answer_stems = set(stems(fact.answer)), set(stems(answer))
            minimum = _SAME_ENTRY if draft.sure else SAME_ANSWER
            if max(recall(fact_stems, answer_stems), recall(answer_stems, fact_stems)) < minimum:
                return "ambiguous", answer
        return None

    def _names_something(self, draft: Draft) -> bool:
        """Whether the question has a name, or its subject rare words without "the"."""
        texts = "".join(self.corpus.passages[number].text for number in draft.passages)
        if draft.fact.template == "faq" or f"`{draft.fact.subject}`" in texts:
            return True
        brief = _BRIEF.fullmatch(draft.fact.subject) or _LEANS.search(draft.fact.question)
        if brief or self._leans_on_context(draft):
            return False
        if draft.fact.template in _OF_THINGS and _FIRST_NAME.fullmatch(draft.fact.subject):
            # Of what the documents are about, "What does Rust provide?" has a hundred answers.
            is_common = not any(self._is_rare(stem, _MAIN) for stem in stems(draft.fact.subject))
            return not _SHE.search(texts) and not (is_common and draft.fact.template == "object")
        is_whole = draft.fact.template != "object" or draft.fact.predicate in _PARTS_VERBS
        rare = any(self._is_rare(stem, _RARE) for stem in stems(draft.fact.subject))
        # "The UE" does a hundred things.
        technical = _TECHNICAL.search(draft.fact.subject) or "`" in draft.fact.question
        is_plural = draft.fact.predicate in _OPEN_VERBS and " " not in draft.fact.subject
        if not (is_whole or (rare and technical and not is_plural)):
            return False
        if _NAME.search(draft.fact.question.split(" ", 1)[1]):
            return True
        long = len(stems(draft.fact.subject)) > 1
        return not draft.fact.subject.startswith("the ") and long and rare

    def _leans_on_context(self, draft: Draft) -> bool:
        """Whether its thing was spoken of before, or is one of many: "the bridge", "an edition"."""
        text, fact = self.corpus.passages[draft.passages[0]].text, draft.fact
        if fact.template in _OF_THINGS:
            return False
        if fact.template == "definition":
            beginning = _HEADINGS.sub("", text[: text.find(draft.quotes[0])])
            return bool(_COMMON.fullmatch(fact.subject) and beginning.strip())
        return fact.subject.startswith(("a ", "an ")) or bool(_PLAIN.fullmatch(fact.subject))

    def _is_rare(self, stem: str, share: float) -> bool:
        return self._spread[stem] <= max(2, share * len(self.corpus.passages))

    def _of_structure(self, number: int) -> Iterator[Draft]:
        passage = self.corpus.passages[number]
        headings = [entry for entry in passage.title.split(" > ") if entry != passage.document]
        for fact in found_in(passage.text, headings, self._small):
            quote = passage.text[fact.span[0] : fact.span[1]]
            yield Draft(fact, (number,), (quote,), sure=True)

    def _of_sentences(self, number: int) -> Iterator[Draft]:
        passage = self.corpus.passages[number].text
        text = as_printed(unwrapped(passage))
        ends, topic = spans(text), _TOPIC.match(text)
        for statement in statements(text):
            start, end = next(
                (s for s in ends if s[0] <= statement.start < s[1]),
                (statement.start, statement.end),
            )
            quote = text[start : max(end, statement.end)]
            if text != passage:
                places = checks.places(quote, passage)
                quote = passage[places[0][0] : places[-1][1]] if places else ""
            plain = _EMPHASIS.sub(_without_emphasis, clean(statement.text))
            small = self._small
            if topic:  # "The film premiered ...", where the passage is about one
                plain = re.sub(rf"^The {topic['kind']}\b(?! of\b)", topic["name"], plain)
                small = small - {topic["name"].split()[0].lower()} | _ARTICLES
            for fact in facts(plain, small) if quote else ():
                marked = _with_code(fact, text[statement.start : statement.end])
                yield Draft(replace(marked, reference=f"{plain.rstrip('.')}."), (number,), (quote,))

    def _joined_drafts(self) -> Iterator[Draft]:
        """Two facts of one kind about things whose names share a word, of two passages."""
        kinds: dict[tuple[str, str], list[Draft]] = defaultdict(list)
        for draft in self.facts:
            if draft.fact.template in _JOINTS and self._names_something(draft):
                kinds[draft.fact.template, draft.fact.predicate].append(draft)
        pairs = [pair for same in kinds.values() for pair in combinations(same, 2)]
        self._rng.shuffle(pairs)
        used = set[str]()
        for first, second in pairs:
            a, b = first.fact, second.fact
            question = _JOINTS[a.template](a, b) if self._are_of_one_kind(first, second) else ""
            if question and used.isdisjoint((a.question, b.question)):
                used |= {a.question, b.question}
                fact = replace(
                    a,
                    question=question,
                    answer=f"{a.answer}; {b.answer}",
                    reference=f"{a.reference} {b.reference}",
                    other="",
                )
                passages = (*first.passages, *second.passages)
                yield Draft(fact, passages, (*first.quotes, *second.quotes))

    def _are_of_one_kind(self, first: Draft, second: Draft) -> bool:
        """Whether the names of two things share a rare word, and their facts differ."""
        subjects = stems(first.fact.subject), stems(second.fact.subject)
        name, other_name = map(set, subjects)
        if first.fact.template == "definition" and subjects[0][-1:] != subjects[1][-1:]:
            return False
        rare = any(len(s) > 1 and self._is_rare(s, _SHARED) for s in name & other_name)
        similar = rare and 2 * len(name & other_name) >= min(len(name), len(other_name))
        differ = first.passages != second.passages and name - other_name and other_name - name
        answers = {comparable(draft.fact.answer) for draft in (first, second)}
        is_list = " and " in f"{first.fact.subject} {second.fact.subject}"
        return bool(similar and differ and len(answers) > 1 and not is_list)

    def _unexpanded(self) -> Iterator[Draft]:
        """What abbreviations stand for that no text spells out."""
        holders: dict[str, list[int]] = defaultdict(list)
        for number, passage in enumerate(self.corpus.passages):
            for short in _ACRONYM.findall(passage.text):
                holders[short].append(number)
        for short, numbers in sorted(holders.items()):
            common = short in _WORDS or short.lower() in self._small or _ROMAN.fullmatch(short)
            spelled = r"[\s/-]+(?:(?:of|and|for|the|in|to)\s+)?".join(rf"{c}\w*" for c in short)
            if (
                len(numbers) < _LEAST_USES
                or common
                or verbs.is_known(short.lower())
                or re.search(rf"\b{spelled}\b", self._text, re.IGNORECASE)
            ):
                continue
            if not re.search(rf"\b{short}\s*[:(=]|\(\s*{short}", self._text):
                question = f"What does {short} stand for?"
                fact = Fact("abbreviation", question, "", short, "stands for")
                yield Draft(fact, (numbers[0],), sure=True)

    def _without_default(self) -> Iterator[Draft]:
        """The defaults of options of which no text tells one."""
        options = [draft for draft in self.facts if draft.fact.template == "option"]
        subjects = {draft.fact.subject for draft in options if draft.fact.predicate == "default"}
        for draft in options:
            quote, subject = draft.quotes[0], draft.fact.subject
            if subject not in subjects and _TAKES_NUMBER.search(quote) and not _OPEN.search(quote):
                yield draft.asking(f"What is the default of {subject}?")

    def _without_attribute(self) -> Iterator[Draft]:
        """What is asked of a person, a city, a film, where no passage that names it says it."""
        released = len(re.findall(r"\bRelease \d", self._text)) >= _LEAST_RELEASES
        for draft in self.facts:
            fact = draft.fact
            classed = fact.template in {"definition", "abbreviation"}
            if not classed or not self._names_something(draft):
                continue
            name, holders = fact.subject.split(" (")[0], self._passages_naming(fact.subject)
            if fact.template == "abbreviation":
                name = f"the {name}"
            kind = _DETAILS.split(fact.answer, maxsplit=1)[0].strip()
            for class_, question, cue in _ATTRIBUTES:
                texts = (self.corpus.passages[n].text for n in holders)
                if not holders or (question == _RELEASE and not released):
                    continue
                if class_.search(kind) and not any(map(cue.search, texts)):
                    yield draft.asking(question.format(name), "attribute")

    def _other_entity(self) -> Iterator[Draft]:
        """A fact asked of another thing of its kind, of which no passage says it."""
        by_subject = {
            draft.fact.subject: draft for draft in self.facts if self._names_something(draft)
        }
        for draft in self.facts:
            fact = draft.fact
            if fact.template not in _SWAPPED or fact.subject not in by_subject:
                continue
            predicate = {stem for stem in stems(fact.predicate) if len(stem) > 2}
            for name, other_draft in by_subject.items():
                plural = name.endswith("s") == fact.subject.endswith("s")
                if not (predicate and plural and self._are_of_one_kind(draft, other_draft)):
                    continue
                holders = self._passages_naming(name)
                if holders and not any(predicate & self._stems[n] for n in holders):
                    yield other_draft.asking(fact.question.replace(fact.subject, name), "entity")
                    break

    def _passages_naming(self, name: str) -> list[int]:
        """The passages that have a rare word of a name; none if it has no rare word."""
        rare = {stem for stem in stems(name) if self._is_rare(stem, _RARE)}
        return [n for n, stem_set in enumerate(self._stems) if rare & stem_set]

    def _other_year(self) -> Iterator[Draft]:
        """A fact of a year, asked of a year that no text names."""
        for draft in self.facts:
            match = _YEAR.search(draft.fact.question)
            if match is None or draft.fact.template in {"time", "reason", "condition"}:
                continue
            year = int(match[1])
            nearby_years = [str(y) for y in range(year - 9, year + 10) if y != year]
            if years := [y for y in nearby_years if y not in self._text and int(y) < _NOW]:
                other_year = self._rng.choice(years)
                yield draft.asking(draft.fact.question.replace(match[1], other_year), "date")


def _with_code(fact: Fact, sentence: str) -> Fact:
    """A fact whose question marks the code that its sentence marks: "What is `raw` used for?"."""
    question, other = fact.question, fact.other
    for code in dict.fromkeys(_CODE.findall(sentence)):
        if code.isalpha() and code != fact.subject:  # a plain word, too
            continue
        pattern = rf"(?<![\w`.-]){re.escape(code)}(?![\w`-])"
        question, other = (
            re.sub(pattern, lambda match: f"`{match.group()}`", text) for text in (question, other)
        )
    return replace(fact, question=question, other=other)


def in_its_document(question: str, fact: Fact, passage: Passage) -> str:
    """A question that leans on its document, with the title of that: "the file", "-x is given"."""
    leans = fact.template == "condition" or fact.subject.startswith("the ")
    leans = leans or bool(_LEANING.search(question))
    headings = [heading for heading in passage.title.split(" > ") if heading != passage.document]
    is_code = fact.template == "definition" and _IDENTIFIER.search(fact.subject)
    on_page = leans and (fact.template in _OF_PAGES or is_code)
    prefix = in_document(headings) if on_page else ""
    return f"{prefix}{question[:1].lower()}{question[1:]}" if prefix else question


_IDENTIFIER: Final = re.compile(r"\w_\w|[a-z][A-Z]")
# Asked of what a sentence says, they are kept least often: 23 of 40 and 4 of 13.
_LAST: Final = frozenset(("object", "reason"))
_OF_PAGES: Final = frozenset(("object", "condition", "purpose", "reason", "number"))
# "-x", "`raw`", "if the file"
_LEANING: Final = re.compile(r"(?<![\w-])--?[a-z]|`[a-z]+`|\b(?:if|when) the\b")
_CODE: Final = re.compile(r"(?<!`)`([^`\n]{2,40})`(?!`)")
# "What does Carl use?" is no question of everybody's, "What does Django use?" is.
_OF_THINGS: Final = frozenset(("object", "condition", "purpose"))
# "What does the Basic plan include?" is asked of anything that has a name; what something allows,
# defines or needs, of what is called by an abbreviation or by code.
_PARTS_VERBS: Final = frozenset(("include", "contain", "comprise", "consist", "require"))
_OPEN_VERBS: Final = frozenset(("allow", "offer", "provide", "support"))  # "What does ARM ...?"
_TECHNICAL: Final = re.compile(r"`|[A-Z][A-Z0-9]{2}|[A-Z0-9]{2}$|\w_\w|[a-z][A-Z]")
# "The city", "the Lady", "the Wall's demolition": known to whoever reads the text.
_BRIEF: Final = re.compile(r"the (?:[a-z]+|[A-Z][a-z]+(?: ?['\u2019]s\b.*)?)")
_HEADINGS: Final = re.compile(r"^#.*$", re.MULTILINE)
_PLAIN: Final = re.compile(r"the [^A-Z`“\d]*")
_COMMON: Final = re.compile(r"the (?:\S+ )*[a-z-]+")
# "north of the Wall", "the show", "the music video": which?
_LEANS: Final = re.compile(
    r"\b(?:of|in|by|from|at|to) the [A-Z][a-z]+(?=\?| (?:[a-z]+ed|are|is|was|were)\b)"
    r"|\bthe (?:[a-z]+ |English )?(?:album|area|band|book|building|character|company|dub|episode|"
    r"event|film|game|house|hymn|movie|novel|plot|project|record|school|season|series|ship|show|"
    r"single|site|song|story|team|track|trial|video|war)\b(?! (?:of|by|[A-Z\"“]))"
    r"|\b(?:[Ff]ilming|principal photography|film credits)\b"
)
_FIRST_NAME: Final = re.compile(r"[A-Z][a-z]+")
_SHE: Final = re.compile(r"\b(?:he|she|his|her)\b")
_NOW: Final = 2020
_ARTICLES: Final = frozenset(("a", "an", "the"))
_SWAPPED: Final = frozenset(("number", "place", "purpose", "object"))
# What a definition says behind the kind of thing: "an Indian film actor" | "who plays Jim".
_DETAILS: Final = re.compile(
    r"\s(?:who|that|which|of|for|in|from|to|with|by|on|at|where)\b|,", re.IGNORECASE
)
_MORTAL: Final = re.sub(r"(?:character|member)\|", "", PERSON)
_WORK: Final = (
    "film|movie|television series|TV series|drama series|sitcom|album|video game|opera|musical"
)
_PLACE: Final = "city|town|village|island|country|municipality|state|province|capital"
_BODY: Final = "company|subsidiary|organi[sz]ation|institute|university|club|party|brand|retailer"
_RELEASE: Final = "In which release was {} introduced?"
_LEAST_RELEASES: Final = 3  # that the texts name
_TECHNIQUE: Final = (
    "function|mechanism|procedure|channel|signal|interface|protocol|service|feature|entity|node|"
    "network|technique|technology|solution|server|gateway|layer|register|controller|unit|station"
)
# Of what is of a kind: what people ask of it, and the words by which a text would tell it.
_ATTRIBUTES: Final = tuple(
    (
        re.compile(rf"\b(?:{kind})$", re.IGNORECASE),
        question,
        re.compile(rf"\b(?:{cue})", re.IGNORECASE),
    )
    for kind, question, cue in (
        (_MORTAL, "Where was {} born?", "born|birth|native"),
        (_MORTAL, "Whom did {} marry?", "marr|wife|husband|spouse|wed"),
        (_WORK, "How much did it cost to produce {}?", r"budget|cost|million|\$|£"),
        (_PLACE, "How many people live in {}?", "population|inhabit|people|resident|live|census"),
        (_BODY, "How many people work for {}?", "employ|work|staff|people|person|job"),
        (_BODY, "Who founded {}?", "found|establish|creat|start|form|beg[ua]n|led"),
        (
            "bridge|tower|building|stadium|church|cathedral|palace|castle|museum|wall|statue",
            "Who designed {}?",
            "design|architect|engineer|buil[dt]|plan",
        ),
        ("act|acts|law|treaty|convention|agreement", "Who signed {}?", "sign"),
        (
            "fossil|species|genus|mineral|element|protein|enzyme|hormone",
            "Who discovered {}?",
            "discover|invent|describ|found|propos|patent|develop|named",
        ),
        (_TECHNIQUE, _RELEASE, r"releases?|rel|r\d|versions?|introduc"),
        (
            "protocol|technique|technology|algorithm|transistor",
            "Who invented {}?",
            "invent|develop|propos|patent|creat|design|introduc",
        ),
        (
            "transistor|device|server|controller|station",
            "How much power does {} consume?",
            "power|energ|consum|watt|dBm|batter",
        ),
    )
)
_TAKES_NUMBER: Final = re.compile(r"--[\w-]+ (?:N|SHARE|SECONDS|VALUE|NUMBER|SIZE|TOKENS|WIDTH)\b")
_OPEN: Final = re.compile(r"\bdefault|\bnot given|\bif none|\bwithout", re.IGNORECASE)
_WORDS: Final = frozenset(
    "TRUE FALSE NULL NONE FAQ THE AND FOR NOT ALL ANY NOTE TODO WITH FROM THIS "  # noqa: SIM905 - reads better
    "USA JSON CPU GPU RAM ASCII URL HTML HTTP "
    "HIV AIDS DNA RNA NASA NATO BBC CNN CBS NBC FBI CIA IPCC UNESCO UNICEF GDP CEO PDF".split()
)


def _difference(first: Fact, second: Fact) -> str:
    if "`" in f"{first.subject}{second.subject}":  # of a list that has each in its turn
        return ""
    return f"What is the difference between {first.subject} and {second.subject}?"


def _join(first: Fact, second: Fact) -> str:
    """One question of two that only differ in their subject; "" where they differ in more."""
    if "(" in f"{first.subject}{second.subject}":
        return ""
    before, _, tail = first.question.partition(first.subject)
    if second.question != f"{before}{second.subject}{tail}" or not tail.strip(" ?"):
        return ""
    *lead, auxiliary = before.split()
    if auxiliary not in _PLURAL:
        return ""
    return " ".join((*lead, _PLURAL[auxiliary], first.subject, "and", f"{second.subject}{tail}"))


_PLURAL: Final = {"does": "do", "is": "are", "was": "were", "did": "did", "do": "do", "are": "are"}
_JOINTS: Final = {
    "definition": _difference,
    "glossary": _difference,
    "object": _join,
    "purpose": _join,
    "place": _join,
    "time": _join,
    "number": _join,
}


# "Tarn (2014) is a British film", the first words of a passage.
_TOPIC: Final = re.compile(
    r"(?P<name>(?:The )?\"?[A-Z][\w'\u2019-]*(?: [\w'\u2019:-]+){0,6}?\"?)(?: \([^()]*\))?"
    r" (?:is|was) an? (?:[\w\u2019'-]+ ){0,6}?(?P<kind>[a-z]+)"
    r"(?=[,.]| (?:about|by|created|for|from|held|in|of|on|produced|set|that|to|which|with)\b)"
)
_EMPHASIS: Final = re.compile(r"\b(?P<do>do|does|did) (?P<base>[a-z]+)\b")


def _without_emphasis(emphasis: re.Match[str]) -> str:
    """The verb of "does require" alone: "requires"."""
    do, base = emphasis.groups()
    if not verbs.is_known(base):
        return emphasis.group()
    return {"do": base, "does": verbs.third_person(base), "did": verbs.past(base)}[do]


def _written_small(text: str) -> frozenset[str]:
    """The words that a text writes small, within its sentences, as often as with a capital."""
    small = Counter(re.findall(r"\b[a-z]+\b", text))
    capital = Counter(word.lower() for word in re.findall(r"(?<=[a-z,] )[A-Z][a-z]+\b", text))
    return frozenset(word for word, n in small.items() if n >= capital[word])
