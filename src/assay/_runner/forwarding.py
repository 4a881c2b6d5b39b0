"""Methods of results that hand over to assay's public functions: the one way to what stands above.

Analyses and reports read results, so nothing here may import them; `assay` finds them by name.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import assay


class NotebookDisplay:
    """What a notebook shows as HTML."""

    __slots__ = ()

    def _repr_html_(self: Any) -> str:
        import assay

        return assay.notebook_html(self)


class Forwarding(NotebookDisplay):
    """The methods of a result that need more than the store."""

    __slots__ = ()

    def compare(self: Any, *others: "assay.Result", **how: Any) -> "assay.Comparison":
        """This run, as the baseline, compared with others sample by sample: see `assay.compare`.

        Args:
            others: Runs over the same samples, by the same metrics and judge.
            how: `metrics`, `level`, `wanted`, `most`, `force` of `assay.compare`.

        Raises:
            InputError: If they cannot be compared.
        """
        import assay

        return assay.compare(self, *others, **how)

    def diagnose(self: Any, **how: Any) -> "assay.Diagnosis":
        """Which part of the system failed on each sample, how often, and what is worth trying.

        Args:
            how: `within` of `assay.diagnose`.

        Raises:
            InputError: If `within` is no rank.
        """
        import assay

        return assay.diagnose(self, **how)

    def report(self: Any, path: str | Path) -> Path:
        """Write the self-contained HTML report; returns its path."""
        import assay

        return assay.write_report(self, path)
