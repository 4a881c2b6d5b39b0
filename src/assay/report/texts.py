"""How do thousands of prompts that share most of their lines fit into one page?"""

from dataclasses import dataclass, field


@dataclass(slots=True)
class TextTable:
    """Texts by number, each line stored once.

    A text is written as runs of line numbers. Lines are numbered as they are first met, so the
    instruction that thousands of prompts begin with is one short run in each of them, and so is a
    context that several metrics asked about.

    Attributes:
        lines: Every distinct line, in the order in which it was first met.
        texts: Every distinct text as flat pairs: first line, number of lines.
    """

    lines: list[str] = field(default_factory=list)
    texts: list[list[int]] = field(default_factory=list)
    _line_numbers: dict[str, int] = field(default_factory=dict)
    _text_numbers: dict[str, int] = field(default_factory=dict)

    def add(self, text: str) -> int:
        """The number of a text, which is stored if it is new."""
        number = self._text_numbers.get(text)
        if number is None:
            number = self._text_numbers[text] = len(self.texts)
            self.texts.append(self._runs(text))
        return number

    def text(self, number: int) -> str:
        """The text of a number, as the page's script puts it together."""
        runs = self.texts[number]
        return "\n".join(
            line
            for first, length in zip(runs[::2], runs[1::2], strict=True)
            for line in self.lines[first : first + length]
        )

    def _runs(self, text: str) -> list[int]:
        runs: list[int] = []
        for line in text.split("\n"):
            number = self._line_numbers.setdefault(line, len(self.lines))
            if number == len(self.lines):
                self.lines.append(line)
            if runs and number == runs[-2] + runs[-1]:
                runs[-1] += 1
            else:
                runs += (number, 1)
        return runs
