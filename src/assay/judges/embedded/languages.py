"""Languages that the embedded judge reads, and those in which it was measured."""

from collections.abc import Sequence

from assay._text.language_id import language_name, other_language
from assay.errors import Unavailable
from assay.judges.embedded.inference import tokenizer

MEASURED = ("en",)  # of which the card says how far it agrees with people
# ... and those in which statements were written for its training (training/verifier/written/pairs)
# and which its tokenizer, made for English, spells out.
_READ = frozenset({*MEASURED, "de", "fr", "es", "it", "pt", "nl", "JAPANESE"})
_LOOKED_AT = 1000  # characters of a text
_MOST_UNKNOWN = 0.4  # share of a text's tokens that the network has no vector for
_LATIN_END = "\u0250"


def unread(*texts: Sequence[str]) -> str:
    """The language of the first of some groups of texts that cannot be read, in words; else ""."""
    joined = [" ".join(group) for group in texts]
    for n, text in enumerate(joined):
        language = other_language([text, *joined[:n], *joined[n + 1 :]] if text else [])
        if language and language not in _READ:
            return language_name(language)
        if not language and _is_unknown(text[:_LOOKED_AT]):
            return "letters that its tokenizer does not know"
    return ""


def demand_readable(*texts: Sequence[str]) -> None:
    """See that some groups of texts are in languages that the judge reads.

    Raises:
        Unavailable: If one is not: nothing is guessed.
    """
    if language := unread(*texts):
        raise Unavailable(why_unread(language), permanent=True)


def why_unread(language: str) -> str:
    """Why nothing is said of a text in such a language, and what to do."""
    return (
        f"the text is in {language}, which the embedded judge cannot read -> name an LLM as judge "
        "for this metric"
    )


def _is_unknown(text: str) -> bool:
    if sum(letter >= _LATIN_END for letter in text) * 2 < len(text):  # nearly always
        return False
    tokens = tokenizer().encode(text, add_special_tokens=False).tokens
    return sum(token == "[UNK]" for token in tokens) > _MOST_UNKNOWN * len(tokens)  # noqa: S105
