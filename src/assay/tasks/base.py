"""What tasks share: strict parsing of replies, and forms such as lists and items by number."""

import json
import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Final, Protocol, Self, TypeAlias, TypeVar

import msgspec

from assay._text.sentences import spans
from assay.errors import Unreadable
from assay.judge import ByIds, Task

F = TypeVar("F")
V = TypeVar("V")

# A number that says how sure a judge is; anything outside 0 to 1 spoils the reply.
Probability: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]

# So many objects that begin but cannot be decoded, and the rest is not searched any more: a model
# that repeats itself for ever would hold up the run.
MAX_BROKEN = 500

# What stands in the forms that prompts show, where a judge is to put words of its own.
_DOTS = ("...", "…")
# What is copied from a text: there, dots may be the text's own.
_COPIED = frozenset({"quote", "source", "tokens"})
_CUT_SHORT = (
    "it was cut short, or is malformed -> if it ends in the middle, raise max_tokens, of the judge "
    "or of its server"
)
_NO_OBJECT = "no JSON object in the reply, though one was asked for"
_PYTHON = f"{_NO_OBJECT}, but one in single quotes -> quote as JSON does (json.dumps)"
# Stands for an object that begins but cannot be decoded.
_INCOMPLETE: Final = object()

# What a reply is searched for: the beginning of an object that is not empty, or a thought.
_MARK = re.compile(r"\{(?=\s*(?:\"|\Z))|<(?P<end>/?)think(?:ing)?>", re.IGNORECASE)
_THOUGHT = re.compile(r"\A\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_LIST_ALONE = re.compile(r"\s*(?:```\w*\s*)?(?P<list>\[\s*[^\s\]].*\])\s*(?:```\s*)?", re.DOTALL)
_QUOTED_SINGLY = re.compile(r"\{\s*'\w+'\s*:")
_NEEDLESS_COMMA = re.compile(r",\s*(?=[\]}])")
_MAX_COMMAS = 100  # as many of them in one object: each takes another look at it
# Half of a surrogate pair, as it stands or as an escape.
_SURROGATE = re.compile(r"[\ud800-\udfff]|\\u[dD][89a-fA-F]")
_END_OF_THOUGHT = re.compile(
    r"\A.*^[^\S\n]*</think(?:ing)?>", re.DOTALL | re.IGNORECASE | re.MULTILINE
)


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs) and any(mapping[key] != value for key, value in pairs):
        raise ValueError("one key with two values")
    return mapping


# A line break within a string can be nothing but that line break.
_DECODER = json.JSONDecoder(object_pairs_hook=_unambiguous, strict=False)


def decode(raw: str, form: type[F]) -> F:
    """The one JSON object of that form in a reply.

    Code fences, ``<think>`` blocks and prose around it are passed over, and so is the prompt's
    form where a reply quotes it; the object itself is decoded strictly, but for line breaks within
    its strings and commas before a closing bracket. A list that is the whole reply is that of the
    form's one field. Two different objects that both fit are ambiguous, so neither is taken, and
    nor is a draft before an answer that is torn.

    Raises:
        Unreadable: If no object fits, or two that differ, or the last one is not whole.
    """
    fitting: list[tuple[int, F]] = []
    incomplete: int | None = None
    problem = _NO_OBJECT if raw.strip() else "the reply is empty"
    if _QUOTED_SINGLY.search(raw):
        problem = _PYTHON
    if '{"' in raw:
        problem = f"no JSON object in the reply is whole: {_CUT_SHORT}"
    dotted = any(dots in raw for dots in _DOTS)
    for start, candidate in _objects(_in_object(raw, form)):
        if candidate is _INCOMPLETE:
            incomplete = start if incomplete is None else incomplete
            continue
        try:
            value = msgspec.convert(candidate, form)
        except msgspec.ValidationError as error:
            problem = f"the reply has not the form that was asked for: {error}"
            continue
        if dotted and _is_outline(msgspec.to_builtins(value)):
            problem = "only the form of a reply, with dots for an answer"
            continue
        incomplete = None
        fitting.append((start, value))
        if len(fitting) > 1 and value != fitting[0][1]:
            # At once: a model that repeats itself may give thousands.
            raise Unreadable("two different answers in one reply", raw=raw)
    if incomplete is not None and _is_answer(
        raw, incomplete, form, [start for start, _ in fitting]
    ):
        which_object = "after the first" if fitting else "with an answer"
        problem = f"no JSON object {which_object} is whole: {_CUT_SHORT}"
    elif fitting:
        return fitting[0][1]
    raise Unreadable(problem, raw=raw)


def _in_object(raw: str, form: type[Any]) -> str:
    """The reply; in the form's object where it is the list of the form's one field and no more."""
    if raw.startswith("{"):  # as nearly all do: the rest need not be looked through
        return raw
    fields = msgspec.structs.fields(form)
    match = _LIST_ALONE.fullmatch(without_thoughts(raw))
    if len(fields) != 1 or match is None:
        return raw
    wrapped = f'{{"{fields[0].encode_name}": {match["list"]}}}'
    try:
        msgspec.convert(_DECODER.decode(wrapped), form)
    except (ValueError, RecursionError):  # torn, two lists, or another form
        return raw
    return wrapped


def _is_outline(value: Any) -> bool:
    # The prompt's form as it was quoted, maybe with ids of the task put in.
    if isinstance(value, dict):
        return any(_is_outline(inner) for key, inner in value.items() if key not in _COPIED)
    if isinstance(value, list | tuple):
        return any(map(_is_outline, value))
    return value in _DOTS


def _is_answer(raw: str, incomplete: int, form: type[Any], object_starts: Sequence[int]) -> bool:
    """Whether what begins there and is not whole was to be an answer, and no braces of prose."""
    if len(object_starts) > 1 and raw.startswith(raw[incomplete:], object_starts[-1]):
        return False  # a model that repeats itself to the end: once more the same
    fields = "|".join(re.escape(field.encode_name) for field in msgspec.structs.fields(form))
    return re.search(rf'"(?:{fields})"\s*:|\{{\s*(?:"\w*)?\Z', raw[incomplete:]) is not None


def _objects(text: str) -> list[tuple[int, Any]]:
    # One pass from left to right: a decode from every "{" on copes with fences and prose of every
    # kind, and a tag inside a decoded object is its text. Stripping thoughts beforehand would let
    # an answer that contains "<think>" make its own statements vanish.
    objects: list[tuple[int, Any]] = []
    begun: list[int] = []  # for each open thought, how much was found before it
    thinking, position, broken = False, 0, 0
    # Looked for only where there can be one: a search takes longer than decoding.
    surrogates = (not text.isascii() or "\\u" in text) and _SURROGATE.search(text) is not None
    commas = _NEEDLESS_COMMA.search(text) is not None
    while broken <= MAX_BROKEN and (mark := _MARK.search(text, position)):
        position = mark.end()
        if mark[0] != "{":
            thinking = not mark["end"]
            if thinking:
                begun.append(len(objects))
            elif begun:
                del objects[begun.pop() :]
            elif _begins_line(text, mark.start()):
                objects.clear()  # all before was thought, even if its beginning is not shown
            continue
        try:
            text = _without_commas(text, mark.start()) if commas else text
            value, position = _DECODER.raw_decode(text, mark.start())
            value = _without_surrogates(value) if surrogates else value
        except ValueError:  # too many digits are one as well
            broken += 1
            value = _INCOMPLETE
        except RecursionError:  # what it holds is hardly less deep, and each try takes long
            return []
        objects += [] if thinking else [(mark.start(), value)]
    return objects if broken <= MAX_BROKEN else []


def _without_commas(text: str, start: int) -> str:
    """The text with a blank for each comma that is one too many for the object that starts there.

    Only where the decoder stumbles: what looks like one within a string is text.
    """
    for _ in range(_MAX_COMMAS):
        try:
            _DECODER.raw_decode(text, start)
        except json.JSONDecodeError as error:
            # It stumbles at the bracket, in later versions of Python at the comma.
            comma = text.rfind(",", start, error.pos + 1)
            match = _NEEDLESS_COMMA.match(text, comma) if comma >= 0 else None
            if match is None or error.pos > match.end():
                break
            text = f"{text[:comma]} {text[comma + 1 :]}"
        else:
            break
    return text


def _begins_line(text: str, position: int) -> bool:
    # Elsewhere a tag that nothing opened is quoted from a text, as in `without_thoughts`.
    while position and text[position - 1] in " \t\r":
        position -= 1
    return not position or text[position - 1] == "\n"


def _without_surrogates(value: Any) -> Any:
    # An escape may stand for half of a surrogate pair, which no store could keep.
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def without_thoughts(raw: str) -> str:
    """A free-text reply without the thoughts before it; "" if it never got beyond them."""
    return _END_OF_THOUGHT.sub("", _THOUGHT.sub("", raw, count=1), count=1)


class HasId(Protocol):
    """An item of a reply that says which id it is about."""

    @property
    def id(self) -> str:
        """The id as the judge wrote it."""


Item = TypeVar("Item", bound=HasId)


def by_id(items: Iterable[Item], ids: Iterable[str], raw: str) -> dict[str, Item]:
    """The items by id. None is guessed: an unknown id or two answers for one id spoil the reply.

    Upper and lower case do not tell ids apart. Where one thing was asked about and one item came,
    it is about that thing, whatever id it bears: small models repeat that of the example.

    Raises:
        Unreadable: For an id that was not asked about, or one answered twice in different ways.
    """
    items, asked_for = list(items), set(ids)
    if len(items) == len(asked_for) == 1:
        return {asked_for.pop(): items[0]}
    in_lower_case = {asked.lower(): asked for asked in asked_for}
    verdicts: dict[str, Item] = {}
    for item in items:
        asked = in_lower_case.get(item.id.strip().lower())
        if asked is None:
            raise Unreadable(f"a verdict for '{item.id}', which was not asked about", raw=raw)
        if verdicts.setdefault(asked, item) != item:
            raise Unreadable(f"two different verdicts for '{item.id}'", raw=raw)
    return verdicts


def stripped(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts in order, without the white space around them and without empty ones."""
    return tuple(stripped_text for text in texts if (stripped_text := text.strip()))


def distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts in order, each once; empty ones are left out."""
    return tuple(dict.fromkeys(stripped(texts)))


def schema(form: type[Any]) -> Mapping[str, Any]:
    """JSON schema of a reply form, in the strict dialect that structured-output servers take.

    References are inlined, every property is required, and nothing else is allowed.
    """
    (root,), definitions = msgspec.json.schema_components([form], ref_template="{name}")

    def inline(node: Any) -> Any:
        if isinstance(node, list):
            return [inline(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            return inline(definitions[node["$ref"]])
        # Titles, docstrings and defaults cost tokens, and some servers refuse them.
        strict = {
            k: inline(v) for k, v in node.items() if k not in ("title", "default", "description")
        }
        if strict.get("type") == "object" and isinstance(strict.get("properties"), dict):
            strict["required"] = list(strict["properties"])
            strict["additionalProperties"] = False
        return strict

    inlined = inline(root)
    assert isinstance(inlined, dict)  # noqa: S101 - a form is a struct, so its schema an object
    return inlined


# A shorter text is not what makes a prompt too long.
SHORTEST = 400
# Stands before the reason of a verdict that was made of the verdicts on both halves.
IN_PARTS = "(contexts read in parts) "

# Made once: json.dumps would make an encoder for every text.
_ENCODE = json.JSONEncoder(ensure_ascii=False).encode
# Line breaks that JSON leaves as they are.
_BREAKS = {ord(c): f"\\u{ord(c):04x}" for c in "\x85\u2028\u2029"}


class NumberedTask(ByIds[V]):
    """A task about things by number: about all of them, or about those that are asked for."""

    asked: tuple[str, ...]

    @abstractmethod
    def shown(self) -> Mapping[str, Any]:
        """What is asked about, by id."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of what is asked about."""
        return tuple(self.shown())

    def narrow(self, ids: Sequence[str]) -> Self:
        """The same task about these only."""
        return replace(self, asked=tuple(ids))  # type: ignore[type-var]


class ItemsTask(NumberedTask[V]):
    """A numbered task that is answered by items: ``{"verdicts": [{"id": "t1", "yes": true}]}``.

    Attributes:
        key: The list's name in the reply.
        fields: Names and types of an item's fields behind its id, in order.
        verdict: What an item is read into.
    """

    key: ClassVar[str]
    fields: ClassVar[tuple[tuple[str, Any], ...]]
    verdict: ClassVar[type[Any]]
    _form: ClassVar[type[Any]]

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        item = msgspec.defstruct("Item", [("id", str), *cls.fields], frozen=True)
        cls._form = msgspec.defstruct("Form", [(cls.key, list[item])], frozen=True)  # type: ignore[valid-type]
        cls.schema = schema(cls._form)

    def read_some(self, raw: str) -> dict[str, V]:
        """The verdicts by id."""
        items = by_id(getattr(decode(raw, self._form), self.key), self.ids, raw)
        return {i: self.verdict(i, **self.values_of(i, item, raw)) for i, item in items.items()}

    def values_of(self, name: str, item: Any, raw: str) -> Mapping[str, Any]:  # noqa: ARG002
        """The values of a verdict by an item's fields; raises Unreadable if they make no sense."""
        return {field: getattr(item, field) for field, _ in self.fields}

    @classmethod
    def reply(cls, verdicts: Sequence[V]) -> str:
        """A reply in the form that is read."""
        names = ("id", *(name for name, _ in cls.fields))
        return encode({cls.key: [{n: getattr(v, n) for n in names} for v in verdicts]})


class ListTask(Task[tuple[str, ...]]):
    """A task that is answered by a list of texts: ``{"topics": ["...", "..."]}``.

    Attributes:
        key: The list's name in the reply.
        repeats: Whether a text that is given several times counts as often.
        empty: Why a list without any text is unreadable, "" where it is an answer.
    """

    key: ClassVar[str]
    repeats: ClassVar[bool] = False
    empty: ClassVar[str] = ""
    _form: ClassVar[type[Any]]

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        cls._form = msgspec.defstruct("Form", [(cls.key, list[str])], frozen=True)
        cls.schema = schema(cls._form)

    def read(self, raw: str) -> tuple[str, ...]:
        """The texts in order, without empty ones; raises Unreadable if there has to be one."""
        items = getattr(decode(raw, self._form), self.key)
        texts = stripped(items) if self.repeats else distinct(items)
        if self.empty and not texts:
            raise Unreadable(self.empty, raw=raw)
        return texts

    @classmethod
    def reply(cls, texts: Sequence[str]) -> str:
        """A reply in the form that is read."""
        return encode({cls.key: list(texts)})


def encode(form: msgspec.Struct | Mapping[str, Any]) -> str:
    """A reply as JSON text."""
    return msgspec.json.encode(form).decode()


def one_line(value: object) -> str:
    """A value as JSON on one line, whatever its texts hold."""
    line = _ENCODE(value)
    return line if line.isascii() else line.translate(_BREAKS)


def listed(items: Iterable[tuple[str, str]]) -> str:
    """Items as JSON, one a line: a text with line breaks cannot pose as a further item."""
    # As one_line of the whole item, at a third of the cost: a text alone is encoded at once.
    return "\n".join([f'{{"id": {one_line(i)}, "text": {one_line(t)}}}' for i, t in items])


def numbered(letter: str, texts: Sequence[str], asked: Sequence[str] = ()) -> dict[str, str]:
    """Texts by id, a letter and their number from 1: those that are asked about, else all."""
    by_name = {f"{letter}{n}": text for n, text in enumerate(texts, start=1)}
    return {i: by_name[i] for i in asked} if asked else by_name


def explained(name: str, values: Iterable[tuple[object, str]]) -> str:
    """Values as JSON, one a line, each with its meaning where it has one."""
    items = ({name: value} | ({"meaning": means} if means else {}) for value, means in values)
    return "\n".join(map(one_line, items))


def halved_texts(texts: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The first and the second half of several texts; a single one is divided. None if too short.

    A single text is divided between sentences, as near to its middle as can be.
    """
    if len(texts) > 1:
        middle = len(texts) // 2
        return texts[:middle], texts[middle:]
    if not texts or len(texts[0]) < SHORTEST:
        return None
    (text,) = texts
    ends = [end for _, end in spans(text)[:-1]] or [len(text) // 2]
    cut = min(ends, key=lambda end: abs(end - len(text) / 2))
    return (text[:cut],), (text[cut:],)
