"""How are samples listed, a line each, so that their ids can be copied?"""

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from assay.report import safe


def listed(rows: Sequence[tuple[Text, str, str]]) -> list[Text]:
    """Lines of (what is said, id, question); of a line that is too long only the end is cut."""
    ids = [safe.plain(name) for _, name, _ in rows]
    first = max((said.cell_len for said, *_ in rows), default=0)
    second = max(map(cell_len, ids), default=0)
    lines = []
    for (said, _, question), name in zip(rows, ids, strict=True):
        line = Text(no_wrap=True, overflow="ellipsis").append(" " * (first - said.cell_len))
        line.append(said).append(f"  {set_cell_size(name, second)}  ")
        lines.append(line.append(" ".join(safe.plain(question).split()), style="dim"))
    return lines
