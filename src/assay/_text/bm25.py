"""BM25: how well texts fit a query, by the words that they share."""

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from assay._text.words import stems

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

K1: Final = 1.2  # the usual constants (Robertson and Zaragoza 2009)
B: Final = 0.75


class BM25:
    """Texts indexed by their stems.

    What a stem adds to a text's score is computed once (Lu 2024, arXiv 2407.03618), so that a query
    adds up a few sparse rows. The inverse document frequency is log(1 + (n - df + 0.5) /
    (df + 0.5)), which is never negative.

    Args:
        texts: The texts to be found.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        import numpy as np
        from scipy.sparse import csr_array

        self._rows: dict[str, int] = {}
        rows, columns, counts = array("i"), array("i"), array("i")
        n = 0
        for n, text in enumerate(texts, start=1):
            for stem, count in Counter(stems(text)).items():
                rows.append(self._rows.setdefault(stem, len(self._rows)))
                columns.append(n - 1)
                counts.append(count)
        row, column, often = (np.array(part, dtype=np.int32) for part in (rows, columns, counts))
        lengths = np.bincount(column, often, minlength=n)
        holders = np.bincount(row, minlength=len(self._rows))
        rare = np.log(1 + (n - holders + 0.5) / (holders + 0.5))
        mean = lengths.mean() if lengths.any() else 1.0
        spread = (K1 * (1 - B + B * lengths / mean))[column]
        weights = rare[row] * often * (K1 + 1) / (often + spread)
        self._weights = csr_array((weights, (row, column)), shape=(len(self._rows), n))

    def scores(self, query: str) -> "npt.NDArray[np.float64]":
        """The score of every text, 0 without a word in common; a stem of the query counts once."""
        import numpy as np

        known = [self._rows[stem] for stem in dict.fromkeys(stems(query)) if stem in self._rows]
        return np.asarray(self._weights[known].sum(axis=0), dtype=np.float64)


def fused(
    rankings: Sequence["npt.NDArray[np.int_]"], n: int, close: int = 60
) -> "npt.NDArray[np.float64]":
    """Scores of n texts by reciprocal rank fusion: the sum of 1 / (close + rank) over rankings.

    A text that is in none has 0 (Cormack, Clarke and Buettcher 2009).

    Args:
        rankings: Numbers of texts, the best first.
        n: How many texts there are.
        close: Constant that keeps the first ranks close together.
    """
    import numpy as np

    scores = np.zeros(n)
    for ranking in rankings:
        scores[ranking] += 1 / (close + 1 + np.arange(len(ranking)))
    return scores
