"""How is a number cut to a few digits without saying something else?"""

from typing import Final

_MOST: Final = 4
_SMALL: Final = 0.0095
_TINY: Final = 1e-6


def decimals(value: float, digits: int) -> str:
    """A number with so many digits after the point, and more where these would mislead.

    A mean of 0.996 must not be read as a perfect 1.00, nor 0.004 as 0.00. Of what is small, such as
    the cost of an answer, two digits count wherever they begin: 0.0012 and 0.0014 are not alike.

    Args:
        value: The number, finite.
        digits: Of them after the point, 4 at most.
    """
    if 0 < abs(value) < _SMALL:
        return _small(value)
    value = value or 0.0  # no minus before nothing
    for more in range(digits, _MOST + 1):
        text = f"{value:.{more}f}"
        if float(text) == value or float(text) != round(value):
            return text
    return f"{value:.9g}"


def _small(value: float) -> str:
    text = f"{value:.2g}"
    # 0.00007 is read at a glance, 7e-05 is not; of more zeros than these nobody sees how many.
    return f"{float(text):.7f}".rstrip("0") if abs(value) >= _TINY else text
