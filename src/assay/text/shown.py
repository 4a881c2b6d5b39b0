"""How is a text that somebody else wrote shown within a message?"""


def one_line(text: str, most: int) -> str:
    """Its beginning as one line, with no sequence of controls for a terminal in it."""
    line = " ".join(text.split())[:most]
    return "".join(char if char.isprintable() else "?" for char in line)
