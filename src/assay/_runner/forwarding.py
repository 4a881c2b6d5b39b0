"""Methods of results that hand over to assay's public functions: the one way to what stands above.

Analyses and reports read results, so nothing here may import them; `assay` finds them by name.
"""

from collections.abc import Sequence
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

    def compare(
        self: Any,
        *others: "assay.Result",
        metrics: Sequence[str] = (),
        level: float = 0.95,
        wanted: float | None = None,
        most: int = 5,
        force: bool = False,
    ) -> "assay.Comparison":
        """This run, as the baseline, compared with others: see `assay.compare`."""
        import assay

        return assay.compare(
            self, *others, metrics=metrics, level=level, wanted=wanted, most=most, force=force
        )

    def diagnose(self: Any, *, within: int = 3) -> "assay.Diagnosis":
        """Which part of the system failed on each sample: see `assay.diagnose`."""
        import assay

        return assay.diagnose(self, within=within)

    def report(self: Any, path: str | Path) -> Path:
        """Write the self-contained HTML report; returns its path."""
        import assay

        return assay.write_report(self, path)
