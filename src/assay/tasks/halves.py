"""Where may material be divided that a judge cannot read at once?"""

from assay.text.sentences import spans

# A shorter text is not what makes a prompt too long.
SHORTEST = 400
# Stands before the reason of a verdict that was made of the verdicts on both halves.
IN_PARTS = "(contexts read in parts) "


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
    at = min(ends, key=lambda end: abs(end - len(text) / 2))
    return (text[:at],), (text[at:],)
