"""How do rows become a data frame?"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from assay.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


def frame(rows: Iterable[Mapping[str, Any]]) -> "pd.DataFrame":
    """A data frame of rows.

    Raises:
        InputError: If pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError:
        raise InputError("to_pandas needs pandas", "pip install 'assay[pandas]'") from None
    return pd.DataFrame(list(rows))
