"""How is a command written that the reader may copy?"""

import shlex

from assay.report import safe
from assay.run import STORE


def hint(*words: str, store: str) -> str:
    """The command, quoted, with the store it is about unless that is the usual one."""
    named = () if store == STORE else ("--store", store)
    # A control character of an id must not steer the terminal, not even within quotation marks.
    return safe.plain(shlex.join(("assay", *words, *named)))
