"""Compression of texts, given what is known beside them.

What a judge says repeats its prompt, and the evidence of a score repeats its sample: deflated with
these at hand, little of either is left. What does not get smaller is kept as it is; SQLite tells
the two apart by type (TEXT, BLOB).
"""

import zlib
from typing import TypeAlias

from assay.errors import InputError

Stored: TypeAlias = str | bytes

LEVEL = 6
# What deflate can look back at. For a short text less is set up, which saves most of the time.
FARTHEST, NEAREST = 15, 9


def compress(text: str, dictionary: bytes = b"") -> Stored:
    """A text as it is kept: itself, or deflated.

    Args:
        text: The text.
        dictionary: What is known whenever it is read; its last 32 KiB count.
    """
    data, dictionary = text.encode(), dictionary[-(1 << FARTHEST) :]
    bits = max(NEAREST, min(FARTHEST, (len(data) + len(dictionary)).bit_length()))
    strategy = zlib.Z_DEFAULT_STRATEGY
    press = zlib.compressobj(LEVEL, zlib.DEFLATED, -bits, bits - 7, strategy, dictionary)
    pressed = press.compress(data) + press.flush()
    return pressed if len(pressed) < len(data) else text


def decompress(stored: Stored, dictionary: bytes = b"") -> str:
    """The text, given the dictionary with which it was compressed.

    Raises:
        InputError: If it is damaged.
    """
    if isinstance(stored, str):
        return stored
    try:
        inflater = zlib.decompressobj(-FARTHEST, dictionary[-(1 << FARTHEST) :])
        return (inflater.decompress(stored) + inflater.flush()).decode()
    except (zlib.error, UnicodeDecodeError) as error:
        what = f"a text in the store is damaged ({error})"
        raise InputError(
            what, "`assay verify` says what else is; take a copy of the file"
        ) from error


# Texts of users and models: the frequent words of English, and how statements are listed.
TEXT = (
    b"after before between during until because although however while where which whose their "
    b"there these those about would could should other another such than then them they through "
    b"under over also only first second third most many some more less used using year years "
    b"century world war state states united American British French German national "
    b"international university company government president people population city country north "
    b"south east west part series film album song band written directed released produced known "
    b"called named based located including include included such as well as due to according to "
    b"in order to part of one of the number of the end of the beginning of a member of the "
    b"United States New York it is it was he was she was they were has been have been had been "
    b"will be can be may be must be is not was not does not did not in the of the to the and the "
    b"for the on the at the by the from the with the as a is a was a of a in a that the is the "
    b"was the , but the , and the , which is . The . In . It . He . She . They . This . These "
    b'. For example, . However, [{"id": "s1", "text": "{"id": "s2", "text": ""}\n'
    b'{"id": "s3", "text": "'
)

# Pieces of prompts, and samples.
ROW = (
    b'{"id":"","question":"=","contexts":["#1","#2","#3"],"answer":"#","reference":"#",'
    b'"reference_contexts":["#"],"context_ids":["","","],"metadata":{}}'
    b'["=text:\\n","#","=\\n"]["#1","<\\nnumber:\\n","=","<\\nanswer:\\n","#","<\\nquestion:\\n",'
    b'"=","<\\ntext:\\n","#",">","<\\nstatements:\\n","#",">",'
    b'"<\\ncontext 1:\\n","#1",">","<\\ncontext 2:\\n","#2",">","<\\ncontext 3:\\n","#3",">",'
    b'"<\\ncontext 4:\\n","#4",">","<\\ncontext 5:\\n","#5",">"]'
)

# Evidence, besides the texts of its sample.
EVIDENCE = (
    b'{"parts":[{"kind":"question","text":"","label":"not useful","value":0.0,"reason":"","context"'
    b':1,"quote":"","probability":0.9,"span":null,"marks":[]},{"kind":"context","text":"","label":'
    b'"useful","value":1.0,"reason":"","context":2,"quote":"","probability":null,"span":null,"marks"'
    b':[]},{"kind":"statement","text":"","label":"unsupported","value":0.0,"reason":"","context":'
    b'null,"quote":"","probability":null,"span":[0,1],"marks":[]},{"kind":"statement","text":"",'
    b'"label":"supported","value":1.0,"reason":"","context":0,"quote":"","probability":null,"span"'
    b':[0,1],"marks":[]}],"details":{"precision":0.0,"recall":1.0,"tp":1,"fp":0,"fn":0}}'
)
