"""How does a text in HTML read without its tags, every character in its place?

Only the tags of prose, lists and tables count: "<5G-GUTI>" and "a < b" are what a text says, and so
are tags that it is about: "the <br> tag", "`<li>`", "<b> makes it bold", "use <p> for texts".
"""

import re

# Those of prose, and those by which models are asked to mark their answer and its sources.
_INLINE = (
    "a|abbr|answer|b|citation|cite|code|em|final_answer|font|i|mark|response|small|source|span|"
    "strong|sub|sup|u"
)
_APART = (
    "article|blockquote|body|br|dd|div|dl|dt|h[1-6]|head|hr|html|main|ol|p|section|table|tbody|"
    "thead|tr|ul"
)
_AMID = r"(?!(?<=[a-z,]\s)<\w+>(?:\s[a-z]|[.,;:]))"  # the words of a sentence
_TAG = re.compile(
    rf"(?<!`){_AMID}<(?P<close>/?)(?:(?P<inline>{_INLINE})|(?P<item>li)|(?P<cell>td|th)|(?P<apart>{_APART}))"
    r"(?:\s[^<>=]{1,100}=[^<>]{0,500})?\s?/?>(?!`|\s(?:tag|element)s?\b)|(?P<blank>&nbsp;)",
    re.IGNORECASE,
)
_CLOSED = re.compile(rf"</({_INLINE})>", re.IGNORECASE)


# As in m², CO₂, and the marks of sources: in brackets, or after the end of a sentence.
_SCRIPT = re.compile(
    r"(?P<ends>(?<=[.,;:!?]))?<(?P<kind>sup|sub)>(?P<said>\[?[\w+−–-]{1,10}\]?)</(?P=kind)>",
    re.IGNORECASE | re.ASCII,
)
_RAISED = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")


def without_tags(text: str) -> str:
    """The text with blanks for its tags, as long as it was.

    What tags keep apart stands in lines of its own: items with a dash, cells between bars.
    """
    if "<" not in text and "&nbsp;" not in text:
        return text
    text = _SCRIPT.sub(_beside, text)
    closed = {name.lower() for name in _CLOSED.findall(text)}

    def read(tag: re.Match[str]) -> str:
        inline = tag["inline"]
        return tag.group() if inline and inline.lower() not in closed else _blank(tag)

    return _TAG.sub(read, text)


def _beside(script: re.Match[str]) -> str:
    """What stands raised or lowered, at once behind its word; nothing for the mark of a source."""
    said, raised = script["said"], script["kind"].lower() == "sup"
    if raised and (said.startswith("[") or script["ends"] is not None):
        said = ""
    return (said.translate(_RAISED) if raised else said).ljust(len(script.group()))


def _blank(tag: re.Match[str]) -> str:
    size = len(tag.group())
    if tag["item"] and not tag["close"]:
        return "\n" + "- ".ljust(size - 1)
    if tag["cell"]:
        return (" " if tag["close"] else "|").ljust(size)
    return (" " if tag["inline"] or tag["blank"] else "\n") * size
