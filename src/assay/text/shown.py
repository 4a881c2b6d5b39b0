"""How is a text that somebody else wrote shown or written without harm?"""


def one_line(text: str, most: int) -> str:
    """Its beginning as one line, with no sequence of controls for a terminal in it."""
    line = " ".join(text.split())[:most]
    return "".join(char if char.isprintable() else "?" for char in line)


def whole(text: str) -> str:
    """With "?" for every lone surrogate: JSON and models make them, but no file can hold one."""
    return text.encode("utf-8", "replace").decode()
